"""Floats, drop boxes, gaps in the record, and value chips at the cashier's desk."""

from croupier.house.base import Decision
from croupier.house.cashier import drawer_closed_objection, drawer_short, other_cashiers_drawer, other_currency
from croupier.house.chip_bets import take_up
from croupier.house.commands.live import (
    CashChips,
    ChipCount,
    CloseFloat,
    CloseGap,
    CollectDrop,
    CountFloat,
    CreditFloat,
    DeclareGap,
    FillFloat,
    OpenFloat,
    SellChips,
)
from croupier.house.events.live import (
    ChipsCashed,
    ChipsSold,
    DropCollected,
    FloatClosed,
    FloatCounted,
    FloatCredited,
    FloatFilled,
    FloatOpened,
    GapClosed,
    GapDeclared,
)
from croupier.house.ids import Context, DrawerId
from croupier.house.livetable import (
    live_at,
    live_of,
    move_colour,
    move_float,
    open_float,
    outstanding,
    records_bets,
    short_float,
)
from croupier.house.setup import live_clause
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import Colour, Float, Gap
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import Table
from croupier.rules.money import Cents, amount_text
from croupier.rules.notation import read_pocket
from croupier.rules.refusal import CitedTopic, Code, Refusal, refuse
from croupier.rules.rulebook import Rulebook


def chips_value(table: Table, chips: ChipCount) -> Cents | Refusal:
    """Add up value chips, or refuse chips that the table's float does not have."""
    assert table.settings.live is not None
    known = (*table.settings.live.denominations, *table.settings.live.circulating)
    unknown = next((value for value, _ in chips if value not in known), None)
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    if unknown is not None:
        listed = ", ".join(map(amount_text, known))
        message = f"The float has no chips of {amount_text(unknown)}: it has {listed}."
        return refuse(Code.SETTING_IMPOSSIBLE, clause, message, value=unknown)
    if any(pieces < 0 for _, pieces in chips):
        return refuse(Code.MALFORMED, None, "A number of chips is nothing or more.")
    return Cents(sum(value * pieces for value, pieces in chips))


def _movement(house: House, command: OpenFloat | FillFloat | CreditFloat) -> tuple[Table, Cents] | Refusal:
    """Read a movement between the chip bank and a float, or refuse it."""
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    amount = chips_value(table, command.chips)
    if isinstance(amount, Refusal):
        return amount
    if amount == 0 or not command.slip.strip():
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        return refuse(Code.REASON_NOT_LISTED, clause, "A movement of the float has chips, and the number of its slip.")
    return table, amount


def open_the_float(house: House, command: OpenFloat, _context: Context) -> Decision:
    found = _movement(house, command)
    if isinstance(found, Refusal):
        return found
    table, amount = found
    if table.live is not None and table.live.float_ is not None:
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        return refuse(Code.ALREADY_THERE, clause, f"The float of table {table.id} is open already.")
    return (FloatOpened(table.id, command.chips, amount, command.slip),)


def float_opened(house: House, event: FloatOpened, _context: Context) -> None:
    live_of(house, event.table).float_ = Float(opened=event.amount, booked=event.amount)
    _from_bank(house, event.amount)


def _from_bank(house: House, amount: int) -> None:
    """Move value chips from the chip bank to a float; a negative amount goes back."""
    house.ledger.post(amount, source=LedgerAccount.FLOATS, target=LedgerAccount.VALUE_CHIPS)
    house.value_chips += amount


def fill_float(house: House, command: FillFloat, _context: Context) -> Decision:
    found = _movement(house, command)
    if isinstance(found, Refusal):
        return found
    table, amount = found
    return _closed(table) or (FloatFilled(table.id, command.chips, amount, command.slip),)


def _closed(table: Table) -> Refusal | None:
    live = live_at(table)
    found = live if isinstance(live, Refusal) else open_float(table, live)
    return found if isinstance(found, Refusal) else None


def float_filled(house: House, event: FloatFilled, _context: Context) -> None:
    live = live_of(house, event.table)
    move_float(live, event.amount)
    assert live.float_ is not None
    live.float_.fills += event.amount
    _from_bank(house, event.amount)


def credit_float(house: House, command: CreditFloat, _context: Context) -> Decision:
    found = _movement(house, command)
    if isinstance(found, Refusal):
        return found
    table, amount = found
    credited = FloatCredited(table.id, command.chips, amount, command.slip)
    return _closed(table) or short_float(table, amount) or (credited,)


