"""Two servers of one operator: a cashier and a terminal take tickets of the other venue, and players read why not."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from croupier.app import open_venue
from croupier.config.reader import parse_config
from croupier.devices.id003 import EmulatedAcceptor
from croupier.engine.journal_reader import JournalReader
from croupier.house.credit.tickets import TicketRedeemed
from croupier.house.credit.transfers import TicketReceived, VenuePinned
from croupier.house.ids import DeviceId
from croupier.house.rounds.shared_pots import PotShared
from croupier.house.state.ledger import LedgerAccount
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.journal.keystore import KeyStore
from croupier.protocol.inbound import QueryTicket, TicketIn
from croupier.rules.refusal import Refusal
from croupier.server import ticket_exchange
from croupier.server.ticket_desk import MISSES_MAX
from tests.devices.test_acceptor import ready, scenario_with, until_idle
from tests.server.test_ticket_desk import CLEARWATER, cashier, credit_at, slip, wished
from tests.support.connections import CHEAP, Client, Said, TestHouse, configured, open_house, played, until
from tests.support.database import new_venue
from tests.support.money_devices import CLEARWATER as CLEARWATER_ID
from tests.support.money_devices import Fitted, fitted

HUNDRED = 100_000


def signer_of(name: str) -> Signer:
    """The signing key of a venue, which its partners know before it has started."""
    return Signer(Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest()))


def text_of(folder: Path, database: str, names: tuple[str, str], text: str = CLEARWATER) -> str:
    """Write the configuration of a venue that shares tickets with another."""
    folder.mkdir(exist_ok=True)
    key = folder.parent / "operator.key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    keys = KeyStore.default_for(folder / "data")
    keys.provision(signer_of(names[0]))
    keys.pin(names[1], signer_of(names[1]).verifier)
    venue = next(line for line in text.splitlines() if line.startswith("venue = "))
    top = f'venue = "{names[0]}"\njournal = "{database}"\n'
    return f'{text.replace(venue, top)}\n[shared_tickets]\nkey = "{key}"\nvenues = ["{names[1]}"]\n'


@asynccontextmanager
async def two(folder: Path, database: str) -> AsyncIterator[tuple[TestHouse, TestHouse]]:
    """Open two venues that pay each other's tickets."""
    first, second = new_venue(), new_venue()
    texts = (
        text_of(folder / "first", database, (first, second)),
        text_of(folder / "second", database, (second, first)),
    )
    async with open_house(folder / "first", texts[0]) as one, open_house(folder / "second", texts[1]) as other:
        yield one, other


async def looked_up(desk: Client, number: str) -> Said:
    desk.say("look_up", q=1, number=number)
    return await desk.hear_any("looked_up", "refused")


def test_cashier_pays_a_ticket_of_another_venue(database: str, tmp_path: Path) -> None:
    """A ticket of another venue is shown with its issuer, paid once, and owed by its issuer."""

    async def scenario() -> None:
        async with two(tmp_path, database) as (issuer, claimant):
            paper, desk = await slip(issuer), await cashier(claimant)
            found = (await looked_up(desk, paper["number"]))["ticket"]
            names = (issuer.venue.run.house.setup.venue, "")
            assert (found["venue"], found["terminal"], found["amount"], found["why_not"]) == (*names, HUNDRED, None)
            number = next(desk.numbers)
            desk.say("redeem", id=number, epoch=desk.epoch, drawer="D1", number=paper["number"])
            paid = (await desk.hear("ack"))["paid"]
            assert (paid["amount"], paid["currency"], paid["terminal"]) == (HUNDRED, "USD", "")
            assert sum(value * count for value, count in paid["notes"]) + paid["coins"] == HUNDRED
            assert await wished(desk, "redeem", drawer="D1", number=paper["number"]) == "ticket_paid"
            owner = await cashier(issuer)
            refusal = (await looked_up(owner, paper["number"]))["refusal"]
            assert (refusal["code"], refusal["facts"]["issuer"]) == (
                "ticket_paid",
                claimant.venue.run.house.setup.venue,
            )
            ledger = issuer.venue.run.house.ledger
            assert (ledger[LedgerAccount.TICKETS], ledger[LedgerAccount.INTER_VENUE]) == (0, HUNDRED)

    played(scenario)


def test_terminal_credits_a_ticket_of_another_venue(database: str, tmp_path: Path) -> None:
    """A terminal says that other venues are asked, and credits the ticket once when it was transferred."""

    async def scenario() -> None:
        async with two(tmp_path, database) as (issuer, claimant):
            paper, player = await slip(issuer), await claimant.seated(credit=0)
            assert await wished(player, "ticket_in", number=paper["number"]) == "ticket_requested"
            await until(lambda: credit_at(claimant, player) == HUNDRED)
            assert await wished(player, "ticket_in", number=paper["number"]) == "ticket_paid"
            assert (len(claimant.happened(TicketReceived)), len(claimant.happened(TicketRedeemed))) == (1, 1)

    played(scenario)


