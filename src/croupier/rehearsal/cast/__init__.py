"""The cast: everybody and everything that acts in a rehearsal, each at a menu of things that they might do."""
