"""Live tables: players with chips, colours, the float, and the payment of a round."""