def test_ticket_that_cannot_be_inserted_says_why(database: str, tmp_path: Path) -> None:
    """An unknown number counts as a wrong one; a ticket for a terminal that closed meanwhile stays payable."""

    async def scenario() -> None:
        async with two(tmp_path, database) as (issuer, claimant):
            paper, player = await slip(issuer), await claimant.seated(credit=0)
            assert await wished(player, "ticket_in", number="1" * 18) == "ticket_requested"
            assert (await player.hear("refused"))["refusal"]["code"] == "ticket_misread"
            present = claimant.venue.router.queries.look_ups.ticket_exchange
            assert present is not None
            assert await present.present(paper["number"]) is None
            manager = await claimant.signed_in("manager", "pit", claimant.codes["manager"])
            assert await manager.acked("CloseTerminal", terminal=player.device, words="It flickers.") == "done"
            router = claimant.venue.router
            connection = router.publisher.seats[DeviceId(player.device)]
            router._presented(connection, TicketIn(id=90, epoch=1, number=paper["number"]), None)  # noqa: SLF001
            assert (await player.hear("refused"))["refusal"]["code"] == "terminal_closed"
            assert credit_at(claimant, player) == 0

    played(scenario)


def test_player_reads_why_another_venue_refuses(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal shows that a venue does not answer; meanwhile every number counts as a wrong one."""
    monkeypatch.setattr(ticket_exchange, "ANSWER_S", 0.0)

    async def scenario() -> None:
        text = text_of(tmp_path / "here", database, (new_venue(), new_venue()))
        async with open_house(tmp_path / "here", text) as claimant:
            player = await claimant.seated(credit=0)
            for guess in range(MISSES_MAX):
                assert await wished(player, "ticket_in", number=f"{guess:018}") == "ticket_requested"
                assert (await player.hear("refused"))["refusal"]["code"] == "venue_silent"
            assert await wished(player, "ticket_in", number="1" * 18) == "too_fast"

    played(scenario)


def test_guesses_at_a_desk_count_while_a_venue_is_silent(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A desk that looks up numbers while another venue does not answer is locked after as many as at any time."""
    monkeypatch.setattr(ticket_exchange, "ANSWER_S", 0.0)

    async def scenario() -> None:
        text = text_of(tmp_path / "here", database, (new_venue(), new_venue()))
        async with open_house(tmp_path / "here", text) as claimant:
            desk, codes = await cashier(claimant), list[str]()
            for guess in range(MISSES_MAX + 1):
                codes.append((await looked_up(desk, f"{guess:018}"))["refusal"]["code"])
            assert codes == ["venue_silent"] * MISSES_MAX + ["too_fast"]

    played(scenario)


def test_desk_that_disconnects_during_a_claim_is_sent_nothing(database: str, tmp_path: Path) -> None:
    """A claim ends without its desk: the ticket was transferred, and another desk may pay it."""

    async def scenario() -> None:
        async with two(tmp_path, database) as (issuer, claimant):
            paper, desk = await slip(issuer), await cashier(claimant)
            router = claimant.venue.router
            connection = router.publisher.consoles[DeviceId(desk.device)]
            desk.transport.disconnect()
            await until(lambda: not connection.is_open)
            await router.queries._claim(connection, QueryTicket(q=1, number=paper["number"]))  # noqa: SLF001
            assert len(claimant.happened(TicketReceived)) == 1
            (ticket,) = claimant.venue.run.house.tickets.all.values()
            assert (ticket.amount, ticket.payable) == (HUNDRED, True)

    played(scenario)


def test_guesses_lock_a_desk_and_are_not_passed_on(database: str, tmp_path: Path) -> None:
    """Numbers that no venue knows lock a desk as wrong ones do, and then no other venue is asked."""

    async def scenario() -> None:
        async with two(tmp_path, database) as (_, claimant):
            desk = await cashier(claimant)
            codes = [(await looked_up(desk, f"{n:018}"))["refusal"]["code"] for n in range(1, MISSES_MAX + 2)]
            assert codes == ["ticket_misread"] * MISSES_MAX + ["too_fast"]

    played(scenario)


def test_acceptor_takes_a_ticket_of_another_venue(database: str, tmp_path: Path) -> None:
    """An acceptor holds a ticket of another venue in escrow until it was transferred; and stacks it then."""
    names = (new_venue(), new_venue())
    acceptor = EmulatedAcceptor()
    text = text_of(tmp_path / "here", database, names, fitted(tmp_path / "here", CLEARWATER_ID))
    other = text_of(tmp_path / "there", database, (names[1], names[0]))

    async def scenario(fit: Fitted) -> None:
        async with open_house(tmp_path / "there", other) as issuer:
            paper = await slip(issuer)
            await ready(fit)
            acceptor.insert_ticket(paper["number"])
            await fit.poll_until(lambda: fit.terminal.credit == HUNDRED, 10_000)
            await until_idle(fit)
            assert len(acceptor.box) == 1

    scenario_with(tmp_path / "here", acceptor, scenario, text)


def test_refused_ticket_goes_back(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An acceptor returns a ticket when the venue that may have issued it does not answer."""
    monkeypatch.setattr(ticket_exchange, "ANSWER_S", 0.0)
    acceptor = EmulatedAcceptor()
    text = text_of(tmp_path / "here", database, (new_venue(), new_venue()), fitted(tmp_path / "here", CLEARWATER_ID))

    async def scenario(fit: Fitted) -> None:
        await ready(fit)
        acceptor.insert_ticket("1" * 18)
        await fit.poll_until(lambda: len(acceptor.returned) == 1, 10_000)
        assert fit.terminal.credit == 0

    scenario_with(tmp_path / "here", acceptor, scenario, text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('venue = "V"\n[shared_tickets]\nvenues = ["W"]', "Name the key that the venues share."),
        ('venue = "V"\n[shared_tickets]\nkey = "k"\nvenues = ["W"]', "through a journal in PostgreSQL"),
        ('venue = "V"\njournal = "postgresql:///x"\n[shared_tickets]\nkey = "k"\nvenues = ["V"]', "not another one"),
        ('venue = "V"\n[shared_tickets]\npots = ["p"]\nkeeper = "W"', "Name the venue that keeps the pots"),
    ],
)
def test_impossible_sharing_is_refused(tmp_path: Path, text: str, says: str) -> None:
    """A configuration that shares tickets without a key or a database, or with itself, is refused."""
    found = parse_config(text, where=tmp_path / "croupier.toml")
    assert isinstance(found, Refusal)
    assert says in str(found.facts)


def test_missing_shared_key_stops_the_start(database: str, tmp_path: Path) -> None:
    """A server whose shared key cannot be read does not open."""
    text = text_of(tmp_path / "venue", database, (new_venue(), new_venue()))
    tmp_path.joinpath("operator.key").unlink()
    with pytest.raises(JournalFault, match="the shared key cannot be read"):
        played(lambda: open_venue(configured(tmp_path / "venue", text), hasher=CHEAP))


def test_partner_without_a_pinned_key_stops_the_start(database: str, tmp_path: Path) -> None:
    """A server that shares tickets with a venue whose key it does not know does not open, and says what to do."""
    text = text_of(tmp_path / "venue", database, (new_venue(), new_venue()))
    partners = tmp_path / "venue" / "data.keys" / "partners.json"
    partners.unlink()
    with pytest.raises(JournalFault, match="is not pinned: run `croupier partner pin`"):
        played(lambda: open_venue(configured(tmp_path / "venue", text), hasher=CHEAP))
    partners.write_text("[]")
    with pytest.raises(JournalFault, match="cannot be read"):
        played(lambda: open_venue(configured(tmp_path / "venue", text), hasher=CHEAP))


def test_start_records_the_keys_of_partners_once(database: str, tmp_path: Path) -> None:
    """The journal has the key of each partner from the first start on, and a later start does not repeat it."""
    names = (new_venue(), new_venue())
    text = text_of(tmp_path / "venue", database, names)

    async def scenario() -> None:
        for _ in range(2):
            async with open_house(tmp_path / "venue", text) as house:
                run = house.venue.run
                assert run.house.venue_accounts[names[1]].key == signer_of(names[1]).verifier.text
                entries = [entry for page in JournalReader(run.storage.store) for entry in page.entries]
                assert sum(isinstance(entry.event, VenuePinned) for entry in entries) == 1

    played(scenario)


def test_start_shares_the_pots_of_the_configuration_once(database: str, tmp_path: Path) -> None:
    """The journal has the keeper of each shared pot from the first start on, and a later start does not repeat it."""
    names = (new_venue(), new_venue())
    ours = {CLEARWATER_ID: "generic-progressive", '"Attendant"': '"Dealer"', '"Supervisor"': '"Inspector"'}
    text = CLEARWATER
    for theirs, other in ours.items():
        text = text.replace(theirs, other)
    text = text_of(tmp_path / "venue", database, names, text)
    text += f'pots = ["generic-progressive"]\nkeeper = "{names[1]}"\n'

    async def scenario() -> None:
        for _ in range(2):
            async with open_house(tmp_path / "venue", text) as house:
                run = house.venue.run
                share = run.house.pots["generic-progressive"].share
                assert share is not None
                assert (share.keeper, share.is_kept) == (names[1], False)
                entries = [entry for page in JournalReader(run.storage.store) for entry in page.entries]
                assert sum(isinstance(entry.event, PotShared) for entry in entries) == 1

    played(scenario)
