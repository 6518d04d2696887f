"""SkyCity Adelaide in the house: the limits of a terminal, and what becomes of chips when they change."""

from functools import partial

import pytest

from croupier.house import AnyCommand
from croupier.house.declare import Decision
from croupier.house.floor.settings import ChangeSettings
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, RoundNumber, TerminalId
from croupier.house.play.betting import BetsReturned, ChangeBet, DoubleBets, MoveBet, ReturnReason
from croupier.house.rounds.irregularities import CallNoSpin, ResetTerminals
from croupier.house.settings import TableSettings, TerminalSettings
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason
from croupier.rules.refusal import ClauseId, Refusal
from tests.support.house_driver import P1, TABLE, Play, cents, limits, open_betting, refused

VENUE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
#: What T1's commands begin with in the first round.
GAME = (T1, TABLE, RoundNumber(1), 1)
FIVE_TO_100 = TableSettings(limits=limits(5, 100))


betting = partial(open_betting, VENUE)


@pytest.mark.clause("skycity-adelaide-2003", "7(h)v")
@pytest.mark.parametrize(
    ("drops", "code", "layout"),
    [
        (["2 on 17"], "stake_under_minimum", {}),
        (["4.99 on 17"], "stake_under_minimum", {}),
        (["5 on 17"], None, {"17": 5}),
        (["95 on 17", "10 on 17"], "stake_over_maximum", {"17": 95}),
        (["95 on 17", "5 on 17"], None, {"17": 100}),
        (["100 on 17", "0.01 on 17"], "stake_over_maximum", {"17": 100}),
        (["100 on 17", "100 on 18", "100 on red"], None, {"17": 100, "18": 100, "red": 100}),
        (["95 on 17", "5 on 18; 10 on 17"], "stake_over_maximum", {"17": 95}),
    ],
)
def test_terminal_takes_nothing_outside_its_limits(drops: list[str], code: str | None, layout: dict[str, int]) -> None:
    """With 5 to 100 on a spot, less and more are refused whole and what lay there stays as it was."""
    play = betting(FIVE_TO_100, T1=1000)
    answers = [play.bet("T1", drop) for drop in drops]
    assert not any(isinstance(answer, Refusal) for answer in answers[:-1])
    assert code is None or refused(answers[-1]) == (code, "7(h)v")
    assert play.layout("T1") == layout
    assert play.credit("T1") == 1000 - sum(layout.values())


@pytest.mark.clause("skycity-adelaide-2003", "7(h)v")
@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (ChangeBet(*GAME, SpotKey("17"), Cents(2_00)), "stake_under_minimum"),
        (ChangeBet(*GAME, SpotKey("17"), Cents(101_00)), "stake_over_maximum"),
        (MoveBet(*GAME, SpotKey("17"), SpotKey("18")), "stake_over_maximum"),
        (DoubleBets(*GAME), "stake_over_maximum"),
    ],
)
def test_no_way_round_the_limits(wanted: AnyCommand, code: str) -> None:
    """With 60 on 17 and 50 on 18 neither changing, moving nor doubling takes a spot outside 5 to 100."""
    play = betting(FIVE_TO_100, T1=1000)
    play.bet("T1", "60 on 17; 50 on 18")
    assert refused(play.ask(wanted, DeviceId("T1"))) == (code, "7(h)v")
    assert (play.layout("T1"), play.credit("T1")) == ({"17": 60, "18": 50}, 890)


@pytest.mark.clause("skycity-adelaide-2003", "7(h)v")
def test_limits_are_those_of_the_terminal() -> None:
    """A terminal set to 20 to 50 at a table of 5 to 100 takes 20 and 50, and neither 5 nor 100."""
    play = Play(VENUE, FIVE_TO_100)
    play.seat("T1", cents(1000), TerminalSettings(limits=limits(20, 50)))
    play.open()
    codes = [refused(play.bet("T1", slip))[0] for slip in ("5 on 17", "100 on 17")]
    assert codes == ["stake_under_minimum", "stake_over_maximum"]
    for slip in ("20 on 17", "50 on 18"):
        assert not isinstance(play.bet("T1", slip), Refusal)


def change_limits(play: Play, *people: str) -> list[Decision]:
    """Have people sign for limits of 20 to 50, the first proposing and the others approving."""
    settings = TableSettings(limits=limits(20, 50))
    first = play.by(people[0], ChangeSettings(TABLE, settings, "busy night"))
    return [first, *(play.by(person, Approve(Number(1))) for person in people[1:])]


def test_winning_stakes_go_back_when_other_limits_begin() -> None:
    """A stake that stayed up goes back to the meter as a round with limits signed for by two people opens."""
    play = Play(VENUE, FIVE_TO_100)
    play.seats(T1=100, T2=100)
    play.enrol("Shift Manager", "shift manager 2")
    play.round("17", T1="10 on 17", T2="10 on red")
    assert not any(isinstance(each, Refusal) for each in change_limits(play, "shift manager", "shift manager 2"))
    assert play.layout("T1") == {"17": 10}
    back, _ = play.open()
    spots = (SpotKey("17"),)
    assert back == BetsReturned(P1, RoundNumber(1), ReturnReason.NEW_TERMS, ClauseId("7(c)i"), spots)
    assert (play.credit("T1"), play.layout("T1"), play.credit("T2")) == (450, {}, 90)
    assert refused(play.bet("T1", "10 on 17")) == ("stake_under_minimum", "7(h)v")
    assert not isinstance(play.bet("T1", "20 on 17"), Refusal)
    play.check()


@pytest.mark.parametrize(
    ("people", "code"),
    [(["shift manager"], None), (["shift manager", "shift manager"], "same_person"), (["pit boss"], "not_authorised")],
)
def test_limits_change_only_by_two_who_may(people: list[str], code: str | None) -> None:
    """One signature, one person's two and a pit boss's change no limits, and a stake that stayed up stays."""
    play = Play(VENUE, FIVE_TO_100)
    play.seats(T1=100)
    play.round("17", T1="10 on 17")
    last = change_limits(play, *people)[-1]
    assert code is None or refused(last)[0] == code
    play.open()
    assert (play.layout("T1"), play.credit("T1"), play.table.settings) == ({"17": 10}, 440, FIVE_TO_100)
    play.check()


def test_limits_signed_between_two_spins_wait_for_the_next_round() -> None:
    """After a no spin the same round goes on under the limits it began with."""
    play = betting(FIVE_TO_100, T1=100)
    play.enrol("Shift Manager", "shift manager 2")
    play.by("dealer", CallNoSpin(TABLE, Reason.FOREIGN_OBJECT, "as seen"))
    change_limits(play, "shift manager", "shift manager 2")
    play.by("dealer", ResetTerminals(TABLE))
    assert not isinstance(play.bet("T1", "5 on 17"), Refusal)
    play.close()
    play.spin()
    play.rest("17")
    play.open()
    assert (play.layout("T1"), play.credit("T1")) == ({}, 275)
    play.check()
