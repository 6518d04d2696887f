"""Shots: takes the pictures of all screens and the recording of a round, in houses on a clock moved by hand."""

import sys
from pathlib import Path
from typing import Final

from tests.support.browser import caseshots, cashiershots, floorshots, liveshots, playershots, tableshots, trainershots
from tests.support.browser.chromium import chromium, find_browser
from tests.support.browser.recording import RECORDING, record
from tests.support.browser.screenshot import take

ROOMS: Final = (playershots, tableshots, floorshots, caseshots, cashiershots, liveshots, trainershots)
SHOTS: Final = tuple(shot for room in ROOMS for shot in room.SHOTS)


def main() -> None:
    """Take all pictures and the recording, or those that are named, into a folder."""
    path = find_browser()
    if path is None:
        sys.exit("No browser is here: apt-get install chromium-headless-shell")
    folder, wanted = Path(sys.argv[1]), set(sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    with chromium(path) as browser:
        for shot in SHOTS:
            if not wanted or shot.name in wanted:
                _report(take(browser, shot, folder))
        if not wanted or RECORDING.stem in wanted:
            _report(record(browser, folder))


def _report(path: Path) -> None:
    print(f"{path} {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
