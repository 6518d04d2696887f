"""Players with chips in a transcript: their headings, their slips, and what the table shows of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from croupier.house import House
from croupier.house.declare import Event
from croupier.house.ids import PositionId, TableId
from croupier.house.live.arrangements import InfringementNoted, PlayerBarred
from croupier.house.live.chip_settlement import BetCapped, OwnerAdvised, PaymentRounded, payout_plan, walking_at
from croupier.house.live.floats import ChipCount
from croupier.house.live.partners import PlayersLinked
from croupier.house.live.payment_walk import LateBetReturned
from croupier.house.live.seats_and_colours import records_bets
from croupier.house.play.chip_bets import ChipsChanged, ChipsReturned, flat
from croupier.house.settings import LiveSettings
from croupier.house.state.live import Advice, ChipBets, ChipFunding, Layout, LiveTable, Walk
from croupier.house.state.tables import Table
from croupier.rules.geometry import SpotKey
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.notation import ChipBet, MalformedError, parse_chips
from croupier.rules.payouts import ChipCount as Pieces
from croupier.rules.payouts import ChipId, PayoutPlan, denomination, value_chip, value_chips
from croupier.rules.refusal import Code
from croupier.rules.rulebook import Stakes
from croupier.rules.sums import sums_of
from croupier.transcripts.format import FIRST, Expectation, Heading, ParseExpectationError, Setting

#: What is not recorded.
UNKNOWN: Final = "unknown"


def player_named(number: object) -> str:
    """Return the label of a player in a transcript."""
    return f"player {number}"


@dataclass(frozen=True, slots=True)
class PlayerSetting:
    """A player with chips: the colour with its declared value, and what was bought for cash."""

    colour: str | None = None
    value: Cents | None = None
    buys: int = 0
    chips: int = 0


def set_player(player: PlayerSetting, setting: Setting) -> PlayerSetting:
    """Set a value of a player's heading, or raise ParseExpectationError with what is expected."""
    if setting.name == "colour":
        return replace(player, colour=setting.value)
    cents = cents_of(setting.value)
    if cents is None and setting.name in ("value", "buys", "chips"):
        raise ParseExpectationError(f"an amount after '{setting.name}'")
    match setting.name:
        case "value":
            return replace(player, value=cents)
        case "buys":
            return replace(player, buys=cents or 0)
        case "chips":
            return replace(player, chips=cents or 0)
    raise ParseExpectationError("one of the settings colour, value, buys, chips")


def position_of(house: House, player: str, table: TableId = FIRST) -> PositionId:
    """Find the position of a player; 0, which no player has, if none of that name is there."""
    live = house.tables[table].live
    players = {} if live is None else {**live.left, **live.players}
    return next((each for each, found in players.items() if found.label == player), PositionId(0))


def player_names(house: House) -> dict[PositionId, str]:
    """Name every player with chips; one without a name is named by the position."""
    lives = (table.live for table in house.tables.values() if table.live is not None)
    return {each: player.label or f"position {each}" for live in lives for each, player in live.players.items()}


def player_numbers(table: Table) -> dict[PositionId, int]:
    """Number the players with chips at a table from 1, as a transcript does."""
    players = () if table.live is None else table.live.players
    return {position: number for number, position in enumerate(players, start=1)}


def live_layout(table: Table, position: PositionId) -> Layout:
    """Return the chips of a player on the layout."""
    player = None if table.live is None else table.live.players.get(position)
    return {} if player is None else player.pieces


def player_headings(table: Table) -> Iterator[Heading]:
    """Write each player with the chips of the colour that are with the player or on the layout."""
    for position, number in player_numbers(table).items():
        live = _live(table)
        settings = []
        for name in live.players[position].colours[:1]:
            colour = live.colours[name]
            settings = [Setting("colour", name), Setting("value", amount_text(colour.value))]
            if colour.out:
                settings.append(Setting("buys", amount_text(colour.out * colour.value)))
        yield Heading(player_named(number), tuple(settings))


def players_before(house: House, table: Table) -> Iterator[tuple[int, str]]:
    """Describe what a heading cannot express of players with chips before a round."""
    for position, number in player_numbers(table).items():
        player = _live(table).players[position]
        facts = {
            "has several colours": len(player.colours) > 1,
            "had partners": player.group is not None,
            "was advised of the minimum": player.advised_at is not None,
            "had infringed the rules": player.barred is not None or player.infringements > 0,
            "had a correction to settle": player.owed > 0 or player.payable > 0,
            "had chips from an earlier spin": bool(player.carried),
            "played by an arrangement": house.positions[position].arrangement is not None,
        }
        yield from ((number, words) for words, holds in facts.items() if holds)


