"""Enrolment: devices are enrolled and released by two people, and a terminal goes only once nothing is on it."""

import pytest

from croupier.house.credit.sessions import AdjustCredit
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.malfunctions import RaiseMalfunction
from croupier.house.floor.service import (
    CloseTerminal,
    NotifyOfficer,
    ReopenTerminal,
    ReportTerminalLost,
    TerminalReopened,
)
from croupier.house.floor.setup import AddTable, AddTerminal
from croupier.house.floor.signatures import Approve, ProposalMade
from croupier.house.floor.staff import DeviceEnrolled, DeviceReleased, EnrolDevice, ReleaseDevice
from croupier.house.ids import DeviceId, DeviceKind, Number, TableId
from croupier.house.settings import TerminalSettings
from croupier.house.state.records import MalfunctionKind
from croupier.rules.refusal import Code
from tests.support.house_driver import CLEARWATER, CONSOLE, DESK, PROMPT, T1, T2, TABLE, CheckedHouse

MANAGER, TECHNICIAN = "Shift Manager", "Technician"
NEW = DeviceId("pit 7")


def closed(pit: CheckedHouse, terminal: str = T1) -> None:
    """Close a terminal as the venue's rules have it."""
    pit.done(NotifyOfficer(terminal, "It is taken away."), MANAGER)
    pit.seconds += 1
    pit.done(CloseTerminal(T1, "It is taken away."), TECHNICIAN)


def test_two_people_enrol_and_release_a_console() -> None:
    """A console takes part from the second signature on until that under its release, and may be enrolled again."""
    pit = CheckedHouse()
    made = pit.done(EnrolDevice(NEW, DeviceKind.PIT), TECHNICIAN)
    assert isinstance(made[0], ProposalMade)
    assert NEW not in pit.house.staff.devices
    (_, enrolled) = pit.done(Approve(made[0].proposal), MANAGER, DESK)
    assert enrolled == DeviceEnrolled(NEW, DeviceKind.PIT)
    assert NEW in pit.house.staff.devices

    assert pit.signed(ReleaseDevice(NEW), MANAGER) == (DeviceReleased(NEW),)
    assert (NEW in pit.house.staff.devices, pit.house.staff.released_devices) == (False, {NEW})
    pit.refused(AddTable(TableId("A9"), pit.rulebook.digest, PROMPT), Code.UNKNOWN_DEVICE, "5.3(a)", MANAGER, NEW)
    pit.signed(EnrolDevice(NEW, DeviceKind.CASHIER), MANAGER)
    assert (NEW in pit.house.staff.devices, pit.house.staff.released_devices) == (True, set())


@pytest.mark.parametrize("name", ["nobody", TABLE, "system"])
def test_what_is_no_device_is_not_released(name: str) -> None:
    """A name that nothing goes by is not released, nor is a table's wheel or the house itself."""
    refusal = CheckedHouse().refused(ReleaseDevice(DeviceId(name)), Code.UNKNOWN_RECORD, by=MANAGER)
    assert refusal.facts == {"device": name}


def test_signature_from_a_released_device_is_none() -> None:
    """Whoever signed first at a device that was released since has not signed."""
    pit = CheckedHouse()
    (made,) = pit.done(EnrolDevice(NEW), MANAGER, DESK)
    assert isinstance(made, ProposalMade)
    (second,) = pit.done(ReleaseDevice(DESK), MANAGER)
    assert isinstance(second, ProposalMade)
    pit.house.staff.devices.add(NEW)
    pit.done(Approve(second.proposal), f"other {MANAGER}", NEW)
    pit.refused(Approve(made.proposal), Code.UNKNOWN_DEVICE, "5.3(a)", f"other {MANAGER}")


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_terminal_with_anything_on_it_is_not_released() -> None:
    """Credits, chips and held wins are paid out before a terminal goes, by the clause on paying out."""
    pit = CheckedHouse()
    pit.open(credit=5_000, stake=500)
    refusal = pit.refused(ReleaseDevice(DeviceId(T1)), Code.OUT_OF_TURN, "7(e)", MANAGER)
    assert refusal.message == "Terminal T1 has 50 AUD on it: that is paid out first."
    assert refusal.facts == {"credit": 4_500, "in_play": 500, "held": 0}


