"""Note acceptors over a pseudo-terminal: credit once, or the note back, whatever fails and whenever power is lost."""

from collections.abc import Callable
from pathlib import Path

import pytest

from croupier.devices.escpos import EmulatedPrinter
from croupier.devices.id003 import FAULTS, SILENT_AFTER, EmulatedAcceptor, Status
from croupier.engine.ports import Accepted, Request
from croupier.house.credit.notes import EscrowNote, NoteEscrowed, NoteReturned, NoteStacked
from croupier.house.credit.tickets import Collect
from croupier.house.floor.incidents import ClearIncident, IncidentKind, Peripheral
from croupier.house.ids import DeviceId, Number, PersonId
from croupier.house.settings import Mode
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from croupier.server.ticket_desk import MISSES_MAX
from croupier.words import incident_text
from tests.support.connections import open_house, played, refused_in, until
from tests.support.money_devices import ADELAIDE, CLEARWATER, SEAT, Fitted, connected, fitted, plugged

#: The place of a note of 20 among the denominations, and its escrow data.
TWENTY, HELD = 2, b"\x63"


async def ready(fit: Fitted) -> None:
    await fit.poll_until(lambda: fit.acceptor.status is Status.IDLE and fit.driver.fault == "")


def scenario_with(
    folder: Path, acceptor: EmulatedAcceptor, do: Callable[[Fitted], object], text: str = "", *, seen: bool = True
) -> None:
    """Open a house with an acceptor, and do something in it; its terminal is connected unless it is not seen."""

    async def scenario() -> None:
        printer = EmulatedPrinter()
        with plugged(folder / "A-1-acceptor", acceptor), plugged(folder / "A-1-printer", printer):
            async with open_house(folder, text or fitted(folder)) as house:
                fit = Fitted(house, acceptor, printer)
                if seen:
                    fit.player = await connected(house)
                await do(fit)  # type: ignore[misc]

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_note_becomes_credit_once(tmp_path: Path) -> None:
    """7(d)i: a note of an accepted denomination becomes credit when it is stacked, once, and nothing else moves."""

    async def scenario(fit: Fitted) -> None:
        await ready(fit)
        assert fit.acceptor.insert_note(TWENTY)
        await fit.poll_until(lambda: fit.acceptor.status is Status.VEND_VALID)
        assert (fit.terminal.credit, fit.terminal.escrow) == (0, 2_000)
        await fit.poll_until(lambda: fit.acceptor.status is Status.IDLE)
        await fit.poll(5)
        assert (fit.terminal.credit, fit.terminal.escrow) == (2_000, None)
        assert fit.acceptor.box == [HELD]
        assert (len(fit.house.happened(NoteEscrowed)), len(fit.house.happened(NoteStacked))) == (1, 1)

    scenario_with(tmp_path, EmulatedAcceptor(), scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_note_that_is_not_accepted_goes_back_with_the_clause(tmp_path: Path) -> None:
    """7(d)i: a note of 5, which this terminal does not take, goes back, and its player is told the clause."""

    async def scenario(fit: Fitted) -> None:
        player = fit.player
        await ready(fit)
        assert fit.acceptor.insert_note(0)
        await fit.poll_until(lambda: fit.acceptor.returned == [b"\x61"])
        await fit.poll_until(lambda: fit.acceptor.status is Status.IDLE)
        refused = (await player.hear("refused"))["refusal"]
        assert (refused["code"], refused["clause"]) == ("not_taken_here", "7(d)i")
        assert (fit.terminal.credit, fit.terminal.escrow, fit.acceptor.box) == (0, None, [])

    scenario_with(tmp_path, EmulatedAcceptor(), scenario)


@pytest.mark.clause("skycity-adelaide-2003", "11(a)iii")
@pytest.mark.clause("clearwater-etg", "25")
@pytest.mark.parametrize(
    ("rulebook", "code", "clause"),
    [(ADELAIDE, Code.TERMINAL_BLOCKED, "11(a)iii"), (CLEARWATER, Code.TERMINAL_DARK, "25")],
)
def test_acceptor_takes_no_money_while_its_terminal_is_lost(
    rulebook: str, code: Code, clause: str, tmp_path: Path
) -> None:
    """11(a)iii, 25: a note or ticket goes back while the terminal is not connected."""
    acceptor, text = EmulatedAcceptor(), fitted(tmp_path, rulebook)

    async def lost(fit: Fitted) -> None:
        await ready(fit)
        fit.player.transport.disconnect()
        await until(lambda: not fit.house.venue.peripherals.devices.seats)
        assert acceptor.insert_note(TWENTY)
        await until_idle(fit)
        assert (fit.terminal.credit, acceptor.box, acceptor.returned) == (0, [], [HELD])
        assert fit.house.happened(NoteEscrowed) == []
        assert acceptor.insert_ticket("0" * 18)
        await until_idle(fit)
        assert len(acceptor.returned) == 2
        # The house itself refuses what another driver might report of a terminal that was lost.
        await until(lambda: fit.terminal.lost_at is not None)
        note = EscrowNote(SEAT, fit.house.venue.run.house.rulebook_at(fit.terminal).currency, Cents(2_000))
        outcome = await fit.house.venue.commit_loop.ask(Request(note, DeviceId(SEAT)))
        assert isinstance(outcome, Refusal)
        assert (outcome.code, outcome.clause) == (code, clause)

    scenario_with(tmp_path, acceptor, lost, text)


def test_acceptor_takes_no_money_before_its_terminal_was_there(tmp_path: Path) -> None:
    """A note goes back until the terminal has connected for the first time after a start, and is taken then."""
    acceptor = EmulatedAcceptor()

    async def unseen(fit: Fitted) -> None:
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await until_idle(fit)
        assert (fit.terminal.lost_at, fit.terminal.credit, acceptor.box, acceptor.returned) == (None, 0, [], [HELD])
        fit.player = await connected(fit.house)
        acceptor.insert_note(TWENTY)
        await until_idle(fit)
        assert (fit.terminal.credit, acceptor.box) == (2_000, [HELD])

    scenario_with(tmp_path, acceptor, unseen, seen=False)


#: Whether the note is lost to the record, and the incidents that staff have then.
AFTER = {
    "cheat": [IncidentKind.ACCEPTOR_LOCKED, IncidentKind.NOTE_UNRESOLVED],
    "failure": [IncidentKind.ACCEPTOR_LOCKED, IncidentKind.NOTE_UNRESOLVED],
    "full": [IncidentKind.NOTE_UNRESOLVED],
    "jam": [IncidentKind.ACCEPTOR_LOCKED, IncidentKind.NOTE_UNRESOLVED],
    "jam-stacker": [IncidentKind.ACCEPTOR_LOCKED, IncidentKind.NOTE_UNRESOLVED],
    "power": [],
    "rejected": [],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_note_that_is_not_stacked_is_no_credit(fault: str, tmp_path: Path) -> None:
    """Each fault of the emulator before the note is behind the lever leaves no credit, and staff see what they must."""

    async def scenario(fit: Fitted) -> None:
        await ready(fit)
        fit.acceptor.fault = fault
        assert fit.acceptor.insert_note(TWENTY)
        await fit.poll_until(lambda: fit.acceptor.fault == "")
        await fit.poll(4)
        stuck = fit.acceptor.status
        if stuck in (Status.FAILURE, Status.FULL, Status.JAM_ACCEPTOR, Status.JAM_STACKER):
            assert fit.driver.fault
            assert [each.terminal for each in fit.house.venue.facts().peripherals] == [SEAT]
            fit.acceptor.clear()
        await ready(fit)
        await fit.poll(3)
        assert (fit.terminal.credit, fit.terminal.escrow, fit.acceptor.box) == (0, None, [])
        assert fit.acceptor.returned == [HELD]
        assert fit.incidents() == AFTER[fault]
        assert len(fit.house.happened(NoteReturned)) == 1

    scenario_with(tmp_path, EmulatedAcceptor(), scenario)


async def until_idle(fit: Fitted) -> None:
    await fit.poll_until(lambda: fit.acceptor.status is Status.IDLE and not fit.acceptor.held)
    await fit.poll(3)


@pytest.mark.parametrize("house_too", [False, True], ids=["the acceptor", "both"])
@pytest.mark.parametrize("polls", range(0, 16, 2))
def test_power_loss_at_any_step_credits_what_is_in_the_box(polls: int, house_too: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    """Power is lost after any number of polls, also with a restart of the house: credit is what the box has."""
    acceptor = EmulatedAcceptor()

    async def begin(fit: Fitted) -> None:
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await fit.poll(polls)
        acceptor.lose_power()
        if not house_too:
            await until_idle(fit)

    async def end(fit: Fitted) -> None:
        await until_idle(fit)
        assert fit.terminal.credit == 2_000 * len(acceptor.box)
        assert acceptor.box + acceptor.returned == [HELD]
        assert fit.terminal.escrow is None

    scenario_with(tmp_path, acceptor, begin)
    scenario_with(tmp_path, acceptor, end)


@pytest.mark.parametrize("polls", range(0, 16, 2))
def test_restart_at_any_step_credits_what_is_in_the_box(polls: int, tmp_path: Path) -> None:
    """The house stops after any number of polls, and its acceptor waits: afterwards credit is what the box has."""
    acceptor = EmulatedAcceptor()

    async def begin(fit: Fitted) -> None:
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await fit.poll(polls)

    async def end(fit: Fitted) -> None:
        await until_idle(fit)
        assert fit.terminal.credit == 2_000 * len(acceptor.box)
        assert len(acceptor.box) + len(acceptor.returned) == 1
        assert fit.incidents() == []

    scenario_with(tmp_path, acceptor, begin)
    scenario_with(tmp_path, acceptor, end)


def test_note_that_disappeared_during_a_restart_is_looked_for(tmp_path: Path) -> None:
    """A note in escrow that was pulled out while the house was closed is no credit, and an incident names its value."""
    acceptor = EmulatedAcceptor()

    async def begin(fit: Fitted) -> None:
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await fit.poll_until(lambda: fit.terminal.escrow is not None)

    async def end(fit: Fitted) -> None:
        await ready(fit)
        await fit.poll(2)
        (incident,) = fit.open_incidents()
        assert (incident.kind, incident.clause, incident.facts.text) == ("note_unresolved", "7(d)", "20 AUD")
        assert "20 AUD in escrow at A-1 disappeared unseen" in incident_text(incident)
        assert (fit.terminal.credit, fit.terminal.escrow) == (0, None)

    scenario_with(tmp_path, acceptor, begin)
    acceptor.held, acceptor.status = b"", Status.IDLE
    scenario_with(tmp_path, acceptor, end)


async def cleared(fit: Fitted, person: str = "inspector") -> None:
    """Have a person clear every incident that is open."""
    for each in fit.open_incidents():
        request = Request(ClearIncident(each.number), DeviceId(SEAT), PersonId(person))
        assert isinstance(await fit.house.venue.commit_loop.ask(request), Accepted)


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_lock_up_lasts_until_staff_clear_it(tmp_path: Path) -> None:
    """After a jam notes go back, also after a restart of the house and the acceptor, until staff clear the incident."""
    acceptor = EmulatedAcceptor()

    async def jam(fit: Fitted) -> None:
        await ready(fit)
        acceptor.fault = "jam"
        acceptor.insert_note(TWENTY)
        await fit.poll_until(lambda: IncidentKind.ACCEPTOR_LOCKED in fit.incidents())
        await fit.poll(5)
        assert fit.incidents() == [IncidentKind.ACCEPTOR_LOCKED]
        acceptor.clear()

    async def refused(fit: Fitted) -> None:
        player = fit.player
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await fit.poll_until(lambda: len(acceptor.returned) == 2)
        shown = (await player.hear("refused"))["refusal"]
        assert (shown["code"], shown["clause"]) == ("terminal_blocked", "7(d)")
        await cleared(fit)
        await until_idle(fit)
        acceptor.insert_note(TWENTY)
        await until_idle(fit)
        assert (fit.terminal.credit, acceptor.box) == (2_000, [HELD])

    scenario_with(tmp_path, acceptor, jam)
    scenario_with(tmp_path, acceptor, refused)


def test_consoles_show_which_devices_do_not_work(tmp_path: Path) -> None:
    """The dealer and the pit see a device that does not work within seconds, and see when it works again."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Fitted) -> None:
        await ready(fit)
        dealer = await fit.house.signed_in("inspector", "dealer", fit.house.codes["inspector"])
        pit = await fit.house.signed_in("pit boss", "pit", fit.house.codes["pit boss"])
        acceptor.status = Status.FULL
        await fit.poll(12)
        row = {"terminal": "A-1", "tables": ["A"], "device": "acceptor", "words": "its box is full"}
        await dealer.hear("floor", lambda said: said["set"].get("devices") == [row])
        shown = await pit.hear("floor", lambda said: said["set"].get("devices") == [row])
        (need,) = [each for each in shown["set"]["needs"] if each["kind"] == "device"]
        assert (need["terminal"], need["says"]) == ("A-1", "The acceptor does not work: its box is full.")
        acceptor.status = Status.IDLE
        await fit.poll(12)
        await dealer.hear("floor", lambda said: said["set"].get("devices") == [])

    scenario_with(tmp_path, acceptor, scenario)


def test_silent_acceptor_is_a_fault_until_it_responds(tmp_path: Path) -> None:
    """An acceptor that gives no response is shown as a fault, and the line is opened again when it is plugged in."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Fitted) -> None:
        await ready(fit)
        acceptor.silent = True
        await fit.poll(SILENT_AFTER + 2)
        assert fit.house.venue.facts().peripherals == ((SEAT, Peripheral.ACCEPTOR, "it does not respond"),)
        acceptor.silent = False
        await fit.poll(2)
        assert fit.driver.fault == ""

    scenario_with(tmp_path, acceptor, scenario)


@pytest.mark.clause("clearwater-etg", "6")
def test_ticket_is_taken_once(tmp_path: Path) -> None:
    """6: a ticket that the terminal printed becomes credit again through the acceptor, once (Clearwater)."""
    acceptor, text = EmulatedAcceptor(), fitted(tmp_path, CLEARWATER)

    async def scenario(fit: Fitted) -> None:
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await until_idle(fit)
        number = await collected(fit)
        assert (fit.terminal.credit, acceptor.insert_ticket(number)) == (0, True)
        await until_idle(fit)
        assert (fit.terminal.credit, len(acceptor.box)) == (2_000, 2)
        acceptor.insert_ticket(number)
        await until_idle(fit)
        assert (fit.terminal.credit, acceptor.returned) == (2_000, [b"o" + number.encode()])
        recording = tmp_path.joinpath("data/devices/A-1.acceptor.log").read_bytes()
        assert number[:6].encode() not in recording
        assert b"InsertTicket: refused ticket_paid" in recording

    scenario_with(tmp_path, acceptor, scenario, text)


async def collected(fit: Fitted) -> str:
    """Cash out, and return the number of the ticket."""
    run = fit.house.venue.run
    assert isinstance(await fit.house.venue.commit_loop.ask(Request(Collect(SEAT), DeviceId(SEAT))), Accepted)
    return fit.house.venue.peripherals.numbers.number(Number(run.house.tickets.issued))


@pytest.mark.clause("skycity-adelaide-2003", "7(d)")
def test_slip_is_not_taken_where_only_notes_are(tmp_path: Path) -> None:
    """7(d): a slip in the acceptor goes back, and so does a number that was never issued; guesses raise an alarm."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Fitted) -> None:
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await until_idle(fit)
        number = await collected(fit)
        for guess in (number, *(["000000000000000000"] * MISSES_MAX)):
            acceptor.insert_ticket(guess)
            await until_idle(fit)
        assert (fit.terminal.credit, len(acceptor.box), len(acceptor.returned)) == (0, 1, 1 + MISSES_MAX)
        assert IncidentKind.TICKETS_GUESSED in fit.incidents()

    scenario_with(tmp_path, acceptor, scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
def test_venue_for_real_money_takes_notes(tmp_path: Path) -> None:
    """7(d)i: at Adelaide with real money a terminal is funded by its acceptor, and by nothing that its page says."""
    acceptor = EmulatedAcceptor()

    async def scenario(fit: Fitted) -> None:
        player = fit.player
        assert fit.house.venue.run.house.setup.mode is Mode.REAL
        await ready(fit)
        acceptor.insert_note(TWENTY)
        await until_idle(fit)
        await player.hear("seat", lambda said: said["set"].get("credit") == 2_000)
        player.say("note", id=next(player.numbers), epoch=player.epoch, value=2_000)
        refused = await player.hear("seat", lambda said: bool(refused_in(said)))
        assert [each["code"] for each in refused_in(refused).values()] == ["demo_only"]
        for command in ("EscrowNote", "StackNote", "ReturnNote", "ReportLockUp"):
            player.ask(command, terminal=SEAT, currency="AUD", value=2_000)
            said = await player.hear("seat", lambda said: bool(refused_in(said)))
            assert [each["code"] for each in refused_in(said).values()] == ["malformed"]
        assert fit.terminal.credit == 2_000

    scenario_with(tmp_path, acceptor, scenario, fitted(tmp_path, mode='mode = "real"'))
