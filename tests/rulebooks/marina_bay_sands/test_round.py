"""Marina Bay Sands in the house: a round from its opening to its close, and who may bet in it."""

from dataclasses import replace
from datetime import date
from functools import partial

import pytest

from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.settings import ChangeRulebook
from croupier.house.floor.setup import AdoptRulebook
from croupier.house.floor.signatures import Approve
from croupier.house.ids import SECOND, DeviceId, Number, TerminalId
from croupier.house.play.betting import (
    ChangeBet,
    ClearBets,
    DoubleBets,
    MoveBet,
    PlaceBets,
    RemoveBets,
    RepeatBets,
    UndoBet,
)
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import ConfirmResult
from croupier.house.settings import Mode, TableSettings
from croupier.house.views import TerminalView, terminal_view
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.refusal import Refusal
from tests.conftest import venue
from tests.support.house_driver import P1, P2, TABLE, Play, cents, open_betting, refused

VENUE = "marina-bay-sands-2020"


def seen(play: Play, seat: str) -> TerminalView:
    """What a terminal shows now."""
    return terminal_view(play.house, TerminalId(seat), TABLE, play.now)


#: The commands that take chips back from red.
WITHDRAWALS = (
    (UndoBet, ()),
    (ClearBets, ()),
    (RemoveBets, ((SpotKey("red"),),)),
    (ChangeBet, (SpotKey("red"), 5_00)),
)

betting = partial(open_betting, VENUE)


@pytest.mark.clause("marina-bay-sands-2020", "Header")
@pytest.mark.parametrize("day", [20190101, 20200317])
def test_no_round_before_the_rules_are_in_force(day: int) -> None:
    """Up to 17 March 2020 a round is refused under the header, and nothing has begun."""
    play = Play(VENUE, day=day)
    assert refused(play.by("dealer", OpenBets(TABLE))) == ("not_in_force", "Header")
    assert play.table.round is None


@pytest.mark.clause("marina-bay-sands-2020", "Header")
@pytest.mark.parametrize("day", [20200318, 20261115])
def test_round_bears_the_rulebook_and_its_version(day: int) -> None:
    """From 18 March 2020 a round opens, and its record shows version 2 of this rulebook."""
    play = Play(VENUE, day=day)
    assert not isinstance(play.by("dealer", OpenBets(TABLE)), Refusal)
    assert play.table.round is not None
    played_by = play.house.rulebooks[play.table.round.rulebook]
    assert (played_by.id, played_by.version) == (VENUE, "2")


@pytest.mark.clause("marina-bay-sands-2020", "Header")
def test_no_round_by_a_later_version_before_its_day() -> None:
    """A table put under a version that is in force from tomorrow opens no round by it today."""
    play = Play(VENUE)
    later = replace(venue(VENUE), version="3", effective=date(2026, 11, 16))
    play.must(AdoptRulebook(canonical(later)))
    play.enrol("Gaming Shift Manager", "gaming shift manager 2")
    digest = read_canonical(canonical(later)).digest
    play.by("gaming shift manager", ChangeRulebook(TABLE, digest, "version 3 comes tomorrow"))
    assert not isinstance(play.by("gaming shift manager 2", Approve(Number(1))), Refusal)
    play.ask(OpenBets(TABLE))
    assert play.table.round is None or play.house.rulebooks[play.table.round.rulebook].version == "2"


@pytest.mark.clause("marina-bay-sands-2020", "1.1")
def test_five_terms_are_defined() -> None:
    """The rulebook from which a terminal shows the rules lists exactly five definitions."""
    listed = [clause.clause for clause in venue(VENUE).clauses if clause.clause.startswith("1.1.")]
    assert listed == ["1.1.1", "1.1.2", "1.1.3", "1.1.4", "1.1.5"]


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
def test_credits_are_bought_wagered_and_cashed_out_on_one_terminal() -> None:
    """Of 100 bought at T1 and 30 bet 70 are cashed out there, and T2 has nothing throughout."""
    play = Play(VENUE, mode=Mode.REAL)
    play.seats(T1=0, T2=0)
    play.open()
    t2 = []
    play.must(InsertNote(TerminalId("T1"), "SGD", cents(100)), DeviceId("T1"))
    t2.append(play.credit("T2"))
    play.bet("T1", "30 on red")
    t2.append(play.credit("T2"))
    play.must(Collect(TerminalId("T1"), Validation(Number(1), "digest", "1234")), DeviceId("T1"))
    t2.append(play.credit("T2"))
    assert (play.house.tickets.all[Number(1)].amount, play.credit("T1"), t2) == (70_00, 0, [0, 0, 0])
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.1")
@pytest.mark.parametrize("device", ["T2", TABLE, "dealer's console", "somewhere"])
def test_terminal_is_played_from_nowhere_else(device: str) -> None:
    """A wager or cash-out for T1 that comes from any other device is refused, and moves nothing."""
    play = betting(T1=100, T2=0)
    wager = PlaceBets(*play.game("T1"), (("17", 10_00),))
    collect = Collect(TerminalId("T1"), Validation(Number(1), "digest", "1234"))
    person = "dealer" if device.startswith("dealer") else ""
    assert isinstance(play.ask(wager, DeviceId(device), person), Refusal)
    assert isinstance(play.ask(collect, DeviceId(device), person), Refusal)
    assert (play.credit("T1"), play.layout("T1"), play.house.tickets.all) == (100, {}, {})
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.4")
@pytest.mark.clause("marina-bay-sands-2020", "3.1")
def test_no_bet_before_the_terminal_says_so() -> None:
    """Before the words of 3.1 are shown 5 on 17 are refused; from that instant the round runs and they are placed."""
    play = Play(VENUE)
    play.seats(T1=100)
    assert seen(play, "T1").message == ""
    assert refused(play.bet("T1", "5 on 17")) == ("bets_not_open", "3.1")
    play.at(7)
    play.open()
    assert seen(play, "T1").message in ("Place your bets, please", "Place your bets", "Bets are open")
    assert not isinstance(play.bet("T1", "5 on 17"), Refusal)
    assert play.table.round is not None
    assert (play.layout("T1"), play.table.round.opened_at) == ({"17": 5}, 7 * SECOND)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "1.1.4")
