"""What every subject shares: tables, rounds, terminals, positions, live tables, ledger and timers."""
