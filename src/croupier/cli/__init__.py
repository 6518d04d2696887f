"""The command line."""

from croupier.cli.main import main

__all__ = ["main"]
