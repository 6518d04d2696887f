"""The pictures of the documentation: each one that is there can be taken anew, and each one that is taken is there."""

from pathlib import Path
from typing import Final

from tests.stage.shots import SHOTS

SCREENS: Final = Path(__file__).parents[2] / "docs" / "screens"


def test_every_picture_has_its_shot() -> None:
    """The folder of pictures holds those that are taken, no other and none twice."""
    assert sorted(path.name for path in SCREENS.iterdir()) == sorted(f"{shot.name}.png" for shot in SHOTS)
