"""Live tables: players with chips, colours, buy-ins and redemption."""

from collections.abc import Iterator

from croupier.house.base import Decision, PlayerCommand
from croupier.house.commands.live import (
    AcknowledgeNotice,
    AllocateColour,
    ApproveSecondColour,
    BuyChips,
    LeaveTable,
    RedeemColour,
    ReturnColour,
    SeatPlayer,
    Tender,
)
from croupier.house.events.live import (
    ChipsBought,
    ColourAllocated,
    ColourRedeemed,
    ColourReturned,
    NoticeAcknowledged,
    PlayerLeft,
    PlayerSeated,
    SecondColourApproved,
)
from croupier.house.ids import Context, PositionId, TableId, TerminalId
from croupier.house.notice import notice_digest
from croupier.house.settings import Recording, TableSettings
from croupier.house.setup import chip_limits, leave_arrangement, live_clause, pending_settings
from croupier.house.state import Deciders, Evolvers, House
from croupier.house.state.live import ChipFunding, Colour, Float, LiveTable
from croupier.house.state.money import LedgerAccount
from croupier.house.state.tables import Position, Table, is_paying
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, first_of, refuse
from croupier.rules.rulebook import Rulebook
from croupier.rules.sums import sums_of


def live_at(table: Table) -> LiveTable | Refusal:
    """Find what a table has for players with chips, or refuse chips at a stand-alone table."""
    if table.live is None:
        clause = live_clause(table.rulebook, CitedTopic.STAND_ALONE)
        return refuse(Code.CHIPS_NOT_TAKEN, clause, f"Table {table.id} takes no chips: bets are placed on terminals.")
    return table.live


def player_at(house: House, command: PlayerCommand) -> tuple[Table, LiveTable, ChipFunding] | Refusal:
    """Find the player that a command names, or refuse it."""
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    player = live.players.get(command.position)
    if player is None:
        clause = live_clause(table.rulebook, CitedTopic.CHIPS)
        message = f"No player at table {table.id} has position {command.position}."
        return refuse(Code.UNKNOWN_RECORD, clause, message, position=command.position)
    return table, live, player


def seat_player(house: House, command: SeatPlayer, _context: Context) -> Decision:
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    if table.closed:
        clause = table.rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
        return refuse(Code.TABLE_CLOSED, clause, "The table is closed.")
    return (PlayerSeated(table.id, PositionId(house.positions_added + 1), command.label),)


def player_seated(house: House, event: PlayerSeated, _context: Context) -> None:
    live_of(house, event.table).players[event.position] = ChipFunding(event.label)
    table = house.tables[event.table]
    house.positions[event.position] = Position(event.position, TerminalId(""), table.id, chip_limits(table))
    house.positions_added = event.position


