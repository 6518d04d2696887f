"""The counter at the wire: notes in a demonstration alone, and slips and tickets that are paid once."""

from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from croupier.devices.validation import ValidationNumbers, open_key
from croupier.house.credit.tickets import TicketIssued, TicketRedeemed
from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Number, TableId, TerminalId
from croupier.journal.keystore import KeyStore
from croupier.protocol.inbound import Verify
from croupier.protocol.outbound import VerificationResult
from croupier.server import ticket_desk
from croupier.server.ticket_desk import LOCKED_FOR, MISSES_MAX
from tests.support.connections import (
    VENUE,
    Client,
    Said,
    TestHouse,
    held_up,
    open_house,
    played,
    refused_in,
    secret_of,
    until,
)
from tests.support.demo_bots import SMALL
from tests.support.document_client import collected, paid, paper
from tests.support.query_client import queried
from tests.support.server_harness import PageClient, server_harness
from tests.support.wire.houses import ADELAIDE, MARINA

CLEARWATER = VENUE.replace("skycity-adelaide-2003", "clearwater-etg").replace('["Dealer"]', '["Attendant"]')
CLEARWATER = CLEARWATER.replace('["Inspector"]', '["Supervisor"]')


async def wished(client: Client, kind: str, **fields: object) -> str:
    """Wish for something under the next number; tell the code of the refusal, or that it was done."""
    number = next(client.numbers)
    client.say(kind, id=number, epoch=client.epoch, **fields)
    said = await client.hear_any("ack", "seat")
    while said["t"] == "seat" and said["last_cmd"] < number and number not in refused_in(said):
        said = await client.hear_any("ack", "seat")
    refusal = said.get("refusal") if said["t"] == "ack" else refused_in(said).get(number)
    return "done" if refusal is None else str(refusal["code"])


def credit_at(house: TestHouse, client: Client) -> int:
    return house.venue.run.house.terminals[TerminalId(client.device)].credit


async def cashier(house: TestHouse, person: str = "cashier", drawer: str = "D1") -> Client:
    """Have somebody sit down at the desk with a drawer."""
    desk = await house.signed_in(person, "cashier", house.codes.get(person))
    assert await desk.acked("OpenDrawer", drawer=drawer, float_=1_000_000) == "done"
    return desk


async def slip(house: TestHouse) -> Said:
    """Have a player collect a hundred, and take the slip."""
    player = await house.seated()
    assert await wished(player, "cash_out") == "done"
    paper = await player.hear("slip")
    await printed(player, paper)
    return paper


async def printed(player: Client, paper: Said) -> None:
    """Have a terminal say that the paper came out."""
    number = player.ask("ConfirmPrint", terminal=player.device, sequence=paper["sequence"])
    assert not refused_in(await player.answered(number))


def test_note_is_taken_in_a_demonstration(tmp_path: Path) -> None:
    """A page may say that a note is there where money is play; the terminal's rules say which notes it takes."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated(credit=0)
            assert await wished(player, "note", value=5_000) == "done"
            assert credit_at(house, player) == 5_000
            assert await wished(player, "note", value=777) == "not_taken_here"

    played(scenario)


def test_note_is_not_taken_where_money_is_real(tmp_path: Path) -> None:
    """With real money neither a note nor play money is had for a word."""

    async def scenario() -> None:
        async with open_house(tmp_path, f'mode = "real"\n{VENUE}') as house:
            keys = house.venue.verifier.credential_store.enrol({DeviceId("A-1"): DeviceKind.TERMINAL})
            assert isinstance(keys, dict)
            player = await house.client()
            await player.return_("A-1", keys[DeviceId("A-1")])
            assert await wished(player, "note", value=5_000) == "demo_only"
            assert await player.refused("practice") == "demo_only"
            assert await player.refused("slips", numbers=[]) == "demo_only"
            assert credit_at(house, player) == 0

    played(scenario)


def test_play_money_is_for_those_who_have_little_left(tmp_path: Path) -> None:
    """Whoever has enough to practise with gets no more."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            player.say("practice")
            refusal = (await player.hear("refused"))["refusal"]
            facts = {"why": "play_money", "credit": 100_000, "below": 100_000}
            assert (refusal["code"], refusal["facts"]) == ("already_there", facts)
            assert refusal["says"] == "Play money is granted below 1000 of credit: this terminal has enough."

    played(scenario)


