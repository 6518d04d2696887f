"""Killed: a real process is killed while it writes, and all that it had told is there, whole and in order."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from croupier.engine.audit import audit
from croupier.engine.places import JOURNAL
from croupier.journal.entry import EMPTY_HEAD, Entry
from croupier.journal.keystore import KeyStore, newest_record
from croupier.journal.pages import verify_chain
from croupier.journal.stores.sqlite import SqliteStore
from croupier.rulebooks.schema import read_canonical
from tests.support.campaign import many
from tests.support.victim import Ack

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
#: A house is left after so many kills, so that starts stay short.
KILLS = 25
ACKS_MAX = 60


class Victims:
    """A process that gives birth to victims: what they import is read once."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.victim"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def killed(self, data: Path, after: int) -> list[Ack]:
        """Have a victim play, kill it after so many answers, and give all that it had told."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{data}\n")
        self._process.stdin.flush()
        pid = self._received()
        assert isinstance(pid, int)
        acks = [self._read_ack() for _ in range(after)]
        os.kill(pid, signal.SIGKILL)
        while (last := self._received()) != -signal.SIGKILL:
            assert isinstance(last, Ack)
            acks.append(last)
        return acks

    def _read_ack(self) -> Ack:
        received = self._received()
        assert isinstance(received, Ack), "it died of itself"
        return received

    def _received(self) -> Ack | int:
        """Hear of a birth, of an answer, or of a death and its cause."""
        assert self._process.stdout is not None
        return _DECODER.decode(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


_DECODER: msgspec.json.Decoder[Ack | int] = msgspec.json.Decoder(Ack | int)


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    victims = Victims()
    yield victims
    victims.close()


def committed(data: Path) -> list[Entry]:
    """Read what is in a journal, with every digest held against it, and leave it to the next victim as it is."""
    store = SqliteStore(data / JOURNAL, writing=False)
    entries = [entry for page in verify_chain(store.pages(), EMPTY_HEAD) for entry in page.entries]
    store.close()
    return entries


def lost(entries: list[Entry], acks: list[Ack]) -> list[Ack]:
    """Find what was told and is not in the journal under its key, in its place."""
    found = [(entry.context.device, entry.cause.key if entry.cause else None) for entry in entries]
    return [
        ack for ack in acks if found[ack.first - 1 : ack.last] != [(ack.device, ack.key)] * (ack.last + 1 - ack.first)
    ]


def killed_over_and_over(victims: Victims, data: Path, chance: Random, kills: int) -> None:
    """Kill one victim after the other on the same journal, and audit what they leave."""
    acks: list[Ack] = []
    for _ in range(kills):
        reported = victims.killed(data, chance.choice((0, 1, 2, chance.randint(3, ACKS_MAX))))
        acks += reported
        assert not acks or lost(committed(data), acks) == []
    # The last one is left time to found the house.
    acks += victims.killed(data, ACKS_MAX)
    store, safe = SqliteStore(data / JOURNAL), KeyStore.default_for(data)
    findings = audit(store, safe.verifier(), read_canonical, newest_record(safe.anchor_records()))
    store.close()

    assert findings.entries >= acks[-1].last
    assert lost(committed(data), acks) == []


@pytest.mark.campaign
def test_kill_loses_nothing_that_was_acknowledged(victims: Victims, tmp_path: Path) -> None:
    """Whenever a process is killed, all that it told is in the journal, in one chain, and the next goes on."""
    kills = many(day=20, night=1_000)
    for number in range(0, kills, KILLS):
        chance = Random(number)  # noqa: S311 - chance that can be had again
        killed_over_and_over(victims, tmp_path / str(number), chance, min(KILLS, kills - number))


def test_answer_that_is_not_committed_is_detected(victims: Victims, tmp_path: Path) -> None:
    """The same check finds an answer that the journal does not have."""
    acks = victims.killed(tmp_path / "data", ACKS_MAX)
    entries = committed(tmp_path / "data")
    reported = max(acks, key=lambda ack: ack.last)

    assert lost(entries, acks) == []
    assert lost(entries[: reported.last - 1], acks) == [reported]
    assert lost([*entries[: reported.last - 1], entries[0], *entries[reported.last :]], acks) == [reported]
