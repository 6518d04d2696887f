"""Tickets at eight desks of four venues at once, each venue a process: each is paid once, and the accounts agree."""

import asyncio
import sys
from collections import Counter
from pathlib import Path
from random import Random
from subprocess import Popen
from typing import Final

import msgspec
import pytest

from croupier.engine.ports import Accepted, Request
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.tickets import TicketState
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import DeviceId, DrawerId, PersonId
from croupier.house.state.ledger import LedgerAccount
from croupier.house.verification import ledger_problems
from croupier.journal.checkpoints import Verifier
from croupier.rules.refusal import Code, Refusal
from tests.support.campaign import many
from tests.support.database import new_venue
from tests.support.linked_venues import FLOAT, TWENTY, LinkedVenue

TICKETS: Final = many(day=400, night=100_000)
VENUES: Final = 4
DESKS: Final = 2
#: How many tickets a desk has under way at once.
UNDER_WAY: Final = 32
#: At how many desks each ticket is presented: always of different venues.
PRESENTED: Final = 2
#: How long a bearer waits before the next attempt, in seconds: at first, and at most.
PAUSES_S: Final = (0.05, 1.0)
#: The ticket is on its way between two venues, or one of them is behind: the bearer tries again.
AGAIN: Final = frozenset({Code.VENUE_SILENT, Code.TICKET_TRANSFERRED, Code.TICKET_UNKNOWN, Code.BUSY})
PATIENCE_S: Final = 3_000


class Result(msgspec.Struct):
    """What a venue has done: the numbers that it paid, and its accounts with the others."""

    paid: list[str]
    drawers: int
    sent: dict[str, int]
    received: dict[str, int]
    inter_venue: int
    outstanding: int
    again: int


class Desk:
    """A cashier at a desk, with a drawer."""

    def __init__(self, linked: LinkedVenue, number: int) -> None:
        self.linked, self.device, self.person = linked, DeviceId(f"desk {number}"), PersonId(f"cashier {number}")
        self.drawer = DrawerId(f"drawer {number}")
        linked.done(EnrolDevice(self.device), EnrolPerson(self.person, ("Cashier",)))
        linked.done(Request(OpenDrawer(self.drawer, FLOAT), self.device, self.person))
        self.paid: list[str] = []
        self.again = 0

    async def redeem_all(self, numbers: list[str]) -> None:
        """Present tickets, some at once, until each is paid here or elsewhere."""
        room = asyncio.Semaphore(UNDER_WAY)

        async def redeem(number: str) -> None:
            async with room:
                await self._redeem(number)

        await asyncio.gather(*map(redeem, numbers))

    async def _redeem(self, number: str) -> None:
        linked, digest = self.linked, self.linked.numbers.digest(number)
        assert digest is not None
        pause, longest = PAUSES_S
        while True:
            refusal = await linked.exchange.present(number) if linked.exchange.is_elsewhere(number) else None
            outcome = refusal or await linked.ask(Request(RedeemTicket(self.drawer, digest), self.device, self.person))
            if isinstance(outcome, Accepted):
                self.paid.append(number)
                return
            assert isinstance(outcome, Refusal)
            if outcome.code is Code.TICKET_PAID:
                return
            assert outcome.code in AGAIN, outcome
            self.again += 1
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)


async def waited(folder: Path, names: list[str], suffix: str) -> None:
    """Wait until every venue has written a file."""
    async with asyncio.timeout(PATIENCE_S):
        while not all((folder / f"{name}.{suffix}").exists() for name in names):  # noqa: ASYNC110 - other processes
            await asyncio.sleep(0.05)


def write(path: Path, content: object) -> None:
    """Write a file at once: others look for it."""
    path.with_suffix(".new").write_bytes(msgspec.json.encode(content))
    path.with_suffix(".new").rename(path)


