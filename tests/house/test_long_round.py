"""A round that is kept open: what a terminal keeps of it is bounded, and what it keeps is true."""

from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.house.ids import TerminalId
from croupier.house.play.betting import ChangeBet, ClearBets, DoubleBets, PlaceBets, UndoBet
from croupier.house.state.tables import STEPS_RECALLED, UNDO_MAX, GameRecord, Position, layout_before
from croupier.rules.geometry import SpotKey
from croupier.transcripts.driver import TABLE
from tests.support.house_driver import Play, refused
from tests.support.sample_commands import CLEARWATER, MARINA

T1 = TerminalId("T1")
SPOTS = ("17", "17/20", "red", "1-12")

Layout = dict[SpotKey, int]

#: What a player does next: how, on which spot, and how much. Few are undone, so that there is much to undo.
touches = st.tuples(
    st.sampled_from(("place", "place", "place", "change", "double", "clear", "undo")),
    st.sampled_from(SPOTS),
    st.integers(0, 3),
)


def seated(rulebook: str = MARINA) -> tuple[Play, Position]:
    play = Play(rulebook)
    play.seats(T1=1_000_000)
    play.open()
    return play, play.house.terminals[T1].games[TABLE]


def touched(play: Play, how: str, spot: str, chips: int) -> bool:
    """Send one command; tell whether the chips have changed."""
    match how:
        case "place":
            return isinstance(play.touch("T1", PlaceBets, ((spot, 100 * (chips + 1)),)), tuple)
        case "change":
            return bool(play.touch("T1", ChangeBet, SpotKey(spot), 100 * chips))
        case "double" if chips == 0:
            return isinstance(play.touch("T1", DoubleBets), tuple)
        case "clear" if chips == 0:
            return isinstance(play.touch("T1", ClearBets), tuple)
        case _:
            return False


def replayed(record: GameRecord) -> Layout:
    """The layout that the steps lead to from where they begin."""
    layout = dict(record.at_start)
    for step in record.steps:
        layout |= dict(zip(step.spots, step.after, strict=True))
    return {spot: stake for spot, stake in layout.items() if stake}


@settings(max_examples=12, deadline=None)
@given(prelude=st.lists(touches, max_size=40), again=st.lists(touches, min_size=1, max_size=30))
def test_long_round_keeps_the_last_of_its_steps_and_its_undoing(
    prelude: list[tuple[str, str, int]], again: list[tuple[str, str, int]]
) -> None:
    """However long a round is, the steps lead to the layout, and undoing leads back through as much as is kept."""
    play, game = seated()
    #: Every layout that undoing would lead back to, were nothing ever forgotten.
    before: list[Layout] = []
    #: What lay there after each change.
    past: list[Layout] = [{}]
    chip = ("place", "red", 0)
    for how, spot, chips in [*prelude, *[chip] * (UNDO_MAX - 20), *[*again, chip] * 40]:
        layout = dict(game.bets)
        if how == "undo":
            if before and chips:
                play.touch("T1", UndoBet)
                assert game.bets == before.pop()
        elif touched(play, how, spot, chips) and game.bets != layout:
            before.append(layout)
        if game.bets != layout:
            past.append(dict(game.bets))
        assert len(game.steps) == min(STEPS_RECALLED, len(past) - 1)
        assert len(game.undo) <= UNDO_MAX
        assert layout_before(game.bets, game.steps) == past[-len(game.steps) - 1]
        del before[:-UNDO_MAX]

    for layout in reversed(before[-20:]):
        play.touch("T1", UndoBet)
        assert game.bets == layout
    play.close()
    play.spin()
    play.rest("17")
    for record in play.house.terminals[T1].recall:
        assert replayed(record) == record.sealed
    play.check()


def test_so_many_changes_can_be_taken_back_and_no_more() -> None:
    """The oldest change is forgotten when one more is made than is kept; what is left then stands."""
    play, game = seated()
    for _ in range(UNDO_MAX + 3):
        play.bet("T1", "1 on red")
    for _ in range(UNDO_MAX):
        assert isinstance(play.touch("T1", UndoBet), tuple)

    assert game.bets == {SpotKey("red"): 300}
    assert refused(play.touch("T1", UndoBet)) == ("nothing_there", "3.3")
    play.check()


def test_undoing_keeps_the_neighbors_button_after_much_was_forgotten() -> None:
    """Where the oldest changes are forgotten, the button stands where it stood before each of those that are kept."""
    play, game = seated(CLEARWATER)
    play.bet("T1", "1 on 17")
    spread = game.spread
    for _ in range(UNDO_MAX):
        play.bet("T1", "1 on red; 1 on 1")
    play.bet("T1", "1 on 20")
    for _ in range(UNDO_MAX - 1):
        play.touch("T1", UndoBet)

    assert game.spread == spread is not None
    play.check()
