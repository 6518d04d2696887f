"""The floor: what staff are told beyond what every player sees, each audience what it may see."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import UNSET

from croupier.access.record import DeviceKind
from croupier.engine.run import Run
from croupier.house.name import DeviceId, Instant, TableId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Table
from croupier.rules.staff import Duty
from croupier.web.change import Change
from croupier.web.door import Door
from croupier.web.floordata import DrawerRow, FloorState, FloorTable, IncidentRow, ProposalRow, SeatRow, Takings
from croupier.web.limits import FLOOR_EVERY
from croupier.web.outgoing import Floor
from croupier.web.timekeeper import Timekeeper

#: The duties that let somebody sign in at a door: one of them is enough.
DUTIES: Final[Mapping[DeviceKind, frozenset[Duty]]] = {
    DeviceKind.DEALER: frozenset({Duty.DEAL}),
    DeviceKind.PIT: frozenset({Duty.INSPECT, Duty.CORRECT, Duty.DECIDE, Duty.MANAGE, Duty.MAINTAIN}),
    DeviceKind.CASHIER: frozenset({Duty.CASH}),
    DeviceKind.AUDITOR: frozenset({Duty.AUDIT, Duty.OFFICIATE, Duty.REVIEW, Duty.MANAGE}),
}
_SEE_TABLES: Final = frozenset({DeviceKind.DEALER, DeviceKind.PIT, DeviceKind.AUDITOR})
_SEE_TAKINGS: Final = frozenset({DeviceKind.PIT, DeviceKind.AUDITOR})
_SEE_DRAWERS: Final = frozenset({DeviceKind.CASHIER, DeviceKind.PIT, DeviceKind.AUDITOR})


class Bulletin:
    """Tells consoles what has changed on the floor, a few times a second and only what is kept."""

    def __init__(self, run: Run, time: Timekeeper, consoles: Mapping[DeviceId, Door]) -> None:
        self._run, self._time, self._consoles = run, time, consoles
        self._moved: dict[TableId, None] = {}
        #: Whether there is something to tell, and whether it should have been told by now.
        self._due = self._late = False

    def note(self, change: Change) -> None:
        """Have what has changed told in a moment, with all that changes until then; it is kept."""
        if self._consoles and (change.rest or change.spots):
            self._moved.update(dict.fromkeys(change.moved(self._run.house)))
            if not self._due:
                self._due = True
                self._time.at(Instant(self._time.now() + FLOOR_EVERY), self._ring)
        if self._late:
            self._tell()

    def _ring(self) -> None:
        if self._run.sequencer.whole:
            self._tell()
        else:
            # What is in memory is not kept yet: once it is, it is told.
            self._late = True

    def _tell(self) -> None:
        moved, self._moved = tuple(self._moved), {}
        self._due = self._late = False
        drawn: dict[DeviceKind | None, FloorState | None] = {}
        for door in self._consoles.values():
            if door.kind not in drawn:
                drawn[door.kind] = floor(self._run.house, door.kind, moved)
            state = drawn[door.kind]
            if state is not None:
                door.version += 1
                door.send(Floor(v=door.version, last_cmd=door.last_cmd, set=state))


def floor(house: House, door: DeviceKind | None, tables: Iterable[TableId]) -> FloorState | None:
    """Tell a console what it may see: of these tables, and of what waits for somebody. Others see nothing of it."""
    if door is None or door not in DUTIES:
        return None
    seen = {name: _table(house, house.tables[name], door) for name in tables}
    return FloorState(
        tables=seen if door in _SEE_TABLES else UNSET,
        incidents=_incidents(house) if door in _SEE_TABLES else UNSET,
        drawers=_drawers(house) if door in _SEE_DRAWERS else UNSET,
        # Nobody at a cashier's desk gives a second signature.
        proposals=_proposals(house) if door in _SEE_TABLES else UNSET,
    )


def _table(house: House, table: Table, door: DeviceKind) -> FloorTable:
    round_, meters = table.round, table.meters
    # What a random wheel has drawn nobody sees before it counts: a ball that lies in a pocket everybody does.
    drawn = table.settings.wheel is WheelKind.RANDOM
    rows = tuple(_seats(house, table))
    return FloorTable(
        reported=None if round_ is None or drawn else round_.reported,
        staked=sum(row.staked for row in rows),
        seats=rows,
        takings=Takings(meters.turnover, meters.won, meters.rounds) if door in _SEE_TAKINGS else None,
    )


def _seats(house: House, table: Table) -> Iterable[SeatRow]:
    for terminal in map(house.terminals.__getitem__, table.terminals):
        game = terminal.games[table.id]
        yield SeatRow(
            terminal=terminal.id,
            credit=terminal.credit,
            staked=game.staked,
            dark=terminal.lost_at is not None,
            closed=terminal.closed,
            case=terminal.case,
            held=terminal.held,
            idle=game.idle_spins,
        )


def _incidents(house: House) -> tuple[IncidentRow, ...]:
    """List what nobody has seen to yet."""
    return tuple(
        IncidentRow(
            incident=each.number,
            kind=each.kind.value,
            subject=each.subject,
            clause=each.clause,
            words=each.words,
            at_us=each.at,
        )
        for each in house.incidents.values()
        if each.cleared_by is None
    )


def _proposals(house: House) -> tuple[ProposalRow, ...]:
    """List the first signatures that still count."""
    return tuple(
        ProposalRow(
            proposal=each.number,
            command=each.command,
            person=each.person,
            device=each.device,
            expires_at_us=each.expires_at,
        )
        for each in house.proposals.values()
        if each.expires_at > house.now
    )


def _drawers(house: House) -> tuple[DrawerRow, ...]:
    return tuple(
        DrawerRow(drawer=each.id, person=each.cashier, counted=each.counted)
        for each in house.drawers.values()
        if not each.closed
    )
