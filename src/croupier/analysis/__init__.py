"""Analysis: a journal as tables of columns, with reports as standard SQL."""
