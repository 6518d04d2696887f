"""Blockers: whatever keeps a table from playing is found, with its clause and what ends it."""

import pytest

from croupier.house.blockers import Facts, blockers
from croupier.house.floor.service import CloseTable
from croupier.house.floor.setup import ApproveBuild, ReportBuild
from croupier.house.ids import Day, DeviceId, TableId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.recovery import RaiseSystemMalfunction
from croupier.house.rounds.referrals import ReferRound
from croupier.house.settings import Mode, TableSettings, WheelKind
from croupier.house.state.tables import RoundStatus
from croupier.rules.procedure import Reason
from croupier.words import BlockerText, blocker_text, remedy_text
from tests.support.house_driver import TABLE, Play
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US

VENUES = (ADELAIDE, CLEARWATER, MARINA, US)


def reasons(play: Play, facts: Facts | None = None) -> list[str]:
    return [str(each.reason) for each in blockers(play.house, facts or Facts())]


def open_play(rulebook: str, settings: TableSettings | None = None) -> Play:
    play = Play(rulebook, settings or TableSettings(wheel=WheelKind.KEYPAD))
    play.seats(T1=100)
    return play


@pytest.mark.parametrize("rulebook", VENUES)
def test_nothing_keeps_a_table_that_may_open(rulebook: str) -> None:
    """A table whose round may be opened has no blocker, before it and while it runs."""
    play = open_play(rulebook)
    assert reasons(play) == []
    play.ask(OpenBets(TABLE))
    assert reasons(play) == []


@pytest.mark.clause(ADELAIDE, "5.4(a)")
def test_software_that_is_not_approved() -> None:
    """Where the rules ask for approved software, the version that runs and where to enter it are named."""
    play = open_play(ADELAIDE)
    play.ask(ReportBuild("0.2 ab"))
    play.ask(ApproveBuild("0.1 cd", "R-1"))
    (found,) = blockers(play.house)

    assert (found.table, found.reason, found.clause) == (TABLE, "software_not_approved", "5.4(a)")
    assert blocker_text(found) == "Software version not approved: 0.2 ab."
    assert 'version = "0.2 ab"' in remedy_text(found)
    assert "[[approvals]]" in BlockerText.of(found).line
    play.ask(ApproveBuild("0.2 ab", "R-2"))
    assert reasons(play) == []


def test_rules_that_are_not_in_force() -> None:
    """Rules with a date hold from that gaming day; before the first day has begun nothing is said of it."""
    play = open_play(MARINA)
    play.house.setup.mode, play.house.day = Mode.REAL, Day(0)
    assert reasons(play) == []
    play.house.day = Day(2020_03_17)
    (found,) = blockers(play.house)
    assert (found.reason, blocker_text(found)) == ("not_in_force", "These rules are in force from 2020-03-18.")
    play.house.day = Day(2020_03_18)
    assert reasons(play) == []


def test_table_that_was_closed() -> None:
    """A table that staff have closed says who opens it again."""
    play = open_play(MARINA)
    play.by("gaming shift manager", CloseTable(TABLE, "for the night"))
    (found,) = blockers(play.house)
    assert (found.reason, remedy_text(found)) == ("table_closed", "Reopen the table at the pit console.")


@pytest.mark.clause(CLEARWATER, "25")
def test_malfunction_that_nobody_has_cleared() -> None:
    """Where a malfunction voids all plays, the incident that must be cleared is named."""
    play = open_play(CLEARWATER, TableSettings(wheel=WheelKind.RANDOM))
    play.open()
    play.must(WheelTrouble(TABLE, Reason.BALL_OUT_OF_WHEEL), DeviceId(TABLE))
    (found,) = blockers(play.house)
    (incident,) = play.house.incidents.all
    assert (found.reason, remedy_text(found)) == ("out_of_turn", f"Clear incident {incident} at the pit console.")


@pytest.mark.parametrize(("an_hour", "blocked"), [(30, ["too_soon"]), (60, [])])
def test_games_per_hour(an_hour: int, blocked: list[str]) -> None:
    """A pause of more than a minute until the next game may begin is said, a shorter one is not."""
    play = open_play(MARINA, TableSettings(wheel=WheelKind.KEYPAD, games_per_hour_max=an_hour))
    play.at(10)
    play.open()
    assert reasons(play) == []
    play.must(RaiseSystemMalfunction(TABLE, "screens frozen"))
    assert reasons(play) == blocked
    assert all("games_per_hour_max" in remedy_text(each) for each in blockers(play.house))


def test_round_that_waits_for_a_decision() -> None:
    """A suspended round, and one that an interruption left, keep their table."""
    play = open_play(ADELAIDE)
    play.open()
    play.by("dealer", ReferRound(TABLE, "the player says it was 17"))
    (found,) = blockers(play.house)
    assert (found.reason, remedy_text(found)) == ("round_suspended", "Decide the round at the pit console.")
    round_ = play.house.tables[TABLE].playing
    round_.status, round_.spin.interrupted = RoundStatus.ACTIVE, True
    assert reasons(play) == ["round_interrupted"]


@pytest.mark.parametrize("rulebook", VENUES)
def test_table_without_seats_or_dealer(rulebook: str) -> None:
    """A table at which nobody can bet says so, and one that waits for a dealer where nobody may deal."""
    play = Play(rulebook, TableSettings(wheel=WheelKind.KEYPAD))
    assert reasons(play) == ["no_terminals"]
    play.seats(T1=1)
    play.house.staff.people.clear()
    (found,) = blockers(play.house)
    assert (found.reason, found.clause) == ("no_dealer", play.rulebook.staff.clause)
    assert play.rulebook.staff.order[0] in remedy_text(found)
    automatic = Play(rulebook, TableSettings(wheel=WheelKind.RANDOM, betting_s=10, pause_s=1))
    automatic.seats(T1=1)
    automatic.house.staff.people.clear()
    assert reasons(automatic) == []


@pytest.mark.parametrize(("rulebook", "blocked"), [(CLEARWATER, ["no_sensor"]), (ADELAIDE, []), (MARINA, []), (US, [])])
def test_wheel_without_sensor(rulebook: str, blocked: list[str]) -> None:
    """Where a machine launches the ball no number can come without its sensor; elsewhere a dealer enters it."""
    assert reasons(open_play(rulebook), Facts(no_sensor=frozenset({TABLE}))) == blocked


def test_what_the_engine_knows() -> None:
    """A random source that failed and a disk that is nearly full keep every table that they concern."""
    play = open_play(US)
    found = blockers(play.house, Facts(disk_low=True, unhealthy={TABLE: "7 came 400 times in 4096 draws"}))
    assert [str(each.reason) for each in found] == ["random_source_failed", "disk_low"]
    assert "7 came 400 times" in blocker_text(found[0])
    assert reasons(play, Facts(unhealthy={TableId("other"): "x"})) == []


def test_several_reasons_are_all_given() -> None:
    """What would be refused one after the other is said at once, a line each."""
    play = Play(ADELAIDE, TableSettings(wheel=WheelKind.KEYPAD), mode=Mode.REAL)
    lines = [BlockerText.of(each).line for each in blockers(play.house, Facts(disk_low=True))]
    assert [line.partition(": ")[2].split(".")[0] for line in lines] == [
        "Software version not approved: unknown",
        "It has no terminals",
        "The disk is nearly full, so no new bets are taken",
    ]
    assert all(line.startswith(f"Table {TABLE} cannot play: ") for line in lines)
