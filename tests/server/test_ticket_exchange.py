"""Tickets across venues of one operator: each is paid once, whatever fails, and both journals explain their books."""

import asyncio
import hashlib
import hmac
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from croupier.devices.validation import KEY_BYTES, SharedNumbers, open_key, permuted, read_shared_key, restored
from croupier.engine.audit import JournalAudit, TransferAudit, audit
from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import JournalPlace, listen_for_claims, open_claims, open_store
from croupier.engine.ports import Accepted, Outcome
from croupier.house.credit.tickets import TicketState
from croupier.house.credit.transfers import ReceiveTicket, TicketReceived, VenuePinned
from croupier.house.declare import Event
from croupier.house.floor.incidents import IncidentKind
from croupier.house.settings import Mode
from croupier.house.state.ledger import LedgerAccount
from croupier.journal.checkpoints import Signer
from croupier.journal.claims import READ_MAX, Incoming, MessageKind, Outgoing, TicketMessage, TransferBody
from croupier.journal.disk import JournalCorrupt, JournalFault
from croupier.journal.keystore import KeyStore, newest_record
from croupier.journal.stores.database import connect
from croupier.rulebooks.schema import read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from croupier.server import ticket_exchange
from croupier.server.ticket_exchange import TicketExchange
from tests.support.connections import played, until
from tests.support.database import new_venue
from tests.support.linked_venues import SHARED, T2, TWENTY, LinkedVenue
from tests.support.slices import paced

#: A slip of Adelaide is paid by the cashier alone.
ADELAIDE = "skycity-adelaide-2003"
Scenario = Callable[[LinkedVenue, LinkedVenue], Awaitable[None]]


@asynccontextmanager
async def linked(folder: Path, address: str, **kinds: object) -> AsyncIterator[tuple[LinkedVenue, LinkedVenue]]:
    """Open two venues that pay each other's tickets; `kinds` are of the second one."""
    names = (new_venue(), new_venue())
    issuer = LinkedVenue(folder / "issuer", address, names[0], names[1:])
    claimant = LinkedVenue(folder / "claimant", address, names[1], names[:1], **kinds)  # type: ignore[arg-type]
    issuer.pin(claimant.name, claimant.signer.verifier)
    claimant.pin(issuer.name, issuer.signer.verifier)
    issuer.link()
    claimant.link()
    yield issuer, claimant
    for each in (issuer, claimant):
        await each.stop()


def run(folder: Path, address: str, scenario: Scenario, **kinds: object) -> None:
    async def running() -> None:
        async with linked(folder, address, **kinds) as venues:
            await scenario(*venues)

    played(running)


def code(outcome: Outcome | None) -> Code:
    assert isinstance(outcome, Refusal), outcome
    return outcome.code


async def presented(claimant: LinkedVenue, issuer: LinkedVenue, number: str) -> Refusal | None:
    """Present a ticket at one venue, and let both exchange messages by hand until there is a result."""
    presenting = asyncio.ensure_future(claimant.exchange.present(number))
    await asyncio.sleep(0)
    while not presenting.done():
        await claimant.exchange.step()
        await issuer.exchange.step()
        await asyncio.sleep(0)
    return await presenting


async def redeemed(claimant: LinkedVenue, issuer: LinkedVenue, number: str) -> Outcome:
    if claimant.exchange.is_elsewhere(number):
        refusal = await presented(claimant, issuer, number)
        if refusal is not None:
            return refusal
    return await claimant.pay(number)


def test_ticket_is_paid_at_another_venue_once(database: str, tmp_path: Path) -> None:
    """A ticket is transferred to the venue that pays it: the issuer owes that venue, and neither pays it again."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        assert isinstance(await redeemed(claimant, issuer, number), Accepted)
        assert (issuer.paid_out, claimant.paid_out) == (0, TWENTY)
        assert code(await issuer.pay(number)) is Code.TICKET_TRANSFERRED
        assert code(await claimant.pay(number)) is Code.TICKET_PAID
        assert code(await redeemed(issuer, claimant, number)) is Code.TICKET_PAID
        owes, is_owed = issuer.house.ledger.balances, claimant.house.ledger.balances
        assert (owes[LedgerAccount.TICKETS], owes[LedgerAccount.INTER_VENUE]) == (0, TWENTY)
        assert (is_owed[LedgerAccount.TICKETS], is_owed[LedgerAccount.INTER_VENUE]) == (0, -TWENTY)
        assert issuer.house.venue_accounts[claimant.name].owed == TWENTY
        assert claimant.house.venue_accounts[issuer.name].owed == -TWENTY

    run(tmp_path, database, scenario)
    for each in ("issuer", "claimant"):
        keys = KeyStore.default_for(tmp_path / each / "data")
        store = open_store(tmp_path / each / "data", writing=False)
        found = audit(store, keys.verifier(), read_canonical, newest_record(keys.anchor_records()), keys.signer())
        assert found.entries == found.signed_to
        store.close()


def test_ticket_comes_back_to_its_issuer(database: str, tmp_path: Path) -> None:
    """A ticket that was transferred and not paid there is transferred back when it is presented at its issuer."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        assert await presented(claimant, issuer, number) is None
        assert isinstance(await redeemed(issuer, claimant, number), Accepted)
        assert (issuer.paid_out, claimant.paid_out) == (TWENTY, 0)
        assert issuer.house.venue_accounts[claimant.name].owed == 0
        assert code(await redeemed(claimant, issuer, number)) is Code.TICKET_PAID
        await issuer.crash()
        assert code(await issuer.pay(number)) is Code.TICKET_PAID

    run(tmp_path, database, scenario)


