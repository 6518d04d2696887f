"""Transcripts: `.round` files, run against the house and written from a journal."""
