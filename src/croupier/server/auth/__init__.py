"""Authentication: which devices and people may connect, and how they prove their identity."""
