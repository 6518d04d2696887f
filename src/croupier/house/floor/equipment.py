"""The wheel head and the ball of a table: pairing, inspection and maintenance."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Events,
    EventTopic,
    TableCommand,
    TableEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.ids import Context, Day
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Phase, Table
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import BallRule, Duty
from croupier.rules.refusal import ClauseId, Code, Refusal, Refused, refuse
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


class BallMaterial(StrEnum):
    """What a ball is made of."""

    ACRYLIC = "acrylic"
    CERAMIC = "ceramic"
    IVORY = "ivory"
    NYLON = "nylon"
    PTFE = "ptfe"
    STEEL = "steel"
    OTHER_METAL = "other_metal"

    @property
    def metallic(self) -> bool:
        return self in (BallMaterial.STEEL, BallMaterial.OTHER_METAL)


@command(Duty.MAINTAIN, Duty.MANAGE, when={Phase.BETWEEN})
class PairWheelHead(TableCommand, frozen=True):
    """Pair a wheel head with a table, with its pockets in their order round the wheel."""

    #: The number on its plate.
    head: str
    order: tuple[Pocket, ...]


@event("Wheel head {head} was paired with table {table}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class WheelHeadPaired(TableEvent, frozen=True):
    """A wheel head was paired with a table; its pockets are those of the rules, in their order."""

    head: str
    clause: ClauseId


@decides(PairWheelHead)
def pair_wheel_head(house: House, command: PairWheelHead, _context: Context) -> Events:
    table = house.tables[command.table]
    clause, head = _wheel_clause(table.rulebook), command.head.strip()
    if table.settings.wheel is WheelKind.RANDOM:
        raise Refused(Code.SETTING_IMPOSSIBLE, clause, f"Table {table.id} has a random wheel: it has no wheel head.")
    if not head:
        raise Refused(Code.REASON_NOT_LISTED, clause, "A wheel head has the number on its plate.")
    problem = _mismatch(table.rulebook, command)
    if problem:
        raise Refused(Code.WHEEL_HEAD_DIFFERS, clause, problem, pockets=len(command.order))
    other = next((each.id for each in house.tables.values() if each.equipment.head == head), None)
    if other == table.id:
        raise Refused(Code.ALREADY_THERE, clause, f"Wheel head {head} is paired with table {other} already.")
    if other is not None:
        raise Refused(Code.WHEEL_HEAD_IN_USE, clause, f"Wheel head {head} is paired with table {other}.", table=other)
    return (WheelHeadPaired(table.id, head, clause),)


def _wheel_clause(rulebook: Rulebook) -> ClauseId:
    return rulebook.wheel_clause if rulebook.equipment is None else rulebook.equipment.wheel


def _mismatch(rulebook: Rulebook, command: PairWheelHead) -> str:
    """Say how a wheel head differs from the wheel of the rules; empty if it is the same from any pocket on."""
    wheel, order = rulebook.wheel.order, command.order
    if len(order) != len(wheel):
        return f"The wheel of these rules has {len(wheel)} pockets, and this head {len(order)}."
    if set(order) != set(wheel):
        strangers = ", ".join(sorted(set(wheel) ^ set(order)))
        return f"This head has other pockets than the wheel of these rules: {strangers}."
    start = order.index(wheel[0])
    turned = order[start:] + order[:start]
    place = next((at for at, pocket in enumerate(wheel) if turned[at] != pocket), None)
    return "" if place is None else f"After {wheel[place - 1]} comes {wheel[place]}, and on this head {turned[place]}."


@evolves(WheelHeadPaired)
def wheel_head_paired(house: House, event: WheelHeadPaired, _context: Context) -> None:
    equipment = house.tables[event.table].equipment
    equipment.head, equipment.head_inspected, equipment.maintained_at = event.head, None, None


@command(Duty.INSPECT, Duty.MAINTAIN, when={Phase.BETWEEN, Phase.NO_SPIN})
class AssignBall(TableCommand, frozen=True):
    """Assign a ball to a table, which replaces the one before."""

    ball: str
    material: BallMaterial
    #: In micrometres.
    diameter: int


@event("Ball {ball} was assigned to table {table}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class BallAssigned(TableEvent, frozen=True):
    """A ball was assigned to a table."""

    ball: str
    material: BallMaterial
    #: In micrometres.
    diameter: int
    clause: ClauseId


@decides(AssignBall)
def assign_ball(house: House, command: AssignBall, _context: Context) -> Events:
    table = house.tables[command.table]
    rule = _ball_rule(table.rulebook)
    clause = _wheel_clause(table.rulebook) if rule is None else rule.clause
    if not command.ball.strip() or command.diameter <= 0:
        raise Refused(Code.MALFORMED, None, "A ball has a number of its own, and a diameter.")
    if rule is not None and command.material.metallic:
        message = "A ball is wholly non-metallic."
        raise Refused(Code.BALL_NOT_ALLOWED, clause, message, material=command.material.value)
    if rule is not None and not rule.least <= command.diameter <= rule.most:
        message = f"A ball measures {_mm(rule.least)} to {_mm(rule.most)} mm, and this one {_mm(command.diameter)} mm."
        facts = {"diameter": command.diameter, "least": rule.least, "most": rule.most}
        raise Refused(Code.BALL_NOT_ALLOWED, clause, message, **facts)
    return (BallAssigned(table.id, command.ball.strip(), command.material, command.diameter, clause),)


def _ball_rule(rulebook: Rulebook) -> BallRule | None:
    return None if rulebook.equipment is None else rulebook.equipment.ball


#: Micrometres in a tenth of a millimetre, in which diameters are shown.
TENTH: int = 100


def _mm(micrometres: int) -> str:
    whole, rest = divmod(micrometres, 1_000)
    return f"{whole}.{rest // TENTH}" if rest % TENTH == 0 else f"{whole}.{rest:03}"


@evolves(BallAssigned)
def ball_assigned(house: House, event: BallAssigned, _context: Context) -> None:
    equipment = house.tables[event.table].equipment
    equipment.ball, equipment.ball_inspected = event.ball, None


@command(Duty.INSPECT)
class InspectEquipment(TableCommand, frozen=True):
    """Record that the wheel head and the ball of a table were inspected and are in order today."""

    words: str = ""


@event("The wheel head and the ball of table {table} were inspected. {words}", EventTopic.STAFF)
class EquipmentInspected(TableEvent, frozen=True):
    """The wheel head and the ball of a table were inspected, and were in order."""

    day: Day
    words: str


@decides(InspectEquipment)
def inspect_equipment(house: House, command: InspectEquipment, _context: Context) -> Events:
    table = house.tables[command.table]
    clause = _wheel_clause(table.rulebook)
    if not table.equipment.head:
        raise Refused(Code.UNKNOWN_RECORD, clause, f"No wheel head is paired with table {table.id}.")
    rule = _ball_rule(table.rulebook)
    if rule is not None and not table.equipment.ball:
        raise Refused(Code.UNKNOWN_RECORD, rule.clause, f"No ball is assigned to table {table.id}.")
    return (EquipmentInspected(table.id, house.day, command.words),)


@evolves(EquipmentInspected)
def equipment_inspected(house: House, event: EquipmentInspected, _context: Context) -> None:
    equipment = house.tables[event.table].equipment
    equipment.head_inspected = equipment.ball_inspected = event.day


@command(Duty.MAINTAIN, when={Phase.BETWEEN})
class RecordMaintenance(TableCommand, frozen=True):
    """Record work on the wheel head of a table: it is inspected again afterwards."""

    words: str


@event("Maintenance of wheel head {head}: {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class MaintenanceRecorded(TableEvent, frozen=True):
    """Work on a wheel head was recorded; it awaits its next inspection."""

    head: str
    words: str


@decides(RecordMaintenance)
def record_maintenance(house: House, command: RecordMaintenance, _context: Context) -> Events:
    table = house.tables[command.table]
    clause = _wheel_clause(table.rulebook)
    if not table.equipment.head:
        raise Refused(Code.UNKNOWN_RECORD, clause, f"No wheel head is paired with table {table.id}.")
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say what was done.")
    return (MaintenanceRecorded(table.id, table.equipment.head, command.words),)


@evolves(MaintenanceRecorded)
def maintenance_recorded(house: House, event: MaintenanceRecorded, context: Context) -> None:
    equipment = house.tables[event.table].equipment
    equipment.head_inspected, equipment.maintained_at = None, context.now


def opening_objections(house: House, table: Table) -> Iterator[Refusal]:
    """Refuse to open a round on equipment that was not inspected today, where the table requires it."""
    if not table.settings.inspects_equipment or table.settings.wheel is WheelKind.RANDOM:
        return
    equipment, rule = table.equipment, _ball_rule(table.rulebook)
    if equipment.head_inspected != house.day:
        message = "The wheel head was not inspected today." if equipment.head else "No wheel head is paired."
        yield refuse(Code.EQUIPMENT_NOT_INSPECTED, _wheel_clause(table.rulebook), message, head=equipment.head)
    if rule is not None and equipment.ball_inspected != house.day:
        message = "The ball was not inspected today." if equipment.ball else "No ball is assigned."
        yield refuse(Code.EQUIPMENT_NOT_INSPECTED, rule.clause, message, ball=equipment.ball)
