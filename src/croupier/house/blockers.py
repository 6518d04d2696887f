"""Blockers: the reasons why a table cannot play, each with its clause and the setting or action that removes it."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from croupier.house.base import RoundStatus
from croupier.house.closing import next_opening
from croupier.house.ids import SECOND, Instant, TableId, TerminalId
from croupier.house.round import opening_objections
from croupier.house.settings import Mode, WheelKind
from croupier.house.state import House
from croupier.house.state.tables import Table
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.refusal import ClauseId, Code, Refusal

#: A pause between two games that is shorter than this is not a blocker.
LONG_PAUSE: Final = 60 * SECOND
#: The configuration cannot change the wheel of an existing table.
_OTHER_WHEEL: Final = (
    f'add a table with wheel = "{WheelKind.KEYPAD}" or "{WheelKind.RANDOM}" to the configuration and run'
    " `croupier reload`: no file changes the wheel of a table that is in the house."
)


class Blocker(msgspec.Struct, frozen=True, gc=False):
    """One reason why a table cannot play."""

    table: TableId
    #: A refusal's code, or a code of its own if no command is refused.
    reason: str
    clause: ClauseId | None
    message: str
    #: The setting or the action that removes it.
    remedy: str
    #: What message and remedy name, by which a page words them in its language.
    facts: Mapping[str, object] = {}

    @property
    def line(self) -> str:
        """Format it as one line."""
        cited = "" if self.clause is None else f" ({self.clause})"
        return f"Table {self.table} cannot play: {self.message}{cited} {self.remedy}"


class PeripheralFault(NamedTuple):
    """A device of a terminal that does not work."""

    terminal: TerminalId
    #: What it is: "acceptor", "printer" or "slot system link".
    device: str
    words: str


class Facts(NamedTuple):
    """Facts known to the engine and the devices that are not in the house state."""

    disk_low: bool = False
    #: Tables whose wheel has sensors but no attached driver.
    no_sensor: frozenset[TableId] = frozenset()
    #: The fault of a table's random source.
    unhealthy: Mapping[TableId, str] = MappingProxyType({})
    #: Why the driver of a table's wheel reports nothing.
    wheel_faults: Mapping[TableId, str] = MappingProxyType({})
    #: The acceptors, printers and links to slot systems that do not work.
    peripherals: tuple[PeripheralFault, ...] = ()
    #: Whether the expected cash of a drawer is hidden from the desk.
    blind_counts: bool = True


NO_FACTS: Final = Facts()


def blockers(house: House, facts: Facts = NO_FACTS) -> list[Blocker]:
    """List the blockers of all tables now."""
    return [each for table in house.tables.values() for each in table_blockers(house, table, facts)]


def table_blockers(house: House, table: Table, facts: Facts = NO_FACTS) -> Iterator[Blocker]:
    """List the blockers of one table now."""
    yield from _refused(house, table)
    yield from _stopped(table)
    yield from _unstaffed(house, table)
    yield from _wheel(table, facts)
    if facts.disk_low:
        remedy = "Free space on the disk of the data directory; betting goes on by itself."
        yield Blocker(table.id, Code.DISK_LOW, None, "The disk is nearly full, so no new bets are taken.", remedy)


def _refused(house: House, table: Table) -> Iterator[Blocker]:
    """List the reasons why no round may open."""
    for refusal in opening_objections(house, table, house.now):
        if not _passes(house, table, refusal.code):
            remedy = _remedy(house, table, refusal)
            named = {"version": house.build, "table": table.id, **refusal.facts}
            yield Blocker(table.id, refusal.code, refusal.clause, refusal.message, remedy, named)


def _passes(house: House, table: Table, code: Code) -> bool:
    """Check whether a refusal ends by itself within moments."""
    match code:
        case Code.TOO_SOON:
            running = table.round is not None and not table.round.over
            return running or next_opening(table) - house.now <= LONG_PAUSE
        case Code.NOT_IN_FORCE:
            # The first gaming day begins with the first tick after the start.
            return not house.day
        case Code.NOT_ALL_PAID:
            # The dealer is paying: a step of every round.
            return True
        case _:
            return False


def _remedy(house: House, table: Table, refusal: Refusal) -> str:
    match refusal.code:
        case Code.SOFTWARE_NOT_APPROVED:
            version = house.build or "the version that runs"
            return (
                f'Have it approved. Then enter version = "{version}" and its reference under [[approvals]] in the'
                " configuration and run `croupier reload`, or have managers enter it at the pit console."
            )
        case Code.TOO_SOON:
            return f"Wait, or raise games_per_hour_max of table {table.id} at the pit console."
        case code if code in _REMEDIES:
            return _REMEDIES[code]
        case _:
            return f"Clear incident {refusal.facts['incident']} at the pit console."


_LIVE: Final = "At the console of the live table: "
_REMEDIES: Final = {
    Code.NOT_IN_FORCE: "Wait for that gaming day, or set the host's clock right if it is wrong.",
    Code.TABLE_CLOSED: "Reopen the table at the pit console.",
    Code.EQUIPMENT_NOT_INSPECTED: (
        "At the pit console: pair the wheel head, assign the ball, and record that both were inspected."
    ),
    Code.NOTICE_NOT_SHOWN: f"{_LIVE}an inspector checks the notice.",
    Code.FLOAT_NOT_OPEN: f"{_LIVE}two people open the float.",
    Code.CHIPS_OUTSTANDING: f"{_LIVE}the chips on the layout are withdrawn.",
    Code.GAP_OPEN: f"{_LIVE}two people count rack and tray, and close the gap.",
}


def _stopped(table: Table) -> Iterator[Blocker]:
    """Report a round that awaits a decision."""
    round_ = table.round
    if round_ is None or round_.over:
        return
    if round_.status is RoundStatus.SUSPENDED:
        message = f"Round {round_.number} is suspended until somebody decides it."
        remedy, named = "Decide the round at the pit console.", {"round": round_.number}
        yield Blocker(table.id, Code.ROUND_SUSPENDED, round_.clause, message, remedy, named)
    elif round_.interrupted:
        message = f"Round {round_.number} was interrupted."
        remedy = "At the pit console two people attest where the ball lay, or the spin is called off."
        yield Blocker(table.id, "round_interrupted", round_.clause, message, remedy, {"round": round_.number})


def _unstaffed(house: House, table: Table) -> Iterator[Blocker]:
    """Report a table without terminals for players, or without staff to open its rounds."""
    # If the rules have chips and no terminals, terminals are for demonstrations only.
    by_terminal = house.mode is Mode.DEMO or ChannelName.TERMINAL in table.rulebook.channels
    if by_terminal and not table.terminals and table.live is None:
        remedy = f"Set seats of table {table.id} in the configuration and run `croupier reload`, or add a terminal."
        yield Blocker(table.id, "no_terminals", None, "It has no terminals.", remedy, {"table": table.id})
    titles = table.rulebook.staff.titles_for(Duty.DEAL)
    if table.settings.pause_s is None and not _is_title_held(house, titles, house.now):
        message = "A dealer opens its rounds, and nobody holds a dealer's title."
        remedy = f"Name one ({titles[0]}) under [[staff]] and run `croupier reload`, or set pause_s at the pit console."
        yield Blocker(table.id, "no_dealer", table.rulebook.staff.clause, message, remedy, {"title": titles[0]})


def _is_title_held(house: House, titles: tuple[str, ...], now: Instant) -> bool:
    return any(not set(titles).isdisjoint(person.titles_at(now)) for person in house.people.values())


def _wheel(table: Table, facts: Facts) -> Iterator[Blocker]:
    """Report a table that cannot get a number. If the rules count revolutions, a dealer may enter the number."""
    clause = table.rulebook.wheel_clause
    if table.id in facts.no_sensor and table.rulebook.procedure.revolutions is None:
        message = "No sensor is attached to its wheel, so no number can come and every round is void."
        remedy = f"Name a driver in the configuration and run `croupier reload`, or {_OTHER_WHEEL}"
        yield Blocker(table.id, "no_sensor", clause, message, remedy)
    if fault := facts.wheel_faults.get(table.id):
        remedy = "Check the power and the cable of the wheel; its reports count again by themselves."
        message = f"Its wheel gives no reports: {fault}."
        yield Blocker(table.id, "wheel_fault", clause, message, remedy, {"fault": fault})
    if ailment := facts.unhealthy.get(table.id):
        message = f"The random source has failed its test: {ailment}."
        remedy = f"Restart the house, which tests the source again. Where it fails again, {_OTHER_WHEEL}"
        yield Blocker(table.id, "random_source_failed", clause, message, remedy, {"fault": ailment})
