"""The rules: bets, layouts, payouts and their notation."""
