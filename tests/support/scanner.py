"""A barcode scanner: zbar from the system's packages, which shares nothing with what prints."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

MISSING: Final = "no barcode reader is here: apt-get install zbar-tools"


def scanner() -> str:
    """Find the reader; without it a test is left out, unless somebody requires it."""
    found = shutil.which("zbarimg")
    if found is None:
        assert not os.environ.get("CROUPIER_REQUIRE_ZBAR"), MISSING
        pytest.skip(MISSING)
    return found


def scanned(pictures: Sequence[Path]) -> list[str]:
    """Read pictures one after the other, by every code that the reader knows: what was read, with the code's name."""
    done = subprocess.run([scanner(), "--quiet", *pictures], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()
