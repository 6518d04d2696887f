"""Rehearsals: a whole house played from a seed, with faults, under the eyes of an auditor."""
