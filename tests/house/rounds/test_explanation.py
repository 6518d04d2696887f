"""Explanations: what a recovery found and did, in words for whoever stands at the console."""

from typing import NamedTuple

import pytest

from croupier.house.ids import RoundNumber, TableId
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import HouseRecovered, Recover, RecoveredRound, RecoveryStatus
from croupier.house.settings import TableSettings
from croupier.house.state.tables import Phase
from croupier.words import explain
from tests.house.rounds.test_recovery import Bring, called_off, declared, interrupted, opened, reported, running, void
from tests.support.house_driver import TABLE, Play
from tests.support.sample_commands import ADELAIDE, MARINA, US

SECOND_TABLE = TableId("table 2")


class Story(NamedTuple):
    """A system that stops somewhere, and the last three lines of what is then explained."""

    venue: str
    bring: Bring
    found: str
    done: str
    clause: str
    settings: TableSettings = TableSettings()


STORIES = [
    Story(
        MARINA,
        opened,
        "bets were not sealed yet (phase open)",
        "the round is void, and every stake went back",
        "5.13.1",
    ),
    Story(
        MARINA,
        running,
        "bets were sealed, and no number was on record (phase running)",
        "bets stand, two people may attest where the ball lay, and staff are notified; "
        "it waits for them until 01:02:03 UTC, and is void then",
        "5.13.2",
        TableSettings(attest_s=3_723 - 600),
    ),
    Story(
        MARINA,
        interrupted,
        "the system had stopped in it before, and two people were to attest where the ball lay (phase suspended)",
        "nothing more: it still waits",
        "5.13.2",
        TableSettings(attest_s=300),
    ),
    Story(
        MARINA,
        declared,
        "a result was on record, and not settled (phase at_rest)",
        "settled by the record: 4 staked, 144 came back",
        "5.13.2",
    ),
    Story(
        ADELAIDE,
        running,
        "bets were sealed, and no number was on record (phase running)",
        "bets stand, two people may attest where the ball lay, and staff are notified",
        "11(b)ii",
    ),
    Story(
        ADELAIDE,
        called_off,
        "the spin had been called off (phase no_spin)",
        "nothing: the number of that spin does not count",
        "10(f)",
    ),
    Story(
        ADELAIDE,
        reported,
        "the wheel had reported a number, which awaits somebody\u2019s word (phase at_rest)",
        "nothing: it is settled once somebody gives the word",
        "11(b)ii",
        TableSettings(confirms=True),
    ),
    Story(
        ADELAIDE,
        void,
        "the round was void (phase between)",
        "nothing: every stake had gone back",
        "11(b)i",
    ),
    Story(
        US,
        running,
        "bets were sealed, and no number was on record (phase running)",
        "the spin does not count, and the round goes on with another",
        "Rotation (3)",
    ),
    Story(
        US,
        opened,
        "bets were not sealed yet (phase open)",
        "nothing: no ball was running, and betting goes on",
        "Rotation (3)",
    ),
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: f"{story.venue}-{story.bring.__name__}")
def test_recovery_is_reported_in_four_lines(story: Story) -> None:
    """The table with its round and rules, how it was found, what was done, and the clause on it."""
    play = Play(story.venue, story.settings)
    play.seats(T1=100)
    play.at(600)
    story.bring(play)

    (block,) = explain(play.must(Recover()), {TABLE: story.venue})

    assert block.splitlines() == [
        f"table 1, round 1, under {story.venue}",
        f"  found   {story.found}",
        f"  done    {story.done}",
        f"  clause  {story.clause}",
    ]


def test_every_table_has_its_own_block() -> None:
    """Of two tables each is told by itself, and what was done at one is not told of the other."""
    play = Play(MARINA, TableSettings(), TableSettings())
    play.seats(T1=100)
    play.round("17", T1="4 on 17")
    play.must(OpenBets(SECOND_TABLE))

    first, second = explain(play.must(Recover()), {TABLE: "one", SECOND_TABLE: "two"})

    assert first.splitlines()[0] == "table 1, round 1, under one"
    assert "  done    nothing: no money moves, and screens show it again" in first.splitlines()
    assert second.splitlines()[0] == "table 2, round 1, under two"
    assert "  done    the round is void, and every stake went back" in second.splitlines()


def test_house_without_a_round_is_reported_in_one_line() -> None:
    """Where nothing was played there is nothing to explain but that."""
    assert explain((HouseRecovered(()),), {}) == ("No round had begun at any table: nothing was done.",)


@pytest.mark.parametrize(
    "state", [state for state in RecoveryStatus if state not in (RecoveryStatus.SEALED, RecoveryStatus.RESULT)]
)
def test_state_that_needs_nothing_is_reported_too(state: RecoveryStatus) -> None:
    """Each state that a recovery may leave alone has its words, also where no clause is known."""
    found = RecoveredRound(TABLE, RoundNumber(1), Phase.BETWEEN, state, None)

    (block,) = explain((HouseRecovered((found,)),), {TABLE: MARINA})

    assert "  done    nothing" in block
    assert block.endswith("  clause  none")
