"""The demonstration: the venue that is played for play money where nobody has set up one of their own."""

from importlib.resources import files
from pathlib import Path

from croupier.config.reader import parse_config
from croupier.config.shape import Config

_DEMO = "demo.toml"


def demo_config(folder: Path) -> Config:
    """Set up the demonstration, with its data in a folder."""
    text = files(__package__).joinpath(_DEMO).read_text("utf-8")
    config = parse_config(text, where=folder / _DEMO)
    assert isinstance(config, Config)
    return config
