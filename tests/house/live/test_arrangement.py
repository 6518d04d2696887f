"""Arrangements with single players: made in writing before play, after notice, and kept by the terminal."""

from typing import Any

import pytest

from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.credit.sessions import EndSession
from croupier.house.credit.tickets import Collect, Validation
from croupier.house.floor.service import NotifyOfficer
from croupier.house.ids import DeviceId, Instant, Number, PositionId, TerminalId
from croupier.house.live.arrangements import ArrangementEnded, ArrangeVip, EndArrangement, VipArranged
from croupier.house.live.chip_settlement import BetCapped
from croupier.house.live.notice import LowestMarker, notice_digest, notice_of
from croupier.house.live.seats_and_colours import LeaveTable, SeatPlayer
from croupier.house.play.betting import MoveBet, RepeatBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import TableSettings
from croupier.house.views import notice
from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.limits import Range
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId, Refusal
from croupier.transcripts.driver import device_of
from tests.house.live.test_chips import Pit
from tests.support.house_driver import TABLE, Play, cents, limits, refused
from tests.support.live_driver import LiveFloor

ADELAIDE = "skycity-adelaide-2003"
T1 = TerminalId("T1")
P1 = PositionId(1)
SIGNED = ArrangeVip(TABLE, (P1,), "signed by both on 15 November")


def arranged(**credits_: int) -> Play:
    """T1 under an arrangement of which the Inspectorate was notified at 0 s, made at 300 s."""
    play = Play(ADELAIDE)
    play.seats(**credits_)
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    play.at(300)
    assert isinstance(play.by("shift manager", SIGNED), tuple)
    return play


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_arrangement_needs_notice_and_comes_before_play() -> None:
    """Without notice to the Inspectorate an arrangement is refused; with it it holds, but not after the first spin."""
    play = Play(ADELAIDE)
    play.seats(T1=1000, T2=100)
    assert refused(play.by("shift manager", SIGNED)) == ("not_notified", "8(a)")
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    assert refused(play.by("shift manager", ArrangeVip(TABLE, (P1,), " "))) == ("reason_not_listed", "8(a)")
    assert refused(play.by("dealer", SIGNED))[0] == "not_authorised"
    play.round("17", T1="5 on 17", T2="5 on red")
    assert refused(play.by("shift manager", SIGNED)) == ("out_of_turn", "8(a)")
    assert play.house.positions[P1].straight_only is False


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_restricted_player_bets_straight_up_only() -> None:
    """500 on 17 are taken, 500 on Red and on the split 17/20 are refused, and the notice has one row."""
    play = arranged(T1=2000, T2=2000)
    play.open()
    assert isinstance(play.bet("T1", "500 on 17"), tuple)
    assert refused(play.bet("T1", "500 on red")) == ("kind_not_priced", "8(a)i")
    assert refused(play.bet("T1", "500 on 17/20")) == ("kind_not_priced", "8(a)i")
    assert refused(play.touch("T1", MoveBet, SpotKey("17"), SpotKey("red"))) == ("kind_not_priced", "8(a)i")
    assert notice(play.house, T1, TABLE) == (("straight up", 35),)
    assert isinstance(play.bet("T2", "500 on red"), tuple)
    assert len(notice(play.house, TerminalId("T2"), TABLE)) == 13
    play.check()


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_arrangement_ends_with_the_player() -> None:
    """When the credits are collected the arrangement is over, and the next player bets as anybody does."""
    play = arranged(T1=100)
    play.round("18", T1="10 on 17")
    play.ask(Collect(T1, Validation(Number(1), "digest", "1234")), DeviceId("T1"))
    play.must(GrantPlayMoney(T1, Cents(100_00)))
    play.open()
    assert refused(play.touch("T1", RepeatBets))[0] == "nothing_there"
    assert isinstance(play.bet("T1", "10 on red"), tuple)


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_arrangement_is_not_made_in_the_instant_of_its_notice() -> None:
    """The notice comes first: an arrangement stamped with the same microsecond is refused, and the next one holds."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    assert refused(play.by("shift manager", SIGNED)) == ("not_notified", "8(a)")
    play.now = Instant(play.now + 1)
    assert isinstance(play.by("shift manager", SIGNED), tuple)


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_arrangement_with_the_next_player_is_made_before_their_play() -> None:
    """The last player's games do not count: once that session has ended, a new arrangement is before play."""
    play = Play(ADELAIDE)
    play.seats(T1=10)
    play.round("18", T1="10 on 17")
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    play.at(20)
    answer = play.by("shift manager", SIGNED)
    assert refused(answer) == ("out_of_turn", "8(a)")
    assert isinstance(answer, Refusal)
    assert "end the session" in answer.message
    play.must(EndSession(T1), device_of("inspector"), "inspector")
    assert isinstance(play.by("shift manager", SIGNED), tuple)
    play.must(GrantPlayMoney(T1, Cents(100_00)))
    play.open()
    assert refused(play.bet("T1", "10 on red"))[0] == "kind_not_priced"


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_arrangement_is_ended_outside_a_game() -> None:
    """A manager ends an arrangement in words, with no chips in play; then the player bets as others do."""
    play = arranged(T1=100)
    ends = EndArrangement(TABLE, Number(1), "The group has left.")
    assert refused(play.by("inspector", ends))[0] == "not_authorised"
    assert refused(play.by("shift manager", EndArrangement(TABLE, Number(1), " "))) == ("reason_not_listed", "8(a)")
    play.open()
    play.bet("T1", "10 on 17")
    assert refused(play.by("shift manager", ends)) == ("out_of_turn", "8(a)")
    play.remove("T1", "17")
    assert play.must(ends, device_of("shift manager"), "shift manager") == (
        ArrangementEnded(TABLE, Number(1), ends.words),
    )
    assert refused(play.by("shift manager", ends)) == ("nothing_there", "8(a)")
    assert isinstance(play.bet("T1", "10 on red"), tuple)
    assert len(notice(play.house, T1, TABLE)) == 13
    play.check()


