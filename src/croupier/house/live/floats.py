"""Floats, drop boxes, gaps in the record, and value chips at the cashier's desk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from croupier.house.credit.drawers import Drawer, find_open, require_cash, require_cashier, require_currency
from croupier.house.declare import (
    Command,
    Event,
    Events,
    EventTopic,
    MachineRole,
    TableCommand,
    TableEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.settings import live_clause
from croupier.house.ids import Context, DrawerId
from croupier.house.live.carried_chips import free_chips
from croupier.house.live.seats_and_colours import (
    find_float,
    live_at,
    live_of,
    live_settings,
    move_colour,
    move_float,
    open_float_of,
    records_bets,
    require_in_float,
    require_no_chips_out,
)
from croupier.house.play.chip_bets import take_up
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipPieces, Colour, Float, Gap
from croupier.house.state.tables import Phase, Table
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import read_pocket
from croupier.rules.procedure import Duty
from croupier.rules.refusal import CitedTopic, Code, Refused
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


@dataclass(slots=True)
class Chips:
    """The value chips outside the chip bank, and the value of colour chips that were not brought back."""

    value: int = 0
    unclaimed: int = 0


#: How many chips of each denomination.
ChipCount = tuple[tuple[Cents, int], ...]


@command(MachineRole.SYSTEM, Duty.DEAL, Duty.INSPECT, Duty.CASH, signatures=2)
class OpenFloat(TableCommand, frozen=True):
    """Open the float of a live table, by a numbered slip."""

    chips: ChipCount
    slip: str


@event("The float was opened with {amount}, slip {slip}.", EventTopic.MONEY)
class FloatOpened(TableEvent, frozen=True):
    """The float of a table was opened."""

    chips: ChipCount
    amount: Cents
    slip: str


@decides(OpenFloat)
def open_float(house: House, command: OpenFloat, _context: Context) -> Events:
    table, amount = _movement(house, command)
    if live_at(table).float_ is not None:
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        raise Refused(Code.ALREADY_THERE, clause, f"The float of table {table.id} is open already.")
    return (FloatOpened(table.id, command.chips, amount, command.slip),)


def _movement(house: House, command: OpenFloat | FillFloat | CreditFloat) -> tuple[Table, Cents]:
    """Read a movement between the chip bank and a float, or refuse it."""
    table = house.tables[command.table]
    live_at(table)
    amount = _chips_value(table, command.chips)
    if amount == 0 or not command.slip.strip():
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        raise Refused(Code.REASON_NOT_LISTED, clause, "A movement of the float has chips, and the number of its slip.")
    return table, amount


def _chips_value(table: Table, chips: ChipCount) -> Cents:
    """Add up value chips, or refuse chips that the table's float does not have."""
    settings = live_settings(table)
    known = (*settings.denominations, *settings.circulating)
    unknown = next((value for value, _ in chips if value not in known), None)
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    if unknown is not None:
        listed = ", ".join(map(amount_text, known))
        message = f"The float has no chips of {amount_text(unknown)}: it has {listed}."
        raise Refused(Code.SETTING_IMPOSSIBLE, clause, message, value=unknown)
    if any(pieces < 0 for _, pieces in chips):
        raise Refused(Code.MALFORMED, None, "A number of chips is nothing or more.")
    return Cents(sum(value * pieces for value, pieces in chips))


@evolves(FloatOpened)
def float_opened(house: House, event: FloatOpened, _context: Context) -> None:
    live_of(house, event.table).float_ = Float(opened=event.amount, booked=event.amount)
    _from_bank(house, event.amount)


def _from_bank(house: House, amount: int) -> None:
    """Move value chips from the chip bank to a float; a negative amount goes back."""
    house.ledger.post(amount, source=LedgerAccount.FLOATS, target=LedgerAccount.VALUE_CHIPS)
    house.chips.value += amount


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, signatures=2)
class FillFloat(TableCommand, frozen=True):
    """Add chips from the chip bank to a float, by a numbered slip."""

    chips: ChipCount
    slip: str


@event("The float was filled with {amount}, slip {slip}.", EventTopic.MONEY)
class FloatFilled(TableEvent, frozen=True):
    """Chips were added to a float."""

    chips: ChipCount
    amount: Cents
    slip: str


