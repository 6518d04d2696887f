"""SkyCity Adelaide in the house: what every line of the odds brings a terminal, and when it is paid."""

import pytest

from croupier.house.credit.notes import InsertNote
from croupier.house.floor.setup import ApproveBuild, ReportBuild
from croupier.house.ids import DeviceId, TerminalId
from croupier.house.rounds.results import BallAtRest, EnterResult, ReportIgnored
from croupier.house.rounds.settlement import ResultDeclared, RoundSettled
from croupier.house.settings import Mode, TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.tables import RoundStatus
from croupier.rules.geometry import Pocket
from tests.support.house_driver import TABLE, Play, cents, refused
from tests.support.rules_driver import RulesDriver

VENUE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
row = RulesDriver(VENUE).row


def paid(slip: str, pocket: str, credit: int = 100) -> Play:
    """Play one round of a slip."""
    play = Play(VENUE)
    play.seats(T1=credit)
    play.round(pocket, T1=slip)
    play.check()
    return play


@pytest.mark.parametrize(
    ("spot", "pocket", "winnings"),
    [
        row("8(a) A", "0", "0", 350),
        row("8(a) B", "0/3", "3", 170),
        row("8(a) C", "0/1/2", "0", 110),
        row("8(a) D", "0/1/2/3", "2", 80),
        row("8(a) E", "31/32/33/34/35/36", "36", 50),
        row("8(a) F", "column 3", "36", 20),
        row("8(a) G", "dozen 3", "25", 20),
        row("8(a) H", "red", "36", 10),
        row("8(a) I", "black", "35", 10),
        row("8(a) J", "odd", "1", 10),
        row("8(a) K", "even", "2", 10),
        row("8(a) L", "low", "18", 10),
        row("8(a) M", "high", "19", 10),
    ],
)
def test_winning_ten_is_paid_and_stays(spot: str, pocket: str, winnings: int) -> None:
    """A winning 10 adds what its line pays to the meter and stays on the layout as the player's."""
    play = paid(f"10 on {spot}", pocket)
    assert (play.credit("T1"), play.layout("T1")) == (90 + winnings, {spot: 10})
    assert play.house.ledger[LedgerAccount.HOUSE] == -winnings * 100


@pytest.mark.parametrize(
    ("spot", "pocket"),
    [
        row("8(a) A", "0", "32"),
        row("8(a) B", "0/3", "2"),
        row("8(a) C", "0/1/2", "3"),
        row("8(a) D", "0/1/2/3", "4"),
        row("8(a) E", "31/32/33/34/35/36", "30"),
        row("8(a) F", "column 3", "35"),
        row("8(a) G", "dozen 3", "24"),
        row("8(a) H", "red", "35"),
        row("8(a) I", "black", "36"),
        row("8(a) J", "odd", "2"),
        row("8(a) K", "even", "0"),
        row("8(a) L", "low", "19"),
        row("8(a) M", "high", "18"),
    ],
)
def test_losing_ten_is_cleared(spot: str, pocket: str) -> None:
    """A losing 10 is gone from the layout and from the meter, and the house has it."""
    play = paid(f"10 on {spot}", pocket)
    assert (play.credit("T1"), play.layout("T1")) == (90, {})
    assert play.house.ledger[LedgerAccount.HOUSE] == 10_00


@pytest.mark.clause("skycity-adelaide-2003", "8(c)")
def test_on_zero_seven_positions_win() -> None:
    """Of 1 on each of the 157 positions seven bring back 123 on 0, and every other is cleared."""
    play = Play(VENUE)
    play.seats(T1=157)
    slip = "; ".join(f"1 on {spot}" for spot in play.rulebook.spots)
    play.round("0", T1=slip)
    winners = ("0", "0/1", "0/2", "0/3", "0/1/2", "0/2/3", "0/1/2/3")
    assert play.layout("T1") == dict.fromkeys(winners, 1)
    assert play.credit("T1") + sum(play.layout("T1").values()) == 123
    assert [event.returned for event in play.events if isinstance(event, RoundSettled)] == [123_00]
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "8(c)")
@pytest.mark.parametrize("spot", ["red", "black", "odd", "even", "low", "high", "column 1", "dozen 1", "1/2/3", "3/6"])
def test_on_zero_everything_else_loses(spot: str) -> None:
    """On 0 a box and a combination without 0 lose in full."""
    play = paid(f"10 on {spot}", "0")
    assert (play.credit("T1"), play.layout("T1")) == (90, {})


@pytest.mark.clause("skycity-adelaide-2003", "7(d)ii")
@pytest.mark.parametrize("again", ["wheel", "entered", "recover"])
def test_win_is_credited_once(again: str) -> None:
    """10 on 17 adds 350 once, though the number is reported, entered or settled a second time."""
    play = paid("10 on 17", "17")
    match again:
        case "wheel":
            answer = play.rest("17")
            assert isinstance(answer, tuple)
            assert [type(event) for event in answer] == [ReportIgnored]
        case "entered":
            answer = play.by("dealer", EnterResult(TABLE, Pocket("17"), Pocket("17")))
            assert refused(answer) == ("out_of_turn", "9(f)")
        case _:
            play.recover_again()
    assert (play.credit("T1"), play.layout("T1")) == (440, {"17": 10})
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "7(d)ii")
def test_meter_grows_by_notes_and_wins_alone() -> None:
    """A note of 50 and a win of 350 are all that ever came to a meter that shows 390 beside 10 on the layout."""
    play = Play(VENUE, mode=Mode.REAL)
    play.must(ApproveBuild("h1", "LGC-2003-17"))
    play.must(ReportBuild("h1"))
    terminal = play.seat("T1")
    play.ask(InsertNote(T1, "AUD", cents(50)), DeviceId("T1"))
    play.round("17", T1="10 on 17")
    assert (play.credit("T1"), play.layout("T1")) == (390, {"17": 10})
    meters = terminal.meters
    assert (dict(meters.notes), meters.returned - meters.turnover) == ({50_00: 1}, 350_00)
    assert (meters.tickets_in, meters.adjusted_in, meters.granted, meters.refunded) == (0, 0, 0, 0)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "9(f)")
def test_terminals_are_settled_with_the_result() -> None:
    """T1 is credited in the same answer that declares the number, at the instant the number is known."""
    play = Play(VENUE)
    play.seats(T1=100, T2=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.bet("T2", "10 on red")
    play.close()
    play.spin()
    play.at(30)
    answer = play.ask(BallAtRest(TABLE, Pocket("17"), 9, opposite=True), DeviceId(TABLE))
    assert isinstance(answer, tuple)
    assert [type(event) for event in answer] == [ResultDeclared, RoundSettled]
    assert play.table.round is not None
    assert (play.table.round.spin.rested_at, play.table.over_at) == (play.now, play.now)
    assert (play.credit("T1"), play.credit("T2")) == (440, 90)
    play.check()


@pytest.mark.clause("skycity-adelaide-2003", "9(f)")
def test_nothing_is_paid_before_the_number_is_known() -> None:
    """While the ball runs, and while its number awaits the dealer, no terminal gains or loses anything."""
    play = Play(VENUE, TableSettings(confirms=True))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "10 on 17")
    play.close()
    play.spin()
    assert play.credit("T1") == 90
    play.rest("17")
    assert play.table.round is not None
    assert (play.table.round.status, play.credit("T1"), play.layout("T1")) == (RoundStatus.ACTIVE, 90, {"17": 10})
    play.check()
