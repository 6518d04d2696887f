"""The floor: staff, signatures, permissions, settings, service, incidents and disputes."""
