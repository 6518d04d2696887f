"""Simulation: a whole venue run from a seed, with faults, and checked by an auditor."""
