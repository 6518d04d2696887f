"""Devices: wheels, acceptors, printers and their lines."""
