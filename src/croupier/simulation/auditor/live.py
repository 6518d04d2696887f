"""Chips of live tables: players, colours, floats and drop boxes."""

import re
from typing import Final

from croupier.house import House
from croupier.house.declare import Event
from croupier.house.ids import Context, DrawerId, TableId
from croupier.house.live.floats import (
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
from croupier.house.live.seats_and_colours import (
    ChipsBought,
    ColourAllocated,
    ColourRedeemed,
    ColourReturned,
    PlayerLeft,
    PlayerSeated,
    SecondColourApproved,
    Tender,
)
from croupier.house.settings import LiveSettings, Recording
from croupier.rules.procedure import ChannelName
from croupier.simulation.auditor.chip_payouts import can_pay
from croupier.simulation.auditor.chips import carried, carried_by, check_hand, given_up, staked, stakes_of
from croupier.simulation.auditor.model import CHIPS, Model, ModelColour, ModelLive
from croupier.simulation.auditor.registry import follows
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not

#: The name of a value chip.
_VALUE: Final = re.compile(r"v[0-9]+$")


def _live(model: Model, event: Event, table: TableId) -> ModelLive:
    live = model.tables[table].live
    if live is None:
        raise InvariantViolation(CHIPS, f"{event} at a table without chips")
    return live


@follows(PlayerSeated)
def _seated(model: Model, event: PlayerSeated, _context: Context) -> None:
    model.positions_added += 1
    check_equal("I12", f"{event} has number", event.position, model.positions_added)
    live = _live(model, event, event.table)
    live.players[event.position] = set()
    live.labels[event.position] = event.label


@follows(PlayerLeft)
def _left(model: Model, event: PlayerLeft, _context: Context) -> None:
    live = _live(model, event, event.table)
    colours = live.players.pop(event.position)
    check_equal(CHIPS, f"{event} with", colours, set())
    check_not(CHIPS, f"{event} with chips on the layout", when=bool(live.layouts.pop(event.position, {})))
    check_not(CHIPS, f"{event} with chips that wait", when=bool(live.carried.pop(event.position, {})))
    live.advised.discard(event.position)


@follows(ColourAllocated)
def _allocated(model: Model, event: ColourAllocated, _context: Context) -> None:
    """A colour has one player; where an officer approves a second one, both have one value."""
    live, table = _live(model, event, event.table), model.tables[event.table]
    colour, own = live.colours[event.colour], live.players[event.position]
    check_equal(CHIPS, f"{event} of a colour that is with", colour.position, None)
    restricted = table.felt.rulebook.channels[ChannelName.TABLE].second_colour is not None
    values = {live.colours[each].value for each in own}
    wrong = restricted and bool(own) and (values != {event.value} or event.position not in live.approved)
    check_not(CHIPS, f"{event} beside {sorted(own)} of {values}", when=wrong)
    live.approved.discard(event.position)
    colour.position, colour.value = event.position, event.value
    own.add(event.colour)


@follows(SecondColourApproved)
def _approved(model: Model, event: SecondColourApproved, _context: Context) -> None:
    _live(model, event, event.table).approved.add(event.position)


@follows(ChipsBought)
def _bought(model: Model, event: ChipsBought, _context: Context) -> None:
    live = _live(model, event, event.table)
    if event.tender is Tender.CASH:
        live.drop += event.amount
    else:
        brought = (*live.smallest, *live.circulating)
        check_not(CHIPS, f"{event} for chips of {brought}", when=not can_pay(brought, event.amount))
        _tray(live, event, event.amount)
    if event.colour is None:
        _tray(live, event, -event.amount)
    else:
        _hand_out(live, event, event.pieces)


@follows(ColourRedeemed)
def _redeemed(model: Model, event: ColourRedeemed, _context: Context) -> None:
    live = _live(model, event, event.table)
    _hand_out(live, event, -event.pieces)
    check_hand(model.tables[event.table], event, event.colour)
    _tray(live, event, -event.amount)


def _hand_out(live: ModelLive, event: ChipsBought | ColourRedeemed, pieces: int) -> None:
    assert event.colour is not None
    colour = live.colours[event.colour]
    check_equal(CHIPS, f"{event} of a colour that is with", colour.position, event.position)
    check_equal(CHIPS, f"{event} is worth", event.amount, abs(pieces) * colour.value)
    colour.out += pieces
    wrong = live.full and not 0 <= colour.out <= colour.pieces
    check_not(CHIPS, f"{event} leaves {colour.out} of {colour.pieces} chips out", when=wrong)


def _tray(live: ModelLive, event: Event, amount: int) -> None:
    """Move value chips into a float, or out of it."""
    if live.tray is None:
        raise InvariantViolation(CHIPS, f"{event} while the float is closed")
    live.tray += amount
    check_not(CHIPS, f"{event} leaves {live.tray} in the float", when=live.full and live.tray < 0)


@follows(ColourReturned)
def _returned(model: Model, event: ColourReturned, _context: Context) -> None:
    live = _live(model, event, event.table)
    colour = live.colours[event.colour]
    lost = colour.out * colour.value
    due = (colour.pieces - event.counted, lost)
    check_equal(CHIPS, f"{event} writes off", (event.missing, event.amount), due)
    if colour.position is None:
        raise InvariantViolation(CHIPS, f"{event} of a colour that is with no player")
    live.players[colour.position].discard(event.colour)
    live.colours[event.colour] = ModelColour(event.counted)
    if live.full:
        model.chips_unclaimed += lost
    else:
        model.won += lost


@follows(FloatOpened)
def _opened(model: Model, event: FloatOpened, _context: Context) -> None:
    live = _live(model, event, event.table)
    check_equal(CHIPS, f"{event} of a float with", live.tray, None)
    live.tray = 0
    _from_bank(model, live, event, 1)


@follows(FloatFilled)
def _filled(model: Model, event: FloatFilled, _context: Context) -> None:
    _from_bank(model, _live(model, event, event.table), event, 1)


@follows(FloatCredited)
def _credited(model: Model, event: FloatCredited, _context: Context) -> None:
    _from_bank(model, _live(model, event, event.table), event, -1)


def _from_bank(
    model: Model,
    live: ModelLive,
    event: FloatOpened | FloatFilled | FloatCredited,
    way: int,
) -> None:
    amount = sum(value * pieces for value, pieces in event.chips)
    check_equal(CHIPS, f"{event} moves", event.amount, amount)
    _tray(live, event, way * amount)
    model.value_chips += way * amount


@follows(FloatCounted)
def _counted(model: Model, event: FloatCounted, _context: Context) -> None:
    live = _live(model, event, event.table)
    check_equal(CHIPS, f"{event} expects", event.expected, live.tray if live.full else None)


@follows(GapDeclared)
def _gap(model: Model, event: GapDeclared, _context: Context) -> None:
    live = _live(model, event, event.table)
    check_not(CHIPS, f"{event} during another", when=live.gap)
    for position in (each for each, layout in live.carried.items() if layout):
        given_up(model.tables[event.table], position)
    live.gap, live.layouts, live.stayed, live.carried = True, {}, {}, {}


@follows(GapClosed)
def _gap_closed(model: Model, event: GapClosed, _context: Context) -> None:
    live = _live(model, event, event.table)
    check_not(CHIPS, f"{event} without a gap", when=not live.gap or bool(live.layouts))
    won = event.counted - (live.tray or 0)
    for name, rack in event.racks:
        colour = live.colours[name]
        won -= (colour.pieces - rack - colour.out) * colour.value
        colour.out = colour.pieces - rack
    check_equal(CHIPS, f"{event} wins", event.won, won)
    live.gap, live.tray = False, event.counted
    model.won += won


@follows(FloatClosed)
def _closed(model: Model, event: FloatClosed, _context: Context) -> None:
    live = _live(model, event, event.table)
    out = [name for name, each in live.colours.items() if each.position is not None]
    check_equal(CHIPS, f"{event} with colours out", out, [])
    check_equal(CHIPS, f"{event} books", event.booked, live.tray)
    model.value_chips -= event.counted
    if live.full:
        model.desk.tally["differences"] -= event.booked - event.counted
    else:
        model.won -= event.booked - event.counted
    live.tray = None


@follows(DropCollected)
def _dropped(model: Model, event: DropCollected, _context: Context) -> None:
    live = _live(model, event, event.table)
    check_equal(CHIPS, f"{event} expects", event.expected, live.drop)
    live.drop = 0
    model.desk.tally["vault"] -= event.counted
    model.desk.tally["differences"] -= event.expected - event.counted


@follows(ChipsCashed)
def _cashed(model: Model, event: ChipsCashed, _context: Context) -> None:
    _known(model, event, event.drawer)
    model.desk.pay(event.drawer, event.amount)
    model.value_chips -= event.amount


@follows(ChipsSold)
def _sold(model: Model, event: ChipsSold, _context: Context) -> None:
    _known(model, event, event.drawer)
    model.desk.take(event.drawer, event.amount)
    model.value_chips += event.amount


def _known(model: Model, event: Event, drawer: DrawerId) -> None:
    check_not("I6", f"{event} at a drawer that is not out", when=drawer not in model.desk.drawers)


def balances(model: Model) -> dict[str, int]:
    """Compute the balances of the accounts of chips."""
    lives = [table.live for table in model.tables.values() if table.live is not None]
    layouts = [layout for live in lives for layout in (*live.layouts.values(), *live.carried.values())]
    laid = [pieces for layout in layouts for pieces in layout.values()]
    on_layouts = sum(staked(live) + carried(live) for live in lives)
    of_value = sum(count * int(chip[1:]) for pieces in laid for chip, count in pieces.items() if _VALUE.match(chip))
    return {
        "floats": -sum(live.tray or 0 for live in lives),
        "value_chips": model.value_chips - of_value,
        "colour_chips": sum(each.out * each.value for live in lives for each in live.colours.values())
        - (on_layouts - of_value),
        "chips_payable": sum(live.payable for live in lives),
        "drop": -sum(live.drop for live in lives),
    }


def compare(model: Model, house: House) -> None:
    """Verify the chips of every live table against the model."""
    for table in model.tables.values():
        shown, live = house.tables[table.name].live, table.live
        check_equal(CHIPS, f"chips at {table.name}", shown is None, live is None)
        if shown is None or live is None:
            continue
        check_equal(CHIPS, (table.name, "players"), [*shown.players], [*live.players])
        for position, player in shown.players.items():
            here = (table.name, position)
            check_equal(CHIPS, here, player.pieces, live.layouts.get(position, {}))
            check_equal(CHIPS, (*here, "carries"), player.carried, live.carried.get(position, {}))
            check_equal(CHIPS, (*here, "stakes"), house.positions[position].bets, stakes_of(live, position))
            check_equal(CHIPS, (*here, "waits"), house.positions[position].carried, carried_by(live, position))
            check_equal("I18", (*here, "advised"), player.advised_at is not None, position in live.advised)
        accounts = {**shown.players, **shown.left}
        owed = {position: account.owed for position, account in accounts.items() if account.owed}
        check_equal(CHIPS, (table.name, "owed"), owed, dict(+live.owed))
        owing = {position: account.payable for position, account in accounts.items() if account.payable}
        check_equal(CHIPS, (table.name, "due"), owing, live.owing)
        check_equal(CHIPS, (table.name, "to be advised"), live.advising, set())
        for name, colour in live.colours.items():
            found = shown.colours[name]
            due = (colour.position, colour.value, colour.pieces)
            check_equal(CHIPS, (table.name, name), (found.position, found.value, found.pieces_in_set), due)
            out = colour.out if live.full or colour.position is None else None
            check_equal(CHIPS, (table.name, name, "out"), found.out, out)


def live_model(settings: LiveSettings | None) -> ModelLive | None:
    """Build the model of a live table."""
    if settings is None:
        return None
    colours = {name: ModelColour(settings.pieces) for name in settings.colours}
    full = settings.recording is Recording.FULL
    return ModelLive(full, colours, smallest=settings.denominations, circulating=settings.circulating)
