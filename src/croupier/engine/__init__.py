"""The engine: one writer between those who ask and the journal, its clock, its start and its recovery."""
