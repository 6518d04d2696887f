"""The floor in the house: staff, devices, incidents and disputes."""
