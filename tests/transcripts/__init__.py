"""Transcripts: rounds written down and played."""
