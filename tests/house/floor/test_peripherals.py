"""Notes in escrow and locked devices in the house, at each venue that has them."""

import pytest

from croupier.house import AnyCommand
from croupier.house.credit.notes import (
    EscrowNote,
    InsertNote,
    NoteEscrowed,
    NoteReturned,
    NoteStacked,
    ReturnNote,
    StackNote,
)
from croupier.house.credit.tickets import Collect, InsertTicket, TicketIssued, Validation
from croupier.house.declare import Decision
from croupier.house.floor.incidents import ClearIncident, IncidentKind, IncidentRaised, Peripheral
from croupier.house.floor.malfunctions import RaiseMalfunction
from croupier.house.floor.service import ReportLockUp as Lock
from croupier.house.floor.service import SlotSwitch, SwitchTerminal, TerminalSwitched
from croupier.house.ids import DeviceId, Number, TerminalId
from croupier.house.state.records import MalfunctionKind
from croupier.rules.money import Cents
from tests.support.house_driver import Play, refused

ADELAIDE, CLEARWATER, MARINA = "skycity-adelaide-2003", "clearwater-etg", "marina-bay-sands-2020"
T1, TEN, TWENTY = TerminalId("T1"), Cents(1_000), Cents(2_000)


def at(play: Play, command: AnyCommand) -> Decision:
    return play.ask(command, DeviceId(T1))


def escrow(play: Play, value: Cents = TWENTY) -> Decision:
    return at(play, EscrowNote(T1, play.rulebook.currency, value))


def seated(rulebook: str = ADELAIDE) -> Play:
    play = Play(rulebook)
    play.seats(T1=0)
    return play


@pytest.mark.clause("skycity-adelaide-2003", "7(d)i")
@pytest.mark.parametrize("rulebook", [ADELAIDE, CLEARWATER, MARINA])
def test_note_is_credit_when_it_is_stacked(rulebook: str) -> None:
    """A note in escrow is no credit; stacked it is, once, and a second report of it is refused."""
    play = seated(rulebook)

    assert escrow(play) == (NoteEscrowed(T1, TWENTY),)
    assert play.credit("T1") == 0
    assert escrow(play) == ()
    assert at(play, StackNote(T1)) == (NoteStacked(T1, TWENTY),)
    assert play.credit("T1") == 20
    assert refused(at(play, StackNote(T1)))[0] == "nothing_there"
    assert at(play, ReturnNote(T1, seen=True)) == ()
    play.check()


def test_note_that_came_back_is_no_credit() -> None:
    """A note whose return was seen leaves nothing; one that is only not there any more leaves an incident."""
    play = seated()
    escrow(play)
    assert at(play, ReturnNote(T1, seen=True)) == (NoteReturned(T1, TWENTY),)
    escrow(play)
    returned, incident = at(play, ReturnNote(T1, seen=False))  # type: ignore[misc]
    assert returned == NoteReturned(T1, TWENTY)
    assert isinstance(incident, IncidentRaised)
    assert (incident.kind, incident.clause) == (IncidentKind.NOTE_UNRESOLVED, "7(d)")
    escrow(play)
    events = escrow(play, TEN)
    assert [type(each).__name__ for each in events] == ["NoteReturned", "IncidentRaised", "NoteEscrowed"]  # type: ignore[union-attr]
    assert play.credit("T1") == 0


def test_note_of_a_page_waits_for_the_acceptor() -> None:
    """While a note is in escrow no page inserts another one."""
    play = seated()
    escrow(play)

    assert refused(at(play, InsertNote(T1, "AUD", TWENTY))) == ("out_of_turn", "7(d)")
    at(play, StackNote(T1))
    assert at(play, InsertNote(T1, "AUD", TWENTY)) == (NoteStacked(T1, TWENTY),)


def test_stacked_note_is_credit_whatever_the_state_of_its_terminal() -> None:
    """A terminal that is blocked takes no new note, and credits the one that is in the box."""
    play = seated()
    escrow(play)
    play.must(RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."))

    assert at(play, StackNote(T1)) == (NoteStacked(T1, TWENTY),)
    assert refused(escrow(play))[0] == "terminal_blocked"


@pytest.mark.parametrize(
    ("rulebook", "notes", "slips"), [(ADELAIDE, "7(d)", "7(e)"), (CLEARWATER, "6", "20.a"), (MARINA, "1.1.1", "1.1.1")]
)
def test_locked_device_cites_its_clause(rulebook: str, notes: str, slips: str) -> None:
    """A locked acceptor takes no note and a locked printer pays nothing out, with the clause, until staff clear it."""
    play = seated(rulebook)
    for peripheral in Peripheral:
        (raised,) = at(play, Lock(T1, peripheral, "jam"))  # type: ignore[misc]
        assert isinstance(raised, IncidentRaised)
        assert at(play, Lock(T1, peripheral, "jam again")) == ()
    collect = Collect(T1, Validation(Number(1), "digest", "1234"))

    assert refused(escrow(play)) == ("terminal_blocked", notes)
    assert refused(at(play, collect)) == ("terminal_blocked", slips)
    for number in (1, 2):
        assert isinstance(play.by(play.rulebook.staff.order[1].lower(), ClearIncident(Number(number))), tuple)
    assert escrow(play) == (NoteEscrowed(T1, TWENTY),)
    at(play, StackNote(T1))
    assert isinstance(at(play, collect), tuple)


def test_staff_collect_where_the_printer_is_locked() -> None:
    """A member of staff collects for the player of a terminal whose printer is locked, and not otherwise."""
    play = seated()
    play.note(2_000)
    collect = Collect(T1, Validation(Number(1), "digest", "1234"))
    assert refused(play.by("inspector", collect))[0] == "not_authorised"
    at(play, Lock(T1, Peripheral.PRINTER, "jam"))

    (issued,) = play.by("inspector", collect)  # type: ignore[misc]
    assert isinstance(issued, TicketIssued)


@pytest.mark.parametrize(("rulebook", "play", "notes"), [(ADELAIDE, "12(h)", "7(d)"), (CLEARWATER, "25", "6")])
def test_slot_system_switches_a_terminal_off_and_on(rulebook: str, play: str, notes: str) -> None:
    """A switch is recorded once; bets, notes and tickets are refused with their clauses until it is on again."""
    floor = seated(rulebook)
    floor.note(2_000)
    floor.open()
    for switch in SlotSwitch:
        assert at(floor, SwitchTerminal(T1, switch, on=True)) == ()
        assert at(floor, SwitchTerminal(T1, switch, on=False)) == (TerminalSwitched(T1, switch, on=False),)
        assert at(floor, SwitchTerminal(T1, switch, on=False)) == ()
    assert refused(floor.bet("T1", "5 on 17")) == ("terminal_closed", play)
    at(floor, SwitchTerminal(T1, SlotSwitch.PLAY, on=True))
    assert refused(escrow(floor)) == ("terminal_closed", notes)
    assert refused(at(floor, InsertTicket(T1, "digest"))) == ("terminal_closed", notes)
    assert isinstance(floor.bet("T1", "5 on 17"), tuple)
    at(floor, SwitchTerminal(T1, SlotSwitch.NOTES, on=True))
    assert escrow(floor) == (NoteEscrowed(T1, TWENTY),)
    floor.check()