@pytest.mark.clause("marina-bay-sands-2020", "3.3")
def test_rules_without_arrangements_have_none() -> None:
    """Where the rules do not speak of single players nobody makes arrangements with them."""
    play = Play("marina-bay-sands-2020")
    play.seats(T1=100)
    assert refused(play.by("gaming shift manager", SIGNED)) == ("setting_impossible", None)
    ends = EndArrangement(TABLE, Number(1), "There was none.")
    assert refused(play.by("gaming shift manager", ends)) == ("nothing_there", None)


@pytest.mark.clause(ADELAIDE, "8(a)")
def test_arrangement_names_players_of_the_table_once() -> None:
    """An arrangement names each of its players once, all of its table, and with limits that can be kept."""
    play = Play(ADELAIDE)
    play.seats(T1=100)
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    play.at(300)
    words = SIGNED.words
    assert refused(play.by("shift manager", ArrangeVip(TABLE, (), words))) == ("malformed", None)
    assert refused(play.by("shift manager", ArrangeVip(TABLE, (P1, P1), words))) == ("malformed", None)
    assert refused(play.by("shift manager", ArrangeVip(TABLE, (PositionId(9),), words))) == ("unknown_record", "8(a)")
    wrong = ArrangeVip(TABLE, (P1,), words, limits=limits(100, 5))
    assert refused(play.by("shift manager", wrong)) == ("setting_impossible", "8(a)")
    play.must(SIGNED, device_of("shift manager"), "shift manager")
    assert refused(play.by("shift manager", SIGNED)) == ("already_there", "8(a)")


@pytest.mark.clause(ADELAIDE, "6(k)")
def test_limits_by_arrangement_end_with_it() -> None:
    """A player at a terminal has limits by arrangement, also after the table's own change, until it ends."""
    play = Play(ADELAIDE, TableSettings(limits=limits(5, 100)))
    play.seats(T1=5000, T2=5000)
    play.by("shift manager", NotifyOfficer("T1", "the Inspectorate was told"))
    play.at(300)
    arranged = ArrangeVip(TABLE, (P1,), SIGNED.words, straight_only=False, limits=limits(5, 2000))
    play.must(arranged, device_of("shift manager"), "shift manager")
    play.open()
    assert isinstance(play.bet("T1", "2000 on red"), tuple)
    assert refused(play.bet("T2", "2000 on red")) == ("stake_over_maximum", "7(h)v")
    play.check()
    play.remove("T1", "red")
    play.must(EndArrangement(TABLE, Number(1), "Done."), device_of("shift manager"), "shift manager")
    assert refused(play.bet("T1", "2000 on red")) == ("stake_over_maximum", "7(h)v")
    assert play.table.arrangements == {}
    play.check()


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_arrangement_of_a_group_ends_with_its_last_player() -> None:
    """Players with chips under one arrangement bet straight up, with markers if it has them; it ends with the last."""
    pit = Pit()
    pit.by(pit.chief, NotifyOfficer(TABLE, "the Inspectorate was told"))
    pit.at(300)
    both = ArrangeVip(TABLE, (P1, PositionId(2)), SIGNED.words, limits=limits(5, 1000), markers=True)
    (arranged,) = pit.deal(both, pit.chief)
    assert arranged == VipArranged(TABLE, Number(1), both.positions, both.words, True, both.limits, True)  # noqa: FBT003
    pit.deal(LeaveTable(TABLE, P1))
    assert pit.table.arrangements[Number(1)].positions == [2]
    assert pit.live.players[PositionId(2)].limits == limits(5, 1000)
    pit.deal(LeaveTable(TABLE, PositionId(2)))
    assert pit.table.arrangements == {}
    pit.check()


