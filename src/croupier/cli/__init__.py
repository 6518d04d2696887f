"""The command line: questions about roulette answered exactly, for people and for programs."""

from croupier.cli.main import main

__all__ = ["main"]
