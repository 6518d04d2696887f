"""Analysis: tables for those who compute with them."""
