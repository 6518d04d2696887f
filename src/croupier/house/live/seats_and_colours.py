"""Live tables: players with chips, colours, buy-ins and redemption."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from croupier.house.declare import (
    Events,
    EventTopic,
    MachineRole,
    PlayerCommand,
    PlayerEvent,
    TableCommand,
    TableEvent,
    command,
    decides,
    event,
    evolves,
)
from croupier.house.floor.settings import chip_limits, leave_arrangement, live_clause, pending_settings
from croupier.house.ids import Context, PositionId, TableId, TerminalId
from croupier.house.live.notice import notice_digest
from croupier.house.settings import LiveSettings, Recording, TableSettings
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import ChipFunding, Colour, Float, LiveTable
from croupier.house.state.tables import Position, Table, is_paying
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import ChannelName, Duty, PayoutRules
from croupier.rules.refusal import CitedTopic, ClauseId, Code, Refusal, Refused, refuse
from croupier.rules.sums import sums_of

if TYPE_CHECKING:
    from croupier.house import House


class Tender(StrEnum):
    """What a player gives for chips."""

    CASH = "cash"
    #: Chips marked with their value.
    VALUE_CHIPS = "value_chips"


@command(Duty.DEAL)
class SeatPlayer(TableCommand, frozen=True):
    """Note that a player plays with chips at a live table; the label is how staff refer to the player."""

    label: str = ""


@event("A player was seated at position {position}.", EventTopic.BETS)
class PlayerSeated(PlayerEvent, frozen=True):
    """A player with chips has a betting position; the label is how staff refer to the player."""

    label: str


@decides(SeatPlayer)
def seat_player(house: House, command: SeatPlayer, _context: Context) -> Events:
    table = house.tables[command.table]
    live_at(table)
    if table.closed:
        clause = table.rulebook.cited_clauses[CitedTopic.CLOSING_DOWN]
        raise Refused(Code.TABLE_CLOSED, clause, "The table is closed.")
    return (PlayerSeated(table.id, PositionId(house.positions_added + 1), command.label),)


def live_at(table: Table) -> LiveTable:
    """Find what a table has for players with chips, or refuse chips at a stand-alone table."""
    if table.live is None:
        clause = live_clause(table.rulebook, CitedTopic.STAND_ALONE)
        raise Refused(Code.CHIPS_NOT_TAKEN, clause, f"Table {table.id} takes no chips: bets are placed on terminals.")
    return table.live


@evolves(PlayerSeated)
def player_seated(house: House, event: PlayerSeated, _context: Context) -> None:
    live_of(house, event.table).players[event.position] = ChipFunding(event.label)
    table = house.tables[event.table]
    position = house.positions[event.position] = Position(event.position, TerminalId(""), table.id)
    position.effective_limits = chip_limits(table)
    house.positions_added = event.position


def live_of(house: House, table: TableId) -> LiveTable:
    """Return what a live table has; only for code that runs at live tables."""
    live = house.tables[table].live
    assert live is not None
    return live


@command(Duty.DEAL)
class LeaveTable(PlayerCommand, frozen=True):
    """Note that a player has left a live table."""


@event("The player at position {position} left.", EventTopic.BETS)
class PlayerLeft(PlayerEvent, frozen=True):
    """A player left; the number of the position is not used again."""


@decides(LeaveTable)
def leave_table(house: House, command: LeaveTable, _context: Context) -> Events:
    table, _, player = player_at(house, command)
    _require_none_carried(table, (player,))
    if player.colours:
        message = f"The player still has {' and '.join(player.colours)}: the chips are redeemed and taken back first."
        raise Refused(Code.CHIPS_OUTSTANDING, live_clause(table.rulebook, CitedTopic.REDEMPTION), message)
    if player.pieces:
        message = "Chips of the player lie on the layout: they are played or withdrawn first."
        raise Refused(Code.CHIPS_OUTSTANDING, live_clause(table.rulebook, CitedTopic.POSITION), message)
    if _is_unpaid(table, command.position):
        raise not_all_paid(table)
    return (PlayerLeft(table.id, command.position),)


def _require_none_carried(table: Table, players: Iterable[ChipFunding]) -> None:
    """Refuse what ends a player's play while stakes are carried: they wait for their spin, or are released first."""
    rules = table.rulebook.paytable.carried
    if rules is not None and any(player.carried for player in players):
        message = "Chips wait on the layout for the next spin: they are played or released first."
        raise Refused(Code.CHIPS_OUTSTANDING, rules.clause, message)


