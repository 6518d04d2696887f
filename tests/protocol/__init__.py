"""The protocol: what its pages, schemas and types say is what its messages are."""
