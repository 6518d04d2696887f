"""Access: which devices and people may take part, and how they prove who they are."""