@pytest.mark.clause(ADELAIDE, "6(k)")
def test_limits_by_arrangement_settle_chips() -> None:
    """500 on red of a player with arranged limits is settled whole, and of another up to the maximum of 100."""
    floor = LiveFloor()
    floor.deal(NotifyOfficer(TABLE, "the Inspectorate was told"), floor.chief)
    floor.at(300)
    own = ArrangeVip(TABLE, (floor.one,), SIGNED.words, straight_only=False, limits=limits(5, 1000))
    floor.deal(own, floor.chief)
    floor.open()
    floor.place(floor.one, "v10000", red=5)
    floor.place(floor.two, "v10000", red=5)
    floor.close()
    settled = floor.result("18")
    capped = [event for event in settled if isinstance(event, BetCapped)]
    assert [(event.position, event.settled) for event in capped] == [(floor.two, 100_00)]
    assert sum(item.amount for item in floor.walk.items) == 500_00 + 100_00


def arrange(floor: LiveFloor, *positions: PositionId, straight_only: bool = True, **terms: Any) -> None:  # noqa: ANN401
    """Notify the Inspectorate, and make an arrangement with players with chips five minutes later."""
    floor.deal(NotifyOfficer(TABLE, "the Inspectorate was told"), floor.chief)
    floor.at(floor.now / 1_000_000 + 300)
    floor.deal(ArrangeVip(TABLE, positions, SIGNED.words, straight_only=straight_only, **terms), floor.chief)


@pytest.mark.clause(ADELAIDE, "8(a)i")
def test_notice_of_a_whole_table_has_one_row() -> None:
    """While all players bet straight up only the notice shows that bet alone, and staff check it before a round."""
    floor = LiveFloor()
    floor.check_notice()
    arrange(floor, floor.one, floor.two, limits=limits(10, 2000))
    shown = notice_of(floor.house, floor.table)
    assert (shown.terms.kinds, shown.terms.marker, shown.arranged) == ((SpotKind("straight"),), None, ())
    assert shown.terms.limits.limits.of(SpotKind("straight")) == Range(cents(10), cents(2000))
    assert floor.refuses(OpenBets(TABLE)) == ("notice_not_shown", "8(b)")
    floor.open()
    # Another player without an arrangement has all bets again, and the group a notice of its own.
    floor.deal(SeatPlayer(TABLE, "three"))
    shown = notice_of(floor.house, floor.table)
    assert (len(shown.terms.kinds), [each.kinds for each in shown.arranged]) == (13, [(SpotKind("straight"),)])


@pytest.mark.clause(ADELAIDE, "8(a)i")
@pytest.mark.clause(ADELAIDE, "6(k)")
def test_notice_for_part_of_a_table() -> None:
    """An arrangement with some players is a second notice: its bets, limits and marker bets."""
    floor = LiveFloor()
    plain = notice_digest(floor.house, floor.table)
    arrange(floor, floor.one, markers=True)
    shown = notice_of(floor.house, floor.table)
    (first,) = shown.arranged
    assert (len(shown.terms.kinds), first.arrangement, first.clause) == (13, 1, "8(a)i")
    assert (first.kinds, first.marker) == (
        (SpotKind("straight"),),
        LowestMarker("neighbours", cents(25), ClauseId("12(a)")),
    )
    part = notice_digest(floor.house, floor.table)
    arrange(floor, floor.two, limits=limits(10, 200))
    shown = notice_of(floor.house, floor.table)
    # Both players bet straight up only, with limits of their own: one row for the table, and one for each.
    assert (shown.terms.kinds, len(shown.arranged)) == ((SpotKind("straight"),), 2)
    assert shown.arranged[1].limits.limits.of(SpotKind("straight")) == Range(cents(10), cents(200))
    assert len({plain, part, notice_digest(floor.house, floor.table)}) == 3
    floor.deal(EndArrangement(TABLE, Number(2), "ended"), floor.chief)
    assert notice_digest(floor.house, floor.table) == part
    floor.deal(EndArrangement(TABLE, Number(1), "ended"), floor.chief)
    assert notice_digest(floor.house, floor.table) == plain


@pytest.mark.clause(ADELAIDE, "6(k)")
@pytest.mark.clause(ADELAIDE, "8(a)")
def test_notice_shows_what_an_arrangement_changes() -> None:
    """Limits of their own are shown under 8(a); an arrangement that changes neither bets nor limits is not shown."""
    floor = LiveFloor()
    plain = notice_digest(floor.house, floor.table)
    arrange(floor, floor.one, straight_only=False)
    assert (notice_of(floor.house, floor.table).arranged, notice_digest(floor.house, floor.table)) == ((), plain)
    arrange(floor, floor.two, straight_only=False, limits=limits(10, 2000))
    (second,) = notice_of(floor.house, floor.table).arranged
    assert (len(second.kinds), second.arrangement, second.clause) == (13, 2, "8(a)")
    assert second.marker == LowestMarker("neighbours", cents(50), ClauseId("12(a)"))