async def run_venue(folder: Path, address: str, index: int, tickets: int, names: list[str]) -> None:
    """Run one venue: issue its tickets, and have its desks redeem those of all venues."""
    partners = tuple(name for name in names if name != names[index])
    linked = LinkedVenue(folder / str(index), address, names[index], partners)
    write(folder / f"{names[index]}.key", linked.signer.verifier.text)
    await waited(folder, names, "key")
    for partner in partners:
        key = msgspec.json.decode((folder / f"{partner}.key").read_bytes(), type=str)
        linked.pin(partner, Verifier.of_text(key))
    desks = [Desk(linked, number) for number in range(DESKS)]
    write(folder / f"{names[index]}.issued", linked.issue_many(tickets // VENUES))
    linked.link().begin()
    await waited(folder, names, "issued")
    numbers = [
        each for name in names for each in msgspec.json.decode((folder / f"{name}.issued").read_bytes(), type=list[str])
    ]
    everywhere = VENUES * DESKS
    brought = [
        # Desks of the same venue are four apart.
        [each for place, each in enumerate(numbers) if (place - number * VENUES - index) % everywhere < PRESENTED]
        for number in range(DESKS)
    ]
    for number, each in enumerate(brought):
        Random(f"{index} {number}").shuffle(each)  # noqa: S311 - it decides no result
    await asyncio.gather(*(desk.redeem_all(each) for desk, each in zip(desks, brought, strict=True)))
    write(folder / f"{names[index]}.redeemed", len(numbers))
    await waited(folder, names, "redeemed")
    house = linked.house
    assert list(ledger_problems(house)) == []
    accounts = house.venue_accounts
    result = Result(
        [number for desk in desks for number in desk.paid],
        sum(drawer.paid_out for drawer in house.drawers.values()),
        {name: each.sent for name, each in accounts.items()},
        {name: each.received for name, each in accounts.items()},
        house.ledger[LedgerAccount.INTER_VENUE],
        sum(ticket.amount for ticket in house.tickets.all.values() if ticket.payable),
        sum(desk.again for desk in desks),
    )
    assert sum(each.state is TicketState.REDEEMED for each in house.tickets.all.values()) == len(result.paid)
    write(folder / f"{names[index]}.result", result)
    await linked.stop()


# By night it takes some minutes: 100,000 tickets took 397 s on two busy cores.
@pytest.mark.timeout(1_800)
@pytest.mark.campaign
def test_every_ticket_is_paid_once_across_venues(database: str, tmp_path: Path) -> None:
    """Eight cashiers of four venues present every ticket at two venues: one pays it, and what venues owe agrees."""
    check_paid_once(tmp_path, database, TICKETS)


def check_paid_once(folder: Path, database: str, tickets: int) -> int:
    """Run the venues and verify their results; return how often a bearer had to try again."""
    names = [new_venue() for _ in range(VENUES)]
    command = [sys.executable, "-m", "tests.campaigns.test_tickets_across_venues", str(folder), database, str(tickets)]
    running = [Popen([*command, str(index), *names]) for index in range(VENUES)]
    assert [each.wait() for each in running] == [0] * VENUES
    results = {name: msgspec.json.decode((folder / f"{name}.result").read_bytes(), type=Result) for name in names}
    paid = Counter(number for each in results.values() for number in each.paid)
    assert set(paid.values()) == {1}
    assert len(paid) == tickets
    assert sum(each.drawers for each in results.values()) == tickets * TWENTY
    assert [each.outstanding for each in results.values()] == [0] * VENUES
    assert sum(each.inter_venue for each in results.values()) == 0
    for name, each in results.items():
        for other, sent in each.sent.items():
            assert results[other].received[name] == sent
        assert each.drawers == len(each.paid) * TWENTY
    return sum(each.again for each in results.values())


def main() -> None:
    folder, address, tickets, index, *names = sys.argv[1:]
    asyncio.run(run_venue(Path(folder), address, int(index), int(tickets), names))


if __name__ == "__main__":
    main()
