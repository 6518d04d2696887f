"""Configuration: a venue as its operator writes it down, read and checked."""
