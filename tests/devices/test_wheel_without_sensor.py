"""A wheel that waits for a sensor which nobody has attached: what its rounds come to, and that it is said."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier.config.reader import template
from croupier.engine.ports import Request, WheelPort
from croupier.house.ids import TableId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest, ConfirmResult, EnterResult
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import Mode, TableSettings, WheelKind
from croupier.house.state.tables import RoundStatus
from croupier.rules.geometry import Pocket
from croupier.transcripts.driver import TABLE
from tests.support.connections import open_house, played
from tests.support.house_driver import Play, refused
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, US
from tests.support.wire.houses import ADELAIDE as ADELAIDE_HOUSE
from tests.support.wire.houses import CLEARWATER as CLEARWATER_HOUSE

ENTERED = EnterResult(TABLE, Pocket("17"), Pocket("17"))
#: More than the ball may take to come to rest, unless somebody says otherwise.
LATE_S = 130


def spun(rulebook_id: str, wheel: WheelKind = WheelKind.SENSOR) -> Play:
    """A round with a bet, whose ball runs, and of which no sensor reports anything."""
    play = Play(rulebook_id, TableSettings(wheel=wheel))
    play.seats(T1=100)
    play.open()
    play.bet("T1", "2 on red")
    play.close()
    play.spin()
    return play


def status(play: Play) -> RoundStatus:
    assert play.table.round is not None
    return play.table.round.status


@pytest.mark.parametrize("rulebook_id", [MARINA, ADELAIDE, US])
def test_dealer_enters_the_number(rulebook_id: str) -> None:
    """Where a dealer spins the ball the round waits for the number that the dealer enters, and is settled by it."""
    play = spun(rulebook_id)
    play.at(60)

    assert status(play) is RoundStatus.ACTIVE
    assert isinstance(play.by(play.dealer, ENTERED), tuple)
    assert status(play) is RoundStatus.SETTLED


@pytest.mark.parametrize(
    ("rulebook_id", "becomes"), [(MARINA, RoundStatus.VOID), (ADELAIDE, RoundStatus.ACTIVE), (US, RoundStatus.ACTIVE)]
)
def test_dealer_who_enters_nothing_is_reminded(rulebook_id: str, becomes: RoundStatus) -> None:
    """After rest_s staff are notified that there is no number; the round waits, or is void where the rules say so."""
    play = spun(rulebook_id)
    play.at(LATE_S)

    assert [each.kind.value for each in play.house.incidents.all.values()] == ["ball_not_seated"]
    assert status(play) is becomes
    assert isinstance(play.by(play.dealer, ENTERED), tuple) is (becomes is RoundStatus.ACTIVE)


def test_wheel_that_launches_its_own_ball_needs_a_keypad() -> None:
    """Where no dealer spins, nobody enters a number for a sensor and the round is void; at a keypad it is settled."""
    play = spun(CLEARWATER)
    assert refused(play.by(play.dealer, ENTERED)) == ("out_of_turn", "17.a")
    play.at(LATE_S)
    assert status(play) is RoundStatus.VOID

    keypad = spun(CLEARWATER, WheelKind.KEYPAD)
    assert isinstance(keypad.by(keypad.dealer, ConfirmResult(TABLE, Pocket("17"))), tuple)
    assert status(keypad) is RoundStatus.SETTLED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ADELAIDE_HOUSE, ["Table A has no sensor at its wheel, so its dealer enters every number."]),
        (
            CLEARWATER_HOUSE,
            [
                f"Table {table} cannot play: No sensor is attached to its wheel, so every round is void"
                for table in "CD"
            ],
        ),
        (ADELAIDE_HOUSE.replace('id = "A"', 'id = "A"\nwheel = "keypad"'), []),
        (ADELAIDE_HOUSE.replace('id = "A"', 'id = "A"\nwheel = "random"'), []),
    ],
    ids=["dealt", "launched", "keypad", "random"],
)
def test_house_says_that_it_has_no_sensor(tmp_path: Path, text: str, words: list[str]) -> None:
    """The log of a start, and the status of a house that is open, say which table waits for what is not there."""

    async def scenario() -> None:
        with capture_logs() as logged:
            async with open_house(tmp_path, text) as house:
                status = house.venue.maintenance.status()
                blocked = (each.line for table in status.tables for each in table.blocked)
                remarks = (*status.remarks, *blocked)
        said = [each["words"] for each in logged if each["event"] == "no_sensor"]
        said += [
            f"Table {each['table']} cannot play: {each['words']}"
            for each in logged
            if each["event"] == "table_blocked" and each["reason"] == "no_sensor"
        ]
        reported = [each for each in remarks if "sensor" in each]
        assert [each[: len(line)] for each, line in zip(said, words, strict=True)] == words
        assert [each[: len(line)] for each, line in zip(reported, words, strict=True)] == words

    played(scenario)


class Sensor:
    """A sensor that pushes what a test has it see."""

    fault = ""
    port: WheelPort

    def __init__(self, table: TableId) -> None:
        self.table = table

    def open(self, port: WheelPort) -> None:
        self.port = port

    def close(self) -> None:
        """Nothing to release."""


def test_sensor_that_is_attached_pushes(tmp_path: Path) -> None:
    """A driver that somebody attaches stays at its table over the rounds, and what it reports is settled."""
    table, settings = TableId("A"), "confirms = true\nwarning_s = 5"
    text = ADELAIDE_HOUSE.replace(settings, "warning_s = 0\nspin_min_s = 0")

    async def scenario() -> None:
        async with open_house(tmp_path, text) as house:
            sensor = Sensor(table)
            house.venue.wheels.attach(sensor)
            for _ in range(2):
                for command in (OpenBets(table), CloseBets(table)):
                    await house.venue.commit_loop.ask(Request(command))
                sensor.port.report(BallLaunched(table, opposite=True))
                sensor.port.report(BallAtRest(table, Pocket("17"), revolutions=9, opposite=True))
                await house.rest()
            numbers = house.venue.run.house.tables[table].numbers
        assert numbers == (Pocket("17"), Pocket("17"))

    played(scenario)


@pytest.mark.parametrize("mode", Mode)
def test_template_says_what_a_sensor_needs(mode: Mode) -> None:
    """A template says that a wheel with sensors needs a driver."""
    text = template(mode, "0.1").replace("\n# ", " ")

    assert "A wheel with sensors needs a `driver`" in text
