"""The house: what it decides, what it refuses, and what it is after every event."""
