"""Gateways and the broker at which they meet the house."""