def float_credited(house: House, event: FloatCredited, _context: Context) -> None:
    live = live_of(house, event.table)
    move_float(live, -event.amount)
    assert live.float_ is not None
    live.float_.credits += event.amount
    _from_bank(house, -event.amount)


def count_float(house: House, command: CountFloat, _context: Context) -> Decision:
    table = house.tables[command.table]
    closed = _closed(table)
    if closed is not None:
        return closed
    counted = chips_value(table, command.chips)
    if isinstance(counted, Refusal):
        return counted
    assert table.live is not None
    assert table.live.float_ is not None
    expected = table.live.float_.booked if records_bets(table.settings) else None
    return (FloatCounted(table.id, counted, expected),)


def float_counted(house: House, event: FloatCounted, _context: Context) -> None:
    float_ = live_of(house, event.table).float_
    assert float_ is not None
    float_.counted = event.counted


def close_float(house: House, command: CloseFloat, _context: Context) -> Decision:
    """Close a float that was counted and has not moved since, once no colour is with a player."""
    table = house.tables[command.table]
    closed = _closed(table) or outstanding(table)
    if closed is not None:
        return closed
    assert table.live is not None
    float_ = table.live.float_
    assert float_ is not None
    if float_.counted is None:
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        return refuse(Code.OUT_OF_TURN, clause, f"The float of table {table.id} is counted first.")
    return (FloatClosed(table.id, Cents(float_.counted), float_.booked),)


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


# Gaps in the record


def declare_gap(house: House, command: DeclareGap, _context: Context) -> Decision:
    table = house.tables[command.table]
    closed = _closed(table)
    if closed is not None:
        return closed
    live, clause = live_of(house, table.id), live_clause(table.rulebook, CitedTopic.FLOAT)
    if not records_bets(table.settings):
        return refuse(Code.OUT_OF_TURN, clause, "This table does not record every bet: a count of its float is enough.")
    if live.gap is not None:
        return refuse(Code.ALREADY_THERE, clause, "A gap in the record is declared already.")
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say what was played without a record.")
    return (GapDeclared(table.id, command.words.strip()),)


def gap_declared(house: House, event: GapDeclared, context: Context) -> None:
    live = live_of(house, event.table)
    live.gap = Gap(context.now, event.words)
    for position, player in live.players.items():
        if player.pieces:
            take_up(house, event.table, position, tuple(player.pieces), context.now)
            house.positions[position].stayed = {}


def close_gap(house: House, command: CloseGap, _context: Context) -> Decision:
    table = house.tables[command.table]
    closed = _closed(table)
    if closed is not None:
        return closed
    live, clause = live_of(house, table.id), live_clause(table.rulebook, CitedTopic.FLOAT)
    if live.gap is None:
        return refuse(Code.NOTHING_THERE, clause, "No gap in the record is declared.")
    counted = chips_value(table, command.chips)
    if isinstance(counted, Refusal):
        return counted
    out = {name: colour for name, colour in live.colours.items() if colour.position is not None}
    racks = dict(command.racks)
    wrong = racks.keys() ^ out.keys() or {name for name in out if not 0 <= racks[name] <= out[name].pieces_in_set}
    if wrong or len(racks) < len(command.racks):
        message = f"Count the rack of each colour that a player has, once: {', '.join(out) or 'none'}."
        return refuse(Code.RECORD_DIFFERS, clause, message, colours=tuple(out))
    numbers = [read_pocket(table.rulebook, each) for each in command.numbers]
    unknown = next((each for each in numbers if isinstance(each, Refusal)), None)
    if unknown is not None:
        return unknown
    assert live.float_ is not None
    won = counted - live.float_.booked - sum(_missing(out[name], rack) for name, rack in racks.items())
    return (GapClosed(table.id, command.racks, counted, command.numbers, won, command.words.strip()),)


def _missing(colour: Colour, rack: int) -> int:
    """Return the value of the chips that a player has beyond the record; negative for fewer."""
    assert colour.out is not None
    return (colour.pieces_in_set - rack - colour.out) * colour.value


def gap_closed(house: House, event: GapClosed, _context: Context) -> None:
    """Set what was counted, and post the difference: it is the game's."""
    live = live_of(house, event.table)
    assert live.float_ is not None
    for name, rack in event.racks:
        colour = live.colours[name]
        more = _missing(colour, rack)
        move_colour(colour, colour.pieces_in_set - rack - (colour.out or 0), more)
        house.ledger.post(more, source=LedgerAccount.HOUSE, target=LedgerAccount.COLOUR_CHIPS)
    grown = event.counted - live.float_.booked
    move_float(live, grown)
    house.ledger.post(grown, source=LedgerAccount.FLOATS, target=LedgerAccount.HOUSE)
    live.counted_win += event.won
    live.gap = None


