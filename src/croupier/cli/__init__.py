"""The command line: what an operator, an inspector and a developer ask of the system."""

from croupier.cli.main import main

__all__ = ["main"]