def test_demonstration_shows_what_became_of_slips(tmp_path: Path) -> None:
    """A page is sent the state of each slip by number: yours with its last day, then paid; and unknown ones."""

    async def scenario() -> None:
        async with open_house(tmp_path, f"ticket_days = 30\n{VENUE}") as house:
            player = await house.seated()
            assert await wished(player, "cash_out") == "done"
            paper = await player.hear("slip")
            await printed(player, paper)
            numbers = [paper["number"], "344530222951541680", "none"]
            player.say("slips", numbers=numbers)
            mine, *others = (await player.hear("slips"))["slips"]
            assert (mine["number"], mine["status"]) == (paper["number"], "printed")
            assert mine["expires"] > 20260000
            assert [each["status"] for each in others] == ["unknown", "unknown"]
            desk = await cashier(house)
            assert await wished(desk, "redeem", drawer="D1", number=paper["number"]) == "done"
            player.say("slips", numbers=numbers[:1])
            (paid_,) = (await player.hear("slips"))["slips"]
            assert (paid_["status"], paid_["paid_at_us"] is not None) == ("redeemed", True)

    played(scenario)


def test_slip_is_paid_once(tmp_path: Path) -> None:
    """A number that is misread is never looked up, one that was never issued is unknown, and a slip is paid once."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            paper, desk = await slip(house), await cashier(house)
            numbers = ValidationNumbers(open_key(KeyStore(house.venue.config.key_store)))
            number = paper["number"]
            assert (paper["amount"], paper["currency"], paper["terminal"]) == (100_000, "AUD", "A-1")
            misread = number[:-1] + str((int(number[-1]) + 1) % 10)
            never_issued = numbers.number(Number(999))
            for bad in (misread, number[:-1], number + "0", "", "x" * 18, "\uff11" * 18):
                assert await wished(desk, "redeem", drawer="D1", number=bad) == "ticket_misread"
                # So many at once would be guesses.
                await house.rest()
                house.time.at_us += LOCKED_FOR
            assert await wished(desk, "redeem", drawer="D1", number=never_issued) == "ticket_unknown"
            assert await wished(desk, "redeem", drawer="D1", number=number, amount_on_paper=200_000) == "ticket_altered"
            assert await wished(desk, "redeem", drawer="D2", number=number) == "drawer_unknown"
            spaced = " ".join((number[:6], number[6:12], number[12:]))
            assert await wished(desk, "redeem", drawer="D1", number=spaced, amount_on_paper=100_000) == "done"
            assert await wished(desk, "redeem", drawer="D1", number=number) == "ticket_paid"
            assert len(house.happened(TicketRedeemed)) == 1

    played(scenario)


def test_of_two_cashiers_one_pays(tmp_path: Path) -> None:
    """Two who scan the same slip in the same moment pay it once, and the other is told that it is paid."""

    async def scenario() -> list[str]:
        staff = '[[staff]]\nperson = "cashier 2"\ntitles = ["Cashier"]\n'
        async with open_house(tmp_path, VENUE + staff) as house:
            paper, one, other = await slip(house), await cashier(house), await cashier(house, "cashier 2", "D2")
            for desk, drawer in ((one, "D1"), (other, "D2")):
                number = paper["number"]
                desk.say("redeem", id=next(desk.numbers), epoch=desk.epoch, drawer=drawer, number=number)
            acks = [await desk.hear("ack") for desk in (one, other)]
            assert len(house.happened(TicketRedeemed)) == 1
            return [ack["refusal"]["code"] if "refusal" in ack else "done" for ack in acks]

    assert sorted(played(scenario)) == ["done", "ticket_paid"]


def test_number_goes_to_the_printer_alone(tmp_path: Path) -> None:
    """Of all who are in the house only the terminal that issued a slip is ever told its number."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            board = await house.client()
            board.say("hello", screen="board", join="")
            await board.admitted()
            manager = await house.signed_in("manager", "pit", house.codes["manager"])
            desk, other, player = await cashier(house), await house.seated(), await house.seated()
            assert await wished(player, "cash_out") == "done"
            paper = await player.hear("slip")
            await printed(player, paper)
            assert await wished(desk, "redeem", drawer="D1", number=paper["number"]) == "done"
            await house.pass_s(1)
            for client in (board, manager, desk, other):
                received = msgspec.json.encode([client.snap, *client.drain()])
                assert paper["number"].encode() not in received
            (issued,) = house.happened(TicketIssued)
            assert isinstance(issued, TicketIssued)
            assert paper["number"] not in str(issued)
            number = player.ask("ConfirmPrint", terminal=player.device, sequence=paper["sequence"])
            assert refused_in(await player.answered(number))[number]["code"] == "out_of_turn"

    played(scenario)


