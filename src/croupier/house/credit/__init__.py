"""Money at terminals and at the cashier: notes, tickets, sessions, drawers and held wins."""