# Slips of chips.


def read_chips(text: str) -> tuple[ChipBet, ...]:
    """Parse a slip of chips such as ``2 blue on 17; 3 x 25 on red; 130 on black``."""
    try:
        return parse_chips(text)
    except MalformedError:
        raise ParseExpectationError("chips such as '2 blue on 17', '3 x 5 on red' or '130 on black'") from None


def print_chips(bets: Iterable[ChipBet]) -> str:
    return "; ".join(map(str, bets))


def by_chip(bets: Iterable[ChipBet], settings: LiveSettings | None) -> dict[str, ChipBets]:
    """Group bets by their chips: the dealer records one kind of chip after the other."""
    grouped: dict[str, ChipBets] = {}
    for bet in bets:
        chip, pieces = _chip(bet.chips, settings)
        grouped[chip] = (*grouped.get(chip, ()), (str(bet.on), pieces))
    return grouped


def _chip(chips: Pieces | Cents, settings: LiveSettings | None) -> tuple[str, int]:
    """Name a chip and its pieces; an amount is made of the largest value chips that make it alone."""
    if isinstance(chips, Pieces):
        return chips.chip, chips.pieces
    known = () if settings is None else settings.denominations
    value = max((each for each in known if chips % each == 0), default=chips)
    return value_chip(value), chips // max(1, value)


def bets_of_chips(pieces: Iterable[tuple[SpotKey, str, int]]) -> tuple[ChipBet, ...]:
    """Write pieces on spots as bets: each a spot, a chip and how many."""
    return tuple(ChipBet(Pieces(ChipId(chip), count), spot) for spot, chip, count in pieces if count)


def chips_for(amount: int, settings: LiveSettings) -> ChipCount:
    """Make an amount of value chips of the float; one that they cannot make is one chip, which is refused.

    Chips of other games that circulate at the table make what its own denominations do not.
    """
    known = settings.denominations
    if not sums_of(known).has(amount):
        known = _all_chips(settings)
    if not sums_of(known).has(amount):
        return ((Cents(amount), 1),)
    chips = value_chips(amount, known)
    return tuple((denomination(each.chip) or Cents(0), each.pieces) for each in chips)


def _all_chips(settings: LiveSettings) -> tuple[Cents, ...]:
    return (*settings.denominations, *settings.circulating)


def float_before(table: Table) -> int | None:
    """Return the float that a heading states: the least that chips make, and not less than the table's; None if closed.

    Which chips a float has is not recorded: what is left of it need not be a sum of chips.
    """
    settings, live = table.settings.live, table.live
    if settings is None or live is None or live.float_ is None:
        return None
    return sums_of(_all_chips(settings)).at_least(max(1, live.float_.booked))


# The effects of a decision on players with chips.


def chip_effects(event: Event, names: Mapping[PositionId, str], stakes: Stakes) -> Iterator[Expectation]:
    """List the notable effects of an event; `stakes` lay there before it if it returns any."""
    match event:
        case ChipsChanged():
            yield from (_advised(names[event.position], advice) for advice in event.advice)
        case PlayersLinked():
            yield from (_advised(names[position], advice) for position, advice in event.advice)
        case ChipsReturned():
            back = sum(stakes[spot] for spot in event.spots)
            yield Expectation("returned", f"{names[event.position]} {amount_text(back)} {event.clause}")
        case LateBetReturned():
            yield Expectation("late", f"{names[event.position]} {amount_text(event.amount)} {event.clause}")
        case OwnerAdvised():
            yield Expectation("advised", f"{names[event.position]} {event.clause}")
        case BetCapped():
            amount = event.stake - event.settled
            yield Expectation("capped", f"{names[event.position]} {amount_text(amount)} {event.clause}")
        case PaymentRounded():
            amounts = f"{amount_text(event.due)} to {amount_text(event.paid)}"
            yield Expectation("rounded", f"{names[event.position]} {amounts} {event.clause}")
        case InfringementNoted() | PlayerBarred():
            word = "noted" if isinstance(event, InfringementNoted) else "barred"
            yield Expectation(word, f"{names[event.position]} {event.clause}")


def _advised(name: str, advice: Advice) -> Expectation:
    over = advice.code is not Code.STAKE_UNDER_MINIMUM
    amount = advice.stake - advice.limit if over else advice.stake
    return Expectation("over" if over else "under", f"{name} {advice.spot} {amount_text(amount)} {advice.clause}")


# What the table shows.

Details = tuple[str, ...]


