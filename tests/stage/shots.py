"""Shots: takes the pictures of every screen for the documentation, each in a house on a clock that is moved by hand."""

import sys
from pathlib import Path
from typing import Final

from tests.stage import caseshots, cashiershots, floorshots, liveshots, playershots, tableshots, trainershots
from tests.stage.chromium import chromium, find_browser
from tests.stage.screenshot import take

ROOMS: Final = (playershots, tableshots, floorshots, caseshots, cashiershots, liveshots, trainershots)
SHOTS: Final = tuple(shot for room in ROOMS for shot in room.SHOTS)


def main() -> None:
    """Take all pictures, or those that are named, into a folder."""
    path = find_browser()
    if path is None:
        sys.exit("No browser is here: apt-get install chromium")
    folder, wanted = Path(sys.argv[1]), set(sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    with chromium(path) as browser:
        for shot in SHOTS:
            if not wanted or shot.name in wanted:
                picture = take(browser, shot, folder)
                print(f"{picture} {picture.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