@decides(FillFloat)
def fill_float(house: House, command: FillFloat, _context: Context) -> Events:
    table, amount = _movement(house, command)
    find_float(table)
    return (FloatFilled(table.id, command.chips, amount, command.slip),)


@evolves(FloatFilled)
def float_filled(house: House, event: FloatFilled, _context: Context) -> None:
    live = live_of(house, event.table)
    move_float(live, event.amount)
    open_float_of(live).fills += event.amount
    _from_bank(house, event.amount)


@command(Duty.DEAL, Duty.INSPECT, Duty.CASH, signatures=2)
class CreditFloat(TableCommand, frozen=True):
    """Return chips from a float to the chip bank, by a numbered slip."""

    chips: ChipCount
    slip: str


@event("{amount} of the float went back to the chip bank, slip {slip}.", EventTopic.MONEY)
class FloatCredited(TableEvent, frozen=True):
    """Chips of a float were returned to the chip bank."""

    chips: ChipCount
    amount: Cents
    slip: str


@decides(CreditFloat)
def credit_float(house: House, command: CreditFloat, _context: Context) -> Events:
    table, amount = _movement(house, command)
    require_in_float(table, amount)
    return (FloatCredited(table.id, command.chips, amount, command.slip),)


@evolves(FloatCredited)
def float_credited(house: House, event: FloatCredited, _context: Context) -> None:
    live = live_of(house, event.table)
    move_float(live, -event.amount)
    open_float_of(live).credits += event.amount
    _from_bank(house, -event.amount)


# Gaps in the record.


@command(Duty.INSPECT, when=(Phase.BETWEEN, Phase.OPEN, Phase.OPEN_RUNNING, Phase.LAST_CALL))
class DeclareGap(TableCommand, frozen=True):
    """Declare that play with chips went on without a record: what lies on the layout by the record no longer counts."""

    words: str