def player_at(house: House, command: PlayerCommand) -> tuple[Table, LiveTable, ChipFunding]:
    """Find the player that a command names, or refuse it."""
    table = house.tables[command.table]
    live = live_at(table)
    player = live.players.get(command.position)
    if player is None:
        clause = live_clause(table.rulebook, CitedTopic.CHIPS)
        message = f"No player at table {table.id} has position {command.position}."
        raise Refused(Code.UNKNOWN_RECORD, clause, message, position=command.position)
    return table, live, player


def _is_unpaid(table: Table, position: PositionId) -> bool:
    """Check whether a round with bets of a player is being paid: until then its number may be corrected."""
    round_ = table.round
    return round_ is not None and round_.chips is not None and is_paying(round_) and position in round_.chips.sealed


def not_all_paid(table: Table) -> Refused:
    """Word the refusal to go on while losing bets are not collected or winning bets not paid."""
    message = "Losing bets are collected and all winning bets paid first."
    return Refused(Code.NOT_ALL_PAID, payout_rules(table).clause, message, round=table.rounds)


def payout_rules(table: Table) -> PayoutRules:
    """Return the rules on paying chips; only for code that runs at live tables."""
    assert table.rulebook.payout is not None
    return table.rulebook.payout


def require_settled(table: Table, position: PositionId) -> None:
    """Refuse chips from the hand of a player while the round may be settled anew, with the chips that it gave back.

    It gives back chips over the maximum, and those that it frees from prison. Another number, a spin that does not
    count and a partnership settle it anew, until all is paid or a correction after a payment makes debts.
    """
    walk = None if table.round is None else table.round.walk
    if records_bets(table.settings) and _is_unpaid(table, position) and not (walk is not None and walk.corrected):
        raise not_all_paid(table)


def live_settings(table: Table) -> LiveSettings:
    """Return the settings of play with chips; only for code that runs at live tables."""
    assert table.settings.live is not None
    return table.settings.live


@evolves(PlayerLeft)
def player_left(house: House, event: PlayerLeft, _context: Context) -> None:
    live = live_of(house, event.table)
    leave_arrangement(house, house.positions[event.position])
    player = live.players.pop(event.position)
    del house.positions[event.position]
    if player.payable or player.owed:
        live.left[event.position] = player


@command(Duty.DEAL)
class AllocateColour(PlayerCommand, frozen=True):
    """Allocate a colour of the table's chips to a player, who declares the value of each chip."""

    colour: str
    #: The table minimum, if no other value is declared.
    value: Cents | None = None


@event("{colour} was allocated to position {position} at {value} a chip.", EventTopic.BETS)
class ColourAllocated(PlayerEvent, frozen=True):
    """A colour was allocated to a player, with its value, and whether a marker at the table shows the value."""

    colour: str
    value: Cents
    marker: bool