def test_terminal_takes_a_ticket_of_another_venue(database: str, tmp_path: Path) -> None:
    """A terminal credits a ticket that another venue has transferred."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number, results = issuer.issue(), list[Refusal | None]()
        claimant.exchange.present_then(number, T2, results.append)
        while not results:
            await asyncio.sleep(0)
            await claimant.exchange.step()
            await issuer.exchange.step()
        assert results == [None]
        assert isinstance(await claimant.insert(number), Accepted)
        assert claimant.house.terminals[T2].credit == TWENTY

    run(tmp_path, database, scenario)


#: What happens between the claim and the payment: which venue takes which step.
STEPS = ("claimant", "issuer", "issuer", "claimant", "claimant")


@pytest.mark.parametrize("loses", [False, True], ids=["crash", "lost acknowledgement"])
@pytest.mark.parametrize("victim", ["issuer", "claimant"])
@pytest.mark.parametrize("after", range(len(STEPS) + 1))
def test_crash_at_any_point_pays_once(database: str, tmp_path: Path, after: int, victim: str, *, loses: bool) -> None:
    """Wherever one venue crashes or loses its connection after a commit, the ticket is paid once, and both agree."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        venues = {"issuer": issuer, "claimant": claimant}
        number = issuer.issue()
        presenting = asyncio.ensure_future(claimant.exchange.present(number))
        await asyncio.sleep(0)
        for count, name in enumerate(STEPS):
            if count == after:
                await fail(venues[victim])
            await venues[name].exchange.step()
        if after == len(STEPS):
            await fail(venues[victim])
        presenting.cancel()
        assert isinstance(await redeemed(claimant, issuer, number), Accepted)
        await check_paid_once(number, issuer, claimant)

    async def fail(venue: LinkedVenue) -> None:
        if loses:
            venue.loses_connection = True
            with pytest.raises(JournalFault, match="lost after the commit"):
                await venue.exchange.step()
        else:
            await venue.crash()

    run(tmp_path, database, scenario)


async def check_paid_once(number: str, issuer: LinkedVenue, claimant: LinkedVenue) -> None:
    """The claimant has paid, nobody pays again after another start of both, and their accounts agree."""
    for each in (issuer, claimant):
        await each.crash()
    await issuer.exchange.step()
    await claimant.exchange.step()
    assert code(await redeemed(claimant, issuer, number)) is Code.TICKET_PAID
    assert code(await redeemed(issuer, claimant, number)) is Code.TICKET_PAID
    assert (issuer.paid_out, claimant.paid_out) == (0, TWENTY)
    sent, received = issuer.house.venue_accounts[claimant.name], claimant.house.venue_accounts[issuer.name]
    assert (sent.sent, sent.last_sent) == (received.received, received.last_received) == (TWENTY, 1)