def leave_table(house: House, command: LeaveTable, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, _, player = found
    if player.colours:
        message = f"The player still has {' and '.join(player.colours)}: the chips are redeemed and taken back first."
        return refuse(Code.CHIPS_OUTSTANDING, live_clause(table.rulebook, CitedTopic.REDEMPTION), message)
    if player.pieces:
        message = "Chips of the player lie on the layout: they are played or withdrawn first."
        return refuse(Code.CHIPS_OUTSTANDING, live_clause(table.rulebook, CitedTopic.POSITION), message)
    if _is_unpaid(table, command.position):
        return not_all_paid(table)
    return (PlayerLeft(table.id, command.position),)


def player_left(house: House, event: PlayerLeft, _context: Context) -> None:
    live = live_of(house, event.table)
    leave_arrangement(house, house.positions[event.position])
    player = live.players.pop(event.position)
    del house.positions[event.position]
    if player.payable or player.owed:
        live.left[event.position] = player


def _is_unpaid(table: Table, position: PositionId) -> bool:
    """Check whether a round with bets of a player is being paid: until then its number may be corrected."""
    round_ = table.round
    return round_ is not None and round_.chips is not None and is_paying(round_) and position in round_.chips.sealed


def not_all_paid(table: Table) -> Refusal:
    """Refuse to go on while losing bets are not collected or winning bets not paid."""
    assert table.rulebook.payout is not None
    message = "Losing bets are collected and all winning bets paid first."
    return refuse(Code.NOT_ALL_PAID, table.rulebook.payout.clause, message, round=table.rounds)


def allocate_colour(house: House, command: AllocateColour, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, live, player = found
    least = table_minimum(table)
    value = _default_value(table, live, player) if command.value is None else command.value
    objection = first_of(_colour_objections(table, live, player, command, value))
    if objection is not None:
        return objection
    assert value is not None
    marker = least is None or value > least
    return (ColourAllocated(table.id, command.position, command.colour, value, marker),)


def _default_value(table: Table, live: LiveTable, player: ChipFunding) -> Cents | None:
    """Return the value of a colour that declares none: as the player's first where both have one, else the minimum."""
    if player.colours and table.rulebook.channels[ChannelName.TABLE].second_colour is not None:
        return Cents(live.colours[player.colours[0]].value)
    return table_minimum(table)


def _colour_objections(
    table: Table, live: LiveTable, player: ChipFunding, command: AllocateColour, value: Cents | None
) -> Iterator[Refusal]:
    rulebook, least = table.rulebook, table_minimum(table)
    clause, channel = live_clause(rulebook, CitedTopic.CHIP_VALUE), rulebook.channels[ChannelName.TABLE]
    colour = live.colours.get(command.colour)
    if colour is None:
        yield _unknown_colour(table, command.colour)
    elif colour.position == command.position:
        message = f"Each chip of {command.colour} is worth {amount_text(colour.value)}: a value is declared once."
        yield refuse(Code.VALUE_DECLARED, clause, message, value=colour.value)
    elif colour.position is not None:
        message = f"{command.colour} belongs to the player at position {colour.position}."
        yield refuse(Code.COLOUR_TAKEN, live_clause(rulebook, CitedTopic.CHIP_OWNER), message, colour=command.colour)
    if value is None:
        yield refuse(Code.VALUE_UNDER_MINIMUM, clause, "Without a table minimum a value is declared.", minimum=None)
    elif value < 1:
        yield refuse(Code.MALFORMED, None, "A chip is worth one cent at least.", value=value)
    elif channel.least_value is not None and value < (least or 0):
        message = f"A chip is worth the table minimum at least: {amount_text(least or 1)}."
        yield refuse(Code.VALUE_UNDER_MINIMUM, channel.least_value, message, minimum=least)
    second = channel.second_colour
    if second is not None and player.colours:
        if not player.second_colour_approved:
            message = "An Authorised Officer approves a second colour first."
            yield refuse(Code.COLOUR_NOT_APPROVED, second, message)
        first = live.colours[player.colours[0]].value
        if value != first:
            message = f"Both colours of a player have one value: {amount_text(first)}."
            yield refuse(Code.VALUES_DIFFER, second, message, value=first)


def _unknown_colour(table: Table, colour: str) -> Refusal:
    clause = live_clause(table.rulebook, CitedTopic.CHIP_SETS)
    return refuse(Code.UNKNOWN_RECORD, clause, f"The set of table {table.id} has no colour {colour}.", colour=colour)


def table_minimum(table: Table) -> Cents | None:
    """Return the lowest minimum among the spots of a table, if they have any: inside and outside may differ."""
    ranges = table.effective_limits.ranges.values()
    return min((each.least for each in ranges if each.least is not None), default=None)


def colour_allocated(house: House, event: ColourAllocated, _context: Context) -> None:
    live = live_of(house, event.table)
    colour, player = live.colours[event.colour], live.players[event.position]
    colour.position, colour.value = event.position, event.value
    colour.out = 0 if records_bets(house.tables[event.table].settings) else None
    player.colours.append(event.colour)
    # One approval covers one allocation.
    player.second_colour_approved = False


def records_bets(settings: TableSettings) -> bool:
    """Check whether every chip on the layout of a live table is recorded."""
    assert settings.live is not None
    return settings.live.recording is Recording.FULL


def approve_second_colour(house: House, command: ApproveSecondColour, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, _, player = found
    clause = table.rulebook.channels[ChannelName.TABLE].second_colour
    if not command.words.strip():
        return refuse(Code.REASON_NOT_LISTED, clause, "Say why a second colour is approved.")
    if player.second_colour_approved:
        return refuse(Code.ALREADY_THERE, clause, "A second colour is approved already.")
    return (SecondColourApproved(table.id, command.position, command.words),)


def second_colour_approved(house: House, event: SecondColourApproved, _context: Context) -> None:
    live_of(house, event.table).players[event.position].second_colour_approved = True


def buy_chips(house: House, command: BuyChips, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, live, _ = found
    float_ = open_float(table, live)
    if isinstance(float_, Refusal):
        return float_
    if command.colour is None and command.tender is Tender.VALUE_CHIPS:
        return refuse(Code.MALFORMED, None, "Value chips are bought for cash only.")
    if command.amount <= 0:
        clause, least = live_clause(table.rulebook, CitedTopic.CHIPS), smallest_chip(table)
        return refuse(Code.VALUE_UNDER_MINIMUM, clause, f"A buy-in is {amount_text(least)} at least.", minimum=least)
    if command.colour is None:
        pieces, objection = 0, not_payable(table, command.amount) or short_float(table, command.amount)
    else:
        colour = own_colour(table, live, command, command.colour)
        if isinstance(colour, Refusal):
            return colour
        pieces = command.amount // colour.value
        objection = (
            _not_whole(table, command.amount, colour.value)
            or (not_payable(table, command.amount, brought=True) if command.tender is Tender.VALUE_CHIPS else None)
            or rack_short(table, colour, pieces)
        )
    bought = ChipsBought(table.id, command.position, command.tender, command.amount, command.colour, pieces)
    return objection or (bought,)


def own_colour(table: Table, live: LiveTable, command: PlayerCommand, name: str) -> Colour | Refusal:
    """Find a colour of a player, or refuse chips that are not this player's at this table."""
    colour = live.colours.get(name)
    if colour is not None and colour.position == command.position:
        return colour
    clause = live_clause(table.rulebook, CitedTopic.CHIP_OWNER)
    message = f"{name} is not a colour of the player at position {command.position} here."
    return refuse(Code.CHIPS_OF_ANOTHER_TABLE, clause, message, colour=name)


def open_float(table: Table, live: LiveTable) -> Float | Refusal:
    """Find the float of a table, or refuse if it is closed."""
    if live.float_ is None:
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        return refuse(Code.FLOAT_NOT_OPEN, clause, f"The float of table {table.id} is not open.")
    return live.float_


def smallest_chip(table: Table) -> Cents:
    """Return the value of the smallest value chip at a live table."""
    assert table.settings.live is not None
    return min(table.settings.live.denominations)


def not_payable(table: Table, amount: int, clause: ClauseId | None = None, *, brought: bool = False) -> Refusal | None:
    """Refuse an amount that the value chips of the float do not make; a player may bring others that circulate."""
    assert table.settings.live is not None
    denominations = (*table.settings.live.denominations, *(table.settings.live.circulating if brought else ()))
    if sums_of(denominations).has(amount):
        return None
    listed = ", ".join(map(amount_text, sorted(denominations)))
    message = f"Value chips of {listed} do not make {amount_text(amount)}."
    clause = clause or live_clause(table.rulebook, CitedTopic.CHIP_VALUE)
    return refuse(Code.NOT_WHOLE_CHIPS, clause, message, amount=amount, value=min(denominations))


def _not_whole(table: Table, amount: int, value: int) -> Refusal | None:
    if amount % value == 0:
        return None
    clause = live_clause(table.rulebook, CitedTopic.CHIP_VALUE)
    message = f"{amount_text(amount)} is not a whole number of chips of {amount_text(value)}."
    return refuse(Code.NOT_WHOLE_CHIPS, clause, message, amount=amount, value=value)


def rack_short(table: Table, colour: Colour, pieces: int) -> Refusal | None:
    """Refuse to hand out more pieces of a colour than its set has."""
    if colour.out is None or colour.out + pieces <= colour.pieces_in_set:
        return None
    left = colour.pieces_in_set - colour.out
    clause = live_clause(table.rulebook, CitedTopic.CHIP_SETS)
    return refuse(Code.CHIPS_SHORT, clause, f"There are {left} chips of this colour in the rack.", left=left)


def short_float(table: Table, amount: int) -> Refusal | None:
    """Refuse to pay more than an open float has; the refusal does not reveal its amount, as it is counted blind."""
    assert table.live is not None
    assert table.live.float_ is not None
    if not records_bets(table.settings) or table.live.float_.booked >= amount:
        return None
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    message = f"There is not enough in the float of table {table.id}: {amount_text(amount)} are to be paid."
    return refuse(Code.FLOAT_SHORT, clause, message, amount=amount)


def chips_bought(house: House, event: ChipsBought, _context: Context) -> None:
    live = live_of(house, event.table)
    if event.tender is Tender.CASH:
        live.drop += event.amount
        source = LedgerAccount.DROP
    else:
        move_float(live, event.amount)
        source = LedgerAccount.FLOATS
    if event.colour is None:
        move_float(live, -event.amount)
        target = LedgerAccount.FLOATS
    else:
        move_colour(live.colours[event.colour], event.pieces, event.amount)
        target = LedgerAccount.COLOUR_CHIPS
    house.ledger.post(event.amount, source=source, target=target)


def move_float(live: LiveTable, amount: int) -> None:
    """Add an amount to a float, or take it out; its last count is then out of date."""
    assert live.float_ is not None
    live.float_.booked += amount
    live.float_.counted = None


def move_colour(colour: Colour, pieces: int, amount: int) -> None:
    """Hand out chips of a colour, or take them back."""
    colour.out = None if colour.out is None else colour.out + pieces
    colour.booked += amount


def redeem_colour(house: House, command: RedeemColour, _context: Context) -> Decision:
    found = player_at(house, command)
    if isinstance(found, Refusal):
        return found
    table, live, _ = found
    colour, float_ = own_colour(table, live, command, command.colour), open_float(table, live)
    if isinstance(colour, Refusal):
        return colour
    if isinstance(float_, Refusal):
        return float_
    if command.pieces <= 0:
        return refuse(Code.MALFORMED, None, "At least one chip is redeemed.", pieces=command.pieces)
    left = in_hand(live, command.colour)
    if left is not None and command.pieces > left:
        clause = live_clause(table.rulebook, CitedTopic.REDEMPTION)
        message = f"The player has {left} chips of {command.colour} in hand."
        return refuse(Code.CHIPS_SHORT, clause, message, out=left)
    amount = Cents(command.pieces * colour.value)
    redeemed = ColourRedeemed(table.id, command.position, command.colour, command.pieces, amount)
    return short_float(table, amount) or (redeemed,)


def in_hand(live: LiveTable, name: str) -> int | None:
    """Return the pieces of a colour that its player has and that do not lie on the layout; None if unknown."""
    colour = live.colours[name]
    if colour.out is None or colour.position is None:
        return None
    layout = live.players[colour.position].pieces
    return colour.out - sum(pieces.get(name, 0) for pieces in layout.values())


def colour_redeemed(house: House, event: ColourRedeemed, _context: Context) -> None:
    live = live_of(house, event.table)
    move_colour(live.colours[event.colour], -event.pieces, -event.amount)
    move_float(live, -event.amount)
    house.ledger.post(event.amount, source=LedgerAccount.COLOUR_CHIPS, target=LedgerAccount.FLOATS)


def return_colour(house: House, command: ReturnColour, _context: Context) -> Decision:
    """Take a colour back; the value of chips that are not redeemed is written off."""
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    colour = live.colours.get(command.colour)
    if colour is None:
        return _unknown_colour(table, command.colour)
    clause = live_clause(table.rulebook, CitedTopic.REDEMPTION)
    if colour.position is None:
        return refuse(Code.NOTHING_THERE, clause, f"{command.colour} is with no player.", colour=command.colour)
    refusal = gap_open(table, live) or _return_objection(table, live, command, colour)
    if refusal is not None:
        return refusal
    missing = colour.pieces_in_set - command.counted
    return (ColourReturned(table.id, command.colour, command.counted, missing, colour.booked),)


def _return_objection(table: Table, live: LiveTable, command: ReturnColour, colour: Colour) -> Refusal | None:
    """Refuse to take back a colour that is in play, or whose count cannot be right."""
    clause, position = live_clause(table.rulebook, CitedTopic.REDEMPTION), colour.position
    assert position is not None
    if _is_unpaid(table, position):
        return not_all_paid(table)
    if any(command.colour in pieces for pieces in live.players[position].pieces.values()):
        message = f"Chips of {command.colour} lie on the layout: they are played or withdrawn first."
        return refuse(Code.CHIPS_OUTSTANDING, clause, message, colour=command.colour)
    if not 0 <= command.counted <= colour.pieces_in_set:
        message = f"The set has {colour.pieces_in_set} chips of {command.colour}: count them again."
        return refuse(Code.RECORD_DIFFERS, clause, message, counted=command.counted)
    return None


def colour_returned(house: House, event: ColourReturned, _context: Context) -> None:
    table = house.tables[event.table]
    live = live_of(house, event.table)
    colour = live.colours[event.colour]
    assert colour.position is not None
    live.players[colour.position].colours.remove(event.colour)
    if records_bets(table.settings):
        target = LedgerAccount.UNCLAIMED
        house.chips_unclaimed += event.amount
    else:
        target = LedgerAccount.HOUSE
        live.counted_win += event.amount
    house.ledger.post(event.amount, source=LedgerAccount.COLOUR_CHIPS, target=target)
    # Missing chips are no longer part of the set.
    live.colours[event.colour] = Colour(event.counted)


def live_of(house: House, table: TableId) -> LiveTable:
    """Return what a live table has; only for code that runs at live tables."""
    live = house.tables[table].live
    assert live is not None
    return live


def acknowledge_notice(house: House, command: AcknowledgeNotice, _context: Context) -> Decision:
    table = house.tables[command.table]
    live = live_at(table)
    if isinstance(live, Refusal):
        return live
    if command.digest != notice_digest(house, table):
        rulebook, _ = pending_settings(house, table)
        message = "That is not the notice of the next round: read it again."
        return refuse(Code.RECORD_DIFFERS, _notice_clause(rulebook), message)
    return (NoticeAcknowledged(table.id, command.digest),)


def _notice_clause(rulebook: Rulebook) -> ClauseId | None:
    return rulebook.channels[ChannelName.TABLE].notice


def notice_acknowledged(house: House, event: NoticeAcknowledged, _context: Context) -> None:
    live_of(house, event.table).notice = event.digest


def opening_objections(house: House, table: Table) -> Iterator[Refusal]:
    """List the reasons why a round may not open on a live table: its notice, and its float."""
    if table.live is None:
        return
    if table.round is not None and is_paying(table.round):
        yield not_all_paid(table)
    rulebook, _ = pending_settings(house, table)
    if rulebook.digest != table.rulebook.digest and any(each.pieces for each in table.live.players.values()):
        message = "Other rules apply from this round: chips on the layout are withdrawn first."
        yield refuse(Code.CHIPS_OUTSTANDING, live_clause(table.rulebook, CitedTopic.REDEMPTION), message)
    clause = _notice_clause(rulebook)
    if clause is not None and table.live.notice != notice_digest(house, table):
        message = "The notice at the table must show the limits and odds of this round: check it first."
        yield refuse(Code.NOTICE_NOT_SHOWN, clause, message)
    float_ = open_float(table, table.live)
    if isinstance(float_, Refusal):
        yield float_
    if (gap := gap_open(table, table.live)) is not None:
        yield gap


def gap_open(table: Table, live: LiveTable) -> Refusal | None:
    """Refuse to go on while play that is not on record has not been closed by a count."""
    if live.gap is None:
        return None
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    return refuse(Code.GAP_OPEN, clause, "Play is missing in the record: rack and tray are counted first.")


def outstanding(table: Table) -> Refusal | None:
    """Refuse to close what still has chips with players: they can be redeemed nowhere else."""
    if table.live is None:
        return None
    if (gap := gap_open(table, table.live)) is not None:
        return gap
    if table.round is not None and is_paying(table.round):
        return not_all_paid(table)
    clause = live_clause(table.rulebook, CitedTopic.REDEMPTION)
    if any(player.pieces for player in table.live.players.values()):
        message = "Chips lie on the layout: they are played or withdrawn first."
        return refuse(Code.CHIPS_OUTSTANDING, clause, message)
    out = [name for name, each in table.live.colours.items() if each.position is not None]
    if not out:
        return None
    return refuse(Code.CHIPS_OUTSTANDING, clause, f"Players still have {' and '.join(out)}.", colours=tuple(out))


DECIDERS: Deciders = {
    SeatPlayer: seat_player,
    LeaveTable: leave_table,
    AllocateColour: allocate_colour,
    ApproveSecondColour: approve_second_colour,
    BuyChips: buy_chips,
    RedeemColour: redeem_colour,
    ReturnColour: return_colour,
    AcknowledgeNotice: acknowledge_notice,
}
EVOLVERS: Evolvers = {
    PlayerSeated: player_seated,
    PlayerLeft: player_left,
    ColourAllocated: colour_allocated,
    SecondColourApproved: second_colour_approved,
    ChipsBought: chips_bought,
    ColourRedeemed: colour_redeemed,
    ColourReturned: colour_returned,
    NoticeAcknowledged: notice_acknowledged,
}