def chip_details(house: House, word: str, details: Details) -> Details:
    """Describe the current state of play with chips that an outcome is about."""
    table = house.tables[FIRST]
    if table.live is None:
        return (*details[:-1], "none")
    return CHIP_OUTCOMES[word](house, table, details)


def walk_of(table: Table) -> Walk | None:
    """Find the collection and the payments of the last round's chips."""
    return None if table.round is None else table.round.walk


def _plan(house: House, table: Table) -> PayoutPlan | None:
    """Compute the settlement of the round whose chips are being paid, or were last."""
    at = walking_at(table, table.round)
    if at is None or at.walk.pocket is None:
        return None
    return payout_plan(house, table, at.round, at.chips, at.pocket)


def _collected(house: House, table: Table, _details: Details) -> Details:
    plan = _plan(house, table)
    if not records_bets(table.settings):
        return (UNKNOWN,)
    return (amount_text(0 if plan is None else plan.collected),)


def _items(house: House, table: Table, player: str, *, made: bool) -> int:
    walk, position = walk_of(table), position_of(house, player)
    items = () if walk is None else walk.items
    return sum(item.amount for item in items if item.position == position and item.made is made)


def _due(house: House, table: Table, details: Details) -> Details:
    """What is due to a player in this round and not paid yet; with the chips that make it if the outcome names any."""
    player, named = details
    amount = amount_text(_items(house, table, player, made=False))
    return player, f"{amount} as {_parts(house, table, player)}" if " as " in named else amount


def _parts(house: House, table: Table, player: str) -> str:
    plan, position = _plan(house, table), position_of(house, player)
    walk = walk_of(table)
    open_ = set() if walk is None else {item.segment for item in walk.items if not item.made}
    chips: Counter[ChipId] = Counter()
    for payment in plan.payments if plan is not None else ():
        if payment.position == position and payment.segment in open_:
            for chip, count in (*payment.colours, *payment.cash):
                chips[chip] += count
    return " and ".join(_part(chip, count) for chip, count in chips.items()) or "nothing"


def _part(chip: ChipId, count: int) -> str:
    value = denomination(chip)
    return f"{count} {chip}" if value is None else f"{count} x {amount_text(value)}"


def _paid(house: House, table: Table, details: Details) -> Details:
    return details[0], amount_text(_items(house, table, details[0], made=True))


def _out(_house: House, table: Table, details: Details) -> Details:
    colour = table.live.colours.get(details[0].split(" ")[0]) if table.live is not None else None
    name = details[0].split(" ")[0]
    if colour is None:
        return (f"{name} none",)
    return (f"{name} {UNKNOWN if colour.out is None else colour.out}",)


def _float(_house: House, table: Table, _details: Details) -> Details:
    live = _live(table)
    if live.float_ is None:
        return ("none",)
    return (amount_text(live.float_.booked) if records_bets(table.settings) else UNKNOWN,)


def _drop(_house: House, table: Table, _details: Details) -> Details:
    return (amount_text(_live(table).drop),)


def _walk_state(_house: House, table: Table, _details: Details) -> Details:
    walk = walk_of(table)
    if walk is None:
        return ("none",)
    if walk.over:
        return ("over",)
    return ("paying" if walk.collected else "collecting",)


def _live(table: Table) -> LiveTable:
    assert table.live is not None
    return table.live


def player_at(house: House, player: str) -> ChipFunding:
    """Find a player of the first table; one without anything if there is none."""
    live = _live(house.tables[FIRST])
    position = position_of(house, player)
    return live.players.get(position) or live.left.get(position) or ChipFunding()


def layout_text(house: House, player: str, expected: str, *, carried: bool = False) -> str:
    """Write the chips of a player on the layout, or those that wait; as expected if those are the same chips there."""
    of = player_at(house, player)
    pieces = bets_of_chips(flat(of.carried if carried else of.pieces))
    written = print_chips(pieces) or "empty"
    if expected != "empty" and written != "empty":
        wanted = by_chip(read_chips(expected), house.tables[FIRST].settings.live)
        found = by_chip(pieces, None)
        if {chip: sorted(bets) for chip, bets in wanted.items()} == {
            chip: sorted(each) for chip, each in found.items()
        }:
            return expected
    return written


ChipFinder = Callable[[House, Table, Details], Details]
CHIP_OUTCOMES: Final[Mapping[str, ChipFinder]] = {
    "collected": _collected,
    "due": _due,
    "paid": _paid,
    "out": _out,
    "float": _float,
    "drop": _drop,
    "walk": _walk_state,
}