def test_slip_of_a_terminal_that_is_gone_waits_for_it(tmp_path: Path) -> None:
    """A terminal that is gone before its slip was committed gets it when it returns."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            with held_up(house.venue.writer):
                player.say("cash_out", id=next(player.numbers), epoch=player.epoch)
                await player.ping()
                player.transport.disconnect(graceful=False)
                await until(lambda: not house.venue.router.connections)
            await house.rest()
            assert len(house.happened(TicketIssued)) == 1
            again = await house.client()
            again.say("hello", screen="terminal", device=player.device, key=player.key)
            assert (await again.hear("slip"))["amount"] == 100_000

    played(scenario)


@pytest.mark.parametrize("kept", [256, 0])
def test_seat_that_was_left_is_collected_and_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """After 90 s without a connection a seat's credit is a slip, which its player gets even if the seat is taken.

    The slips of so many former players are kept, the newest.
    """
    monkeypatch.setattr(ticket_desk, "DEPARTED_MAX", kept)

    async def scenario() -> None:
        async with open_house(tmp_path, SMALL) as house:
            player = await house.seated()
            amount = house.venue.run.house.terminals[TerminalId(player.device)].credit
            assert amount > 0
            player.transport.disconnect(graceful=False)
            await until(lambda: not house.venue.router.connections)
            await house.pass_s(80)
            assert house.happened(TicketIssued) == []
            await house.pass_s(20)
            [slip] = house.happened(TicketIssued)
            assert isinstance(slip, TicketIssued)
            assert (slip.terminal, slip.amount) == (player.device, amount)
            taken = [await house.seated() for _ in house.venue.run.house.terminals]
            assert player.device in {each.device for each in taken}
            again = await house.client()
            again.say("hello", screen="terminal", protocol=1, device=player.device, key=player.key, table="")
            if kept:
                assert (await again.hear("slip"))["amount"] == amount
            await again.end()
            assert [said for said in again.drain() if said["t"] == "slip"] == []

    played(scenario)


def test_slip_in_commit_is_for_the_player_who_has_left(tmp_path: Path) -> None:
    """Another person who gets the seat while its slip is committed is not sent the slip; the player is."""

    async def scenario() -> None:
        async with open_house(tmp_path, SMALL) as house:
            player = await house.seated()
            others = [await house.seated() for _ in range(len(house.venue.run.house.terminals) - 1)]
            with held_up(house.venue.writer):
                player.say("cash_out", id=next(player.numbers), epoch=player.epoch)
                await player.ping()
                await until(lambda: not house.venue.run.sequencer.consistent)
                player.transport.disconnect(graceful=False)
                await until(lambda: len(house.venue.router.connections) == len(others))
                next_one = await house.client()
                next_one.say("hello", screen="terminal", protocol=1, device="", key="", table="", join="")
                assert (await next_one.hear("enrolled"))["device"] == player.device
            await house.rest()
            await next_one.ping()
            assert [said for said in next_one.drain() if said["t"] == "slip"] == []
            again = await house.client()
            again.say("hello", screen="terminal", protocol=1, device=player.device, key=player.key, table="")
            assert (await again.hear("slip"))["terminal"] == player.device

    played(scenario)


@pytest.mark.parametrize("stays", [True, False])
def test_slip_waits_for_a_terminal_that_is_behind(tmp_path: Path, stays: bool) -> None:  # noqa: FBT001 - a case
    """A terminal that does not read what it is sent prints its slip once it does, or once it has returned."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            connection = house.venue.router.publisher.seats[player.device]
            connection.pause_writing()
            player.say("cash_out", id=next(player.numbers), epoch=player.epoch)
            await until(lambda: bool(house.happened(TicketIssued)))
            await house.rest()
            if stays:
                connection.resume_writing()
                slip = await player.hear("slip")
            else:
                player.transport.disconnect(graceful=False)
                await until(lambda: not house.venue.router.connections)
                device, key = player.device, player.key
                player = await house.client()
                player.say("hello", screen="terminal", device=device, key=key)
                slip = await player.hear("slip")
            assert slip["amount"] == 100_000
            await player.ping()
            assert [said["t"] for said in player.drain() if said["t"] == "slip"] == []

    played(scenario)


def test_slot_at_which_numbers_are_tried_out_is_locked(tmp_path: Path) -> None:
    """After five numbers in a row that are no ticket's a slot takes none for a minute, and staff are notified."""

    async def scenario() -> None:
        async with open_house(tmp_path, CLEARWATER) as house:
            paper, player = await slip(house), await house.seated(credit=0)
            guess = house.venue.router.ticket_desk.numbers.number
            tries = [await wished(player, "ticket_in", number=guess(Number(900 + n))) for n in range(MISSES_MAX)]
            assert set(tries) == {"ticket_unknown"}
            assert await wished(player, "ticket_in", number=paper["number"]) == "too_fast"
            incidents = house.venue.run.house.incidents.all.values()
            assert [(each.kind, each.subject) for each in incidents] == [(IncidentKind.TICKETS_GUESSED, player.device)]
            await house.pass_s(LOCKED_FOR / SECOND)
            assert await wished(player, "ticket_in", number=paper["number"]) == "done"

    played(scenario)


