"""Needs: what waits for somebody is listed the worst first, and whatever is offered for it the house would do."""

from collections.abc import Callable, Iterator

import msgspec
import pytest

from croupier.house import AnyCommand, House
from croupier.house.credit.held_wins import RecordTaxForm
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.disputes import (
    AdviseComplainant,
    CloseDispute,
    DecideDispute,
    DisputeBasis,
    OpenDispute,
    RequestReview,
)
from croupier.house.floor.incidents import ClearIncident, Incident, IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.floor.malfunctions import ClearLineLoss, LineLossCleared, RaiseMalfunction
from croupier.house.floor.service import CloseTerminal, ReportTerminalLost, ReportTerminalReturned
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, DeviceId, Number, RoundNumber, TerminalId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult, InvalidateOutcome
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.recovery import RaiseSystemMalfunction
from croupier.house.rounds.referrals import ReferRound
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SpinBall
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings, WheelKind
from croupier.house.state.records import MalfunctionKind
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.server.exports import RoundRange
from croupier.server.journal_queries import row
from croupier.server.views import actions as needs_module
from croupier.server.views.actions import TOGETHER_MIN, OfferedAction, first_needs, on_incident
from tests.support.house_driver import TABLE, Play
from tests.support.offers import pending_items, taken, unkept
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

T1 = TerminalId("T1")
WHEEL = DeviceId(TABLE)


def listed(floor: Play) -> list[str]:
    """What waits, each with the labels of what can be done about it; all of which would be done."""
    assert list(unkept(floor.house)) == []
    return [f"{need.kind}: {' '.join(each.label for each in need.actions)}" for need in pending_items(floor.house)]


def house(rulebook_id: str, *settings: TableSettings) -> Play:
    floor = Play(rulebook_id, *settings)
    floor.seats(T1=5_000, T2=5_000)
    floor.enrol(floor.rulebook.staff.order[-1], "another")
    return floor


def manager(floor: Play) -> str:
    return floor.rulebook.staff.order[-1].lower()


def did(floor: Play, command: AnyCommand, person: str = "") -> None:
    answer = floor.by(person or floor.dealer, command)
    assert isinstance(answer, tuple), answer


def sealed(floor: Play, slip: str = "5 on 17") -> None:
    floor.open()
    assert isinstance(floor.bet("T1", slip), tuple)
    floor.close()


def early_launch(floor: Play) -> None:
    floor.open()
    floor.ask(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)


def referred_at_rest(floor: Play) -> None:
    sealed(floor)
    did(floor, SpinBall(TABLE))
    did(floor, ReferRound(TABLE, "Somebody shouted."))
    floor.rest("17")


def referred_running(floor: Play) -> None:
    sealed(floor)
    did(floor, SpinBall(TABLE))
    did(floor, ReferRound(TABLE, "Somebody shouted."))


def referred_drawn(floor: Play) -> None:
    floor.open()
    did(floor, CloseBets(TABLE))
    floor.advance(floor.now + 6 * SECOND)
    floor.ask(BallLaunched(TABLE), WHEEL)
    did(floor, ReferRound(TABLE, "Somebody shouted."))


def interrupted(floor: Play) -> None:
    sealed(floor)
    did(floor, SpinBall(TABLE))
    did(floor, RaiseSystemMalfunction(TABLE, "It hangs."))


def interrupted_suspended(floor: Play) -> None:
    referred_running(floor)
    floor.recover()


def wheel_trouble(floor: Play) -> None:
    sealed(floor)
    did(floor, SpinBall(TABLE))
    floor.ask(WheelTrouble(TABLE, Reason.FOREIGN_OBJECT), WHEEL)


def trouble_at_rest(floor: Play) -> None:
    wheel_trouble(floor)
    floor.rest("17", None)


def trouble_between(floor: Play) -> None:
    floor.ask(WheelTrouble(TABLE, Reason.FOREIGN_OBJECT), WHEEL)


def trouble_over(floor: Play) -> None:
    floor.round("17", T1="3 on 4")
    trouble_between(floor)


