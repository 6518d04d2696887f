"""Clients, houses, runs and samples for tests over the wire."""