@event("Play with chips is not on record from here on: {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class GapDeclared(TableEvent, frozen=True):
    """Play with chips went on without a record; chips on the layout by the record are with their players again."""

    words: str


@decides(DeclareGap)
def declare_gap(house: House, command: DeclareGap, _context: Context) -> Events:
    table = house.tables[command.table]
    find_float(table)
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    if not records_bets(table.settings):
        raise Refused(Code.OUT_OF_TURN, clause, "This table does not record every bet: a count of its float is enough.")
    if live_at(table).gap is not None:
        raise Refused(Code.ALREADY_THERE, clause, "A gap in the record is declared already.")
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say what was played without a record.")
    return (GapDeclared(table.id, command.words.strip()),)


@evolves(GapDeclared)
def gap_declared(house: House, event: GapDeclared, context: Context) -> None:
    live = live_of(house, event.table)
    live.gap = Gap(context.now, event.words)
    for position, player in live.players.items():
        if player.pieces:
            take_up(house, event.table, position, tuple(player.pieces), context.now)
            house.positions[position].stayed = {}
        free_chips(house, house.tables[event.table], position)


@command(Duty.INSPECT, signatures=2)
class CloseGap(TableCommand, frozen=True):
    """Close a gap in the record by a count: the rack of each player's colour, and the value chips in the tray.

    The difference from the record is what the unrecorded play has won. Chips on the layout are then entered as bets.
    """

    racks: ChipPieces
    chips: ChipCount
    #: The numbers of the unrecorded spins, as far as they are known.
    numbers: tuple[Pocket, ...]
    words: str


@event("A count closed the gap in the record. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class GapClosed(TableEvent, frozen=True):
    """Rack and tray were counted after unrecorded play; with the numbers that are known, and what the house has won."""

    racks: ChipPieces
    counted: Cents
    numbers: tuple[Pocket, ...]
    won: int
    words: str


@decides(CloseGap)
def close_gap(house: House, command: CloseGap, _context: Context) -> Events:
    table = house.tables[command.table]
    float_, live = find_float(table), live_at(table)
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    if live.gap is None:
        raise Refused(Code.NOTHING_THERE, clause, "No gap in the record is declared.")
    counted = _chips_value(table, command.chips)
    out = {name: colour for name, colour in live.colours.items() if colour.position is not None}
    racks = dict(command.racks)
    wrong = racks.keys() ^ out.keys() or {name for name in out if not 0 <= racks[name] <= out[name].pieces_in_set}
    if wrong or len(racks) < len(command.racks):
        message = f"Count the rack of each colour that a player has, once: {', '.join(out) or 'none'}."
        raise Refused(Code.RECORD_DIFFERS, clause, message, colours=tuple(out))
    for number in command.numbers:
        read_pocket(table.rulebook, number)
    won = counted - float_.booked - sum(_missing(out[name], rack) for name, rack in racks.items())
    return (GapClosed(table.id, command.racks, counted, command.numbers, won, command.words.strip()),)


def _missing(colour: Colour, rack: int) -> int:
    """Return the value of the chips that a player has beyond the record; negative for fewer."""
    assert colour.out is not None
    return (colour.pieces_in_set - rack - colour.out) * colour.value


@evolves(GapClosed)
def gap_closed(house: House, event: GapClosed, _context: Context) -> None:
    """Set what was counted, and post the difference: it is the game's."""
    live = live_of(house, event.table)
    for name, rack in event.racks:
        colour = live.colours[name]
        more = _missing(colour, rack)
        move_colour(colour, colour.pieces_in_set - rack - (colour.out or 0), more)
        house.ledger.post(more, source=LedgerAccount.HOUSE, target=LedgerAccount.COLOUR_CHIPS)
    grown = event.counted - open_float_of(live).booked
    move_float(live, grown)
    house.ledger.post(grown, source=LedgerAccount.FLOATS, target=LedgerAccount.HOUSE)
    live.counted_win += event.won
    live.gap = None


@command(Duty.INSPECT, when=(Phase.BETWEEN,))
class CountFloat(TableCommand, frozen=True):
    """Count a float blind: the expected amount is not shown."""

    chips: ChipCount


@event("The float was counted.", EventTopic.MONEY)
class FloatCounted(TableEvent, frozen=True):
    """A float was counted; the expected amount is unknown where not every payment is recorded."""

    counted: Cents
    expected: int | None


@decides(CountFloat)
def count_float(house: House, command: CountFloat, _context: Context) -> Events:
    table = house.tables[command.table]
    float_, counted = find_float(table), _chips_value(table, command.chips)
    expected = float_.booked if records_bets(table.settings) else None
    return (FloatCounted(table.id, counted, expected),)


@evolves(FloatCounted)
def float_counted(house: House, event: FloatCounted, _context: Context) -> None:
    open_float_of(live_of(house, event.table)).counted = event.counted


@command(Duty.INSPECT, when=(Phase.BETWEEN,), signatures=2)
class CloseFloat(TableCommand, frozen=True):
    """Return a counted float to the chip bank."""


@event("The float was closed.", EventTopic.MONEY)
class FloatClosed(TableEvent, frozen=True):
    """A counted float was returned to the chip bank; with the amount that the books had."""

    counted: Cents
    booked: int


@decides(CloseFloat)
def close_float(house: House, command: CloseFloat, _context: Context) -> Events:
    """Close a float that was counted and has not moved since, once no colour is with a player."""
    table = house.tables[command.table]
    float_ = find_float(table)
    require_no_chips_out(table)
    if float_.counted is None:
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        raise Refused(Code.OUT_OF_TURN, clause, f"The float of table {table.id} is counted first.")
    return (FloatClosed(table.id, Cents(float_.counted), float_.booked),)


@evolves(FloatClosed)
def float_closed(house: House, event: FloatClosed, _context: Context) -> None:
    """Return the counted chips to the bank, and post the difference: it is the game's if not every bet is recorded."""
    table, live = house.tables[event.table], live_of(house, event.table)
    _from_bank(house, -event.counted)
    missing = event.booked - event.counted
    if records_bets(table.settings):
        source = LedgerAccount.DIFFERENCES
    else:
        source = LedgerAccount.HOUSE
        live.counted_win -= missing
    house.ledger.post(missing, source=source, target=LedgerAccount.FLOATS)
    live.float_ = None


# The cashier signs first, and a person with the duty to inspect second.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class CollectDrop(TableCommand, frozen=True):
    """Empty the drop box of a table, and count the cash in it."""

    counted: Cents


@event("The drop box was emptied.", EventTopic.MONEY)
class DropCollected(TableEvent, frozen=True):
    """The cash of a drop box was counted and taken to the vault."""

    counted: Cents
    expected: int


@decides(CollectDrop)
def collect_drop(house: House, command: CollectDrop, _context: Context) -> Events:
    table = house.tables[command.table]
    live = live_at(table)
    if command.counted < 0:
        raise Refused(Code.MALFORMED, None, "A count is nothing or more.", amount=command.counted)
    return (DropCollected(table.id, command.counted, live.drop),)


@evolves(DropCollected)
def drop_collected(house: House, event: DropCollected, _context: Context) -> None:
    live = live_of(house, event.table)
    missing = event.expected - event.counted
    house.ledger.post(event.counted, source=LedgerAccount.VAULT, target=LedgerAccount.DROP)
    house.ledger.post(missing, source=LedgerAccount.DIFFERENCES, target=LedgerAccount.DROP)
    live.drop -= event.expected


# No count of a drawer shows its chips: one person alone could say of any cash that it was paid for some.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class CashChips(Command, frozen=True):
    """Pay cash from a drawer for value chips. The cashier of the drawer is one of those who sign."""

    drawer: DrawerId
    amount: Cents
    #: The emblem of chips without a value, if such are presented: only their table redeems them.
    emblem: str = ""

    def require_signers(self, house: House, *signed: Context) -> None:
        require_cashier(house, self.drawer, *signed)


@event("Value chips for {amount} were cashed at drawer {drawer}.", EventTopic.MONEY)
class ChipsCashed(Event, frozen=True):
    """Value chips were paid in cash from a drawer."""

    drawer: DrawerId
    amount: Cents


@decides(CashChips)
def cash_chips(house: House, command: CashChips, _context: Context) -> Events:
    rulebook = _chip_rulebook(house)
    if command.emblem:
        clause = live_clause(rulebook, CitedTopic.REDEMPTION)
        message = "Chips without a value are redeemed at the table that issued them."
        raise Refused(Code.CHIPS_OF_ANOTHER_TABLE, clause, message, emblem=command.emblem)
    require_cash(house, _find_drawer(house, command, rulebook), command.amount)
    return (ChipsCashed(command.drawer, command.amount),)


def _chip_rulebook(house: House) -> Rulebook:
    """Find the rulebook of the first live table: value chips belong to no table."""
    for table in house.tables.values():
        if table.live is not None:
            return table.rulebook
    raise Refused(Code.CHIPS_NOT_TAKEN, None, "No table of this house takes chips.")


def _find_drawer(house: House, command: CashChips | SellChips, rulebook: Rulebook) -> Drawer:
    """Find the open drawer of an exchange of chips and cash."""
    if command.amount <= 0:
        raise Refused(Code.MALFORMED, None, "Chips are exchanged for an amount.", amount=command.amount)
    drawer = find_open(house, command.drawer)
    require_currency(drawer, rulebook)
    return drawer


@evolves(ChipsCashed)
def chips_cashed(house: House, event: ChipsCashed, _context: Context) -> None:
    _trade_chips(house, event.drawer, -event.amount)


def _trade_chips(house: House, name: DrawerId, amount: int) -> None:
    """Take cash into a drawer for value chips of the chip bank; a negative amount is paid out."""
    drawer, rulebook = house.drawers[name], _chip_rulebook(house)
    drawer.currency = rulebook.currency
    drawer.cash += amount
    drawer.taken_in += max(0, amount)
    drawer.paid_out += max(0, -amount)
    drawer.counted = drawer.expected = None
    house.chips.value += amount
    house.ledger.post(amount, source=LedgerAccount.DRAWERS, target=LedgerAccount.VALUE_CHIPS)


@command(Duty.CASH)
class SellChips(Command, frozen=True):
    """Sell value chips for cash, which goes into a drawer."""

    drawer: DrawerId
    amount: Cents


@event("Value chips for {amount} were sold at drawer {drawer}.", EventTopic.MONEY)
class ChipsSold(Event, frozen=True):
    """Value chips were sold for cash."""

    drawer: DrawerId
    amount: Cents


@decides(SellChips)
def sell_chips(house: House, command: SellChips, context: Context) -> Events:
    rulebook = _chip_rulebook(house)
    require_cashier(house, command.drawer, context)
    _find_drawer(house, command, rulebook)
    return (ChipsSold(command.drawer, command.amount),)


@evolves(ChipsSold)
def chips_sold(house: House, event: ChipsSold, _context: Context) -> None:
    _trade_chips(house, event.drawer, event.amount)
