"""Pure roulette: given the same values it gives the same answer, and it reaches nothing outside itself."""
