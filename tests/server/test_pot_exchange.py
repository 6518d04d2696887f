"""A pot that venues of one database share: won once, whatever fails, and both journals explain their cents."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from itertools import product
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from croupier.engine.audit import TransferAudit, audit
from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import open_claims, open_store
from croupier.engine.ports import Request
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.transfers import VenuePinned
from croupier.house.declare import Event
from croupier.house.floor.incidents import IncidentKind
from croupier.house.floor.signatures import Approve
from croupier.house.floor.staff import EnrolDevice, EnrolPerson
from croupier.house.ids import DeviceId, Number, PersonId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import AttestResult, BallAtRest
from croupier.house.rounds.shared_pots import PotReported, PotStated, SharePot
from croupier.house.rounds.spinning import SpinBall
from croupier.house.state.ledger import LedgerAccount, Pot, PotReport
from croupier.journal.checkpoints import Signer
from croupier.journal.claims import MessageKind, Outgoing, PotBody, TicketMessage
from croupier.journal.disk import JournalCorrupt, JournalFault
from croupier.journal.keystore import KeyStore, newest_record
from croupier.journal.pages import EventRow
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from tests.support.connections import played, until
from tests.support.database import new_venue
from tests.support.linked_venues import T1, TABLE, LinkedVenue

POT, SEED, STAKE = "generic-progressive", 5_000, 500
PIT, OFFICE = DeviceId("pit"), DeviceId("office")
DEALER, INSPECTOR, BOSS = PersonId("dealer"), PersonId("inspector"), PersonId("boss")
TITLES = {DEALER: "Dealer", INSPECTOR: "Inspector", BOSS: "Pit Boss"}


class PotVenue(LinkedVenue):
    """A venue with a table whose pot it shares."""

    is_interrupted = False

    def _provision(self) -> None:
        super()._provision()
        self.done(
            EnrolDevice(PIT), EnrolDevice(OFFICE), *(EnrolPerson(person, (title,)) for person, title in TITLES.items())
        )
        self.done(Request(InsertNote(T1, "EUR", Cents(10_000)), DeviceId(T1)))

    @property
    def pot(self) -> Pot:
        return self.house.pots[POT]

    async def crash(self) -> None:
        """Crash, which interrupts a round that runs."""
        round_ = self.house.tables[TABLE].round
        self.is_interrupted = round_ is not None and not round_.over
        await super().crash()

    def bets(self) -> None:
        """Bet five on the pot, close, and launch the ball."""
        self.done(OpenBets(TABLE))
        number = self.house.tables[TABLE].rounds
        self.done(Request(PlaceBets(T1, TABLE, number, 1, (("pot", STAKE),)), DeviceId(T1)))
        self.clock.pass_s(30)
        self.done(CloseBets(TABLE))
        self.done(Request(SpinBall(TABLE), PIT, DEALER))

    def rests(self, pocket: str) -> None:
        """Let the ball come to rest; after an interruption two people attest where it lies."""
        self.clock.pass_s(30)
        if self.is_interrupted:
            self.is_interrupted = False
            self.done(Request(AttestResult(TABLE, Pocket(pocket), "as seen"), PIT, INSPECTOR))
            self.done(Request(Approve(Number(self.house.proposals.made)), OFFICE, BOSS))
            return
        self.done(Request(BallAtRest(TABLE, Pocket(pocket), 9, opposite=True), DeviceId(TABLE)))

    def round(self, pocket: str) -> None:
        self.bets()
        self.rests(pocket)

    @property
    def credit(self) -> int:
        return self.house.terminals[T1].credit


Scenario = Callable[[PotVenue, PotVenue], Awaitable[None]]


@asynccontextmanager
async def shared(folder: Path, address: str) -> AsyncIterator[tuple[PotVenue, PotVenue]]:
    """Open a venue that keeps a pot and one that plays for it too."""
    names = (new_venue(), new_venue())
    keeper = PotVenue(folder / "keeper", address, names[0], names[1:], rulebook=POT)
    other = PotVenue(folder / "other", address, names[1], names[:1], rulebook=POT)
    keeper.pin(other.name, other.signer.verifier)
    other.pin(keeper.name, keeper.signer.verifier)
    for each in (keeper, other):
        each.done(SharePot(POT, keeper.name))
        each.link()
    yield keeper, other
    await settled(keeper, other)
    account, its = keeper.house.venue_accounts[other.name], other.house.venue_accounts[keeper.name]
    assert (account.received, account.owed) == (its.sent, -its.owed)
    assert keeper.house.ledger[LedgerAccount.INTER_VENUE] == -other.house.ledger[LedgerAccount.INTER_VENUE]
    assert (keeper.pot.amount, keeper.pot.wins) == (other.pot.amount, other.pot.wins)
    for each in (keeper, other):
        await each.stop()


async def settled(keeper: PotVenue, other: PotVenue) -> None:
    """Let both exchange messages until nothing changes any more."""
    for _ in range(4):
        for each in (other, keeper):
            await each.exchange.step()


def run(folder: Path, address: str, scenario: Scenario) -> None:
    async def running() -> None:
        async with shared(folder, address) as venues:
            await scenario(*venues)

    played(running)
    for each in ("keeper", "other"):
        keys = KeyStore.default_for(folder / each / "data")
        with closing(open_store(folder / each / "data", writing=False)) as store:
            found = audit(store, keys.verifier(), read_canonical, newest_record(keys.anchor_records()), keys.signer())
            assert found.entries == found.signed_to


def test_both_venues_win_in_one_moment(database: str, tmp_path: Path) -> None:
    """Both players are paid what their rounds played for; the pot is won once, and the reserve pays the second."""

    async def scenario(keeper: PotVenue, other: PotVenue) -> None:
        other.round("1")
        await settled(keeper, other)
        before = keeper.pot.reserve
        for each in (keeper, other):
            each.bets()
        for each in (keeper, other):
            each.rests("0")
        assert (keeper.credit, other.credit) == (10_000 + SEED + 250, 10_000 - STAKE + SEED + 250)
        await settled(keeper, other)
        assert (keeper.pot.wins, keeper.pot.amount) == (1, SEED + 2 * STAKE // 2)
        # The reserve gives the next seed and the second win, and receives its share of both stakes.
        assert keeper.pot.reserve == before - SEED - (SEED + 250) + 2 * STAKE * 2 // 5
        assert other.house.ledger[LedgerAccount.INTER_VENUE] == 2 * 450 - (SEED + 250)

    run(tmp_path, database, scenario)


#: The steps of two rounds that win one pot: who bets, whose ball comes to rest, and who exchanges messages.
STEPS: tuple[Callable[[PotVenue, PotVenue], Awaitable[None] | None], ...] = (
    lambda _, other: other.bets(),
    lambda keeper, _: keeper.bets(),
    lambda _, other: other.rests("0"),
    lambda keeper, _: keeper.rests("0"),
    lambda _, other: other.exchange.step(),
    lambda keeper, _: keeper.exchange.step(),
    lambda keeper, _: keeper.exchange.step(),
    lambda _, other: other.exchange.step(),
)


@pytest.mark.parametrize(("fails", "at"), [*product((0, 1), range(len(STEPS) + 1))])
def test_crash_of_either_venue_at_any_step_changes_nothing(database: str, tmp_path: Path, fails: int, at: int) -> None:
    """A venue that loses what is not committed between two steps goes on, and the pot is won once."""

    async def scenario(keeper: PotVenue, other: PotVenue) -> None:
        for number, step in enumerate((*STEPS, None)):
            if number == at:
                await (keeper, other)[fails].crash()
            did = None if step is None else step(keeper, other)
            if did is not None:
                await did
        await settled(keeper, other)
        assert keeper.pot.wins == 1
        assert keeper.credit == other.credit == 10_000 + SEED

    run(tmp_path, database, scenario)


@pytest.mark.parametrize("fails", [0, 1])
def test_lost_acknowledgement_applies_nothing_twice(database: str, tmp_path: Path, fails: int) -> None:
    """What was written to a connection that then broke is written again, and counts once."""

    async def scenario(keeper: PotVenue, other: PotVenue) -> None:
        for number in ("0", "1"):
            other.round(number)
            for each in (other, keeper, keeper, other):
                each.loses_connection = each is (keeper, other)[fails]
                with suppress(JournalFault):
                    await each.exchange.step()
        await settled(keeper, other)
        assert (keeper.pot.wins, keeper.pot.amount) == (1, SEED + 500)

    run(tmp_path, database, scenario)


def test_venues_that_exchange_by_themselves_show_one_pot(database: str, tmp_path: Path) -> None:
    """Without a request, both venues know what the other has added a moment later."""

    async def scenario(keeper: PotVenue, other: PotVenue) -> None:
        for each in (keeper, other):
            each.exchange.begin()
            each.round("1")
        await until(lambda: keeper.pot.amount == other.pot.amount == SEED + 500)
        # From here on messages are exchanged by hand again.
        for each in (keeper, other):
            await each.crash()

    run(tmp_path, database, scenario)


def test_forged_and_malformed_messages_are_incidents(database: str, tmp_path: Path) -> None:
    """A pot changes by nothing that its sender has not signed, that cannot be read, or that is of other rules."""

    async def scenario(keeper: PotVenue, other: PotVenue) -> None:
        other.round("1")
        report = other.pot.share.last if other.pot.share is not None else PotReport()
        rules = other.house.tables[TABLE].rulebook.digest
        body = msgspec.json.encode(PotBody(rules, (replace(report, number=9, paid=10**6),))).decode()
        strange = msgspec.json.encode(PotBody("other rules", (replace(report, number=8),))).decode()
        said = TicketMessage(MessageKind.POT, other.name, keeper.name, 9, body)
        messages = (
            said.signed(Signer.new()),
            said.signed(other.signer)._replace(recipient=keeper.name, number=10),
            said._replace(body="{}").signed(other.signer),
            said._replace(body=body, number=7).signed(other.signer),
            said._replace(body=strange, number=8).signed(other.signer),
            said._replace(body=body.replace("1000000", "1" * 18)).signed(other.signer),
        )
        with closing(open_claims(other.place)) as claims:
            claims.send_and_receive(Outgoing(messages), {}, lambda _message: True)
        before = keeper.pot.amount, keeper.pot.reserve
        await keeper.exchange.step()
        assert (keeper.pot.amount, keeper.pot.reserve) == before
        raised = [
            each.facts.text for each in keeper.house.incidents.all.values() if each.kind is IncidentKind.TICKET_MESSAGES
        ]
        assert [words.partition(":")[0] for words in raised] == [
            f"a pot is not signed with the key of {other.name}",
            "what it says about a pot cannot be read",
            "what it says about a pot is refused",
        ]

    run(tmp_path, database, scenario)


def told_events(folder: Path, kind: type[Event]) -> tuple[VenuePinned, Event]:
    """Read from a journal the key that was pinned, and the last entry of a kind."""
    keys = KeyStore.default_for(folder / "data")
    with closing(open_store(folder / "data", writing=False)) as store:
        events = [
            row.event
            for page in JournalReader(store, keys.verifier())
            for row in page.body.rows
            if isinstance(row, EventRow)
        ]
    pinned = next(each for each in events if isinstance(each, VenuePinned))
    return pinned, [each for each in events if isinstance(each, kind)][-1]


def test_audit_verifies_what_other_venues_have_said(database: str, tmp_path: Path) -> None:
    """An entry about a pot that differs from what its venue has signed is named by the audit."""
    names: list[str] = []

    async def scenario(keeper: PotVenue, other: PotVenue) -> None:
        names.extend((keeper.name, other.name))
        other.round("0")

    run(tmp_path, database, scenario)
    pinned, found = told_events(tmp_path / "keeper", PotReported)
    assert isinstance(found, PotReported)
    for changed, says in (
        (replace(found, contributed=found.contributed + 1), "is not what it adds to the report before"),
        (replace(found, previous=3), "was applied before, or out of order"),
        (replace(found, signature="ab" * 64), "is not signed with the pinned key of that venue"),
        (replace(found, body="{"), "cannot be read"),
        (replace(found, report=replace(found.report, whole=1)), "differs from what that venue has signed"),
    ):
        audited = TransferAudit()
        audited.check(1, pinned, names[0])
        with pytest.raises(JournalCorrupt, match=says):
            audited.check(2, changed, names[0])
    audited = TransferAudit()
    audited.check(1, pinned, names[0])
    audited.check(2, found, names[0])
    with pytest.raises(JournalCorrupt, match="is not what it adds"):
        audited.check(3, found, names[0])
    pinned, stated = told_events(tmp_path / "other", PotStated)
    assert isinstance(stated, PotStated)
    audited = TransferAudit()
    audited.check(1, pinned, names[1])
    audited.check(2, stated, names[1])
    with pytest.raises(JournalCorrupt, match="differs from what that venue has signed"):
        audited.check(3, replace(stated, statement=replace(stated.statement, amount=1)), names[1])
