"""The command line, for operators, inspectors and developers."""

from croupier.cli.main import main

__all__ = ["main"]