def test_terminal_that_is_blocked_is_not_released() -> None:
    """While a malfunction is looked into the terminal stays where it is."""
    pit = CheckedHouse()
    pit.open(credit=5_000, stake=500)
    pit.done(RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."), "Inspector")
    assert pit.t1.case is not None
    pit.refused(ReleaseDevice(DeviceId(T1)), Code.TERMINAL_BLOCKED, "11(a)iv", MANAGER)


@pytest.mark.clause("skycity-adelaide-2003", "12(h)")
def test_terminal_is_closed_before_it_is_released() -> None:
    """A terminal is not taken away past the notice to an officer that closing it takes."""
    pit = CheckedHouse()
    release = ReleaseDevice(DeviceId(T1))
    refusal = pit.refused(release, Code.OUT_OF_TURN, "12(h)", MANAGER)
    assert refusal.message == "Terminal T1 is closed first."
    closed(pit)
    assert pit.signed(release, MANAGER) == (DeviceReleased(DeviceId(T1)),)


def test_credit_that_comes_back_before_the_second_signature_stops_it() -> None:
    """A reason against a release also refuses the second signature."""
    pit = CheckedHouse(CLEARWATER)
    closed(pit)
    (made,) = pit.done(ReleaseDevice(DeviceId(T1)), MANAGER)
    assert isinstance(made, ProposalMade)
    pit.signed(AdjustCredit(T1, 100, "A note was stacked and not credited."), MANAGER)
    pit.refused(Approve(made.proposal), Code.OUT_OF_TURN, "20.a", f"other {MANAGER}", DESK)
    pit.done(Collect(T1, Validation(Number(1), "digest", "0001")), MANAGER)
    assert pit.done(Approve(made.proposal), f"other {MANAGER}", DESK)[1:] == (DeviceReleased(DeviceId(T1)),)


def test_released_terminal_keeps_its_name_and_is_enrolled_again() -> None:
    """It is dark for nobody and goes back into service only once enrolled again; no other may have its name."""
    pit = CheckedHouse()
    pit.done(ReportTerminalLost(T1))
    closed(pit)
    pit.signed(ReleaseDevice(DeviceId(T1)), MANAGER)
    assert (pit.t1.lost_at, pit.house.offline, pit.t1.closed) == (None, set(), True)
    pit.refused(ReopenTerminal(T1), Code.OUT_OF_TURN, "12(h)", TECHNICIAN)
    pit.refused(AddTerminal(T1, (TABLE,), TerminalSettings()), Code.ALREADY_THERE)
    pit.refused(EnrolDevice(DeviceId(T1), DeviceKind.PIT), Code.ALREADY_THERE)

    again = EnrolDevice(DeviceId(T1), DeviceKind.TERMINAL)
    assert pit.signed(again, MANAGER) == (DeviceEnrolled(DeviceId(T1), DeviceKind.TERMINAL),)
    assert pit.done(ReopenTerminal(T1), TECHNICIAN) == (TerminalReopened(T1),)


def test_terminal_is_added_at_a_table_and_not_merely_enrolled() -> None:
    """A terminal that the house does not have is not enrolled as one, and one that takes part is enrolled already."""
    pit = CheckedHouse()
    pit.refused(EnrolDevice(NEW, DeviceKind.TERMINAL), Code.UNKNOWN_TERMINAL, "5.3(a)", MANAGER)
    pit.refused(EnrolDevice(DeviceId(T2), DeviceKind.TERMINAL), Code.ALREADY_THERE, None, MANAGER)


@pytest.mark.parametrize("who", ["Dealer", "Inspector", "Pit Boss", "Cashier", "Auditor"])
def test_devices_are_the_managers_and_the_technicians(who: str) -> None:
    """Nobody else enrols or releases anything."""
    pit = CheckedHouse()
    pit.refused(EnrolDevice(NEW, DeviceKind.PIT), Code.NOT_AUTHORISED, "12(h)", who)
    pit.refused(ReleaseDevice(CONSOLE), Code.NOT_AUTHORISED, "12(h)", who)
