"""The house: one deterministic state machine that decides commands and returns events or a refusal."""
