"""Devices: wheels, ticket numbers and the checks of what a device reports."""
