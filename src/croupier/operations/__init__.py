"""Upkeep: what keeps a running venue safe from day to day: backups, restores and checks of the software."""