def test_ticket_goes_into_another_terminal_once(tmp_path: Path) -> None:
    """Where the rules take tickets one terminal's is credit at another, once; a misread one is refused unseen."""

    async def scenario() -> None:
        async with open_house(tmp_path, CLEARWATER) as house:
            paper, other = await slip(house), await house.seated(credit=0)
            assert paper["form"] == "ticket"
            misread = paper["number"][:-1] + str((int(paper["number"][-1]) + 1) % 10)
            assert await wished(other, "ticket_in", number=misread) == "ticket_misread"
            assert await wished(other, "ticket_in", number=paper["number"]) == "done"
            assert credit_at(house, other) == 100_000
            assert await wished(other, "ticket_in", number=paper["number"]) == "ticket_paid"

    played(scenario)


def test_ticket_is_not_taken_where_the_rules_take_none(tmp_path: Path) -> None:
    """At Adelaide's terminals credits come from notes and wins: a slip is not put back in."""

    async def scenario() -> str:
        async with open_house(tmp_path) as house:
            paper = await slip(house)
            return await wished(await house.seated(credit=0), "ticket_in", number=paper["number"])

    assert played(scenario) == "not_taken_here"


def test_desk_at_which_nobody_is_signed_in_shows_nothing(tmp_path: Path) -> None:
    """A right number and a misread one are answered alike to whoever has not signed in, or signed out."""

    async def scenario() -> set[str]:
        async with open_house(tmp_path) as house:
            paper, desk = await slip(house), await cashier(house)
            desk.say("sign_out")
            await desk.hear("signed_out")
            numbers = [paper["number"], paper["number"][::-1]]
            return {await wished(desk, "redeem", drawer="D1", number=number) for number in numbers}

    assert played(scenario) == {"signed_out"}


def test_slot_and_desk_are_where_they_are(tmp_path: Path) -> None:
    """Nothing is put into a desk, and nothing is paid by hand at a terminal."""

    async def scenario() -> set[str]:
        async with open_house(tmp_path) as house:
            desk, player = await cashier(house), await house.seated()
            wishes: dict[str, dict[str, object]] = {
                "note": {"value": 1_000},
                "ticket_in": {"number": "1"},
                "cash_out": {},
            }
            answers = {await wished(desk, kind, **fields) for kind, fields in wishes.items()}
            return answers | {await wished(player, "redeem", drawer="D1", number="1")}

    assert played(scenario) == {"not_authorised"}


def test_desk_goes_on_after_it_was_signed_in_anew(tmp_path: Path) -> None:
    """A drawer is its cashier's, wherever they sign in: whoever else is at the desk does not pay from it."""

    async def scenario() -> None:
        staff = '[[staff]]\nperson = "cashier 2"\ntitles = ["Cashier"]\n'
        async with open_house(tmp_path, VENUE + staff) as house:
            paper, desk = await slip(house), await cashier(house)
            desk.say("new_secret", person="cashier 2", code=house.codes["cashier 2"], secret=secret_of("cashier 2"))
            await desk.hear("snap")
            assert await wished(desk, "redeem", drawer="D1", number=paper["number"]) == "not_authorised"
            desk.say("sign_in", person="cashier", secret=secret_of("cashier"))
            await desk.hear("snap")
            assert await wished(desk, "redeem", drawer="D1", number=paper["number"]) == "done"

    played(scenario)


