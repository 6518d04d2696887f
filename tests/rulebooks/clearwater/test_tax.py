"""Clearwater's W2-G in the house: which wins are held, what stops meanwhile, and how they are paid."""

import pytest

from croupier.house.credit.drawers import OpenDrawer
from croupier.house.credit.held_wins import PayHeldWin, RecordTaxForm, ReleaseHeldWin
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.declare import GameCommand
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, DrawerId, Number, TableId, TerminalId
from croupier.house.play.betting import ClearBets, PlaceBets, PressNeighbours, RepeatBets
from croupier.house.play.copying import AutoCopyRefused, CopyBets, SetAutoCopy
from croupier.house.play.patterns import RecallPattern, SavePattern
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Terminal
from croupier.house.views import terminal_view
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import TaxBasis
from tests.support.house_driver import TABLE, Play, cents, refused

VENUE = "clearwater-etg"
LEFT, RIGHT = TABLE, TableId("table 2")
T1, ONE, TWO = TerminalId("T1"), Number(1), Number(2)
DRAWER = DrawerId("D1")
FORM = RecordTaxForm(T1, ONE, "Pat Patron", "W2-G 4711")


def won(slip: str, basis: TaxBasis | None = None) -> Play:
    """Find T1, which had 1000, after a round in which 17 won."""
    play = Play(VENUE, TableSettings(tax_basis=basis))
    play.seats(T1=1_000)
    play.round("17", T1=slip)
    return play


def seat(play: Play) -> Terminal:
    return play.house.terminals[T1]


@pytest.mark.clause("clearwater-etg", "22")
@pytest.mark.parametrize("basis", [None, *TaxBasis])
@pytest.mark.parametrize(
    ("slip", "gross", "net_of_total_bet", "net_of_winning_stakes"),
    [
        ("34 on 17", 1_224, 1_190, 1_190),
        ("35 on 17", 1_260, 1_225, 1_225),
        ("34 on 17; 10 on black", 1_244, 1_200, 1_200),
        ("34 on 17; 9.99 on black", "1243.98", "1199.99", "1199.99"),
        ("34 on 17; 10 on black; 1 on red", 1_244, 1_199, 1_200),
        ("30 on 17; 10 on 17/20", 1_260, 1_220, 1_220),
        ("35 on 17; 100 on red", 1_260, 1_125, 1_225),
        ("33 on 17", 1_188, 1_155, 1_155),
    ],
)
def test_form_is_required_from_1200(
    slip: str,
    gross: int | str,
    net_of_total_bet: int | str,
    net_of_winning_stakes: int | str,
    basis: TaxBasis | None,
) -> None:
    """A win is held whole when the net sum of all wins is 1200.00 or more, or what the venue's basis counts is."""
    counted = {
        TaxBasis.GROSS: cents(gross),
        TaxBasis.NET_OF_TOTAL_BET: cents(net_of_total_bet),
        TaxBasis.NET_OF_WINNING_STAKES: cents(net_of_winning_stakes),
    }
    play = won(slip, basis)
    held = counted[basis or TaxBasis.NET_OF_WINNING_STAKES] >= 1_200_00
    staked = counted[TaxBasis.GROSS] - counted[TaxBasis.NET_OF_TOTAL_BET]

    assert seat(play).held_total == (counted[TaxBasis.GROSS] if held else 0)
    assert seat(play).credit + seat(play).held_total == 1_000_00 - staked + counted[TaxBasis.GROSS]
    if held:
        assert seat(play).holds[ONE].bases == {each.value: amount for each, amount in counted.items()}
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
def test_each_of_two_games_counts_by_itself() -> None:
    """Two games that win 1155 each need no form, and one that wins 1225 beside one that wins 35 needs one."""
    for slips, held in ((("33 on 17", "33 on 17"), 0), (("35 on 17", "1 on 17"), 1_260_00)):
        play = two_games(*slips)
        for table in (LEFT, RIGHT):
            close(play, table)
        for table in (LEFT, RIGHT):
            rest(play, table)
        assert seat(play).held_total == held
        play.check()


def two_games(left: str, right: str) -> Play:
    """Find bets on both games of T1, which had 1000, with betting open."""
    play = Play(VENUE, TableSettings(), TableSettings())
    play.seat("T1", cents(1_000), tables=(LEFT, RIGHT))
    for table, slip in ((LEFT, left), (RIGHT, right)):
        play.must(OpenBets(table))
        placed = play.bet("T1", slip, table)
        assert isinstance(placed, tuple), placed
    return play