@decides(AllocateColour)
def allocate_colour(house: House, command: AllocateColour, _context: Context) -> Events:
    table, live, player = player_at(house, command)
    rulebook, least = table.rulebook, table_minimum(table)
    clause, channel = live_clause(rulebook, CitedTopic.CHIP_VALUE), rulebook.channels[ChannelName.TABLE]
    first = Cents(live.colours[player.colours[0]].value) if player.colours and channel.second_colour else None
    value = command.value
    if value is None:
        # Where both colours of a player have one value, the second has that of the first.
        value = least if first is None else first
    if value is not None and value < 1:
        raise Refused(Code.MALFORMED, None, "A chip is worth one cent at least.", value=value)
    colour = _find_colour(table, live, command.colour)
    if colour.position not in (None, command.position):
        message = f"{command.colour} belongs to the player at position {colour.position}."
        owner = live_clause(rulebook, CitedTopic.CHIP_OWNER)
        raise Refused(Code.COLOUR_TAKEN, owner, message, colour=command.colour)
    if colour.position is not None:
        message = f"Each chip of {command.colour} is worth {amount_text(colour.value)}: a value is declared once."
        raise Refused(Code.VALUE_DECLARED, clause, message, value=colour.value)
    if value is None:
        message = "Without a table minimum a value is declared."
        raise Refused(Code.VALUE_UNDER_MINIMUM, clause, message, minimum=None)
    if channel.least_value is not None and least is not None and value < least:
        message = f"A chip is worth the table minimum at least: {amount_text(least)}."
        raise Refused(Code.VALUE_UNDER_MINIMUM, channel.least_value, message, minimum=least)
    if first is not None and not player.second_colour_approved:
        message = "An Authorised Officer approves a second colour first."
        raise Refused(Code.COLOUR_NOT_APPROVED, channel.second_colour, message)
    if first is not None and value != first:
        message = f"Both colours of a player have one value: {amount_text(first)}."
        raise Refused(Code.VALUES_DIFFER, channel.second_colour, message, value=first)
    marker = least is None or value > least
    return (ColourAllocated(table.id, command.position, command.colour, value, marker),)


def table_minimum(table: Table) -> Cents | None:
    """Return the lowest minimum among the spots of a table, if they have any: inside and outside may differ."""
    ranges = table.effective_limits.ranges.values()
    return min((each.least for each in ranges if each.least is not None), default=None)


def _find_colour(table: Table, live: LiveTable, name: str) -> Colour:
    colour = live.colours.get(name)
    if colour is None:
        clause = live_clause(table.rulebook, CitedTopic.CHIP_SETS)
        raise Refused(Code.UNKNOWN_RECORD, clause, f"The set of table {table.id} has no colour {name}.", colour=name)
    return colour


@evolves(ColourAllocated)
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
    return settings.live is not None and settings.live.recording is Recording.FULL


@command(Duty.OFFICIATE)
class ApproveSecondColour(PlayerCommand, frozen=True):
    """Approve that a player is allocated one more colour."""

    words: str


