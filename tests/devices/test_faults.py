"""What each fault of a wheel ends in at each venue, with a chip on the number that the wheel sends."""

from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from croupier import rulebook as load
from croupier.cli.wheel import ruled_by
from croupier.devices.emulator import FAULTS, Game
from croupier.devices.in_rim_reader import WARNINGS, Observation
from croupier.house.ids import DeviceId, Instant
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import TableSettings
from croupier.house.state.tables import RoundStatus
from croupier.rules.procedure import CloseRule, Reason
from tests.devices.test_in_rim import EXPECTED, FIRST, fed
from tests.support.house_driver import ADELAIDE, CLEARWATER, MARINA, TABLE, US, Play

VENUES: Final = (MARINA, ADELAIDE, CLEARWATER, US)
#: The number of a valid spin: a launcher's is paid, and a dealer confirms the others, whose revolutions no sensor saw.
VALID: Final = ("at_rest 17", "at_rest 17", "settled 17", "at_rest 17")
#: No number counts: the dealer calls no spin or enters the number where the rules say so.
NO_NUMBER: Final = ("running", "running", "void 25", "running")
WITH_ROTOR: Final = ("void 5.1", "no_spin 10(a)", "void 25", "open Irregularities (1)")
SUSPENDED: Final = ("suspended 5.13", "suspended 11(b)", "void 25", "suspended Rotation (3)")

#: The end of the round at Marina Bay Sands, Adelaide, Clearwater and the US table.
ENDS: Final = {
    "ball-lost": ("void 5.6", "running", "void 25", "running"),
    "ball-missed-briefly": VALID,
    "ball-not-in-track": ("void 5.6", "running", "void 25", "running"),
    "closed-in-spin": NO_NUMBER,
    "cut-line": VALID,
    "duplicates": VALID,
    "foreign-number": ("running", "running", "running", "running"),
    "launch-failed": ("void 5.3", "running", "void 25", "running"),
    "launch-retried": VALID,
    "launched-with-rotor": WITH_ROTOR,
    "no-number": NO_NUMBER,
    "no-result-line": VALID,
    "noise": VALID,
    "number-changes": VALID,
    "one-status": VALID,
    "result-repeated": VALID,
    "rotor-still-at-launch": ("void 5.9", "at_rest 17", "void 25", "at_rest 17"),
    "rotor-stops": ("void 5.8", "at_rest 17", "void 25", "at_rest 17"),
    "sensor-fault": NO_NUMBER,
    "silence": SUSPENDED,
    "stale-backlog": SUSPENDED,
    "state-left-out": ("at_rest 17", "at_rest 17", "void 25", "at_rest 17"),
    "two-numbers": ("at_rest 17", "at_rest 17", "void 25", "at_rest 17"),
    "unplugged": VALID,
    "with-rotor": WITH_ROTOR,
}


def turned(rulebook: str, name: str) -> Play:
    """Play a game with a fault on a house that closes betting as its venue does."""
    play = Play(rulebook, TableSettings(warning_s=0, betting_s=60 if rulebook == CLEARWATER else None))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "1 on 17")
    closes = play.rulebook.procedure.closes.choice
    if closes in (CloseRule.BEFORE_SPIN, CloseRule.BEFORE_OR_DURING_SPIN):
        play.close()
    shown = next((each.pocket for each in EXPECTED[name] if isinstance(each, BallAtRest)), FIRST.win)
    steps = [*FIRST.lines(2, 1), *FAULTS[name].play(FIRST), *Game(FIRST.spin + 1, shown, "4").lines(2, 2)]
    start = play.now
    for seen in fed(steps):
        play.advance(start + seen.at)
        if seen.report is not None:
            play.ask(replace(seen.report, table=TABLE), DeviceId(TABLE))
        if isinstance(seen.report, BallLaunched) and closes is CloseRule.DURING_SPIN:
            play.ask(CloseBets(TABLE))
    play.check()
    return play


def ended(play: Play) -> str:
    round_ = play.table.playing
    state = round_.status.value if round_.over else round_.phase.value
    number = round_.pocket or round_.spin.reported
    return f"{state} {number or round_.clause or ''}".strip()


@pytest.mark.parametrize("rulebook", VENUES)
@pytest.mark.parametrize("name", FAULTS)
def test_fault_ends_as_the_rules_say(name: str, rulebook: str) -> None:
    """A fault ends the round by the venue's clause or leaves it to staff; what is not a valid spin pays nothing."""
    play = turned(rulebook, name)

    assert ended(play) == ENDS[name][VENUES.index(rulebook)]
    paid = play.table.playing.status is RoundStatus.SETTLED
    assert paid is (ENDS[name] is VALID and rulebook == CLEARWATER)
    assert play.credit("T1") == (135 if paid else 100 if play.table.playing.over else 99)


def test_page_names_the_clause_of_each_irregularity() -> None:
    """The table of irregularities on the page of devices has each venue's effect and clause, as the rulebooks do."""
    page = Path(__file__).parents[2].joinpath("docs", "devices.md").read_text()
    for reason in (each.reason for each in WARNINGS):
        with_rotor = reason is Reason.SAME_DIRECTION
        report = BallLaunched(TABLE, opposite=False) if with_rotor else WheelTrouble(TABLE, reason)
        ruled = [ruled_by(load(each), Observation(Instant(0), None, report)) for each in VENUES]
        cells = " | ".join(f"{each['effect']}, {each['clause']}" for each in ruled)
        assert f"| `{reason.value}` | {cells} |" in page
