"""Money in the house: notes, tickets, drawers and sessions."""
