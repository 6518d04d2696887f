"""The demonstration: four venues that play by themselves, with everybody there who is needed."""

from itertools import pairwise
from pathlib import Path

import pytest

from croupier.config.provisioning import provisioning_commands
from croupier.config.reader import demo_config
from croupier.config.schema import TableConfig
from croupier.devices.random_wheel import RandomWheel
from croupier.engine.ports import Ports, Request, gaming_calendar
from croupier.engine.run import Run
from croupier.house.declare import COMMANDS, TableEvent
from croupier.house.floor.signatures import DUAL_CONTROL
from croupier.house.ids import SECOND, DeviceId, DeviceKind
from croupier.house.rounds.closing import BetsClosing, FinishCalled
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.rounds.spinning import BallSpun
from croupier.house.settings import Mode, Recording, WheelKind
from croupier.rulebooks.loader import rulebook_ids
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.rulebook import Rulebook
from croupier.server.auth.staff import VISITOR
from tests.support.engine_driver import SOFTWARE, HandClock, RecordingOutbox, done, memory_storage, start

CONFIG = demo_config(Path("/venue"))
#: The tables with terminals, which play by themselves; the others are live, and one is dealt by a visitor.
PLAYING = tuple(table for table in CONFIG.tables if table.settings.live is None and table.id != CONFIG.visitor_table)


def test_demonstration_has_a_table_for_each_rulebook() -> None:
    """Every rulebook has a table with a random wheel, Clearwater has two, and each has a few terminals."""
    played = [table.rulebook.id for table in PLAYING]

    assert CONFIG.mode is Mode.DEMO
    assert sorted(played) == sorted([*rulebook_ids(), "clearwater-etg"])
    assert {table.settings.wheel for table in PLAYING} == {WheelKind.RANDOM}
    for table in PLAYING:
        assert 3 <= sum(table.id in terminal.tables for terminal in CONFIG.terminals) <= 8


def test_visitor_deals_a_table_with_terminals() -> None:
    """The table of visitors has a keypad, no timers and terminals, and the visitor has the titles to deal it."""
    (table,) = (each for each in CONFIG.tables if each.id == CONFIG.visitor_table)
    (visitor,) = (each for each in CONFIG.staff if each.person == VISITOR)

    settings = table.settings
    assert (settings.wheel, settings.betting_s, settings.pause_s) == (WheelKind.KEYPAD, None, None)
    assert sum(table.id in terminal.tables for terminal in CONFIG.terminals) == 3
    assert set(table.rulebook.staff.titles_for(Duty.DEAL)) & set(visitor.titles)


def test_live_tables_record_every_chip() -> None:
    """The two rulebooks with chips have a live table each, which records every bet, and a console for each."""
    live = {table.rulebook.id: table.settings.live for table in CONFIG.tables if table.settings.live is not None}

    assert set(live) == {"skycity-adelaide-2003", "us-double-zero"}
    assert {settings.recording for settings in live.values()} == {Recording.FULL}
    # Visitors find the float open and the notice checked, and can begin to deal.
    assert {table.float_pieces for table in CONFIG.tables} == {0, 200}
    assert sum(console.role is DeviceKind.LIVE_TABLE for console in CONFIG.consoles) == len(live)


def test_clearwater_terminals_play_two_games() -> None:
    """The terminals at Clearwater play both of its tables, and the others one."""
    two = {terminal.id for terminal in CONFIG.terminals if len(terminal.tables) == 2}

    assert two == {"clearwater-1", "clearwater-2", "clearwater-3"}


def test_data_lies_where_the_demonstration_was_requested() -> None:
    """The demonstration keeps its journal in the folder that it was given."""
    assert (CONFIG.data, CONFIG.key_store) == (Path("/venue/croupier-demo"), Path("/venue/croupier-demo.keys"))