@pytest.mark.parametrize("leaves", [True, False])
def test_reprint_comes_out_of_the_terminal_that_issued_it(tmp_path: Path, leaves: bool) -> None:  # noqa: FBT001 - a case
    """A slip that two people have reprinted is sent to its terminal again, under the same number and as a duplicate.

    If another person has the seat by then, it is sent to the console of the second of the two instead.
    """

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            number = next(player.numbers)
            player.say("cash_out", id=number, epoch=player.epoch)
            first = await player.hear("slip")
            if leaves:
                player.transport.disconnect(graceful=False)
                await until(lambda: not house.venue.router.connections)
                for _ in house.venue.run.house.tables[TableId("A")].terminals:
                    other = await house.seated()
                assert other.device == player.device
            one = await house.signed_in("inspector", "pit", house.codes["inspector"])
            two = await house.signed_in("manager", "pit", house.codes["manager"])
            for console, person in ((one, "inspector"), (two, "manager")):
                console.say("step_up", secret=secret_of(person))
                await console.hear("stepped_up")
            assert await one.acked("ReprintTicket", sequence=1, words="it was torn") == "done"
            two.ask("Approve", proposal=1)
            again = await (two if leaves else player).hear("slip")
            if leaves:
                await other.ping()
                assert [said for said in other.drain() if said["t"] == "slip"] == []
            assert (again["number"], first["duplicate"], again["duplicate"]) == (first["number"], 0, 1)

    played(scenario)


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_every_buy_in_has_its_own_receipt(tmp_path: Path) -> None:
    """The answer to a buy-in names the entry by which its receipt is asked for, also when it is sent again."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            player, desk = await harness.player("M"), await harness.staff("cashier", "cashier")
            assert await desk.asks("OpenDrawer", drawer="D1", float_=0) is None
            for amount in (5_000, 7_000):
                assert await desk.asks("BuyIn", terminal=player.device, drawer="D1", amount=amount) is None
            first, last = positions(desk)[-2:]
            for position, figure in ((first, "SGD 50.00"), (last, "SGD 70.00"), (None, "SGD 70.00")):
                receipt = await paper(desk, type="buy_in_receipt", drawer="D1", position=position)
                assert figure in [each.get("words") for each in receipt["blocks"]]
            bought = {"type": "BuyIn", "terminal": player.device, "drawer": "D1", "amount": 5_000}
            desk.connection.say("ask", id=2, epoch=desk.page.epoch, command=bought)
            await desk.hears("ack", lambda said: said["id"] == 2)
            assert positions(desk)[-1] == first

    played(scenario)


def positions(client: PageClient) -> list[int]:
    """The entries that tell what was done at a console."""
    return [frame["position"] for frame in client.log if frame["t"] == "ack"]


def test_slip_is_offered_what_the_house_would_do_with_it(tmp_path: Path) -> None:
    """A slip can be reported lost once, printed again or void until it is printed; once paid there is nothing left."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            player, desk = await harness.player("A"), await harness.staff("cashier", "cashier")
            document = await collected(harness, player)
            assert await offered(desk, document) == {"report_lost": False, "reprint": True, "void": True}
            assert await desk.asks("ReportLost", sequence=1, words="it blew away") is None
            assert await offered(desk, document) == {"void": True}
            assert await desk.asks("OpenDrawer", drawer="D1", float_=1_000_000) is None
            harness.house.tickets.all[Number(1)].frozen = True
            assert await offered(desk, document) == {"release": True}
            harness.house.tickets.all[Number(1)].frozen = False
            unprinted = (await queried(desk, "look_up", number=document["number"]))["ticket"]["why_not"]
            assert unprinted["clause"] == "7(e)"
            await harness.does(player, "ConfirmPrint", terminal=player.device, sequence=1)
            assert (await queried(desk, "look_up", number=document["number"]))["ticket"]["why_not"] is None
            await paid(desk, document)
            assert await offered(desk, document) == {}

    played(scenario)


async def offered(desk: PageClient, document: dict[str, Any]) -> dict[str, bool]:
    """What can be done with a slip, and whether it takes two people."""
    ticket = (await queried(desk, "look_up", number=document["number"]))["ticket"]
    assert all(each["command"]["sequence"] == 1 and each["titles"] for each in ticket["actions"])
    return {each["label"]: each["dual"] for each in ticket["actions"]}


def test_verification_corrects_the_index_of_closed_tickets(tmp_path: Path) -> None:
    """A closed ticket whose row was changed is not shown as payable; a verification reports the row and corrects it."""
    text = CLEARWATER.replace('data = "data"\n', 'data = "data"\nrecords_kept = 1\n')

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            desk, papers = await cashier(house), [await slip(house) for _ in range(3)]
            for each in papers:
                assert await wished(desk, "redeem", drawer="D1", number=each["number"]) == "done"
            await slip(house)
            other = apsw.Connection(str(tmp_path / "data" / "tickets.db"))
            other.execute("UPDATE ticket SET body = x'c0'")
            other.close()
            evidence = house.venue.router.queries.evidence
            for sound in (False, True):
                found = await evidence.respond(Verify(q=1), lambda: True)
                assert isinstance(found, VerificationResult)
                assert (found.sound, "was corrected" in str(found.faults)) == (sound, not sound)
            desk.say("look_up", q=1, number=papers[0]["number"])
            shown = (await desk.hear("looked_up"))["ticket"]
            assert (shown["status"], shown["why_not"]["code"]) == ("redeemed", "ticket_paid")

    played(scenario)
