"""The single-writer engine: commands are committed durably before they are acknowledged."""