def test_crash_before_the_receipt_is_committed_loses_nothing(database: str, tmp_path: Path) -> None:
    """A claimant that ends before it has committed the receipt of a ticket receives it at its next start."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        presenting = asyncio.ensure_future(claimant.exchange.present(number))
        await asyncio.sleep(0)
        await claimant.exchange.step()
        await issuer.exchange.step()
        await issuer.exchange.step()

        async def ends(_: object) -> Outcome:
            raise asyncio.CancelledError

        claimant.exchange._ask = ends  # noqa: SLF001 - where a process may end
        with pytest.raises(asyncio.CancelledError):
            await claimant.exchange.step()
        presenting.cancel()
        await claimant.crash()
        await claimant.exchange.step()
        assert not claimant.exchange.is_elsewhere(number)
        assert isinstance(await claimant.pay(number), Accepted)
        await check_paid_once(number, issuer, claimant)

    run(tmp_path, database, scenario)


def test_transferred_ticket_that_left_the_state_is_still_sent(database: str, tmp_path: Path) -> None:
    """A transfer that is not in the database at a crash is written later, from the index of closed tickets too."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = claimant.issue()
        presenting = asyncio.ensure_future(issuer.exchange.present(number))
        await asyncio.sleep(0)
        await issuer.exchange.step()
        await claimant.exchange.step()
        presenting.cancel()
        for _ in range(3):
            assert isinstance(await claimant.pay(claimant.issue()), Accepted)
        assert claimant.ticket(number) is None
        await claimant.crash()
        await claimant.exchange.step()
        await issuer.exchange.step()
        assert isinstance(await issuer.pay(number), Accepted)
        # The issuer of a ticket that left its state still says that it has transferred it.
        assert code(await redeemed(claimant, issuer, number)) is Code.TICKET_PAID

    run(tmp_path, database, scenario, records_kept=1)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ({"rulebook": ADELAIDE}, Code.NOT_TAKEN_HERE),
        ({"mode": Mode.DEMO}, Code.NOT_TAKEN_HERE),
    ],
    ids=["another currency", "a demonstration"],
)
def test_ticket_that_cannot_be_paid_there_is_not_transferred(
    database: str, tmp_path: Path, kinds: dict[str, object], expected: Code
) -> None:
    """A ticket stays with its issuer where the other venue has another currency, or no real money."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        refusal = await presented(claimant, issuer, number)
        assert refusal is not None
        assert (refusal.code, refusal.clause) == (expected, "27")
        assert refusal.message.startswith(issuer.name)
        assert isinstance(await issuer.pay(number), Accepted)

    run(tmp_path, database, scenario, **kinds)


def test_unknown_number_is_unknown_at_every_venue(database: str, tmp_path: Path) -> None:
    """A number that no venue has issued is refused as unknown once all have said so."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        issuer.issue()
        assert code(await presented(claimant, issuer, "1" * 18)) is Code.TICKET_UNKNOWN
        assert not claimant.exchange.is_elsewhere("1" * 17)

    run(tmp_path, database, scenario)


