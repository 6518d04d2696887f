"""Devices: the wheels and the paper at the edge of the house."""
