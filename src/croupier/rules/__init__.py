"""Rules of roulette: pure, deterministic functions without I/O."""