def test_venue_that_does_not_run_is_named(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the issuer does not answer in time the ticket is refused, and not transferred when it runs again."""
    monkeypatch.setattr(ticket_exchange, "ANSWER_S", 0.0)

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        presenting = asyncio.ensure_future(claimant.exchange.present(number))
        again = asyncio.ensure_future(claimant.exchange.present(number))
        await asyncio.sleep(0)
        await claimant.exchange.step()
        assert code(await presenting) is Code.VENUE_SILENT
        assert (await again) == (await presenting)
        assert issuer.name in str(presenting.result())
        await claimant.exchange.step()
        await issuer.exchange.step()
        ticket = issuer.ticket(number)
        assert ticket is not None
        assert ticket.state is TicketState.PRINTED

    run(tmp_path, database, scenario)


def test_claim_waits_for_every_venue(database: str, tmp_path: Path) -> None:
    """A number that one venue does not know is not refused while another may know it, however often it is read."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        claimant.exchange.venues = (issuer.name, new_venue())
        presenting = asyncio.ensure_future(claimant.exchange.present("1" * 18))
        await asyncio.sleep(0)
        for each in (claimant, issuer, issuer, claimant, claimant):
            await each.exchange.step()
        assert not presenting.done()
        presenting.cancel()

    run(tmp_path, database, scenario)


def test_terminal_refuses_before_a_claim_is_sent(database: str, tmp_path: Path) -> None:
    """A ticket is not claimed for a terminal that takes none."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        assert code(await claimant.exchange.present(number, T2)) is Code.NOT_TAKEN_HERE

    run(tmp_path, database, scenario, rulebook=ADELAIDE)


def test_claim_does_not_tell_the_number_to_other_venues(database: str, tmp_path: Path) -> None:
    """What a venue reads of a ticket that another has issued is a digest, which the key of the tokens does not open."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number, third = issuer.issue(), new_venue()
        claimant.exchange.venues = (issuer.name, third)
        presenting = asyncio.ensure_future(claimant.exchange.present(number))
        await asyncio.sleep(0)
        await claimant.exchange.step()
        with connect(database, "test") as connection:
            query = "SELECT body FROM croupier.ticket_message WHERE kind = 'claim' AND recipient = %s"
            ((body,),) = connection.execute(query, (third,)).fetchall()
        texts = [each for each in msgspec.json.decode(body).values() if isinstance(each, str) and len(each) > 10]
        assert texts == [SHARED.claim(SHARED.token(number))]
        presenting.cancel()

    run(tmp_path, database, scenario)


def test_claims_wait_until_all_tickets_are_indexed(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a start a claim of a ticket without a digest yet is answered later; those of closed tickets are dropped."""
    monkeypatch.setattr(ticket_exchange, "INDEX_MAX", 2)

    async def scenario(claimant: LinkedVenue, issuer: LinkedVenue) -> None:
        numbers = [issuer.issue() for _ in range(5)]
        await issuer.crash()
        presenting = asyncio.ensure_future(claimant.exchange.present(numbers[-1]))
        await asyncio.sleep(0)
        await claimant.exchange.step()
        for _ in range(2):
            await issuer.exchange.step()
            await claimant.exchange.step()
            assert not presenting.done()
        # One step answers, and the next one writes the answer.
        for each in (issuer, issuer, claimant):
            await each.exchange.step()
        assert await presenting is None
        for number in numbers[:-1]:
            assert isinstance(await issuer.pay(number), Accepted)
        for _ in range(8):
            assert isinstance(await issuer.pay(issuer.issue()), Accepted)
            await issuer.exchange.step()
        # The last ticket and one record of a closed one.
        assert len(issuer.house.tickets.all) == 2
        assert len(issuer.exchange._claimed) <= 2 * (2 + 2)  # noqa: SLF001
        assert code(await presented(claimant, issuer, numbers[0])) is Code.TICKET_UNKNOWN

    run(tmp_path, database, scenario, records_kept=1)


def test_ticket_received_without_a_token_stays_here(database: str, tmp_path: Path) -> None:
    """A ticket whose receipt has no token, as earlier versions wrote it, is paid where it is, and not claimed."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = "1" * 18
        body, digest = msgspec.json.decode(body_of(number), type=TransferBody), claimant.numbers.digest(number)
        assert digest is not None
        what = (body.previous, digest, body.last_four, body.form, body.amount, body.currency, body.issued_at, body.at)
        claimant.done(ReceiveTicket(issuer.name, 1, *what, "", ""))
        assert code(await presented(issuer, claimant, number)) is Code.TICKET_UNKNOWN
        assert isinstance(await claimant.pay(number), Accepted)

    run(tmp_path, database, scenario)


def test_busy_issuer_answers_later(database: str, tmp_path: Path) -> None:
    """A claim that the issuer cannot decide yet is read again, and answered then."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number, decides = issuer.issue(), issuer.exchange._ask  # noqa: SLF001 - the engine's own queue is full

        async def busy(_: object) -> Outcome:
            issuer.exchange._ask = decides  # noqa: SLF001
            return Refusal(Code.BUSY, None, "", {})

        issuer.exchange._ask = busy  # noqa: SLF001
        assert isinstance(await redeemed(claimant, issuer, number), Accepted)

    run(tmp_path, database, scenario)


def claims_of(database: str, venue: str) -> int:
    with connect(database, "test") as connection:
        query = "SELECT count(*) FROM croupier.ticket_message WHERE sender = %s AND kind <> 'transfer'"
        row = connection.execute(query, (venue,)).fetchone()
    assert row is not None
    return int(row[0])


def test_claims_are_deleted_when_they_are_done(database: str, tmp_path: Path) -> None:
    """A claim stays in the database only while a bearer waits; a start deletes those of the run before."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        assert isinstance(await redeemed(claimant, issuer, number), Accepted)
        await claimant.exchange.step()
        assert claims_of(database, claimant.name) == 0
        presenting = asyncio.ensure_future(claimant.exchange.present("1" * 18))
        await asyncio.sleep(0)
        await claimant.exchange.step()
        assert claims_of(database, claimant.name) == 1
        presenting.cancel()
        await claimant.crash()
        await claimant.exchange.step()
        assert claims_of(database, claimant.name) == 0

    run(tmp_path, database, scenario)


def write(database: str, *messages: TicketMessage) -> None:
    """Write messages as the owner of the database may, past every policy."""
    store = open_claims(JournalPlace(database, messages[0].sender))
    store.send_and_receive(Outgoing(messages), {}, bool)
    store.close()


def body_of(number: str, **more: object) -> str:
    """The body of a transfer as a venue writes it."""
    kept = {"previous": 0, "token": SHARED.token(number), "last_four": number[-4:], "form": "ticket", "amount": 2_000}
    return msgspec.json.encode({**kept, "currency": "USD", "issued_at": 1, "at": 1, **more}).decode()


def claim_of(number: str) -> str:
    claim = {"digest": SHARED.claim(SHARED.token(number)), "mode": "real", "currencies": ["USD"], "at_terminal": False}
    return msgspec.json.encode(claim).decode()


async def events_of(exchange: TicketExchange) -> list[str]:
    with capture_logs() as logs:
        await exchange.step()
    return [each["event"] for each in logs]


def incidents_of(linked: LinkedVenue) -> list[str]:
    return [
        each.facts.text for each in linked.house.incidents.all.values() if each.kind is IncidentKind.TICKET_MESSAGES
    ]


def test_message_that_its_sender_has_not_signed_changes_nothing(database: str, tmp_path: Path) -> None:
    """Claims and transfers in the name of a venue that another key has signed are incidents, and change nothing."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number, thief = issuer.issue(), Signer.new()
        claim = TicketMessage(MessageKind.CLAIM, claimant.name, issuer.name, 7, claim_of(number))
        # A holder of the shared key and of a role of the database, and of no venue's own key.
        for signer in (thief, issuer.signer):
            write(database, claim.signed(signer))
            assert await events_of(issuer.exchange) in (["ticket_messages"], [])
        ticket = issuer.ticket(number)
        assert ticket is not None
        assert ticket.payable
        minted = TicketMessage(MessageKind.TRANSFER, issuer.name, claimant.name, 1, body_of("1" * 18))
        moved = minted._replace(number=2).signed(issuer.signer)._replace(number=1)
        write(database, minted.signed(thief), minted.signed(claimant.signer), moved)
        await claimant.exchange.step()
        assert claimant.house.venue_accounts[issuer.name].received == 0
        assert incidents_of(issuer) == [f"a claim is not signed with the key of {claimant.name}"]
        assert incidents_of(claimant) == [f"a transfer is not signed with the key of {issuer.name}"]

    run(tmp_path, database, scenario)


def test_message_of_a_venue_without_a_pinned_key_is_not_acted_on(database: str, tmp_path: Path) -> None:
    """A venue whose key is not pinned here receives no ticket, however its messages are signed."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number, third, signer = issuer.issue(), new_venue(), Signer.new()
        issuer.exchange.venues = (claimant.name, third)
        write(database, TicketMessage(MessageKind.CLAIM, third, issuer.name, 7, claim_of(number)).signed(signer))
        await issuer.exchange.step()
        assert incidents_of(issuer) == [f"a claim is not signed with the key of {third}"]
        assert third not in issuer.house.venue_accounts

    run(tmp_path, database, scenario)


def test_squatted_number_does_not_freeze_tickets(database: str, tmp_path: Path) -> None:
    """A foreign row under the number of a transfer is an incident at both venues, and the ticket is paid at once."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        squatted = TicketMessage(MessageKind.TRANSFER, issuer.name, claimant.name, 1, body_of("1" * 18))
        write(database, squatted.signed(Signer.new()), squatted._replace(signature=bytes(64)))
        for _ in range(2):
            assert isinstance(await redeemed(claimant, issuer, issuer.issue()), Accepted)
        assert claimant.paid_out == 2 * TWENTY
        assert incidents_of(issuer) == ["the database has foreign rows under the numbers of transfers"]
        assert incidents_of(claimant) == [f"a transfer is not signed with the key of {issuer.name}"]

    run(tmp_path, database, scenario)


def write_foreign(database: str, message: TicketMessage, count: int) -> None:
    """Write rows that are not signed, under numbers from the message's own, or with 0 all under number 1."""
    with connect(database, "test") as connection:
        connection.execute(
            "INSERT INTO croupier.ticket_message (kind, sender, recipient, number, body, signature)"
            " SELECT %s, %s, %s, greatest(%s * each, 1), %s, int4send(each) FROM generate_series(1, %s) AS each",
            (*message[:5], count),
        )


def test_many_foreign_rows_do_not_freeze_tickets(database: str, tmp_path: Path) -> None:
    """More foreign rows under the number of a transfer than are read at once delay it, and the ticket is paid."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        # More than a step reads: the next one continues after them.
        write_foreign(database, TicketMessage(MessageKind.TRANSFER, issuer.name, claimant.name, 0, ""), 10 * READ_MAX)
        number = issuer.issue()
        presenting = asyncio.ensure_future(claimant.exchange.present(number))
        await asyncio.sleep(0)
        for _ in range(4):
            await claimant.exchange.step()
            await issuer.exchange.step()
        assert await presenting is None
        assert isinstance(await claimant.pay(number), Accepted)
        assert incidents_of(claimant) == [f"a transfer is not signed with the key of {issuer.name}"]
        # The rows are under a number that was received: the next ticket does not meet with them.
        assert isinstance(await redeemed(claimant, issuer, issuer.issue()), Accepted)

    run(tmp_path, database, scenario)


def test_claims_of_one_venue_do_not_crowd_out_those_of_another(database: str, tmp_path: Path) -> None:
    """A venue that sends as many claims as are read at once keeps no other venue from its tickets."""

    async def running() -> None:
        names = (new_venue(), new_venue(), new_venue())
        issuer = LinkedVenue(tmp_path / "issuer", database, names[0], names[1:])
        claimant = LinkedVenue(tmp_path / "claimant", database, names[1], names[:1])
        for one, other in ((issuer, claimant), (claimant, issuer)):
            one.pin(other.name, other.signer.verifier)
        issuer.pin(names[2], Signer.new().verifier)
        issuer.link()
        claimant.link()
        write_foreign(database, TicketMessage(MessageKind.CLAIM, names[2], issuer.name, 1, ""), READ_MAX)
        assert isinstance(await redeemed(claimant, issuer, issuer.issue()), Accepted)
        assert incidents_of(issuer) == [f"a claim is not signed with the key of {names[2]}"]
        for each in (issuer, claimant):
            await each.stop()

    played(running)


@pytest.mark.parametrize(("kind", "number"), [(MessageKind.CLAIM, 1), (MessageKind.RESPONSE, 0)])
def test_messages_of_each_venue_are_limited(database: str, kind: MessageKind, number: int) -> None:
    """Of each venue only so many claims, and responses to one claim, are read and verified at once."""
    here, venues = new_venue(), (new_venue(), new_venue())
    for venue in venues:
        write_foreign(database, TicketMessage(kind, venue, here, number, ""), 2 * READ_MAX)
    verified: list[str] = []

    def genuine(message: TicketMessage) -> bool:
        verified.append(message.sender)
        return False

    store = open_claims(JournalPlace(database, here))
    found = store.send_and_receive(Outgoing(awaited=(1,)), dict.fromkeys(venues, 0), genuine)
    store.close()
    assert Counter(verified) == dict.fromkeys(venues, READ_MAX)
    assert found == Incoming(foreign=frozenset((venue, kind) for venue in venues))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (MessageKind.TRANSFER, '{"previous":0}'),
        (MessageKind.TRANSFER, body_of("1" * 18, amount=-2_000)),
        (MessageKind.TRANSFER, body_of("1" * 18, amount=0)),
        (MessageKind.TRANSFER, body_of("1" * 18, amount=10**14)),
        (MessageKind.TRANSFER, body_of("1" * 18, token="x" * 18)),
        (MessageKind.TRANSFER, body_of("1" * 18, at=2**80)),
        (MessageKind.TRANSFER, body_of("1" * 18, token="1" * 18 + "\n")),
        (MessageKind.TRANSFER, body_of("1" * 18, last_four="\x1b[2J")),
        (MessageKind.TRANSFER, body_of("1" * 18, currency="USD\n")),
        (MessageKind.CLAIM, claim_of("1" * 18)[:-1] + ',"digest":"' + "0" * 32 + '\\n"}'),
        (MessageKind.CLAIM, "?"),
        (MessageKind.CLAIM, "[" * 3_000 + "]" * 3_000),
        (MessageKind.RESPONSE, '{"outcome":"refused","code":"no_such_code"}'),
        (MessageKind.RESPONSE, '{"outcome":"refused","facts":{"a":' + "[" * 3_000 + "]" * 3_000 + "}}"),
        (MessageKind.RESPONSE, '{"outcome":"refused","facts":{"a":{"b":1}}}'),
        (MessageKind.RESPONSE, f'{{"outcome":"refused","message":"x","facts":{{"a":{2**64}}}}}'),
        (MessageKind.RESPONSE, '{"outcome":"refused","message":"Paid.\\u001b[2J"}'),
        (MessageKind.RESPONSE, '{"outcome":"refused","message":"x","facts":{"a":["\\u202e"]}}'),
    ],
)
def test_malformed_message_is_refused(database: str, tmp_path: Path, kind: MessageKind, body: str) -> None:
    """A message that is signed and malformed is logged and not acted on, however deep it is nested."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        presenting = asyncio.ensure_future(claimant.exchange.present("1" * 18))
        await asyncio.sleep(0)
        number = 1 if kind is MessageKind.TRANSFER else next(iter(claimant.exchange._waiting))  # noqa: SLF001
        await claimant.exchange.step()
        write(database, TicketMessage(kind, issuer.name, claimant.name, number, body).signed(issuer.signer))
        assert await events_of(claimant.exchange) == ["ticket_message_invalid"]
        assert not presenting.done()
        assert claimant.house.venue_accounts[issuer.name].received == 0
        presenting.cancel()

    run(tmp_path, database, scenario)


def test_response_is_bound_to_its_claim(database: str, tmp_path: Path) -> None:
    """A response to another claim, or by another venue's key, does not refuse a ticket that is then paid."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        presenting = asyncio.ensure_future(claimant.exchange.present(number))
        await asyncio.sleep(0)
        claimed = next(iter(claimant.exchange._waiting))  # noqa: SLF001
        await claimant.exchange.step()
        paid = '{"outcome":"refused","code":"ticket_paid","message":"Paid."}'
        response = TicketMessage(MessageKind.RESPONSE, issuer.name, claimant.name, claimed, paid)
        earlier = response._replace(number=claimed // 2 + 1).signed(issuer.signer)
        with connect(database, "test") as connection:
            query = "INSERT INTO croupier.ticket_message (kind, sender, recipient, number, body, signature)"
            for each in (response.signed(Signer.new()), earlier._replace(number=claimed)):
                connection.execute(f"{query} VALUES (%s, %s, %s, %s, %s, %s)", each)
        await claimant.exchange.step()
        assert not presenting.done()
        assert incidents_of(claimant) == [f"a response is not signed with the key of {issuer.name}"]
        presenting.cancel()
        assert isinstance(await redeemed(claimant, issuer, number), Accepted)

    run(tmp_path, database, scenario)


def test_refused_transfers_wait(database: str, tmp_path: Path) -> None:
    """Transfers that are not received are one incident; they are tried again one at a time, and nothing spins."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        for transfer in range(2, READ_MAX + 2):
            body = body_of("1" * 18, previous=transfer - 2, currency="XXX")
            message = TicketMessage(MessageKind.TRANSFER, issuer.name, claimant.name, transfer, body)
            write(database, message.signed(issuer.signer))
        assert await events_of(claimant.exchange) == ["transfer_refused", "ticket_messages"]
        assert await events_of(claimant.exchange) == ["transfer_refused"]
        assert incidents_of(claimant) == ["its transfers are refused"]
        assert not claimant.exchange._wake.is_set()  # noqa: SLF001
        assert claimant.house.venue_accounts[issuer.name].received == 0

    run(tmp_path, database, scenario)


def test_exchange_restarts_after_any_exception(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception in the exchange is logged and an incident; the exchange goes on, and the ticket is paid."""
    monkeypatch.setattr(ticket_exchange, "RETRY_S", 0.01)

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number, compare = issuer.issue(), claimant.exchange._compare  # noqa: SLF001

        async def fails(*_: object) -> None:
            claimant.exchange._compare = compare  # type: ignore[method-assign] # noqa: SLF001
            raise RuntimeError("as no test foresaw")

        claimant.exchange._compare = fails  # type: ignore[method-assign,assignment] # noqa: SLF001
        with capture_logs() as logs:
            issuer.exchange.begin()
            claimant.exchange.begin()
            assert isinstance(await claimant.redeem(number), Accepted)
        assert "RuntimeError: as no test foresaw" in [each.get("words") for each in logs]
        assert incidents_of(claimant) == ["the exchange failed and was restarted: as no test foresaw"]

    run(tmp_path, database, scenario)


def test_look_up_ends_in_words_when_the_database_hangs(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bearer has a result in time although the exchange waits for the database: the silent venue is named."""
    monkeypatch.setattr(ticket_exchange, "ANSWER_S", 0.2)

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number, blocked = issuer.issue(), connect(database, "test")
        with blocked, blocked.transaction():
            blocked.execute("LOCK TABLE croupier.ticket_message IN ACCESS EXCLUSIVE MODE")
            claimant.exchange.begin()
            async with asyncio.timeout(2):
                refusal = await claimant.exchange.present(number)
        assert code(refusal) is Code.VENUE_SILENT
        assert issuer.name in str(refusal)

    run(tmp_path, database, scenario)


def test_running_exchange_survives_lost_connections(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Venues that run exchange tickets by notification, and connect again when the database has ended connections."""
    monkeypatch.setattr(ticket_exchange, "RETRY_S", 0.01)

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        issuer.exchange.begin()
        claimant.exchange.begin()
        numbers = [issuer.issue() for _ in range(3)]
        assert isinstance(await claimant.redeem(numbers[0]), Accepted)
        with capture_logs() as logs:
            end_connections(database)
            failed = {"ticket_exchange_failed", "ticket_listener_failed"}
            await until(lambda: {each["event"] for each in logs} == failed)
            outcomes = [await claimant.redeem(number) for number in numbers[1:]]
        assert all(isinstance(each, Accepted) for each in outcomes), outcomes
        assert claimant.paid_out == 3 * TWENTY

    run(tmp_path, database, scenario)


def end_connections(database: str) -> None:
    """End every connection that carries messages, and none of a journal."""
    with connect(database, "test") as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'croupier tickets%' OR query LIKE '%ticket_message%'"
            " AND pid != pg_backend_pid()"
        )


def test_listener_hears_of_its_own_venue_alone(database: str) -> None:
    """A venue is woken by messages to it, and not by those to others."""
    here, there = new_venue(), new_venue()
    listener = listen_for_claims(JournalPlace(database, here))
    write(database, TicketMessage(MessageKind.CLAIM, there, there, 1, ""))
    assert not listener.wait(5_000)
    write(database, TicketMessage(MessageKind.CLAIM, there, here, 1, ""))
    assert listener.wait(5_000)
    assert not listener.wait(1)
    listener.close()


def test_permutation_is_inverted() -> None:
    """Every number is restored from its permutation, and the number of a ticket from its token."""
    key, halves = bytes(KEY_BYTES), (7, 11)
    found = [permuted(value, key, halves) for value in range(77)]
    assert sorted(found) == list(range(77))
    assert [restored(value, key, halves) for value in found] == list(range(77))
    for number in ("000000000000000000", "012345678901234567", "9" * 18):
        assert SHARED.number(SHARED.token(number)) == number != SHARED.token(number)


def test_digest_of_a_claim_depends_on_number_and_key() -> None:
    """Each number and each key gives another digest, and each guess of one takes a thousand rounds of HMAC."""
    tokens = [SHARED.token(f"{number:018}") for number in range(20)]
    other = SharedNumbers(bytes([7] * KEY_BYTES))
    digests = [shared.claim(shared.token(shared.number(each))) for each in tokens for shared in (SHARED, other)]
    assert len(set(digests)) == len(digests)
    salt = hmac.digest(bytes(reversed(range(KEY_BYTES))), b"croupier shared claim 1", "sha256")
    assert SHARED.claim(tokens[3]) == hashlib.pbkdf2_hmac("sha256", b"%018d" % 3, salt, 1_000, 16).hex()


def test_shared_key_must_be_a_key(tmp_path: Path) -> None:
    """A shared key that is missing, loose, all zeros or of another length is refused, and says why."""
    path = tmp_path / "operator.key"
    with pytest.raises(JournalFault, match="the shared key cannot be read: No such file"):
        read_shared_key(path)
    path.write_bytes(bytes(range(31)))
    path.chmod(0o600)
    with pytest.raises(JournalFault, match="is not a key: it has 31 bytes, not 32"):
        read_shared_key(path)
    path.write_bytes(bytes(32))
    with pytest.raises(JournalFault, match="is not a key: it is empty, or has only zeros"):
        read_shared_key(path)
    path.write_bytes(bytes(range(32)))
    assert read_shared_key(path) == bytes(range(32))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660, 0o777])
def test_key_that_others_can_use_is_refused(tmp_path: Path, mode: int) -> None:
    """A key file that other users of the machine can read or change is not used, in the key store and outside it."""
    keys = KeyStore(tmp_path / "keys")
    keys.provision()
    open_key(keys)
    shared = tmp_path / "operator.key"
    shared.write_bytes(bytes(range(32)))
    for path in (shared, keys.path / "signing.pem", keys.path / "ticket.key"):
        path.chmod(mode)
    for read in (lambda: read_shared_key(shared), keys.signer, lambda: open_key(keys)):
        with pytest.raises(JournalFault, match=r"can read or change .* give it mode 600"):
            read()


#: What a holder of the payer's key may write into its journal, and why an audit refuses it.
FORGERIES: Final[dict[str, tuple[Callable[[TicketReceived, str], TicketReceived], str]]] = {
    "no signature": (lambda event, _: replace(event, signature="", body=""), "cannot be read"),
    "no key": (lambda event, _: replace(event, venue="Harbour"), "no key of that venue is pinned"),
    "another key": (
        lambda event, here: replace(event, signature=_resigned(event, here, Signer.new())),
        "is not signed with the pinned key",
    ),
    "another amount": (
        lambda event, _: replace(event, amount=Cents(99_900)),
        "differs from what that venue has signed",
    ),
    "another token": (
        lambda event, _: replace(event, token="1" * 18),
        "differs from what that venue has signed",
    ),
    "another number": (lambda event, _: replace(event, transfer=2), "is not signed with the pinned key"),
    "another venue": (lambda event, _: event, "is not signed with the pinned key"),
    "twice": (lambda event, _: event, "was received before, or out of order"),
}


def _resigned(event: TicketReceived, here: str, signer: Signer) -> str:
    message = TicketMessage(MessageKind.TRANSFER, event.venue, here, event.transfer, event.body)
    return message.signed(signer).signature.hex()


@pytest.mark.parametrize("forgery", FORGERIES)
def test_audit_detects_a_ticket_that_no_venue_has_transferred(database: str, tmp_path: Path, forgery: str) -> None:
    """A receipt that differs from what its issuer has signed, or that is there twice, fails the audit of the payer."""
    events, names = list[Event](), list[str]()

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        assert isinstance(await redeemed(claimant, issuer, issuer.issue()), Accepted)
        events.append(VenuePinned(issuer.name, issuer.signer.verifier.text))
        entries = (entry for page in JournalReader(claimant.storage.store) for entry in page.entries)
        events.extend(entry.event for entry in entries if isinstance(entry.event, TicketReceived))
        names.append(claimant.name)

    run(tmp_path, database, scenario)
    (pinned, received), audited, here = events, TransferAudit(), names[0]
    assert isinstance(received, TicketReceived)
    changed, words = FORGERIES[forgery]
    audited.check(1, pinned, here)
    if forgery == "twice":
        audited.check(2, received, here)
    with pytest.raises(JournalCorrupt, match=f"entry 3: transfer .* {words}"):
        audited.check(3, changed(received, here), "Riverside" if forgery == "another venue" else here)


def test_audit_reads_every_receipt(database: str, tmp_path: Path) -> None:
    """The audit of a journal in which a ticket was received without a signature names the entry."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        body = msgspec.json.decode(body_of("1" * 18), type=TransferBody)
        what = (body.previous, "digest", body.last_four, body.form, body.amount, body.currency, body.issued_at, body.at)
        claimant.done(ReceiveTicket(issuer.name, 1, *what, "", ""))

    run(tmp_path, database, scenario)
    keys = KeyStore.default_for(tmp_path / "claimant" / "data")
    store = open_store(tmp_path / "claimant" / "data", writing=False)
    with pytest.raises(JournalCorrupt, match=r"transfer 1 from .* cannot be read"):
        audit(store, keys.verifier(), read_canonical, newest_record(keys.anchor_records()), keys.signer())
    whole = JournalAudit(store, keys.verifier(), read_canonical, keys.signer())
    while not whole.step(paced(100)):
        pass
    assert whole.fault is not None
    store.close()
