"""Documents and reports."""
