"""The command line: questions about roulette answered exactly, for people and for programs."""

from croupier.cli.app import main

__all__ = ["main"]
