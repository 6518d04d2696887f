"""Devices: wheels, ticket numbers, and validation of device reports."""
