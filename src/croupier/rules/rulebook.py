"""A rulebook, what it offers, and its payout table."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property, lru_cache
from types import MappingProxyType

from croupier.rules.calls import (
    GAME_CALLS,
    NUMBERS_UNDER_MARKER,
    CallBet,
    CallKind,
    CallSelection,
    NeighboursButton,
    arguments,
    block_spots,
    call_pieces,
    indivisible,
)
from croupier.rules.geometry import (
    COMMON_POCKETS,
    STRAIGHT,
    Area,
    BlockSpot,
    Kind,
    Layout,
    Pocket,
    SegmentGroup,
    Spot,
    SpotKey,
    SpotKind,
    Wheel,
    derive_spots,
    in_order,
)
from croupier.rules.limits import Limits, RiskCheck
from croupier.rules.money import CENTS_PER_UNIT, Cents
from croupier.rules.multipliers import Multiples
from croupier.rules.pricing import Bet, Outcome, Paytable, Price, exposure_of, staked
from croupier.rules.procedure import (
    Channel,
    ChannelName,
    EquipmentRules,
    Irregularity,
    Messages,
    PayoutRules,
    Procedure,
    Profile,
    Staff,
    Tax,
    TerminalRules,
)
from croupier.rules.progressive import PotAtStake
from croupier.rules.refusal import Cites, Clause, ClauseId, Code, Refusal, Refused, raise_if


@dataclass(frozen=True, slots=True)
class SpotAlias:
    """A second place on the felt for an existing spot: one bet, one limit."""

    name: str
    label: str
    spot: SpotKey
    area: Area
    clause: ClauseId


@dataclass(frozen=True)
class Vocabulary:
    """The pockets and the outside bets that a slip may name."""

    pockets: tuple[Pocket, ...]
    outside: tuple[str, ...]

    @cached_property
    def counted(self) -> dict[str, list[str]]:
        """The outside bets that are named by a word and a number, such as the columns."""
        numbers: dict[str, list[str]] = {}
        for word, _, number in (name.partition(" ") for name in self.outside):
            if number:
                numbers.setdefault(word, []).append(number)
        return numbers


@dataclass(frozen=True, repr=False)
class Rulebook:
    """One venue's rules."""

    id: str
    venue: str
    title: str
    version: str
    currency: str
    #: A slip that is valid here, as an example.
    example: str
    clause: ClauseId
    wheel: Wheel
    wheel_clause: ClauseId
    layout: Layout
    #: Every kind of bet that these rules know, in the order in which they are listed; those with a price can be bet.
    kinds: tuple[Kind, ...]
    paytable: Paytable
    calls_clause: ClauseId
    procedure: Procedure
    channels: Mapping[ChannelName, Channel]
    staff: Staff
    cited_clauses: Cites = field(metadata={"key": "cites"})
    messages: Messages
    irregularities: tuple[Irregularity, ...]
    clauses: tuple[Clause, ...]
    #: The day from which the document is in force; None if it has no date.
    effective: date | None = None
    terminal: TerminalRules = field(default_factory=TerminalRules)
    calls: tuple[CallBet, ...] = ()
    profiles: tuple[Profile, ...] = ()
    aliases: tuple[SpotAlias, ...] = ()
    #: The limits that the document itself fixes; a table's own may be narrower.
    limits: Limits | None = None
    neighbours_button: NeighboursButton | None = None
    risk: RiskCheck | None = None
    tax: Tax | None = None
    #: The clause that requires approval of the game system, if any.
    approval: ClauseId | None = None
    #: The clause that requires notice before a table or terminal is closed, if any.
    closing_notice: ClauseId | None = None
    #: The clause on arrangements with individual players, and the clause on their content, if any.
    arrangement: ClauseId | None = None
    restriction: ClauseId | None = None
    #: The clause that has disputes follow a memorandum, if any.
    memorandum: ClauseId | None = None
    #: The clause that lists the only ways to add to the credit meter, if the list is closed.
    credit_only: ClauseId | None = None
    #: How chips are paid, if the venue has tables that take them.
    payout: PayoutRules | None = None
    #: What the wheel head and the ball of a table must be, if the document says so.
    equipment: EquipmentRules | None = None
    #: The SHA-256 of the rules above without the clause matrix; set by the loader.
    digest: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"<Rulebook {self.id} {self.digest[:8]}>"

    def __hash__(self) -> int:
        return hash((self.id, self.version))

    @cached_property
    def spots(self) -> Mapping[SpotKey, Spot]:
        """Every legal spot by name: it is on the layout and has a price."""
        derived = derive_spots(self.layout, [kind for kind in self.kinds if kind.id in self.paytable.prices])
        return MappingProxyType({spot.key: spot for spot in derived})

    @cached_property
    def kind_names(self) -> Mapping[SpotKind, Kind]:
        """The kinds of bet by their ids."""
        return MappingProxyType({kind.id: kind for kind in self.kinds})

    @cached_property
    def prices(self) -> Mapping[SpotKind, Price]:
        """The price of each kind of bet that is offered, in the order in which they are listed."""
        prices = self.paytable.prices
        return MappingProxyType({kind.id: prices[kind.id] for kind in self.kinds if kind.id in prices})

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The pockets and the outside bets that slips may name; those of a usual wheel are understood and refused."""
        outside = (key for kind in self.kinds for key in kind.boxes)
        return Vocabulary(in_order({*COMMON_POCKETS, *self.wheel.order}), tuple(outside))

    @cached_property
    def blocks(self) -> Mapping[SpotKey, BlockSpot]:
        """The places on the block for marker bets, by name; they are not spots of the layout."""
        return MappingProxyType({block.key: block for block in block_spots(self.calls, self.wheel)})

    @cached_property
    def pockets(self) -> tuple[Pocket, ...]:
        """The pockets of the wheel, in printed order."""
        return in_order(self.wheel.order)

    @cached_property
    def call_names(self) -> Mapping[str, CallBet]:
        """The calls by each of their names."""
        return {name: call for call in self.calls for name in (call.name, *call.aliases)}

    @cached_property
    def spot_aliases(self) -> Mapping[str, Spot]:
        return {alias.name: self.spots[alias.spot] for alias in self.aliases}

    def named_spot(self, name: str) -> SpotKey:
        """Return the spot that a name stands for: another name of a spot, such as the courtesy line, or its own."""
        alias = self.spot_aliases.get(name.replace(" ", "-"))
        return SpotKey(name) if alias is None else alias.key

    def risk_objection(self, bets: Iterable[Bet]) -> Refusal | None:
        """Apply the venue's risk check to a set of bets, in cents."""
        if self.risk is None:
            return None
        return self.risk.objection(exposure_of(bets, self.paytable, self.wheel), credit=Cents(1))


