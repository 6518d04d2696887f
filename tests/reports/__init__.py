"""Reports: what is printed, for whom, and to the cent."""
