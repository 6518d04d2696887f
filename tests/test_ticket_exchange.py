"""Tickets across venues of one operator: each is paid once, whatever fails, and both journals explain their books."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from croupier.devices.validation import KEY_BYTES, SharedNumbers, permuted, read_shared_key, restored
from croupier.engine.audit import audit
from croupier.engine.places import JournalPlace, listen_for_claims, open_claims, open_store
from croupier.engine.ports import Accepted, Outcome
from croupier.house.settings import Mode
from croupier.house.state.money import LedgerAccount, TicketState
from croupier.journal.claims import ClaimMessage, ClaimResponse, Outgoing, TransferMessage
from croupier.journal.disk import JournalFault
from croupier.journal.keystore import KeyStore, newest_record
from croupier.journal.stores.database import connect
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import Code, Refusal
from croupier.server import ticket_exchange
from croupier.server.ticket_exchange import TicketExchange
from tests.connections import played, until
from tests.database import new_venue
from tests.linked_venues import SHARED, T2, TWENTY, LinkedVenue

#: A slip of Adelaide is paid by the cashier alone.
ADELAIDE = "skycity-adelaide-2003"
Scenario = Callable[[LinkedVenue, LinkedVenue], Awaitable[None]]


@asynccontextmanager
async def linked(folder: Path, address: str, **kinds: object) -> AsyncIterator[tuple[LinkedVenue, LinkedVenue]]:
    """Open two venues that pay each other's tickets; `kinds` are of the second one."""
    names = (new_venue(), new_venue())
    issuer = LinkedVenue(folder / "issuer", address, names[0], names[1:])
    claimant = LinkedVenue(folder / "claimant", address, names[1], names[:1], **kinds)  # type: ignore[arg-type]
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
        row = connection.execute("SELECT count(*) FROM croupier.ticket_claim WHERE claimant = %s", (venue,)).fetchone()
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


def test_messages_without_the_key_are_ignored(database: str, tmp_path: Path) -> None:
    """A claim or transfer that was not made with the shared key, or that cannot be read, changes nothing."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        token = SHARED.token(number)
        forged = open_claims(JournalPlace(database, claimant.name))
        body = '{"mode":"real","currencies":["USD"],"at_terminal":false}'
        other = SharedNumbers(bytes(KEY_BYTES))
        mac = other.mac("claim", claimant.name, issuer.name, token, body)
        forged.send_and_receive(Outgoing(claims=(ClaimMessage(issuer.name, token, body, mac),)), {})
        assert await events_of(issuer.exchange) == ["claim_not_authentic"]
        unread = SHARED.mac("claim", claimant.name, issuer.name, token, "?")
        forged.send_and_receive(Outgoing(claims=(ClaimMessage(issuer.name, token, "?", unread),)), {})
        assert await events_of(issuer.exchange) == ["ticket_message_invalid"]
        ticket = issuer.ticket(number)
        assert ticket is not None
        assert ticket.payable
        paid = open_claims(JournalPlace(database, issuer.name))
        body = '{"previous":0}'
        mac = other.mac("transfer", issuer.name, claimant.name, "1", body)
        paid.send_and_receive(Outgoing(transfers=(TransferMessage(claimant.name, 1, body, mac),)), {})
        assert await events_of(claimant.exchange) == ["transfer_not_authentic"]
        for each in (forged, paid):
            each.close()

    run(tmp_path, database, scenario)


async def events_of(exchange: TicketExchange) -> list[str]:
    with capture_logs() as logs:
        await exchange.step()
    return [each["event"] for each in logs]


def test_messages_of_other_software_are_not_acted_on(database: str, tmp_path: Path) -> None:
    """A transfer and a response that cannot be decoded are logged; the claim has no answer then."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        number = issuer.issue()
        token, body = SHARED.token(number), '{"previous":0}'
        store = open_claims(JournalPlace(database, issuer.name))
        mac = SHARED.mac("transfer", issuer.name, claimant.name, "1", body)
        store.send_and_receive(Outgoing(transfers=(TransferMessage(claimant.name, 1, body, mac),)), {})
        presenting = asyncio.ensure_future(claimant.exchange.present(number))
        await asyncio.sleep(0)
        assert await events_of(claimant.exchange) == ["ticket_message_invalid"]
        response = msgspec.json.encode({"outcome": "refused", "code": "no_such_code"}).decode()
        store.send_and_receive(Outgoing(responses=(ClaimResponse(claimant.name, token, response),)), {})
        assert await events_of(claimant.exchange) == ["ticket_message_invalid"] * 2
        assert not presenting.done()
        presenting.cancel()
        store.close()

    run(tmp_path, database, scenario)


def test_refused_transfer_is_logged_and_tried_again(database: str, tmp_path: Path) -> None:
    """A transfer in a currency that is not paid here is not received; those after it wait."""

    async def scenario(issuer: LinkedVenue, claimant: LinkedVenue) -> None:
        store = open_claims(JournalPlace(database, issuer.name))
        for transfer, previous in ((2, 1), (3, 2)):
            body_of = {"previous": previous - 1, "token": SHARED.token("1" * 18), "last_four": "1111", "form": "ticket"}
            more = {"amount": 100, "currency": "XXX", "issued_at": 1, "at": 1}
            body = msgspec.json.encode({**body_of, **more}).decode()
            mac = SHARED.mac("transfer", issuer.name, claimant.name, str(transfer), body)
            store.send_and_receive(Outgoing(transfers=(TransferMessage(claimant.name, transfer, body, mac),)), {})
        assert await events_of(claimant.exchange) == ["transfer_refused"] * 2
        assert claimant.house.venue_accounts == {}
        store.close()

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
            " WHERE application_name LIKE 'croupier tickets%' OR query LIKE '%croupier.ticket_%'"
            " AND pid != pg_backend_pid()"
        )


def test_listener_hears_of_its_own_venue_alone(database: str) -> None:
    """A venue is woken by messages to it, and not by those to others."""
    here, there = new_venue(), new_venue()
    listener, store = listen_for_claims(JournalPlace(database, here)), open_claims(JournalPlace(database, there))
    token = SHARED.token("1" * 18)
    store.send_and_receive(Outgoing(claims=(ClaimMessage(there, token, "", b""),)), {})
    assert not listener.wait(5_000)
    store.send_and_receive(Outgoing(claims=(ClaimMessage(here, token, "", b""),)), {})
    assert listener.wait(5_000)
    assert not listener.wait(1)
    listener.close()
    store.close()


def test_permutation_is_inverted() -> None:
    """Every number is restored from its permutation, and the number of a ticket from its token."""
    key, halves = bytes(KEY_BYTES), (7, 11)
    found = [permuted(value, key, halves) for value in range(77)]
    assert sorted(found) == list(range(77))
    assert [restored(value, key, halves) for value in found] == list(range(77))
    for number in ("000000000000000000", "012345678901234567", "9" * 18):
        assert SHARED.number(SHARED.token(number)) == number != SHARED.token(number)


def test_shared_key_must_be_a_key(tmp_path: Path) -> None:
    """A shared key that is missing or has another length is refused, and says why."""
    path = tmp_path / "operator.key"
    with pytest.raises(JournalFault, match="the shared key cannot be read: No such file"):
        read_shared_key(path)
    path.write_bytes(bytes(31))
    with pytest.raises(JournalFault, match="is not a key: it has 31 bytes, not 32"):
        read_shared_key(path)
    path.write_bytes(bytes(32))
    assert read_shared_key(path) == bytes(32)