def close(play: Play, table: TableId) -> None:
    play.by("attendant", SpinBall(table))
    play.must(CloseBets(table))


def rest(play: Play, table: TableId, pocket: str = "17") -> None:
    play.must(BallAtRest(table, Pocket(pocket)), DeviceId(table))


def collecting() -> Collect:
    return Collect(T1, Validation(ONE, "digest 1", "0001"))


@pytest.mark.clause("clearwater-etg", "22")
@pytest.mark.parametrize(
    ("command", "more"),
    [
        (PlaceBets, ((("20", 5_00),),)),
        (RepeatBets, ()),
        (PressNeighbours, ()),
        (SavePattern, (2,)),
        (RecallPattern, (1,)),
        (CopyBets, (RIGHT,)),
    ],
)
def test_terminal_is_locked_while_a_win_is_held(command: type[GameCommand], more: tuple[object, ...]) -> None:
    """Until a held win is released nothing is placed, repeated, recalled or copied, in either game."""
    play = two_games("35 on 17", "5 on 20")
    play.touch("T1", SavePattern, 1)
    close(play, LEFT)
    rest(play, LEFT)
    play.must(OpenBets(LEFT))

    assert refused(play.touch("T1", command, *more)) == ("win_held", "22")
    source = (LEFT,) if command is CopyBets else more
    assert refused(play.touch("T1", command, *source, table=RIGHT)) == ("win_held", "22")
    assert refused(play.ask(collecting(), DeviceId(T1))) == ("win_held", "22")
    assert terminal_view(play.house, T1, LEFT, play.now).held == 1_260_00
    assert (play.layout("T1", LEFT), play.layout("T1", RIGHT), play.credit("T1")) == ({}, {"20": 5}, 960)
    play.check()


def test_chips_are_taken_back_while_a_win_is_held() -> None:
    """A held win keeps credits from play, and does not keep a player from taking the other game's chips back."""
    play = two_games("35 on 17", "5 on 20")
    close(play, LEFT)
    rest(play, LEFT)
    play.touch("T1", ClearBets, table=RIGHT)

    assert (play.layout("T1", RIGHT), play.credit("T1")) == ({}, 965)
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
def test_nothing_is_copied_at_a_close_while_a_win_is_held() -> None:
    """Auto copy from the other game makes no bets of a terminal whose win is held, and the record says why."""
    play = two_games("35 on 17", "5 on 20")
    play.must(SetAutoCopy(T1, RIGHT, LEFT, on=True), DeviceId(T1))
    close(play, LEFT)
    rest(play, LEFT)
    play.must(OpenBets(LEFT))
    close(play, RIGHT)

    refusals = [(each.code, each.clause) for each in play.events if isinstance(each, AutoCopyRefused)]
    assert (refusals, play.layout("T1", LEFT)) == ([("win_held", "22")], {})


