"""Configuration: reads and validates the configuration file of a venue."""
