"""What each event declares that it touches: nothing else changes, no timer is left as it was, and no view is missed."""

from collections import deque
from collections.abc import Container, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from croupier.house import House, evolve
from croupier.house.declare import EVENTS, Event, Part
from croupier.house.floor.incidents import IncidentRaised
from croupier.house.floor.service import TerminalLost
from croupier.house.floor.setup import TableAdded
from croupier.house.play.betting import BetsChanged
from croupier.house.play.chip_bets import ChipsChanged
from croupier.house.rounds.closing import BetsSealed
from croupier.house.rounds.opening import BetsOpened
from croupier.house.rounds.settlement import RoundSettled
from croupier.house.state.tables import Position, Table, Terminal
from croupier.house.state.timer_heap import TimerKind
from croupier.house.timers import timers_of
from croupier.journal.entry import EMPTY_HEAD, Entry
from croupier.journal.pages import verify_chain
from croupier.rulebooks.schema import read_canonical
from croupier.server.events import view_changes
from croupier.server.views.floor import FloorRows, table_win
from croupier.server.views.live import live_state, notice_state, walk_state
from croupier.server.views.seat import seat_state
from croupier.server.views.table import table_view
from croupier.simulation.checker import NullChecker
from croupier.simulation.run import SimulationRun
from tests.support.transcript_runs import ROUNDS, entries_of

#: The seeds of simulated days, with terminals alone and at live tables; of every other one, with crashes.
SEEDS = 12
#: What a table has for players with chips.
CHIPS = frozenset({"live", "players", "sealed.chips", "sealed.digest", "arrangements", "arrangements_made"})
#: The rules and limits of a table.
TERMS = frozenset({"rulebook", "payouts", "settings", "effective_limits", "next_settings", "next_rulebook"})
#: What a table records of one of its terminals, with its sealed bets: staff see it at each table of the terminal.
OF_TERMINAL = frozenset({"meters", "line_loss", "line_lost_at", "sealed.layouts", "result.paid", "past"})
SERVICE = frozenset({"case"})
LINK = frozenset({"lost_at"})
#: One value of the state: "table", "terminal" or "timer", the name of which, and the field.
Place = tuple[str, str, str]
State = dict[Place, object]


def _hook(value: object) -> object:
    return list(value) if isinstance(value, deque) else str(value)


_encode = msgspec.msgpack.Encoder(enc_hook=_hook).encode


def _values(part: object) -> Iterator[tuple[str, object]]:
    """Give each field of a part of the state; what is derived from a rulebook by its identity."""
    assert is_dataclass(part)
    for name in (each.name for each in fields(part)):
        if name in {"rulebook", "payouts", "channel", "profile"} and not isinstance(getattr(part, name), str):
            yield name, id(getattr(part, name))
        elif name not in {"games", "round", "sealed", "result", "seat"}:
            yield name, _encode(getattr(part, name))


def _of_table(table: Table, players: Iterable[Position]) -> Iterator[tuple[str, object]]:
    yield from _values(table)
    round_ = table.round
    sealed = None if round_ is None else round_.sealed
    for part, inner in (("round", round_), ("sealed", sealed), ("result", sealed and sealed.result)):
        if inner is not None:
            yield from ((f"{part}.{name}", value) for name, value in _values(inner))
    yield "players", [tuple(_values(each)) for each in players]


def _of_terminal(terminal: Terminal) -> Iterator[tuple[str, object]]:
    yield from _values(terminal)
    for table, game in terminal.games.items():
        for name, value in _values(game):
            yield f"{table}.{name}", value


def _state(house: House) -> State:
    """Copy all that is no record of the house itself: tables, terminals and timers."""
    found: State = {}
    for table in house.tables.values():
        players = (each for each in house.positions.values() if each.table == table.id and not each.terminal)
        found.update((("table", table.id, name), value) for name, value in _of_table(table, players))
    for terminal in house.terminals.values():
        found.update((("terminal", terminal.id, name), value) for name, value in _of_terminal(terminal))
    for timer in house.timers.pending():
        found["timer", timer.name, timer.kind.name] = timer.at
    return found


class _Declared:
    """What an event declares, by the names of tables and terminals."""

    def __init__(self, house: House, event: Event) -> None:
        declaration = EVENTS[type(event)]
        self.touches, self.reschedules = declaration.touches, declaration.reschedules
        self.tables = set(event.tables_in(house))
        self.each = set(event.terminals_in(house))
        at_tables = {name for table in self.tables for name in house.tables[table].terminals}
        self.whole = (self.each if Part.TERMINAL in self.touches else set()) | (
            at_tables if Part.TERMINALS in self.touches else set()
        )
        known = [house.terminals[name] for name in (*self.each, *self.whole)]
        self.games = {table for terminal in known for table in terminal.games}
        self.first = {next(iter(terminal.games)) for terminal in known}
        stepped = set(house.tables) if Part.EVERY_TABLE in self.touches else self.tables
        self.timers: dict[TimerKind, Container[str]] = {
            TimerKind.TABLE: stepped,
            TimerKind.SESSION: self.tables,
            TimerKind.OFFLINE: self.each | at_tables,
            TimerKind.PAUSE: set(),
        }

    def covers(self, place: Place) -> bool:
        match place:
            case "table", name, field:
                return self._covers_table(name, field)
            case "terminal", name, field:
                lesser = (Part.SERVICE in self.touches and field in SERVICE) or (
                    Part.LINK in self.touches and field in LINK
                )
                return name in self.whole or (name in self.each and lesser)
            case _, name, field:
                kind = TimerKind[field]
                # The timers of breaks and sessions without money change with the money and limits of a terminal.
                own = (kind is TimerKind.PAUSE and name in self.whole) or (
                    kind is TimerKind.SESSION and name in self.first
                )
                return own or (kind in self.reschedules and name in self.timers[kind])

    def _covers_table(self, name: str, field: str) -> bool:
        if field in OF_TERMINAL and name in self.games:
            return True
        if name not in self.tables:
            return False
        if field in TERMS:
            return Part.TERMS in self.touches
        return Part.TABLE in self.touches or (Part.CHIPS in self.touches and field in CHIPS)


