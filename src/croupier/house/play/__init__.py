"""Bets: what a player puts on the layout, with credit or with chips."""