def number_differs(floor: Play) -> None:
    floor.round("17", T1="3 on 4")
    floor.ask(BallAtRest(TABLE, Pocket("20")), WHEEL)


def invalidated(floor: Play) -> None:
    number_differs(floor)
    did(floor, InvalidateOutcome(TABLE, RoundNumber(1), Reason.FIRE, "Fire."), manager(floor))
    did(floor, Approve(Number(1)), "another")


def alarm(floor: Play) -> None:
    floor.must(RaiseAlarm(IncidentKind.DISK_LOW, "system", IncidentFacts("The disk is nearly full.")))


def about_a_terminal(floor: Play) -> None:
    floor.must(RaiseAlarm(IncidentKind.NOTED, "T1", IncidentFacts("It flickers.")))


def questioned(floor: Play) -> None:
    sealed(floor)
    did(floor, RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."))


def case(floor: Play) -> None:
    did(floor, RaiseMalfunction(T1, MalfunctionKind.OPINION, "It flickers."))


def case_dark(floor: Play) -> None:
    case(floor)
    floor.must(ReportTerminalLost(T1))


def offline(floor: Play) -> None:
    floor.must(ReportTerminalLost(T1))


def collected(floor: Play) -> None:
    floor.must(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId("T1"))
    offline(floor)


def closed_terminal(floor: Play) -> None:
    did(floor, CloseTerminal(T1, "It flickers."), manager(floor))


def held_and_dark(floor: Play) -> None:
    held_win(floor)
    offline(floor)


def proposed(floor: Play) -> None:
    floor.round("17", T1="3 on 4")
    did(floor, CorrectResult(TABLE, RoundNumber(1), Pocket("20"), "Misread."), manager(floor))


def lapsed(floor: Play) -> None:
    proposed(floor)
    floor.advance(floor.now + 121 * SECOND)
    floor.must(RaiseAlarm(IncidentKind.NOTED, "system", IncidentFacts("Time has passed.")))


def held_win(floor: Play) -> None:
    floor.round("17", T1="50 on 17")


def recorded(floor: Play) -> None:
    held_win(floor)
    did(floor, RecordTaxForm(T1, Number(1), "A. Patron", "7"), "cashier")


def idle(floor: Play) -> None:
    for _ in range(3):
        floor.round("17", T1="3 on 4")


def disputed(floor: Play) -> None:
    floor.round("17", T1="3 on 4")
    floor.by(
        manager(floor), OpenDispute(TABLE, RoundNumber(1), T1, DisputeBasis.NOT_COVERED, "It was 20.", memorandum="3")
    )


def decided(floor: Play) -> None:
    disputed(floor)
    did(floor, DecideDispute(Number(1), "It was 17."), manager(floor))


def advised(floor: Play) -> None:
    decided(floor)
    did(floor, AdviseComplainant(Number(1)), manager(floor))


def account_locked(floor: Play) -> None:
    floor.must(RaiseAlarm(IncidentKind.ACCOUNT_LOCKED, floor.dealer, IncidentFacts(device="pit-1")))


def account_of_a_leaver(floor: Play) -> None:
    floor.must(RaiseAlarm(IncidentKind.ACCOUNT_LOCKED, "somebody", IncidentFacts(device="pit-1")))


def reviewed(floor: Play) -> None:
    advised(floor)
    did(floor, RequestReview(Number(1), by_house=False), manager(floor))


def closed(floor: Play) -> None:
    decided(floor)
    did(floor, CloseDispute(Number(1), resolved=True), manager(floor))


WIDE = TableSettings(limits=LimitSettings(LimitBounds(most=Cents(1_000_000))))
RANDOM = TableSettings(wheel=WheelKind.RANDOM)


@pytest.mark.parametrize(
    ("rulebook_id", "settings", "happens", "wanted"),
    [
        (MARINA, WIDE, early_launch, ["suspended: go_on settle void no_spin", "incident: clear"]),
        (ADELAIDE, WIDE, referred_at_rest, ["suspended: go_on settle void", "incident: clear"]),
        (ADELAIDE, WIDE, referred_running, ["suspended: go_on settle void", "incident: clear"]),
        (ADELAIDE, RANDOM, referred_drawn, ["suspended: go_on void", "incident: clear"]),
        (ADELAIDE, WIDE, interrupted, ["interrupted: attest no_spin", "incident: clear", "incident: clear"]),
        (ADELAIDE, WIDE, interrupted_suspended, ["suspended: attest void", "incident: clear", "incident: clear"]),
        (ADELAIDE, WIDE, wheel_trouble, ["incident: enter no_spin refer clear"]),
        (ADELAIDE, WIDE, trouble_at_rest, ["incident: attest no_spin refer clear"]),
        (ADELAIDE, WIDE, trouble_between, ["incident: clear"]),
        (ADELAIDE, WIDE, trouble_over, ["incident: clear"]),
        (MARINA, WIDE, number_differs, ["incident: correct clear"]),
        (ADELAIDE, WIDE, invalidated, ["incident: clear"]),
        (ADELAIDE, WIDE, alarm, ["incident: clear"]),
        (ADELAIDE, WIDE, account_locked, ["incident: unlock clear"]),
        (ADELAIDE, WIDE, account_of_a_leaver, ["incident: clear"]),
        (ADELAIDE, WIDE, about_a_terminal, ["incident: clear"]),
        (ADELAIDE, WIDE, questioned, ["case: confirm_bets void_bets"]),
        (ADELAIDE, WIDE, case, ["case: clear_case collect_for"]),
        (ADELAIDE, WIDE, case_dark, ["case: collect_for"]),
        (ADELAIDE, WIDE, offline, ["dark: malfunction collect_for"]),
        (ADELAIDE, WIDE, collected, ["dark: malfunction"]),
        (CLEARWATER, WIDE, closed_terminal, ["credit_left: reopen collect_for"]),
        (CLEARWATER, WIDE, held_and_dark, ["held_win: record_form", "dark: malfunction"]),
        (US, WIDE, proposed, ["proposal: approve withdraw"]),
        # Its players have waited for a round meanwhile.
        (MARINA, WIDE, lapsed, ["incident: clear", "blocked: "]),
        (CLEARWATER, WIDE, held_win, ["held_win: record_form"]),
        (CLEARWATER, WIDE, recorded, ["held_win: release"]),
        (ADELAIDE, WIDE, idle, ["idle: message"]),
        (ADELAIDE, WIDE, disputed, ["dispute: decide advise"]),
        (MARINA, WIDE, disputed, ["dispute: decide"]),
        (ADELAIDE, WIDE, decided, ["dispute: request_review close_resolved advise"]),
        (ADELAIDE, WIDE, advised, ["dispute: request_review close_resolved close_unresolved"]),
        (CLEARWATER, WIDE, decided, ["dispute: close_resolved close_unresolved"]),
        (ADELAIDE, WIDE, reviewed, ["dispute: record_review"]),
        (ADELAIDE, WIDE, closed, []),
    ],
)
def test_need_is_listed_with_what_can_be_done(
    rulebook_id: str, settings: TableSettings, happens: Callable[[Play], None], wanted: list[str]
) -> None:
    """Whatever waits for somebody is listed with the commands that this venue's rules allow for it now."""
    floor = house(rulebook_id, settings)
    happens(floor)

    assert listed(floor) == wanted


def test_worst_comes_first() -> None:
    """A round that somebody must decide comes before incidents, these before cases, and idle seats come last."""
    floor = house(ADELAIDE)
    idle(floor)
    floor.open()
    did(floor, ReferRound(TABLE, "Somebody shouted."))
    alarm(floor)
    case(floor)
    kinds = [need.kind.value for need in pending_items(floor.house)]

    assert kinds == ["suspended", "incident", "incident", "case", "idle"]
    assert [need.what for need in pending_items(floor.house)][1:3] == ["referred", "disk_low"]
    did(floor, ClearIncident(Number(2)))
    assert [need.what for need in pending_items(floor.house)][1:3] == ["referred", "opinion"]


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_action_says_who_may_take_it_and_whether_another_must_sign() -> None:
    """A correction is for the Pit Boss and above, and takes two signatures; clearing an incident takes one."""
    floor = house(MARINA)
    number_differs(floor)
    correct, clear = pending_items(floor.house)[0].actions

    assert (correct.titles, correct.dual) == (("Pit Manager", "Gaming Shift Manager"), True)
    assert (clear.titles[0], clear.dual, clear.asks) == ("Dealer", False, ())
    assert correct.asks == ("pocket", "words")
    assert taken(floor.house, correct)


def lost_together(count: int) -> Play:
    """A house in which so many terminals of one table have lost their links at once."""
    floor = Play(ADELAIDE)
    names = [TerminalId(f"N{each}") for each in range(count)]
    floor.seats(**{str(name): 10 for name in names})
    for name in names:
        floor.must(ReportTerminalLost(name))
    return floor


@pytest.mark.parametrize(("count", "rows"), [(TOGETHER_MIN - 1, [1, 1, 1, 1]), (TOGETHER_MIN, [5])])
def test_many_offline_terminals_of_a_table_are_one_line(count: int, rows: list[int]) -> None:
    """Four offline terminals are listed one by one, each with what can be done; five are one line with their credit."""
    floor = lost_together(count)
    found = pending_items(floor.house)

    assert [(need.kind, need.count) for need in found] == [("dark", each) for each in rows]
    assert sum(need.amount or 0 for need in found) == count * 1_000
    assert [bool(need.actions) for need in found] == [each == 1 for each in rows]


@pytest.mark.parametrize(("count", "rows"), [(TOGETHER_MIN - 1, [1, 1, 1, 1]), (TOGETHER_MIN, [5])])
def test_cases_of_one_line_loss_are_one_line_with_one_action(count: int, rows: list[int]) -> None:
    """The cases of five terminals that lost their links together are one line, and one command clears them all."""
    floor = lost_together(count)
    floor.at(floor.now / SECOND + 6)
    assert [(need.kind, need.count) for need in pending_items(floor.house)] == [("case", each) for each in rows]
    if rows == [5]:
        assert pending_items(floor.house)[0].actions == ()
    for name in sorted(floor.house.offline):
        floor.must(ReportTerminalReturned(name))
    assert list(unkept(floor.house)) == []
    label, command = ("clear_line_loss", ClearLineLoss(TABLE, Number(1))) if rows == [5] else ("clear_case", None)
    first = pending_items(floor.house)[0].actions[0]
    assert first.label == label
    if command is not None:
        assert first.command == command
        did(floor, command, "inspector")
        assert pending_items(floor.house) == []


def test_only_the_first_pending_items_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 30 incidents the first ten are listed, in the order of all, and the rest are counted."""
    floor = house(ADELAIDE)
    for number in range(30):
        floor.must(RaiseAlarm(IncidentKind.DISK_LOW, f"disk {number}", IncidentFacts("It is nearly full.")))
    drawn: list[Incident] = []

    def counting(at: House, each: Incident) -> Iterator[OfferedAction]:
        drawn.append(each)
        return on_incident(at, each)

    monkeypatch.setattr(needs_module, "on_incident", counting)
    first, more = first_needs(floor.house, 10)

    assert (len(drawn), more) == (10, 20)
    assert list(first) == pending_items(floor.house)[:10]


def test_line_loss_that_was_cleared_belongs_to_the_round_it_questioned() -> None:
    """The journal names a terminal of a cleared line loss, and the extent of a round goes on to its clearing."""
    floor = lost_together(1)
    floor.at(floor.now / SECOND + 6)
    (case,) = floor.house.cases.all.values()
    case.questioned = ((TABLE, RoundNumber(1)),)
    last = next(iter(floor.journal.entries()))
    for cases, terminal, position in (((case.number,), "N0", last.position), ((), None, 0)):
        entry = msgspec.structs.replace(last, event=LineLossCleared(TABLE, case.number, cases))
        extent = RoundRange(floor.house, TABLE, RoundNumber(1))
        extent.consume(entry)

        assert (row(floor.house, entry).terminal, extent.last) == (terminal, position)