def _views(house: House) -> State:
    """Build what tables, live consoles, terminals and staff are shown."""
    found: State = {}
    for name, table in house.tables.items():
        found["table", name, "view"] = table_view(house, name, "", None)
        if table.live is not None:
            found["live", name, "view"] = live_state(house, name), walk_state(house, name), notice_state(house, name)
        found["staff", name, "win"] = table_win(table)
        for row in FloorRows(house).seats(table):
            found["staff", name, row.terminal] = row
    for terminal in house.terminals:
        found["terminal", terminal, "view"] = seat_state(house, terminal, limits=True)
    return found


def _is_published(house: House, event: Event, place: Place) -> bool:
    change = view_changes(house, (event,))
    kind, name, what = place
    touches = EVENTS[type(event)].touches
    if kind == "table":
        return name in change.tables
    if kind == "live":
        return name in change.tables or name in change.live
    if kind == "terminal":
        return name in change.seats or name in change.played or name in change.served
    if what == "win":
        moved = {table for table, _ in change.moved(house)}
        return Part.EVERY_TABLE in touches or name in moved or name in change.tables or name in change.live
    return (name, what) in set(change.moved(house))


def _differing(before: State, after: State) -> set[Place]:
    return {place for place in before.keys() | after.keys() if before.get(place) != after.get(place)}


def _undeclared(entries: Iterable[Entry]) -> Iterator[str]:
    """Apply events one by one; name each event with what it changed and does not declare."""
    house = House.new(read_canonical)
    state, views = _state(house), _views(house)
    for entry in entries:
        event = entry.event
        evolve(house, event, entry.context)
        after, shown = _state(house), _views(house)
        declared = _Declared(house, event)
        name = type(event).__name__
        yield from (f"{name} changes {each}" for each in _differing(state, after) if not declared.covers(each))
        missed = (each for each in _differing(views, shown) if not _is_published(house, event, each))
        yield from (f"{name} does not publish {each}" for each in missed)
        if sorted(house.timers.pending()) != sorted(timers_of(house).pending()):
            yield f"{name} leaves a timer as it was"
        state, views = after, shown


@cache
def _simulated(seed: int, *, live: bool) -> tuple[Entry, ...]:
    run = SimulationRun(seed, crash=seed % 2 == 1, live_table=live, checker=NullChecker)
    run.perform()
    return tuple(entry for page in verify_chain(run.machine.disk.pages(), EMPTY_HEAD) for entry in page.entries)


@pytest.mark.parametrize("live", [False, True], ids=["terminals", "live"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_simulated_day_changes_only_what_its_events_declare(seed: int, *, live: bool) -> None:
    """No event of a simulated day changes a table, terminal, timer or view that it does not declare."""
    assert sorted(set(_undeclared(_simulated(seed, live=live)))) == []


@pytest.mark.parametrize("path", ROUNDS, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_shipped_round_changes_only_what_its_events_declare(path: Path) -> None:
    """No event of a shipped round changes a table, terminal, timer or view that it does not declare."""
    assert sorted(set(_undeclared(entries_of(path)))) == []


#: A wrong declaration of an event, and what is found.
WRONG = [
    (BetsChanged, {"touches": frozenset()}, "BetsChanged changes ('terminal'"),
    (BetsChanged, {"touches": frozenset({Part.SERVICE})}, "BetsChanged changes ('terminal'"),
    (BetsSealed, {"touches": frozenset({Part.TABLE})}, "BetsSealed changes ('terminal'"),
    (RoundSettled, {"touches": frozenset({Part.TERMINALS})}, "RoundSettled does not publish ('table'"),
    (RoundSettled, {"touches": frozenset({Part.TABLE})}, "RoundSettled does not publish ('terminal'"),
    (ChipsChanged, {"touches": frozenset()}, "ChipsChanged does not publish ('live'"),
    (TerminalLost, {"touches": frozenset()}, "TerminalLost does not publish ('staff'"),
    (TableAdded, {"touches": frozenset({Part.TABLE})}, "TableAdded changes ('table'"),
    (TerminalLost, {"reschedules": ()}, "TerminalLost leaves a timer as it was"),
    (BetsOpened, {"reschedules": ()}, "BetsOpened leaves a timer as it was"),
    (IncidentRaised, {"reschedules": ()}, "IncidentRaised leaves a timer as it was"),
]


@pytest.mark.parametrize(("kind", "wrong", "says"), WRONG)
def test_wrong_declaration_is_found(
    kind: type[Event], wrong: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event that declares too little is found by what it changes, what is not published, or its timers."""
    days = [_simulated(seed, live=live) for seed in (0, 1, 16) for live in (False, True)]
    monkeypatch.setitem(EVENTS, kind, replace(EVENTS[kind], **wrong))
    assert any(found.startswith(says) for day in days for found in _undeclared(day))