def test_there_is_somebody_for_every_duty(rulebook: Rulebook) -> None:
    """Each duty of each rulebook falls to somebody, and what takes two signatures to two; nobody's secret is told."""
    signed = {duty for command in DUAL_CONTROL for duty in COMMANDS[command].permission.duties}
    for duty in rulebook.staff.duties:
        able = [member for member in CONFIG.staff if not set(rulebook.staff.titles_for(duty)).isdisjoint(member.titles)]
        # What a cashier signs first, somebody from the pit signs second.
        assert len(able) >= (2 if duty in signed - {Duty.MAINTAIN, Duty.CASH} else 1), duty
    assert not any(member.password for member in CONFIG.staff)


def test_there_is_a_console_for_every_role() -> None:
    """Each role has a console, and the pit has two, so that two signatures can be given on two devices."""
    roles = [console.role for console in CONFIG.consoles]

    assert set(roles) == set(DeviceKind) - {DeviceKind.TERMINAL}
    assert roles.count(DeviceKind.PIT) == 2


@pytest.mark.parametrize("table", CONFIG.tables, ids=lambda table: table.id)
def test_chips_and_limits_go_together(table: TableConfig) -> None:
    """The smallest chip is worth no more than the least on a spot, and the largest no more than the most."""
    document = table.rulebook.limits
    spot = document.spot if document and document.spot.least is not None else table.settings.limits.spot
    assert spot.least is not None
    assert spot.most is not None
    for terminal in (each for each in CONFIG.terminals if table.id in each.tables):
        values = [terminal.settings.denominations[0] * chip for chip in terminal.settings.chips]
        assert min(values) <= spot.least
        assert max(values) <= spot.most


#: What happened at a table, and when.
Step = tuple[str, object, int]


@pytest.fixture(scope="module")
def minutes() -> list[Step]:
    """Four minutes of the demonstration: what happened at which table, and when."""
    clock, outbox = HandClock(at=1_794_765_600 * SECOND), RecordingOutbox()
    run = start(memory_storage(), Ports(clock, outbox, gaming_calendar(CONFIG.timezone, CONFIG.day_begins)))
    done(run, *provisioning_commands(CONFIG, run.house, SOFTWARE))
    wheels = [RandomWheel(table.id, table.spin_s) for table in PLAYING]
    for _ in range(240):
        clock.pass_s(1)
        run.step()
        _step_wheels(run, wheels)
    assert not run.house.incidents.all
    return [
        (entry.event.table, type(entry.event), entry.context.now)
        for entry in outbox.entries
        if isinstance(entry.event, TableEvent)
    ]


def _step_wheels(run: Run, wheels: list[RandomWheel]) -> None:
    """Ask the wheels, as the running system does between turns."""
    for wheel in wheels:
        command = wheel.act(run.house, run.ports.clock.now())
        if command is not None:
            run.submit(Request(command, DeviceId(wheel.table)))
    run.step()


@pytest.mark.parametrize("table", PLAYING, ids=lambda table: table.id)
def test_rounds_run_by_themselves(table: TableConfig, minutes: list[Step]) -> None:
    """Every table plays round after round, each within a minute, and nothing goes wrong."""
    settled = [now for name, event, now in minutes if (name, event) == (table.id, RoundSettled)]

    assert len(settled) >= 5
    assert all(30 * SECOND <= later - sooner <= 60 * SECOND for sooner, later in pairwise(settled))


@pytest.mark.parametrize(
    ("table", "steps"),
    [
        ("marina", [BetsOpened, BetsClosing, BallSpun, RoundSettled]),
        ("adelaide", [BetsOpened, FinishCalled, BetsClosing, BallSpun, RoundSettled]),
        ("clearwater-a", [BetsOpened, BallSpun, BetsClosing, RoundSettled]),
        ("us", [BetsOpened, BallSpun, BetsClosing, RoundSettled]),
    ],
)
def test_rounds_go_by_each_venue_s_own_order(table: str, steps: list[object], minutes: list[Step]) -> None:
    """Betting closes before the spin, with a warning, after the launch, or during the spin, as each rulebook has it."""
    seen = [event for name, event, _ in minutes if name == table and event in steps]

    assert seen[: len(steps)] == steps


def test_practice_seats_are_at_the_us_table_alone() -> None:
    """The one table that is played with chips has seats for practice."""
    chips = [table.id for table in PLAYING if ChannelName.TERMINAL not in table.rulebook.channels]

    assert chips == ["us"]