@pytest.mark.clause("clearwater-etg", "22")
def test_sealed_bets_of_the_other_game_stand_and_settle() -> None:
    """5 on 17 sealed in the right game before the left one's win was held bring 180 to the meter."""
    play = two_games("35 on 17", "5 on 17")
    close(play, RIGHT)
    close(play, LEFT)
    rest(play, LEFT)
    assert (play.layout("T1", RIGHT), play.credit("T1")) == ({"17": 5}, 960)
    rest(play, RIGHT)

    assert (play.credit("T1"), seat(play).held_total) == (960 + 180, 1_260_00)
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
def test_other_terminals_play_on_while_a_win_is_held() -> None:
    """The next game opens, another player bets and wins in it, and the held win stays as it is."""
    play = won("35 on 17")
    play.seats(T2=100)
    play.round("20", T2="10 on 20")

    assert (play.credit("T1"), play.credit("T2"), seat(play).held_total) == (965, 450, 1_260_00)
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
@pytest.mark.parametrize("person", ["cashier", "attendant"])
def test_held_win_is_released_to_the_credits(person: str) -> None:
    """With its form recorded a held win of 1260 is credited once, and the terminal plays and collects again."""
    play = won("35 on 17")
    assert refused(play.by(person, ReleaseHeldWin(T1, ONE))) == ("form_missing", "22")
    play.by(person, FORM)
    assert (seat(play).holds[ONE].patron, seat(play).holds[ONE].form_number) == ("Pat Patron", "W2-G 4711")
    play.by(person, ReleaseHeldWin(T1, ONE))
    assert (play.credit("T1"), seat(play).held_total) == (965 + 1_260, 0)
    assert refused(play.by(person, ReleaseHeldWin(T1, ONE))) == ("unknown_record", "22")
    play.open()
    assert isinstance(play.bet("T1", "5 on 17"), tuple)
    assert isinstance(play.ask(collecting(), DeviceId(T1)), tuple)
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
def test_held_win_is_paid_by_hand() -> None:
    """With its form recorded a held win of 1260 is paid from a drawer, and no ticket stands for it (C20)."""
    play = won("35 on 17")
    play.by("cashier", OpenDrawer(DRAWER, cents(1_300)))
    assert refused(play.by("cashier", PayHeldWin(T1, ONE, DRAWER))) == ("form_missing", "22")
    play.by("cashier", FORM)
    play.by("cashier", PayHeldWin(T1, ONE, DRAWER))

    assert (play.credit("T1"), seat(play).held_total, play.house.drawers[DRAWER].cash) == (965, 0, 40_00)
    assert (seat(play).meters.hand_pays, play.house.tickets.all) == (1_260_00, {})
    assert refused(play.by("cashier", PayHeldWin(T1, ONE, DRAWER))) == ("unknown_record", "22")
    play.open()
    assert isinstance(play.bet("T1", "5 on 17"), tuple)
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
def test_terminal_is_locked_until_every_held_win_is_paid() -> None:
    """With a win held in each of two games the release of one does not unlock the terminal."""
    play = two_games("35 on 17", "40 on 17")
    for table in (LEFT, RIGHT):
        close(play, table)
    for table in (LEFT, RIGHT):
        rest(play, table)
    assert seat(play).held_total == 1_260_00 + 1_440_00
    play.by("cashier", FORM)
    play.by("cashier", ReleaseHeldWin(T1, ONE))
    play.must(OpenBets(LEFT))
    assert refused(play.bet("T1", "5 on 17")) == ("win_held", "22")
    assert refused(play.by("cashier", ReleaseHeldWin(T1, TWO))) == ("form_missing", "22")
    play.by("cashier", RecordTaxForm(T1, TWO, "Pat Patron", "W2-G 4712"))
    play.by("cashier", ReleaseHeldWin(T1, TWO))

    assert isinstance(play.bet("T1", "5 on 17"), tuple)
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
def test_player_and_technician_release_nothing() -> None:
    """Neither the terminal itself nor a technician records a form or releases a win."""
    play = won("35 on 17")

    for command in (FORM, ReleaseHeldWin(T1, ONE)):
        assert refused(play.ask(command, DeviceId(T1)))[0] == "not_authorised"
        assert refused(play.by("technician", command))[0] == "not_authorised"
    assert seat(play).held_total == 1_260_00


@pytest.mark.clause("clearwater-etg", "22")
def test_win_that_a_correction_makes_is_held() -> None:
    """40 on 17 and 20 on 20, paid 720 on 20 and corrected to 17, win 1400 in all: what is still due is held."""
    play = Play(VENUE)
    play.seats(T1=1_000)
    play.enrol("Supervisor", "supervisor 2")
    play.round("20", T1="40 on 17; 20 on 20")
    assert play.credit("T1") == 940 + 720
    play.by("supervisor", CorrectResult(LEFT, play.table.rounds, Pocket("17"), "The detector was read wrongly."))
    play.by("supervisor 2", Approve(ONE))

    assert (play.credit("T1"), seat(play).held_total) == (940 + 720, 720_00)
    assert seat(play).holds[ONE].bases["net_of_winning_stakes"] == 1_400_00
    play.check()


@pytest.mark.clause("clearwater-etg", "22")
def test_correction_holds_a_win_of_the_smallest_amount() -> None:
    """A correction that adds one cent to a return that now needs a form holds that cent; another releases it."""
    play = Play(VENUE)
    play.seats(T1=1_000)
    play.enrol("Supervisor", "supervisor 2")
    # On 1, 630 on red return 1260.00, of which 630 are won; on 20 the rest returns 1260.01, of which 1220.79 are won.
    play.round("1", T1="630 on red; 34.75 on 20; 0.01 on 16/17/19/20; 4.46 on even")
    before = play.credit("T1")
    assert (before, seat(play).held_total) == (1_000 - 669.22 + 1_260, 0)

    for number, (pocket, held) in enumerate((("20", 1), ("1", 0)), 1):
        play.by("supervisor", CorrectResult(LEFT, play.table.rounds, Pocket(pocket), "The detector was read wrongly."))
        play.by("supervisor 2", Approve(Number(number)))
        assert (play.credit("T1"), seat(play).held_total, len(seat(play).holds)) == (before, held, held)
        play.check()
