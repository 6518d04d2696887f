"""What every test shares: the hypothesis profiles, the venues, and somebody to ask on the command line."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from croupier.cli.main import run
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rules.rulebook import Rulebook
from tests.support.database import running_server
from tests.support.venue_on_disk import Site, small_venue

# A failing example is replayed by its printed blob; a slow machine is not a failure.
settings.register_profile(
    "default", max_examples=60, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "night", max_examples=5_000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def venue(rulebook_id: str) -> Rulebook:
    """Load a venue's rulebook, which must be sound."""
    rulebook = load_rulebook(rulebook_id)
    assert isinstance(rulebook, Rulebook)
    return rulebook


#: The rulebooks of the four documents. Those of our own have tests apart.
DOCUMENTS = ("clearwater-etg", "marina-bay-sands-2020", "skycity-adelaide-2003", "us-double-zero")
#: The rulebooks of our own.
OWN = tuple(name for name in rulebook_ids() if name not in DOCUMENTS)

#: The outside bets of the layouts that the four venues share, each with its kind and its numbers.
OUTSIDE = {
    key: (kind.id, numbers) for kind in venue("skycity-adelaide-2003").kinds for key, numbers in kind.boxes.items()
}


@pytest.fixture(autouse=True)
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain screen of a known width, whatever the terminal that runs the tests."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(params=DOCUMENTS)
def rulebook(request: pytest.FixtureRequest) -> Rulebook:
    """Each of the four venues in turn."""
    return venue(request.param)


#: Runs a command with --json, and gives its exit code and its answer.
Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Somebody to ask."""

    def requested(*arguments: object) -> tuple[int, Any]:
        code = run([*map(str, arguments), "--json"])
        return code, json.loads(capsys.readouterr().out)

    return requested


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """The address of a database with the tables of journals, on a real server that all tests share."""
    # Not at the top: the driver is an optional extra.
    from croupier.journal.stores.database import prepare  # noqa: PLC0415

    with running_server() as server:
        prepare(server.address())
        yield server.address()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A venue on disk that was killed in its sixth round; tests use copies of it."""
    return small_venue(tmp_path_factory.mktemp("built"))


@pytest.fixture
def site(built: Site, tmp_path: Path) -> Site:
    """A copy of that venue."""
    return built.copied(tmp_path / "site")
