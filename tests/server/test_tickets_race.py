"""Tickets at eight desks at once: each is paid once, and whoever comes second is told when, where and by whom."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Semaphore, Thread

import pytest

from croupier.engine.audit import audit
from croupier.engine.ports import Accepted, BatchOutput, Ports, Request, Response
from croupier.engine.run import Run
from croupier.engine.sequencer import BATCH_MAX
from croupier.engine.storage import open_storage
from croupier.house import House
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import ConfirmPrint, TicketState
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId
from croupier.house.state.ledger import LedgerAccount
from croupier.house.verification import ledger_problems, state_digest
from croupier.journal.entry import IdempotencyKey
from croupier.journal.keystore import KeyStore
from croupier.rulebooks.schema import read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from tests.support.campaign import many
from tests.support.engine_driver import HandClock, stand, start
from tests.support.shift import HUNDRED, T1, collecting, opening, redeeming

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

    def publish(self, batch: BatchOutput) -> None:
        for answer in batch.responses:
            if answer.request.key is None:
                assert isinstance(answer.outcome, Accepted), answer
            else:
                self._answered(answer)
                self.free[answer.request.device].release()

    def _answered(self, answer: Response) -> None:
        requested, outcome = answer.request, answer.outcome
        assert isinstance(requested.command, RedeemTicket)
        digest = requested.command.digest
        if isinstance(outcome, Refusal):
            ticket = self.house.tickets.all[self.house.tickets.by_digest[digest]]
            assert outcome.code is Code.TICKET_PAID
            assert outcome.facts == {"paid_at": ticket.paid_at, "place": ticket.paid_place, "by": ticket.paid_by}
            assert ticket.paid_place
            self.late[digest] += 1
        else:
            self.paid[digest] += 1
            self.by[requested.device] += 1

    @property
    def answered(self) -> int:
        return self.paid.total() + self.late.total()


def setup() -> Iterator[Request]:
    """What sets the venue up with a cashier at every desk, and has every ticket issued."""
    yield from map(Request, opening())
    for desk in DESKS:
        yield Request(EnrolDevice(desk))
        yield Request(EnrolPerson(cashier(desk), ("Cashier",)))
        yield Request(OpenDrawer(drawer(desk), Cents(TICKETS * HUNDRED)), desk, cashier(desk))
    for sequence in range(1, TICKETS + 1):
        yield Request(InsertNote(T1, "AUD", HUNDRED), DeviceId(T1))
        yield Request(collecting(sequence), DeviceId(T1))
        yield Request(ConfirmPrint(T1, Number(sequence)), DeviceId(T1))


def redeemer(run: Run, hall: Hall, barrier: Barrier, place: int) -> Thread:
    """A cashier who brings every ticket: every other one begins at the far end."""
    desk = DESKS[place]
    order = range(1, TICKETS + 1) if place % 2 else range(TICKETS, 0, -1)

    def redeem() -> None:
        barrier.wait()
        for number, sequence in enumerate(order, start=1):
            hall.free[desk].acquire()
            key = IdempotencyKey(run.epoch, number)
            assert run.submit(Request(redeeming(sequence, drawer(desk)), desk, cashier(desk), key)) is None
            hall.waits.set()

    return Thread(target=redeem)


@pytest.mark.campaign
def test_every_ticket_is_paid_once(tmp_path: Path) -> None:
    """Eight cashiers bring every ticket at once: one of them pays it, and the drawers and the books agree."""
    storage = open_storage(tmp_path / "data", KeyStore.default_for(tmp_path / "data"))
    standing = stand(storage)
    hall = Hall(standing.house)
    run = start(storage, Ports(HandClock(), hall), standing=standing)
    for count, requested in enumerate(setup(), start=1):
        assert run.submit(requested) is None
        if count % BATCH_MAX == 0:
            run.step()
    run.step()
    assert run.house.ledger[LedgerAccount.TICKETS] == TICKETS * HUNDRED

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

    digests = set(run.house.tickets.by_digest)
    assert hall.paid == dict.fromkeys(digests, 1)
    assert hall.late == dict.fromkeys(digests, len(DESKS) - 1)
    # I5: all that was issued is redeemed, and nothing is out any more.
    assert {ticket.state for ticket in run.house.tickets.all.values()} == {TicketState.REDEEMED}
    assert run.house.ledger[LedgerAccount.TICKETS] == 0
    # I6: a drawer holds its float less what was paid from it.
    for desk in DESKS:
        held = run.house.drawers[drawer(desk)]
        assert held.paid_out == hall.by[desk] * HUNDRED
        assert held.cash == held.float_ - held.paid_out
    assert list(ledger_problems(run.house)) == []
    run.stop()

    again = open_storage(tmp_path / "data", KeyStore.default_for(tmp_path / "data"))
    found = audit(again.store, again.signer.verifier, read_canonical, again.anchor.read())
    assert found.state == state_digest(run.house)
    again.store.close()