def test_one_round_at_a_time() -> None:
    """While a round is open, closed, running or at rest another is refused; once it is settled the next opens."""
    play = Play(VENUE, TableSettings(confirms=True))
    for step in (play.open, play.close, play.spin, lambda: play.rest("17")):
        step()
        assert refused(play.by("dealer", OpenBets(TABLE))) == ("out_of_turn", "1.1.4")
    play.by("dealer", ConfirmResult(TABLE, Pocket("17")))
    assert not isinstance(play.by("dealer", OpenBets(TABLE)), Refusal)
    assert play.table.rounds == 2


@pytest.mark.clause("marina-bay-sands-2020", "3.2")
def test_bet_a_millisecond_before_the_close_and_one_after() -> None:
    """A bet 1 ms before the close is placed; 1 ms after it one is refused with "No more bets", and nothing moves."""
    play = betting(T1=100)
    play.at(29.999)
    assert not isinstance(play.bet("T1", "10 on 17"), Refusal)
    play.at(30)
    play.close()
    play.at(30.001)
    late = play.bet("T1", "10 on 17")
    assert refused(late) == ("bets_closed", "5.12")
    assert isinstance(late, Refusal)
    assert late.message.startswith("No more bets")
    assert (play.layout("T1"), play.credit("T1")) == ({"17": 10}, 90)
    assert seen(play, "T1").message == "No more bets"
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.2")
def test_close_freezes_every_terminal_at_once() -> None:
    """With the close every terminal shows "No more bets", and the seal holds all that lay there."""
    play = betting(T1=100, T2=100, T3=100)
    play.bet("T1", "10 on red")
    play.bet("T2", "5 on 17; 5 on 20")
    play.by("dealer", CloseBets(TABLE))
    assert {seen(play, seat).message for seat in ("T1", "T2", "T3")} == {"No more bets"}
    assert play.table.round is not None
    assert play.table.round.layouts == {P1: {"red": 10_00}, P2: {"17": 5_00, "20": 5_00}}
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.11")
@pytest.mark.parametrize(
    ("command", "more"),
    [*WITHDRAWALS, (MoveBet, (SpotKey("red"), SpotKey("black")))],
)
def test_nothing_is_withdrawn_after_the_close(command: type, more: tuple[object, ...]) -> None:
    """10 on Red stay where they lie once betting is closed, whatever is pressed, and the meter does not move."""
    play = betting(T1=100)
    play.bet("T1", "10 on red")
    play.close()
    assert refused(play.touch("T1", command, *more))[0] == "bets_closed"
    assert (play.layout("T1"), play.credit("T1")) == ({"red": 10}, 90)
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "5.11")
@pytest.mark.parametrize(
    ("command", "more"),
    [*WITHDRAWALS, (ChangeBet, (SpotKey("red"), 0))],
)
def test_withdrawal_is_refused_under_its_own_clause(command: type, more: tuple[object, ...]) -> None:
    """What would take chips back after the close is refused under the clause on withdrawing."""
    play = betting(T1=100)
    play.bet("T1", "10 on red")
    play.close()
    assert refused(play.touch("T1", command, *more)) == ("bets_closed", "5.11")


@pytest.mark.clause("marina-bay-sands-2020", "5.12")
@pytest.mark.parametrize(
    ("command", "more"),
    [
        (PlaceBets, ((("red", 10_00),),)),
        (PlaceBets, ((("black", 10_00),),)),
        (PlaceBets, ((("voisins", 1_00),),)),
        (ChangeBet, (SpotKey("red"), 20_00)),
        (DoubleBets, ()),
        (RepeatBets, ()),
    ],
)
@pytest.mark.parametrize("spinning", [False, True])
def test_nothing_is_placed_or_raised_after_the_close(
    command: type,
    more: tuple[object, ...],
    spinning: bool,  # noqa: FBT001 - a case of the table
) -> None:
    """10 on Red stay 10 after the close, before and during the spin: more of it and all else is refused."""
    play = Play(VENUE)
    play.seats(T1=100)
    play.round("2", T1="10 on red")
    play.open()
    play.bet("T1", "10 on red")
    play.close()
    if spinning:
        play.spin()
    assert refused(play.touch("T1", command, *more)) == ("bets_closed", "5.12")
    assert (play.layout("T1"), play.credit("T1")) == ({"red": 10}, 80)
    play.check()
