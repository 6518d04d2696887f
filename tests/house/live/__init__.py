"""Live tables in the house: chips, colours, floats and payment."""
