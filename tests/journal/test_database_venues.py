"""Many venues in one database, run by several processes at once: each journal is whole, and verifies alone."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from croupier import rulebook
from croupier.engine.audit import audit
from croupier.engine.places import JournalPlace, open_store, settle_place
from croupier.engine.ports import Accepted, NullOutbox, Ports, Request
from croupier.engine.storage import open_storage
from croupier.house import AnyCommand
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import DeviceId, RoundNumber, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.journal.entry import IdempotencyKey
from croupier.journal.keystore import KeyStore, newest_record
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from tests.support.campaign import many
from tests.support.engine_driver import HandClock, enrolling, provisioning, start
from tests.support.venue_on_disk import CLOCK_START, CONSOLE, DEALER, RULEBOOK, TABLE, Site

VENUES, PROCESSES, TERMINALS, ROUNDS = many(day=6, night=100), many(day=2, night=4), 20, 5
SPOTS = ("17", "red", "black", "17/20")


class Floor:
    """A venue with twenty terminals whose journal is in a database."""

    def __init__(self, folder: Path, address: str, name: str) -> None:
        self.site, self.clock, self._number = Site.in_(folder), HandClock(CLOCK_START), 0
        settle_place(self.site.data, JournalPlace(address, name))
        self.run = start(open_storage(self.site.data, KeyStore(self.site.safe)), Ports(self.clock, NullOutbox()))
        self.terminals = [TerminalId(f"T{number}") for number in range(TERMINALS)]
        self._submit(Request(each) for each in provisioning(rulebook(RULEBOOK), TABLE, tuple(self.terminals)))
        self._submit(Request(each) for each in enrolling((CONSOLE,), {DEALER: "Dealer"}))
        self._submit(Request(GrantPlayMoney(each, Cents(100_000))) for each in self.terminals)

    def _submit(self, requests: Iterator[Request]) -> None:
        self.clock.pass_s(1)
        for request in requests:
            assert self.run.submit(request) is None
        responses = self.run.step().responses
        assert all(isinstance(answer.outcome, Accepted) for answer in responses), responses

    def _bet(self, terminal: TerminalId, number: int) -> Request:
        self._number += 1
        bets = ((SpotKey(SPOTS[self._number % len(SPOTS)]), Cents(500)),)
        command = PlaceBets(terminal, TABLE, RoundNumber(number), 1, bets)
        return Request(command, DeviceId(terminal), key=IdempotencyKey(self.run.epoch, self._number))

    def _deal(self, command: AnyCommand) -> None:
        self._number += 1
        self._submit(iter([Request(command, CONSOLE, DEALER, IdempotencyKey(self.run.epoch, self._number))]))

    def play(self, number: int) -> None:
        """Play one round at which every terminal bets."""
        self._deal(OpenBets(TABLE))
        self._submit(self._bet(each, number) for each in self.terminals)
        self._deal(CloseBets(TABLE))
        self._deal(SpinBall(TABLE))
        rest = BallAtRest(TABLE, Pocket("17"), 5, opposite=True)
        self._submit(iter([Request(rest, DeviceId(TABLE))]))


def run_floors(folder: Path, address: str, names: list[str]) -> None:
    """Run several venues in one process, a round of each in turn."""
    floors = [Floor(folder / name, address, name) for name in names]
    for number in range(ROUNDS):
        for floor in floors:
            floor.play(number + 1)
    for floor in floors:
        floor.run.stop()


@pytest.mark.campaign
def test_venues_of_one_database_verify_alone(database: str, tmp_path: Path) -> None:
    """Venues that several processes run at once in one database each have their own whole and valid journal."""
    names = [f"floor {tmp_path.name} {number}" for number in range(VENUES)]
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.journal.test_database_venues",
                str(tmp_path),
                database,
                *names[number::PROCESSES],
            ]
        )
        for number in range(PROCESSES)
    ]
    assert [each.wait() for each in running] == [0] * PROCESSES
    for name in names:
        site = Site.in_(tmp_path / name)
        keys = KeyStore(site.safe)
        with closing(open_store(site.data, writing=False)) as store:
            found = audit(store, keys.verifier(), read_canonical, newest_record(keys.anchor_records()), keys.signer())
            last = store.last()
        assert last is not None
        assert found.entries == found.signed_to == last.last
        assert found.entries > TERMINALS * ROUNDS


if __name__ == "__main__":
    run_floors(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
