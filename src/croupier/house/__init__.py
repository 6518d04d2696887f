"""The house: one deterministic state machine that takes commands and answers with events or a refusal."""
