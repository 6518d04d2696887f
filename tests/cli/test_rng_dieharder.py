"""The secure source before Debian's dieharder, which shares nothing with the battery of `croupier rng test`."""

import os
import shutil
import subprocess
from contextlib import suppress
from subprocess import PIPE
from typing import Final

import pytest

from croupier.devices.random_source import SECURE, Source
from tests.support.campaign import many

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not many(day=0, night=1), reason="dieharder takes half a minute: by night"),
]
#: The numbers of its tests.
TESTS: Final = {"birthdays": 0, "ranks": 2, "ones": 8, "runs": 15, "craps": 16, "monobit": 100, "serial": 102}
MONOBIT: Final = TESTS["monobit"]
MISSING: Final = "dieharder is not here: apt-get install dieharder"
CHUNK: Final = 1 << 20


def dieharder() -> str:
    """Find the program; without it a test is left out, unless somebody requires it."""
    found = shutil.which("dieharder")
    if found is None:
        assert not os.environ.get("CROUPIER_REQUIRE_DIEHARDER"), MISSING
        pytest.skip(MISSING)
    return found


def assessments(test: int, source: Source) -> set[str]:
    """Pipe the bytes of a source to a test for as long as it reads them; return its assessments."""
    # Generator 200 reads its standard input; with -Y 1 a weak result is tried further until it passes or fails.
    command = [dieharder(), "-g", "200", "-d", str(test), "-Y", "1", "-D", "assessment"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # It closes the pipe when it has read enough.
        with suppress(BrokenPipeError):
            while process.poll() is None:
                process.stdin.write(source(CHUNK))
        with suppress(BrokenPipeError):
            process.stdin.close()
        found = set(process.stdout.read().decode().split())
    assert process.returncode == 0
    return found


@pytest.mark.parametrize("test", TESTS)
def test_secure_source_is_accepted(test: str) -> None:
    """The source of every draw passes: dieharder fails a fair one once in a million."""
    found = assessments(TESTS[test], SECURE)

    assert "PASSED" in found
    assert "FAILED" not in found


def test_source_with_a_bias_is_not_accepted() -> None:
    """Bytes without their highest bit fail."""
    assert assessments(MONOBIT, lambda size: bytes(each & 0x7F for each in SECURE(size))) == {"FAILED"}