def collect_drop(house: House, command: CollectDrop, _context: Context) -> Decision:
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    if command.counted < 0:
        return refuse(Code.MALFORMED, None, "A count is nothing or more.", amount=command.counted)
    return (DropCollected(table.id, command.counted, live.drop),)


def drop_collected(house: House, event: DropCollected, _context: Context) -> None:
    live = live_of(house, event.table)
    missing = event.expected - event.counted
    house.ledger.post(event.counted, source=LedgerAccount.VAULT, target=LedgerAccount.DROP)
    house.ledger.post(missing, source=LedgerAccount.DIFFERENCES, target=LedgerAccount.DROP)
    live.drop -= event.expected


def cash_chips(house: House, command: CashChips, context: Context) -> Decision:
    rulebook = _chip_rulebook(house)
    if isinstance(rulebook, Refusal):
        return rulebook
    if command.emblem:
        clause = live_clause(rulebook, CitedTopic.REDEMPTION)
        message = "Chips without a value are redeemed at the table that issued them."
        return refuse(Code.CHIPS_OF_ANOTHER_TABLE, clause, message, emblem=command.emblem)
    refusal = _no_drawer(house, command, rulebook, context) or drawer_short(house, command.drawer, command.amount)
    return refusal or (ChipsCashed(command.drawer, command.amount),)


def _chip_rulebook(house: House) -> Rulebook | Refusal:
    """Find the rulebook of the first live table: value chips belong to no table."""
    for table in house.tables.values():
        if table.live is not None:
            return table.rulebook
    return refuse(Code.CHIPS_NOT_TAKEN, None, "No table of this house takes chips.")


def _no_drawer(house: House, command: CashChips | SellChips, rulebook: Rulebook, context: Context) -> Refusal | None:
    if command.amount <= 0:
        return refuse(Code.MALFORMED, None, "Chips are exchanged for an amount.", amount=command.amount)
    closed = drawer_closed_objection(house, command.drawer) or other_cashiers_drawer(house, command.drawer, context)
    return closed or other_currency(house.drawers[command.drawer], rulebook)


def chips_cashed(house: House, event: ChipsCashed, _context: Context) -> None:
    _trade_chips(house, event.drawer, -event.amount)


def sell_chips(house: House, command: SellChips, context: Context) -> Decision:
    rulebook = _chip_rulebook(house)
    if isinstance(rulebook, Refusal):
        return rulebook
    return _no_drawer(house, command, rulebook, context) or (ChipsSold(command.drawer, command.amount),)


def chips_sold(house: House, event: ChipsSold, _context: Context) -> None:
    _trade_chips(house, event.drawer, event.amount)


def _trade_chips(house: House, name: DrawerId, amount: int) -> None:
    """Take cash into a drawer for value chips of the chip bank; a negative amount is paid out."""
    drawer, rulebook = house.drawers[name], _chip_rulebook(house)
    assert isinstance(rulebook, Rulebook)
    drawer.currency = rulebook.currency
    drawer.cash += amount
    drawer.taken_in += max(0, amount)
    drawer.paid_out += max(0, -amount)
    drawer.counted = drawer.expected = None
    house.value_chips += amount
    house.ledger.post(amount, source=LedgerAccount.DRAWERS, target=LedgerAccount.VALUE_CHIPS)


DECIDERS: Deciders = {
    OpenFloat: open_the_float,
    FillFloat: fill_float,
    CreditFloat: credit_float,
    CountFloat: count_float,
    DeclareGap: declare_gap,
    CloseGap: close_gap,
    CloseFloat: close_float,
    CollectDrop: collect_drop,
    CashChips: cash_chips,
    SellChips: sell_chips,
}
EVOLVERS: Evolvers = {
    FloatOpened: float_opened,
    FloatFilled: float_filled,
    FloatCredited: float_credited,
    FloatCounted: float_counted,
    GapDeclared: gap_declared,
    GapClosed: gap_closed,
    FloatClosed: float_closed,
    DropCollected: drop_collected,
    ChipsCashed: chips_cashed,
    ChipsSold: chips_sold,
}
