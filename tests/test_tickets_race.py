"""Tickets at eight desks at once: each is paid once, and whoever comes second is told when, where and by whom."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Semaphore, Thread

import pytest

from croupier.engine.archive import open_archive
from croupier.engine.asked import Accepted, Answer, Asked, Batch
from croupier.engine.audit import audit
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.engine.sequencer import BATCH_MOST
from croupier.house.books import Account
from croupier.house.command.credit import ConfirmPrint, InsertNote, OpenDrawer, RedeemTicket
from croupier.house.command.venue import EnrolDevice, EnrolPerson
from croupier.house.desk import TicketState
from croupier.house.fingerprint import fingerprint
from croupier.house.name import DeviceId, DrawerId, Number, PersonId
from croupier.house.soundness import unsound
from croupier.house.state import House
from croupier.journal.entry import Key
from croupier.journal.safe import Safe
from croupier.rulebooks.canonical import read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from tests.campaign import many
from tests.driver import HandClock, stand, start
from tests.shift import HUNDRED, T1, collecting, opening, redeeming

TICKETS = many(day=1_000, night=100_000)
DESKS = tuple(DeviceId(f"desk {number}") for number in range(8))
#: How many commands a desk has under way at once.
UNDER_WAY = 16
#: What a step may take at the very most.
PATIENCE_S = 60


def cashier(desk: DeviceId) -> PersonId:
    return PersonId(f"cashier of {desk}")


def drawer(desk: DeviceId) -> DrawerId:
    return DrawerId(f"drawer of {desk}")


class Hall:
    """The desks' side of the engine: counts what was paid, and lets each desk send the next when an answer has come."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.free = {desk: Semaphore(UNDER_WAY) for desk in DESKS}
        self.waits = Event()
        #: How often each ticket was paid, and refused as paid; and what each desk has paid.
        self.paid: Counter[str] = Counter()
        self.late: Counter[str] = Counter()
        self.by: Counter[DeviceId] = Counter()

    def release(self, batch: Batch) -> None:
        for answer in batch.answers:
            if answer.asked.key is None:
                assert isinstance(answer.outcome, Accepted), answer
            else:
                self._answered(answer)
                self.free[answer.asked.device].release()

    def _answered(self, answer: Answer) -> None:
        asked, outcome = answer.asked, answer.outcome
        assert isinstance(asked.command, RedeemTicket)
        digest = asked.command.digest
        if isinstance(outcome, Refusal):
            ticket = self.house.tickets[self.house.ticket_digests[digest]]
            assert outcome.code is Code.TICKET_PAID
            assert outcome.facts == {"paid_at": ticket.paid_at, "place": ticket.paid_place, "by": ticket.paid_by}
            assert ticket.paid_place
            self.late[digest] += 1
        else:
            self.paid[digest] += 1
            self.by[asked.device] += 1

    @property
    def answered(self) -> int:
        return self.paid.total() + self.late.total()


def setup() -> Iterator[Asked]:
    """What sets the venue up with a cashier at every desk, and has every ticket issued."""
    yield from map(Asked, opening())
    for desk in DESKS:
        yield Asked(EnrolDevice(desk))
        yield Asked(EnrolPerson(cashier(desk), ("Cashier",)))
        yield Asked(OpenDrawer(drawer(desk), Cents(TICKETS * HUNDRED)), desk, cashier(desk))
    for sequence in range(1, TICKETS + 1):
        yield Asked(InsertNote(T1, "AUD", HUNDRED), DeviceId(T1))
        yield Asked(collecting(sequence), DeviceId(T1))
        yield Asked(ConfirmPrint(T1, Number(sequence)), DeviceId(T1))


def redeemer(run: Run, hall: Hall, barrier: Barrier, place: int) -> Thread:
    """A cashier who brings every ticket: every other one begins at the far end."""
    desk = DESKS[place]
    order = range(1, TICKETS + 1) if place % 2 else range(TICKETS, 0, -1)

    def redeem() -> None:
        barrier.wait()
        for number, sequence in enumerate(order, start=1):
            hall.free[desk].acquire()
            key = Key(run.epoch, number)
            assert run.submit(Asked(redeeming(sequence, drawer(desk)), desk, cashier(desk), key)) is None
            hall.waits.set()

    return Thread(target=redeem)


@pytest.mark.campaign
def test_every_ticket_is_paid_once(tmp_path: Path) -> None:
    """Eight cashiers bring every ticket at once: one of them pays it, and the drawers and the books agree."""
    archive = open_archive(tmp_path / "data", Safe.beside(tmp_path / "data"))
    standing = stand(archive)
    hall = Hall(standing.house)
    run = start(archive, Ports(HandClock(), hall), standing=standing)
    for count, asked in enumerate(setup(), start=1):
        assert run.submit(asked) is None
        if count % BATCH_MOST == 0:
            run.step()
    run.step()
    assert run.house.books[Account.TICKETS] == TICKETS * HUNDRED

    barrier = Barrier(len(DESKS))
    threads = [redeemer(run, hall, barrier, place) for place in range(len(DESKS))]
    for thread in threads:
        thread.start()
    while hall.answered < TICKETS * len(DESKS):
        assert hall.waits.wait(PATIENCE_S)
        hall.waits.clear()
        run.step()
    for thread in threads:
        thread.join()

    digests = set(run.house.ticket_digests)
    assert hall.paid == dict.fromkeys(digests, 1)
    assert hall.late == dict.fromkeys(digests, len(DESKS) - 1)
    # I5: all that was issued is redeemed, and nothing is out any more.
    assert {ticket.state for ticket in run.house.tickets.values()} == {TicketState.REDEEMED}
    assert run.house.books[Account.TICKETS] == 0
    # I6: a drawer holds its float less what was paid from it.
    for desk in DESKS:
        held = run.house.drawers[drawer(desk)]
        assert held.paid_out == hall.by[desk] * HUNDRED
        assert held.cash == held.float_ - held.paid_out
    assert list(unsound(run.house)) == []
    run.stop()

    again = open_archive(tmp_path / "data", Safe.beside(tmp_path / "data"))
    found = audit(again.store, again.signer.verifier, read_canonical, again.anchor.read())
    assert found.state == fingerprint(run.house)
    again.store.close()
