"""Simulation: runs from seeds, and the auditor who finds a false house."""