@event("A second colour was approved for position {position}. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class SecondColourApproved(PlayerEvent, frozen=True):
    """One more colour was approved for a player, for one allocation."""

    words: str


@decides(ApproveSecondColour)
def approve_second_colour(house: House, command: ApproveSecondColour, _context: Context) -> Events:
    table, _, player = player_at(house, command)
    clause = table.rulebook.channels[ChannelName.TABLE].second_colour
    if not command.words.strip():
        raise Refused(Code.REASON_NOT_LISTED, clause, "Say why a second colour is approved.")
    if player.second_colour_approved:
        raise Refused(Code.ALREADY_THERE, clause, "A second colour is approved already.")
    return (SecondColourApproved(table.id, command.position, command.words),)


@evolves(SecondColourApproved)
def second_colour_approved(house: House, event: SecondColourApproved, _context: Context) -> None:
    live_of(house, event.table).players[event.position].second_colour_approved = True


@command(Duty.DEAL)
class BuyChips(PlayerCommand, frozen=True):
    """Sell chips to a player for cash or value chips: of the named colour, otherwise value chips."""

    tender: Tender
    amount: Cents
    colour: str | None = None


@event("Position {position} bought chips for {amount} ({tender}).", EventTopic.MONEY)
class ChipsBought(PlayerEvent, frozen=True):
    """Chips were sold to a player: pieces of a colour, or value chips."""

    tender: Tender
    amount: Cents
    colour: str | None
    #: 0 for value chips.
    pieces: int


@decides(BuyChips)
def buy_chips(house: House, command: BuyChips, _context: Context) -> Events:
    table, live, _ = player_at(house, command)
    find_float(table)
    if command.colour is None and command.tender is Tender.VALUE_CHIPS:
        raise Refused(Code.MALFORMED, None, "Value chips are bought for cash only.")
    if command.amount <= 0:
        clause, least = live_clause(table.rulebook, CitedTopic.CHIPS), min(live_settings(table).denominations)
        raise Refused(Code.VALUE_UNDER_MINIMUM, clause, f"A buy-in is {amount_text(least)} at least.", minimum=least)
    pieces = 0
    if command.colour is None:
        require_payable(table, command.amount)
        require_in_float(table, command.amount)
    else:
        colour = own_colour(table, live, command, command.colour)
        pieces, rest = divmod(command.amount, colour.value)
        if rest:
            clause = live_clause(table.rulebook, CitedTopic.CHIP_VALUE)
            message = f"{amount_text(command.amount)} is not a whole number of chips of {amount_text(colour.value)}."
            raise Refused(Code.NOT_WHOLE_CHIPS, clause, message, amount=command.amount, value=colour.value)
        if command.tender is Tender.VALUE_CHIPS:
            require_payable(table, command.amount, brought=True)
        require_in_rack(table, colour, pieces)
    return (ChipsBought(table.id, command.position, command.tender, command.amount, command.colour, pieces),)


def own_colour(table: Table, live: LiveTable, command: PlayerCommand, name: str) -> Colour:
    """Find a colour of a player, or refuse chips that are not this player's at this table."""
    colour = live.colours.get(name)
    if colour is not None and colour.position == command.position:
        return colour
    clause = live_clause(table.rulebook, CitedTopic.CHIP_OWNER)
    message = f"{name} is not a colour of the player at position {command.position} here."
    raise Refused(Code.CHIPS_OF_ANOTHER_TABLE, clause, message, colour=name)


def find_float(table: Table) -> Float:
    """Find the float of a table, or refuse if it is closed."""
    live = live_at(table)
    if live.float_ is None:
        raise _float_closed(table)
    return live.float_


def _float_closed(table: Table) -> Refused:
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    return Refused(Code.FLOAT_NOT_OPEN, clause, f"The float of table {table.id} is not open.")


def require_payable(table: Table, amount: int, clause: ClauseId | None = None, *, brought: bool = False) -> None:
    """Refuse an amount that the value chips of the float do not make; a player may bring others that circulate."""
    settings = live_settings(table)
    denominations = (*settings.denominations, *(settings.circulating if brought else ()))
    if not sums_of(denominations).has(amount):
        listed = ", ".join(map(amount_text, sorted(denominations)))
        message = f"Value chips of {listed} do not make {amount_text(amount)}."
        clause = clause or live_clause(table.rulebook, CitedTopic.CHIP_VALUE)
        raise Refused(Code.NOT_WHOLE_CHIPS, clause, message, amount=amount, value=min(denominations))


def require_in_rack(table: Table, colour: Colour, pieces: int) -> None:
    """Refuse to hand out more pieces of a colour than its set has."""
    if colour.out is not None and colour.out + pieces > colour.pieces_in_set:
        left = colour.pieces_in_set - colour.out
        clause = live_clause(table.rulebook, CitedTopic.CHIP_SETS)
        raise Refused(Code.CHIPS_SHORT, clause, f"There are {left} chips of this colour in the rack.", left=left)


def require_in_float(table: Table, amount: int) -> None:
    """Refuse to pay more than an open float has; the refusal does not reveal its amount, as it is counted blind."""
    if find_float(table).booked < amount and records_bets(table.settings):
        clause = live_clause(table.rulebook, CitedTopic.FLOAT)
        message = f"There is not enough in the float of table {table.id}: {amount_text(amount)} are to be paid."
        raise Refused(Code.FLOAT_SHORT, clause, message, amount=amount)


@evolves(ChipsBought)
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
    float_ = open_float_of(live)
    float_.booked += amount
    float_.counted = None


def open_float_of(live: LiveTable) -> Float:
    """Return the float of a table; only for code that runs while it is open."""
    assert live.float_ is not None
    return live.float_


def move_colour(colour: Colour, pieces: int, amount: int) -> None:
    """Hand out chips of a colour, or take them back."""
    colour.out = None if colour.out is None else colour.out + pieces
    colour.booked += amount


@command(Duty.DEAL)
class RedeemColour(PlayerCommand, frozen=True):
    """Exchange chips of a player's colour for value chips."""

    colour: str
    pieces: int


@event("{pieces} chips of {colour} were redeemed for {amount}.", EventTopic.MONEY)
class ColourRedeemed(PlayerEvent, frozen=True):
    """Chips of a player's colour were exchanged for value chips."""

    colour: str
    pieces: int
    amount: Cents


@decides(RedeemColour)
def redeem_colour(house: House, command: RedeemColour, _context: Context) -> Events:
    table, live, _ = player_at(house, command)
    colour = own_colour(table, live, command, command.colour)
    find_float(table)
    if command.pieces <= 0:
        raise Refused(Code.MALFORMED, None, "At least one chip is redeemed.", pieces=command.pieces)
    require_settled(table, command.position)
    left = in_hand(live, command.colour)
    if left is not None and command.pieces > left:
        clause = live_clause(table.rulebook, CitedTopic.REDEMPTION)
        message = f"The player has {left} chips of {command.colour} in hand."
        raise Refused(Code.CHIPS_SHORT, clause, message, out=left)
    amount = Cents(command.pieces * colour.value)
    # 6(f) at Adelaide: the exchange is for the appropriate sum.
    require_payable(table, amount, live_clause(table.rulebook, CitedTopic.REDEMPTION))
    require_in_float(table, amount)
    return (ColourRedeemed(table.id, command.position, command.colour, command.pieces, amount),)


def in_hand(live: LiveTable, name: str) -> int | None:
    """Return the pieces of a colour that its player has and that do not lie on the layout; None if unknown."""
    colour = live.colours[name]
    if colour.out is None or colour.position is None:
        return None
    return colour.out - live.players[colour.position].on_layout(name)


@evolves(ColourRedeemed)
def colour_redeemed(house: House, event: ColourRedeemed, _context: Context) -> None:
    live = live_of(house, event.table)
    move_colour(live.colours[event.colour], -event.pieces, -event.amount)
    move_float(live, -event.amount)
    house.ledger.post(event.amount, source=LedgerAccount.COLOUR_CHIPS, target=LedgerAccount.FLOATS)


@command(Duty.DEAL, signatures=2)
class ReturnColour(TableCommand, frozen=True):
    """Take a colour back from its player, with its chips in the rack counted; two people sign if some are missing."""

    colour: str
    counted: int

    def one_signature_suffices(self, house: House) -> bool:
        live = house.tables[self.table].live
        colour = None if live is None else live.colours.get(self.colour)
        return colour is None or self.counted >= colour.pieces_in_set


@event("{colour} was taken back; chips missing: {missing}.", EventTopic.MONEY)
class ColourReturned(TableEvent, frozen=True):
    """A colour was taken back: the chips in the rack, the missing chips, and the value that is written off."""

    colour: str
    counted: int
    missing: int
    amount: int


@decides(ReturnColour)
def return_colour(house: House, command: ReturnColour, _context: Context) -> Events:
    """Take a colour back; the value of chips that are not redeemed is written off."""
    table = house.tables[command.table]
    live = live_at(table)
    colour = _find_colour(table, live, command.colour)
    clause = live_clause(table.rulebook, CitedTopic.REDEMPTION)
    if colour.position is None:
        raise Refused(Code.NOTHING_THERE, clause, f"{command.colour} is with no player.", colour=command.colour)
    require_no_gap(table)
    if _is_unpaid(table, colour.position):
        raise not_all_paid(table)
    player = live.players[colour.position]
    _require_none_carried(table, (player,))
    if player.on_layout(command.colour):
        message = f"Chips of {command.colour} lie on the layout: they are played or withdrawn first."
        raise Refused(Code.CHIPS_OUTSTANDING, clause, message, colour=command.colour)
    if not 0 <= command.counted <= colour.pieces_in_set:
        message = f"The set has {colour.pieces_in_set} chips of {command.colour}: count them again."
        raise Refused(Code.RECORD_DIFFERS, clause, message, counted=command.counted)
    missing = colour.pieces_in_set - command.counted
    return (ColourReturned(table.id, command.colour, command.counted, missing, colour.booked),)


def require_no_gap(table: Table) -> None:
    """Refuse to go on while play that is not on record has not been closed by a count."""
    if live_at(table).gap is not None:
        raise _gap_open(table)


def _gap_open(table: Table) -> Refused:
    clause = live_clause(table.rulebook, CitedTopic.FLOAT)
    return Refused(Code.GAP_OPEN, clause, "Play is missing in the record: rack and tray are counted first.")


@evolves(ColourReturned)
def colour_returned(house: House, event: ColourReturned, _context: Context) -> None:
    table = house.tables[event.table]
    live = live_of(house, event.table)
    colour = live.colours[event.colour]
    assert colour.position is not None
    live.players[colour.position].colours.remove(event.colour)
    if records_bets(table.settings):
        target = LedgerAccount.UNCLAIMED
        house.chips.unclaimed += event.amount
    else:
        target = LedgerAccount.HOUSE
        live.counted_win += event.amount
    house.ledger.post(event.amount, source=LedgerAccount.COLOUR_CHIPS, target=target)
    # Missing chips are no longer part of the set.
    live.colours[event.colour] = Colour(event.counted)


@command(MachineRole.SYSTEM, Duty.INSPECT)
class AcknowledgeNotice(TableCommand, frozen=True):
    """Confirm that the notice at a table shows the limits and odds of its next round, by the notice's digest."""

    digest: str


@event("The notice at the table was checked.", EventTopic.STAFF)
class NoticeAcknowledged(TableEvent, frozen=True):
    """A notice at a table shows what its digest stands for."""

    digest: str


@decides(AcknowledgeNotice)
def acknowledge_notice(house: House, command: AcknowledgeNotice, _context: Context) -> Events:
    table = house.tables[command.table]
    live_at(table)
    if command.digest != notice_digest(house, table):
        rulebook, _ = pending_settings(house, table)
        message = "That is not the notice of the next round: read it again."
        raise Refused(Code.RECORD_DIFFERS, rulebook.channels[ChannelName.TABLE].notice, message)
    return (NoticeAcknowledged(table.id, command.digest),)


@evolves(NoticeAcknowledged)
def notice_acknowledged(house: House, event: NoticeAcknowledged, _context: Context) -> None:
    live_of(house, event.table).notice = event.digest


def opening_objections(house: House, table: Table) -> Iterator[Refusal]:
    """List the reasons why a round may not open on a live table: its notice, and its float."""
    if table.live is None:
        return
    if table.round is not None and is_paying(table.round):
        yield not_all_paid(table).refusal
    rulebook, _ = pending_settings(house, table)
    players = table.live.players.values()
    if rulebook.digest != table.rulebook.digest and any(each.pieces or each.carried for each in players):
        message = "Other rules apply from this round: chips on the layout are withdrawn or released first."
        yield refuse(Code.CHIPS_OUTSTANDING, live_clause(table.rulebook, CitedTopic.REDEMPTION), message)
    clause = rulebook.channels[ChannelName.TABLE].notice
    if clause is not None and table.live.notice != notice_digest(house, table):
        message = "The notice at the table must show the limits and odds of this round: check it first."
        yield refuse(Code.NOTICE_NOT_SHOWN, clause, message)
    if table.live.float_ is None:
        yield _float_closed(table).refusal
    if table.live.gap is not None:
        yield _gap_open(table).refusal


def require_no_chips_out(table: Table) -> None:
    """Refuse to close what still has chips with players: they can be redeemed nowhere else."""
    if table.live is None:
        return
    require_no_gap(table)
    if table.round is not None and is_paying(table.round):
        raise not_all_paid(table)
    clause = live_clause(table.rulebook, CitedTopic.REDEMPTION)
    _require_none_carried(table, table.live.players.values())
    if any(player.pieces for player in table.live.players.values()):
        message = "Chips lie on the layout: they are played or withdrawn first."
        raise Refused(Code.CHIPS_OUTSTANDING, clause, message)
    out = [name for name, each in table.live.colours.items() if each.position is not None]
    if out:
        raise Refused(Code.CHIPS_OUTSTANDING, clause, f"Players still have {' and '.join(out)}.", colours=tuple(out))