#: The stake on each spot.
Stakes = dict[SpotKey, int]


class PayoutTable:
    """A rulebook's spots with their gross multiples and the pockets they cover, as plain lookup tables."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        paytable = rulebook.paytable
        #: By any text that may name one.
        self.spots: dict[str, Spot] = dict(rulebook.spots.items())
        #: The key of each, as the tuple that every change of one spot shares.
        self.alone: dict[str, tuple[SpotKey]] = {name: (spot.key,) for name, spot in self.spots.items()}
        #: The price of each spot.
        self.prices: dict[SpotKey, Price] = {key: paytable.price(spot) for key, spot in rulebook.spots.items()}
        #: The return of one unit; zero where it is not a fixed number, and the price computes it.
        self.gross: dict[SpotKey, int] = {
            key: int(each.gross) if each.is_plain else 0 for key, each in self.prices.items()
        }
        self.curved: dict[SpotKey, Price] = {key: each for key, each in self.prices.items() if not each.is_plain}
        # Every house builds this table: what no pocket does is not asked of each spot.
        ruled = {zero.pocket for zero in paytable.zeros}
        twice = any(price.twice for price in paytable.prices.values())
        #: For each pocket, the spots of which half of the stake is returned on it.
        self.halved: dict[Pocket, frozenset[SpotKey]] = {
            pocket: frozenset(key for key, spot in rulebook.spots.items() if paytable.halves(spot, pocket))
            if pocket in ruled
            else frozenset()
            for pocket in rulebook.pockets
        }
        #: Whether every return is a number of times the stake, so that stakes of several players may be added up.
        self.is_plain = not self.curved and not any(self.halved.values())
        #: With which bets a spot is paid at a table of chips.
        self.segments: dict[SpotKey, SegmentGroup] = {
            key: rulebook.kind_names[spot.kind].segment for key, spot in rulebook.spots.items()
        }
        place = {pocket: index for index, pocket in enumerate(rulebook.pockets)}
        self.covers: dict[SpotKey, tuple[int, ...]] = {
            key: tuple(place[pocket] for pocket in spot.numbers) for key, spot in rulebook.spots.items()
        }
        #: Both of these together.
        self.yields: dict[SpotKey, tuple[int, tuple[int, ...]]] = {
            key: (gross, self.covers[key]) for key, gross in self.gross.items()
        }
        #: The pockets that can be bet on straight up.
        self.straights: dict[SpotKey, Pocket] = {
            key: spot.numbers[0] for key, spot in rulebook.spots.items() if spot.kind == STRAIGHT
        }
        #: For each pocket, the spots that are paid on it and the return of one unit, or zero as above.
        self.winners: dict[Pocket, dict[SpotKey, int]] = {
            pocket: {
                key: self.gross[key]
                for key, spot in rulebook.spots.items()
                if pocket in spot.covers and not self.prices[key].twice
            }
            for pocket in rulebook.pockets
        }
        #: For each pocket, the spots whose stakes it carries to the next spin; none at most venues.
        self.carried_on: dict[Pocket, frozenset[SpotKey]] = {
            pocket: keys
            for pocket in rulebook.pockets
            if (twice or pocket in ruled)
            and (
                keys := frozenset(k for k, spot in rulebook.spots.items() if paytable.outcome(spot, 2, pocket).carried)
            )
        }
        #: Whether stakes may outlive their round here.
        self.carries = bool(self.carried_on)
        #: The places of the pockets on which half of a stake on a spot is returned.
        self.halved_at: dict[SpotKey, tuple[int, ...]] = {
            key: places
            for key in rulebook.spots
            if (places := tuple(place[pocket] for pocket, spots in self.halved.items() if key in spots))
        }
        #: The places on the block for marker bets, which are not spots of the felt.
        self.blocks: dict[SpotKey, BlockSpot] = dict(rulebook.blocks)
        self.pockets = len(place)
        #: The value that a terminal that shows this felt must report.
        self.digest = hashlib.sha256("\n".join(sorted(self.spots)).encode()).hexdigest()

    def drawn(self, multiples: Multiples) -> "PayoutTable":
        """Return the table of a round for which these multiples were drawn."""
        return _drawn(self, tuple(multiples.items())) if multiples else self

    def playing_for(self, pot: PotAtStake | None) -> "PayoutTable":
        """Return the table of a round that plays for a pot."""
        return self if pot is None else _playing_for(self, pot)

    @cached_property
    def progressive(self) -> SpotKey | None:
        """The spot that wins the pot, if there is one."""
        rules = self.rulebook.paytable.progressive
        kinds = ((key, spot.kind) for key, spot in self.rulebook.spots.items())
        return next((key for key, kind in kinds if rules is not None and kind == rules.kind), None)

    def pot_won(self, stakes: Stakes, pocket: Pocket) -> int:
        """Compute what stakes win of the pot on a pocket."""
        stake = 0 if self.progressive is None else stakes.get(self.progressive, 0)
        return self.curved[self.progressive].won(stake) if stake and self.progressive in self.winners[pocket] else 0

    def best(self, stakes: Stakes) -> int:
        """Return the maximum return of these stakes over all pockets."""
        return max(self.returns(stakes))

    def returns(self, stakes: Stakes) -> list[int]:
        """Compute the return of these stakes on every pocket, in printed order."""
        returns = [0] * self.pockets
        for spot, stake in self.on_layout(stakes).items():
            back = stake * self.gross[spot] or self.back(spot, stake)
            for place in self.covers[spot]:
                returns[place] += back
            for place in self.halved_at.get(spot, ()):
                returns[place] += stake // 2
        return returns

    def back(self, spot: SpotKey, stake: int) -> int:
        """Compute the return of a winning stake."""
        price = self.curved.get(spot)
        return stake * self.gross[spot] if price is None else stake + price.won(stake)

    def given_back(self, stakes: Stakes, pocket: Pocket, carried: Stakes | None = None) -> int:
        """Compute what is returned of stakes that won nothing: halves, and stakes that are free from prison."""
        halved = self.halved[pocket]
        back = sum(stakes[spot] // 2 for spot in halved & stakes.keys()) if halved else 0
        return back + (self.resolve(carried, pocket)[0] - self.won_twice(carried, pocket) if carried else 0)

    def won_twice(self, carried: Stakes, pocket: Pocket) -> int:
        """Compute the winnings of carried stakes: only a bet on two spins in a row has some."""
        return sum(
            self.curved[spot].won(stake)
            for spot, stake in carried.items()
            if pocket in self.rulebook.spots[spot].covers and spot in self.curved and self.curved[spot].twice
        )

    def carried(self, stakes: Stakes, pocket: Pocket) -> Stakes:
        """Select the stakes that a pocket carries to the next spin."""
        spots = self.carried_on.get(pocket)
        if spots is None:
            return {}
        return {spot: stake for spot, stake in self.on_layout(stakes).items() if spot in spots}

    def resolve(self, carried: Stakes, pocket: Pocket) -> tuple[int, Stakes]:
        """Compute what a pocket returns of stakes that were carried to its spin, and which of them it carries again."""
        returned, again = 0, Stakes()
        for spot, stake in carried.items():
            outcome = self.resolve_one(spot, stake, pocket)
            returned += outcome.returned
            if outcome.carried:
                again[spot] = outcome.carried
        return returned, again

    def resolve_one(self, spot: SpotKey, stake: int, pocket: Pocket) -> Outcome:
        """Compute what a pocket does with a stake that was carried to its spin; of a marker bet a fifth is on it."""
        paytable, block = self.rulebook.paytable, self.blocks.get(spot)
        if block is None:
            return paytable.outcome(self.rulebook.spots[spot], stake, pocket, carried=True)
        if pocket in block.numbers:
            return Outcome(stake // NUMBERS_UNDER_MARKER)
        number = self.rulebook.spots[SpotKey(block.numbers[0])]
        return paytable.outcome(number, stake, pocket, carried=True)

    def carry(self, stakes: Stakes, carried: Stakes, pocket: Pocket) -> tuple[int, Stakes]:
        """Compute what a pocket returns of stakes that were carried to its spin, and all stakes that it carries on."""
        returned, carried_on = self.resolve(carried, pocket) if carried else (0, Stakes())
        for spot, stake in self.carried(stakes, pocket).items():
            carried_on[spot] = carried_on.get(spot, 0) + stake
        return returned, carried_on

    def returned_at_once(self, stakes: Stakes, pocket: Pocket) -> int:
        """Compute the return of stakes that cannot wait for another spin."""
        return self.returned(stakes, pocket) + (self.released(self.carried(stakes, pocket)) if self.carries else 0)

    def released(self, carried: Stakes) -> int:
        """Compute what is returned of carried stakes that cannot wait for their spin."""
        return sum(self.rulebook.paytable.released(stake) for stake in carried.values())

    def _besides(self, placed: Stakes, pocket: Pocket) -> int:
        """Compute what is returned on a pocket besides wins that are a number of times the stake."""
        won = self.winners[pocket].keys() & placed.keys() & self.curved.keys()
        return sum(self.back(spot, placed[spot]) for spot in won) + self.given_back(placed, pocket)

    def returned(self, stakes: Stakes, pocket: Pocket) -> int:
        """Compute the return of these stakes on a pocket, including winning stakes."""
        winners = self.winners[pocket]
        # The intersection is faster than a loop over the stakes: few of many stakes win.
        placed = self.on_layout(stakes)
        total = sum([placed[spot] * winners[spot] for spot in winners.keys() & placed.keys()])
        return total if self.is_plain else total + self._besides(placed, pocket)

    def returned_and_winning(self, stakes: Stakes, pocket: Pocket) -> tuple[int, int]:
        """Compute the return of these stakes on a pocket, and the part of it that is winning stakes."""
        winners, placed = self.winners[pocket], self.on_layout(stakes)
        won = winners.keys() & placed.keys()
        total = sum([placed[spot] * winners[spot] for spot in won])
        if not self.is_plain:
            total += self._besides(placed, pocket)
        return total, sum([placed[spot] for spot in won])

    def winning(self, stakes: Stakes, pocket: Pocket) -> Stakes:
        """Select the stakes that win on a pocket, in their order; of a winning marker bet, the fifth on that number."""
        placed = self.on_layout(stakes)
        winners = self.winners[pocket].keys() & placed.keys()
        if len(winners) > 1:
            return {spot: placed[spot] for spot in filter(winners.__contains__, placed)}
        return {spot: placed[spot] for spot in winners}

    def on_layout(self, stakes: Stakes) -> Stakes:
        """Replace marker bets by a fifth of their total on each of their numbers, straight up."""
        if self.blocks.keys().isdisjoint(stakes.keys()):
            return stakes
        placed: Counter[SpotKey] = Counter()
        for spot, stake in stakes.items():
            block = self.blocks.get(spot)
            numbers = (spot,) if block is None else map(SpotKey, block.numbers)
            for key in numbers:
                placed[key] += stake if block is None else stake // NUMBERS_UNDER_MARKER
        return dict(placed)


@lru_cache(maxsize=64)
def _drawn(table: PayoutTable, multiples: tuple[tuple[Pocket, int], ...]) -> PayoutTable:
    """Copy a table with the multiples of some numbers: their straight ups pay these, and nothing else differs."""
    paytable, spots = table.rulebook.paytable, table.rulebook.spots
    straights = {pocket: spot for spot, pocket in table.straights.items()}
    prices = {straights[pocket]: paytable.price(spots[straights[pocket]], dict(multiples)) for pocket, _ in multiples}
    gross = {spot: int(price.gross) for spot, price in prices.items()}
    copied = copy(table)
    copied.prices, copied.gross = {**table.prices, **prices}, {**table.gross, **gross}
    copied.yields = {**table.yields, **{spot: (each, table.covers[spot]) for spot, each in gross.items()}}
    won = {pocket: {straights[pocket]: gross[straights[pocket]]} for pocket, _ in multiples}
    copied.winners = {pocket: {**spots, **won.get(pocket, {})} for pocket, spots in table.winners.items()}
    return copied


@lru_cache(maxsize=64)
def _playing_for(table: PayoutTable, pot: PotAtStake) -> PayoutTable:
    """Copy a table with the pot as the price of its bet; where the pot is due, the bet wins on every number."""
    spot, copied = table.progressive, copy(table)
    assert spot is not None
    price = replace(table.prices[spot], pays=pot.pays)
    places = tuple(range(table.pockets)) if pot.due else table.covers[spot]
    copied.prices, copied.gross = {**table.prices, spot: price}, {**table.gross, spot: 0}
    copied.curved, copied.covers = {**table.curved, spot: price}, {**table.covers, spot: places}
    copied.yields, copied.is_plain = {**table.yields, spot: (0, places)}, False
    pockets = table.rulebook.pockets
    copied.winners = {
        pocket: {**spots, spot: 0} if pockets.index(pocket) in places else spots
        for pocket, spots in table.winners.items()
    }
    return copied


def find_profile(rulebook: Rulebook, wanted: str | None) -> Profile | None:
    """Find a terminal model or table by id; without an id, everything that the venue offers is available."""
    if wanted is None:
        return None
    known = {profile.id: profile for profile in rulebook.profiles}
    if wanted not in known:
        message = f"There is no profile {wanted!r} here; there is {', '.join(known) or 'none'}."
        raise Refused(Code.UNKNOWN_PROFILE, None, message, profile=wanted, known=tuple(known))
    return known[wanted]


def find_spot(rulebook: Rulebook, key: SpotKey, place: Profile | None = None) -> Spot:
    """Find a spot by name; a refusal cites the clause that excludes it."""
    spot = rulebook.spots.get(rulebook.named_spot(key))
    if spot is not None:
        return spot
    numbers = key.split("/")
    outside = [kind.id for kind in rulebook.kinds if key in kind.boxes]
    kinds = outside or [kind.id for kind in rulebook.kinds if any(each.numbers == len(numbers) for each in kind.shapes)]
    price = next((rulebook.prices[kind] for kind in kinds if kind in rulebook.prices), None)
    if price is None:
        raise Refused(Code.KIND_NOT_PRICED, rulebook.paytable.clause, _unpriced(rulebook, key, kinds), spot=key)
    strangers = tuple(number for number in numbers if number not in rulebook.wheel.order)
    if strangers:
        message = f"There is no {' or '.join(strangers)} on this layout, so {key} cannot be bet."
    else:
        message = f"{key} is no {price.label} on this layout: the numbers do not meet there."
    own = rulebook.channels[place.channel].placement if place else None
    clause = own or price.placed_by(Pocket(number) for number in numbers)
    raise Refused(Code.SPOT_NOT_ON_LAYOUT, clause, message, spot=key)


def _unpriced(rulebook: Rulebook, key: SpotKey, kinds: Sequence[SpotKind]) -> str:
    numbers = len(key.split("/"))
    if not kinds:
        return f"No bet covers {numbers} numbers by listing them: columns, dozens and even chances go by their names."
    if any(key in kind.boxes for kind in rulebook.kinds):
        return f"No price is set for {key} here, so it cannot be bet."
    return f"No bet on {numbers} numbers is priced here, so {key} cannot be bet."


@dataclass(frozen=True, slots=True)
class Expansion:
    """An expanded call: the chips on each spot, and the cost."""

    call: str
    bets: tuple[Bet, ...]
    chips: int

    @property
    def cost(self) -> Cents:
        return staked(self.bets)


def expand(rulebook: Rulebook, said: CallSelection, amount: Cents | None, place: Profile | None) -> Expansion:
    """Expand a call into its bets; without an amount, one unit on each piece."""
    call = rulebook.call_names.get(said.name)
    if call is None or (place is not None and call.name not in place.calls):
        raise _not_offered(rulebook, said, place)
    reach = call.reach.least if said.reach is None else said.reach
    if said.number not in arguments(call, rulebook.wheel):
        wanted = "a number of this wheel" if call.takes_number else "nothing"
        wanted = "one digit" if call.kind is CallKind.LAST_DIGIT else wanted
        wanted = f"one of {', '.join(call.choices)}" if call.choices else wanted
        message = f"'{call.name}' takes {wanted} after its name, not {said.number or 'nothing'}."
        raise Refused(Code.CALL_ARGUMENT, call.naming or call.clause, message, call=str(said))
    if not call.reach.least <= reach <= call.reach.most:
        message = f"'{call.name}' {_reach_text(call, reach)}."
        facts = {"reach": reach, "least": call.reach.least, "most": call.reach.most}
        raise Refused(Code.NEIGHBOURS_REACH, call.naming or call.clause, message, **facts)
    pieces = call_pieces(call, said.number, reach, rulebook.wheel, rulebook.spots)
    is_marker = call.kind is CallKind.MARKER
    if amount is None:
        piece = Cents(CENTS_PER_UNIT)
    elif is_marker:
        raise_if(indivisible(amount, call.clause))
        piece = Cents(amount // NUMBERS_UNDER_MARKER)
    else:
        piece = amount
    name = str(CallSelection(call.name, said.number, said.reach))
    bets = (Bet(spot, Cents(piece * count), name, under_marker=is_marker) for spot, count in pieces.items())
    return Expansion(name, tuple(bets), sum(pieces.values()))


def _not_offered(rulebook: Rulebook, said: CallSelection, place: Profile | None) -> Refused:
    offered = tuple(call.name for call in rulebook.calls) if place is None else tuple(place.calls)
    alias = next((alias for alias in rulebook.aliases if alias.name == said.name), None)
    if alias is not None:
        message = f"'{said.name}' is another name for {alias.spot}: a spot, not a call."
        return Refused(Code.CALL_NOT_OFFERED, alias.clause, message, call=str(said), offered=offered)
    if said.name not in GAME_CALLS and said.name not in rulebook.call_names:
        message = (
            f"There is no spot or call '{said.name}': numbers are written in figures, outside bets and calls by name."
        )
        return Refused(Code.UNKNOWN_SPOT, None, message, spot=str(said))
    where = rulebook.venue if place is None else place.label
    clause = rulebook.calls_clause if place is None else place.clause
    message = f"{where} does not offer '{said.name}'; it offers {', '.join(offered) or 'no calls'}."
    return Refused(Code.CALL_NOT_OFFERED, clause, message, call=str(said), offered=offered)


def _reach_text(call: CallBet, wanted: int) -> str:
    least, most = call.reach.least, call.reach.most
    if most == 0:
        return "has no neighbours to reach"
    return f"reaches {least if least == most else f'{least} to {most}'} on each side here, not {wanted}"
