"""Configuration: what is read, refused and provisioned."""
