"""Payouts at a table of chips: what is collected, what is paid to each player, and in which chips.

`plan_payout` computes a whole layout for one pocket; it changes nothing and knows no clock. The house, the command
line and the trainer use it.

A chip is a `ChipId`: the name of a colour ("blue"), whose value its player declared, or a value chip ("v500" is worth
5.00; `value_chip` and `denomination` convert). `ChipStakes` is one position: pieces by spot and chip in the order in
which they were placed, and the limits that apply to it. A spot is one of the layout, or one of the block for a marker
bet ("neighbours 17"). `PayoutTerms` is what the table has: the value chips of its float, the notice on multiples, and
the number of pieces from which whole stacks are paid in value chips.

The `PayoutPlan` lists, for each position (`PositionPayout`), the pieces that are collected, returned and left on the
layout, and the notes (a bet under the minimum, over the maximum, or paid a rounded amount) with their clauses. Its
`segments` are the payments in the rulebook's order: each outside box, then the bets around the number, one `Payment`
for each position. A payment is due once: its key is (segment, position). Collection comes before the first payment.

The arithmetic, for a bet of `s` on a spot that pays `o` to 1:

- `t` is `s` up to the maximum: of a marker bet five times that of a number. Partners have one maximum together, and the
  chips that were placed last are over it first. A fifth of every winning marker bet is added to the straight up on the
  number, where all of it has the maximum of a number. The minimum is one of the chips on a spot, without such fifths.
- A losing bet: `t` is collected, `s - t` goes back, the last pieces first; the part of a piece is change, a payment in
  the segment "returns". So does what a marker bet has over its maximum, whether it wins or not. Where a zero returns
  half of `t`, the parts of pieces of all such bets of a player are one amount, which is rounded as a payment is.
- A winning bet: `t * o` is due. Pieces of a colour are paid in that colour, `pieces * o`, and the rest from the float.
  If its chips do not make that exactly, and the rulebook has a clause for it: without a notice on multiples the next
  higher payable amount is paid; with one, if `t` is no multiple of the minimum, the next lower payable multiple of it.
- A stake that outlives the round, in prison or after the first of two wins, is carried in whole pieces; a piece that is
  partly over the maximum goes back. One that was carried to the spin counts for no limit: it is carried on, collected,
  or goes back to its player, whole or half, and the second of two wins pays it.
- An amount that chips do not make, and that no clause rounds, is `undecided`: a person decides what is paid.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple, NewType

from croupier.rules.calls import NUMBERS_UNDER_MARKER
from croupier.rules.geometry import STRAIGHT, Pocket, SegmentGroup, SpotKey
from croupier.rules.limits import Limits, OverMaximum, Range, UnderMinimum
from croupier.rules.money import Cents
from croupier.rules.pricing import FATES, Fate, Price
from croupier.rules.procedure import Channel, ChannelName, PayoutRules
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import PayoutTable
from croupier.rules.sums import Sums, sums_of

#: A colour of the table, or a value chip: "blue", "v500".
ChipId = NewType("ChipId", str)

#: An outside box by its spot, or one of the two names below.
Segment = NewType("Segment", str)
INSIDE: Final = Segment("inside")
#: The change for a piece that is partly over the maximum: paid before the winning bets.
RETURNS: Final = Segment("returns")

#: Pieces in a stack.
STACK: Final = 20

_VALUE_CHIP: Final = re.compile(r"v([1-9][0-9]*)")

#: Pieces of each chip.
Pieces = Mapping[ChipId, int]


def value_chip(value: int) -> ChipId:
    """Name the value chip of an amount in cents."""
    return ChipId(f"v{value}")


@lru_cache(maxsize=256)
def denomination(chip: ChipId) -> Cents | None:
    """Return the value of a value chip; None for a colour."""
    found = _VALUE_CHIP.fullmatch(chip)
    return None if found is None else Cents(int(found[1]))


@dataclass(frozen=True, slots=True)
class PayoutTerms:
    """What a table pays with, and when it rounds."""

    #: The value chips of the float, in cents, and the value that each colour stands for.
    denominations: tuple[Cents, ...]
    colours: Mapping[ChipId, Cents]
    #: True if a notice at the table requires multiples of the minimum.
    multiples: bool = False
    #: From this number of pieces, whole stacks are paid in value chips; None: never.
    cash_from: int | None = None

    @property
    def smallest(self) -> Cents:
        return min(self.denominations)

    @property
    def sums(self) -> Sums:
        """What the value chips of the float can pay."""
        return sums_of(self.denominations)

    def value(self, chip: ChipId) -> Cents:
        colour = self.colours.get(chip)
        value = denomination(chip) if colour is None else colour
        assert value is not None, chip
        return value

    def amount(self, pieces: Pieces) -> Cents:
        """Add up the value of pieces."""
        return Cents(sum(count * self.value(chip) for chip, count in pieces.items()))


class Entry(NamedTuple):
    """An amount that was placed on a spot, and its turn among all entries at the table."""

    turn: int
    amount: int


@dataclass(frozen=True, slots=True)
class ChipStakes:
    """One position's chips on the layout and on the block, and its limits."""

    position: int
    #: By spot, in the order in which the chips were placed.
    pieces: Mapping[SpotKey, Pieces]
    limits: Limits
    #: The partnership of the player, and the entries by which the stake on each spot came about; none: all at once.
    group: int | None = None
    entries: Mapping[SpotKey, Sequence[Entry]] = field(default_factory=dict)
    #: What earlier rounds carried to this spin: in prison, or between the two spins of a bet.
    carried: Mapping[SpotKey, Pieces] = field(default_factory=dict)


class NoteKind(StrEnum):
    """The subject of a remark on a bet."""

    #: Settled although under the minimum: the owner is advised.
    UNDER_MINIMUM = "under_minimum"
    #: Returned because it is under the minimum.
    RETURNED = "returned"
    #: Settled up to the maximum.
    CAPPED = "capped"
    #: Paid another amount than is due.
    ROUNDED = "rounded"


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on one bet: the amount before, the amount after, and the clause."""

    kind: NoteKind
    spot: SpotKey
    before: Cents
    after: Cents
    clause: ClauseId


@dataclass(frozen=True, slots=True)
class BetLine:
    """The chips of one kind in a winning bet: the settled stake and what is due for it."""

    chip: ChipId
    value: Cents
    settled: Cents
    due: Cents
    #: The pieces of the colour that are due; None if the line is paid in value chips.
    pieces: int | None


@dataclass(frozen=True, slots=True)
class WinningBet:
    """A winning bet: its stake with the fifths of marker bets, the settled part of it, and its payment."""

    spot: SpotKey
    odds: int | str
    clause: ClauseId
    stake: Cents
    settled: Cents
    lines: tuple[BetLine, ...]
    due: Cents
    #: The amount due after rounding.
    paid: Cents


class ChipCount(NamedTuple):
    """Pieces of one chip."""

    chip: ChipId
    pieces: int

    @property
    def stacks(self) -> tuple[int, int]:
        """Full stacks, and the rest."""
        return divmod(self.pieces, STACK)


@dataclass(frozen=True, slots=True)
class Undecided:
    """An amount that chips do not make and no clause rounds: the chips for the next payable amounts, and the clause."""

    clause: ClauseId
    #: The next lower amount, unless that is nothing, which is no payment, and the next higher one.
    choices: tuple[tuple[ChipCount, ...], ...]


@dataclass(frozen=True, slots=True)
class Payment:
    """The payment to one position in one segment: its bets, the amount, and the chips that make it."""

    segment: Segment
    position: int
    bets: tuple[WinningBet, ...]
    due: Cents
    paid: Cents
    #: Pieces due by colour, before stacks are changed into value chips.
    pieces: tuple[ChipCount, ...]
    #: The chips to hand over: pieces of colours, and value chips, the largest first.
    colours: tuple[ChipCount, ...]
    cash: tuple[ChipCount, ...]
    #: The clause by which another amount is paid than is due; each bet that is rounded is a note of the position.
    rounding: ClauseId | None = None
    #: Set if a person must decide what is paid; then no chips are proposed.
    undecided: Undecided | None = None


@dataclass(frozen=True, slots=True)
class PositionPayout:
    """The result of one position."""

    position: int
    #: The settled losing stakes, and the pieces that the dealer takes. A negative count is change: value chips of
    #: the float that the dealer places on the number for a marker bet.
    collected: Cents
    collected_pieces: Pieces
    #: Pieces that go back to the player, by spot.
    returned: Mapping[SpotKey, Pieces]
    #: Pieces that stay on the layout: winning bets, with the pieces of marker bets on the number.
    stays: Mapping[SpotKey, Pieces]
    #: The chips that are placed on the number for each winning marker bet.
    placed: Mapping[SpotKey, Pieces]
    #: Pieces that are carried to the next spin.
    carried: Mapping[SpotKey, Pieces]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class PayoutPlan:
    """The settlement of a layout of chips on one pocket."""

    pocket: Pocket
    positions: tuple[PositionPayout, ...]
    #: In the order of payment: by segment, then by position.
    payments: tuple[Payment, ...]

    @property
    def collected(self) -> Cents:
        return Cents(sum(each.collected for each in self.positions))

    @property
    def paid(self) -> Cents:
        return Cents(sum(payment.paid for payment in self.payments))

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments with a payment, in order."""
        return tuple(dict.fromkeys(payment.segment for payment in self.payments))

    @property
    def digest(self) -> str:
        """The SHA-256 over what is collected from and paid to each position."""
        lines = [f"{each.position} {each.collected}" for each in self.positions]
        lines += [f"{each.segment} {each.position} {each.paid}" for each in self.payments]
        carried = ((each.position, *item) for each in self.positions for item in each.carried.items())
        lines += [f"{position} carries {spot} {sorted(pieces.items())}" for position, spot, pieces in carried]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def plan_payout(
    felt: PayoutTable,
    pocket: Pocket,
    layout: Iterable[ChipStakes],
    terms: PayoutTerms,
    *,
    rack: Pieces | None = None,
) -> PayoutPlan:
    """Settle a layout of chips on a pocket.

    `rack` is the number of pieces of each colour at the dealer before collection; a missing colour is not counted, and
    a payment in it is not limited. The rulebook must have rules for payouts, and every chip a value.
    """
    dealer, layout = _Dealer(felt, pocket, terms), tuple(layout)
    shares = partner_shares(felt, terms, layout, (dealer.straight,))
    settled = [dealer.settle(stakes, shares.get(stakes.position, {})) for stakes in layout]
    left = Counter(rack or {})
    for each in settled:
        left.update({chip: count for chip, count in each.taken.items() if chip in left})
    payments = tuple(_payments(dealer, settled, left))
    return PayoutPlan(pocket, tuple(each.result() for each in settled), payments)


class _Part(NamedTuple):
    """Chips of one kind under one bet: the exact stake that they stand for."""

    chip: ChipId
    value: Cents
    stake: Cents


class _Dealer:
    """Settles the positions of one table on one pocket."""

    def __init__(self, felt: PayoutTable, pocket: Pocket, terms: PayoutTerms) -> None:
        rulebook = felt.rulebook
        assert rulebook.payout is not None, rulebook
        self.felt = felt
        self.rules: PayoutRules = rulebook.payout
        self.channel: Channel = rulebook.channels[ChannelName.TABLE]
        self.terms = terms
        self.pocket = pocket
        self.winners = felt.winners[pocket]
        #: The spots of which half of a losing bet is returned, and what becomes of a marker bet that does not win.
        self.halved = felt.halved[pocket]
        rule = rulebook.paytable.zero_rule(STRAIGHT, pocket)
        self.marker_fate = Fate.LOST if rule is None else FATES[rule.does][0]
        #: The spots whose bets this pocket carries to the next spin.
        self.carries = felt.carried_on.get(pocket, frozenset())
        #: The straight up on the number, which winning marker bets move to.
        self.straight = SpotKey(pocket)
        self.markers = {key for key, block in felt.blocks.items() if pocket in block.numbers}
        #: The segments that win, in order of payment.
        winners: Iterable[SpotKey] = self.winners
        if felt.carries:
            winners = [key for key, spot in felt.rulebook.spots.items() if pocket in spot.covers]
        self.segments = tuple(key for group in self.rules.order for key in _segments(group, felt, winners))

    def settle(self, stakes: ChipStakes, shares: Mapping[SpotKey, int]) -> "_Position":
        position = _Position(self, stakes, shares)
        # In the order of their numbers: the order in which marker bets were entered changes no payment.
        for spot in filter(stakes.pieces.__contains__, self.felt.blocks):
            position.marker(spot, stakes.pieces[spot], won=spot in self.markers)
        for spot, pieces in stakes.pieces.items():
            if spot in self.winners:
                position.win(spot, pieces)
            elif spot in self.carries:
                position.carry(spot, pieces)
            elif spot not in self.felt.blocks:
                position.lose(spot, pieces)
        if position.fifths:
            position.win(self.straight, {})
        for spot, pieces in stakes.carried.items():
            position.resolve(spot, pieces)
        return position


def most_on(felt: PayoutTable, limits: Limits, spot: SpotKey) -> Cents | None:
    """Return the maximum on a spot: of a marker bet, five times that of a number."""
    if spot not in felt.blocks:
        return limits.of(felt.spots[spot].kind).most
    most = limits.of(STRAIGHT).most
    return None if most is None else Cents(NUMBERS_UNDER_MARKER * most)


#: By position: the part of the bet on each spot that is within the maximum of a partnership.
Shares = Mapping[int, Mapping[SpotKey, int]]


def partner_shares(
    felt: PayoutTable, terms: PayoutTerms, layout: Iterable[ChipStakes], numbers: Iterable[SpotKey]
) -> Shares:
    """Divide the maximum of each partnership among its players: what was placed last is over it first.

    On these numbers the fifths that marker bets bring to them count too.
    """
    groups: defaultdict[int, list[ChipStakes]] = defaultdict(list)
    for stakes in layout:
        if stakes.group is not None:
            groups[stakes.group].append(stakes)
    shares: defaultdict[int, dict[SpotKey, int]] = defaultdict(dict)
    for partners in groups.values():
        numbers = tuple(numbers)
        spots = dict.fromkeys(spot for each in partners for spot in each.pieces if spot not in numbers)
        # Numbers come last: marker bets bring a fifth of what is settled of them.
        for spot in (*spots, *numbers):
            own = [
                _entries(felt, terms, each, spot, shares[each.position] if spot in numbers else {}) for each in partners
            ]
            for partner, share in zip(partners, _divide(felt, partners, spot, own), strict=True):
                shares[partner.position][spot] = share
    return shares


def _entries(
    felt: PayoutTable, terms: PayoutTerms, stakes: ChipStakes, spot: SpotKey, shares: Mapping[SpotKey, int]
) -> Iterator[Entry]:
    """List what a player has placed on a spot, and the fifths that marker bets bring to it if it is a number."""
    if spot in stakes.pieces:
        yield from stakes.entries.get(spot) or (Entry(0, terms.amount(stakes.pieces[spot])),)
    for marker, share in shares.items():
        if marker in felt.blocks and Pocket(spot) in felt.blocks[marker].numbers:
            total = 0
            for turn, amount in _up_to(share, _entries(felt, terms, stakes, marker, {})):
                yield Entry(turn, (total + amount) // NUMBERS_UNDER_MARKER - total // NUMBERS_UNDER_MARKER)
                total += amount


def _divide(
    felt: PayoutTable, partners: list[ChipStakes], spot: SpotKey, entries: Iterable[Iterable[Entry]]
) -> list[int]:
    """Divide one maximum, the highest of the partners', among entries in the order of their turns."""
    mosts = [most_on(felt, each.limits, spot) for each in partners]
    # Each partner has a maximum of the player's own too.
    limited = [_up_to(most, sorted(each)) for most, each in zip(mosts, entries, strict=True)]
    merged = sorted((turn, place, amount) for place, each in enumerate(limited) for turn, amount in each)
    together = None if None in mosts else max(most or 0 for most in mosts)
    shares = [0] * len(partners)
    for place, amount in _up_to(together, (Entry(place, amount) for _, place, amount in merged)):
        shares[place] += amount
    return shares


def _up_to(most: int | None, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Limit entries to a total: the last are over it."""
    for turn, amount in entries:
        taken = amount if most is None else min(amount, most)
        most = None if most is None else most - taken
        yield Entry(turn, taken)


def _segments(group: SegmentGroup, felt: PayoutTable, winners: Iterable[SpotKey]) -> Iterator[Segment]:
    """List the segments of a group that win, in the order of the layout."""
    if group is SegmentGroup.INSIDE:
        yield INSIDE
    yield from (Segment(key) for key in winners if felt.segments[key] is group)


class _Position:
    """Collects the result of one position, bet by bet."""

    def __init__(self, dealer: _Dealer, stakes: ChipStakes, shares: Mapping[SpotKey, int]) -> None:
        self.dealer = dealer
        self.terms = dealer.terms
        self.position, self.limits = stakes.position, stakes.limits
        #: Of a partner: the part of each bet that is within the maximum of the partnership.
        self.shares = shares
        self.collected = 0
        #: The parts of pieces that go back: the spot, the amount, and the stake if a zero returns half of it.
        self.changes: list[tuple[SpotKey, Cents, Cents | None]] = []
        self.taken: Counter[ChipId] = Counter()
        self.returned: dict[SpotKey, Pieces] = {}
        self.stays: dict[SpotKey, dict[ChipId, int]] = {}
        self.carried: dict[SpotKey, Pieces] = {}
        self.fifths: list[_Part] = []
        self.placed: dict[SpotKey, Pieces] = {}
        self.wins: defaultdict[Segment, list[WinningBet]] = defaultdict(list)
        self.notes: list[Note] = []

    def marker(self, spot: SpotKey, pieces: Pieces, *, won: bool) -> None:
        """Settle a marker bet: of a winning one, a fifth counts on the number, and chips for it are placed there."""
        fate = self.dealer.marker_fate
        if not won and fate is not Fate.LOST:
            (self.carry if fate is Fate.CARRIED else self.lose)(spot, pieces)
            return
        stake = self.terms.amount(pieces)
        settled = self._capped(spot, stake)
        back = self._give_back(spot, pieces, stake - settled)
        kept = {chip: count - back.get(chip, 0) for chip, count in pieces.items()}
        placed = self._fifth(kept, settled) if won else {}
        twice = self.dealer.straight in self.dealer.carries
        if placed and twice:
            # Its fifth is a bet on the number, which must win twice.
            self._carry_on(self.dealer.straight, placed)
        elif placed:
            self.placed[spot] = placed
        before = 0
        for chip, count in kept.items() if won and not twice else ():
            after = min(before + count * self.terms.value(chip), settled)
            # The fifths of all kinds of chips are together the fifth of the total.
            fifth = Cents(after // NUMBERS_UNDER_MARKER - before // NUMBERS_UNDER_MARKER)
            if fifth:
                self.fifths.append(_Part(chip, self.terms.value(chip), fifth))
            before = after
        self.taken.update(kept)
        self.taken.subtract(placed)
        self.collected += settled - self.terms.amount(placed)

    def _fifth(self, kept: Pieces, settled: int) -> dict[ChipId, int]:
        """6(j): choose the chips for a fifth of a marker bet: its own pieces, changed into value chips where needed.

        If they do not make the fifth, the next higher amount that they make is placed, or under a notice that
        requires multiples the next lower one.
        """
        terms, left = self.terms, settled // NUMBERS_UNDER_MARKER
        own = [(terms.value(chip), count) for chip, count in kept.items()]
        higher = terms.sums.at_least(left, own)
        left = (
            higher if higher == left or (higher <= settled and not terms.multiples) else terms.sums.at_most(left, own)
        )
        placed = dict[ChipId, int]()
        for place, (chip, count) in enumerate(kept.items(), 1):
            # As many of the bet's own pieces as the other kinds and value chips complete.
            value, others = terms.value(chip), own[place:]
            most = min(count, left // value)
            number = next(each for each in range(most, -1, -1) if terms.sums.has(left - each * value, others))
            placed[chip] = number
            left -= number * value
        for chip, count in value_chips(left, terms.denominations):
            placed[chip] = placed.get(chip, 0) + count
        return {chip: count for chip, count in placed.items() if count}

    def lose(self, spot: SpotKey, pieces: Pieces) -> None:
        """Collect a losing bet up to the maximum, or half of it, and return the rest, the last pieces first."""
        stake = self.terms.amount(pieces)
        settled = self._settled(spot, stake)
        # Of marker bets only those come here of which a zero returns half.
        if spot in self.dealer.halved or spot in self.dealer.felt.blocks:
            self._collect(spot, pieces, Cents(settled - settled // 2), settled)
        else:
            self._collect(spot, pieces, settled)

    def _settled(self, spot: SpotKey, stake: Cents) -> Cents:
        """Return the part of a stake that counts; a marker bet has no minimum here."""
        marker = spot in self.dealer.felt.blocks
        return self._capped(spot, stake if marker else self._honoured(spot, stake))

    def _collect(self, spot: SpotKey, pieces: Pieces, amount: Cents, halved: Cents | None = None) -> None:
        """Collect an amount of some pieces, and return the rest."""
        back = self._give_back(spot, pieces, self.terms.amount(pieces) - amount, halved)
        for chip, count in pieces.items():
            self.taken[chip] += count - back.get(chip, 0)
        self.collected += amount

    def _give_back(self, spot: SpotKey, pieces: Pieces, amount: int, halved: Cents | None = None) -> Pieces:
        """Return the last pieces of a bet for an amount that is not settled; the part of a piece is change."""
        if not amount:
            return {}
        back, change = self._last(pieces, amount)
        self.returned[spot] = _with(self.returned.get(spot, {}), back)
        if change:
            self.changes.append((spot, Cents(change), halved))
        return back

    def carry(self, spot: SpotKey, pieces: Pieces) -> None:
        """Carry a bet up to the maximum to the next spin, in whole pieces: what is partly over it goes back."""
        stake = self.terms.amount(pieces)
        settled = self._settled(spot, stake)
        back, part = self._last(pieces, stake - settled)
        if part:
            last = next(chip for chip in reversed(list(pieces)) if pieces[chip] > back.get(chip, 0))
            back = _with(back, {last: 1})
        if back:
            self.returned[spot] = _with(self.returned.get(spot, {}), back)
        self._carry_on(spot, {chip: left for chip, count in pieces.items() if (left := count - back.get(chip, 0))})

    def _carry_on(self, spot: SpotKey, pieces: Pieces) -> None:
        if pieces:
            self.carried[spot] = _with(self.carried.get(spot, {}), pieces)

    def resolve(self, spot: SpotKey, pieces: Pieces) -> None:
        """Decide about a stake that was carried to this spin."""
        felt, pocket, stake = self.dealer.felt, self.dealer.pocket, self.terms.amount(pieces)
        if spot not in felt.blocks and felt.prices[spot].twice and pocket in felt.rulebook.spots[spot].covers:
            parts = [_Part(chip, self.terms.value(chip), self.terms.amount({chip: n})) for chip, n in pieces.items()]
            self._win_bet(spot, self._bet(spot, parts, stake, stake))
            self._give_back(spot, pieces, stake)
            return
        outcome = felt.resolve_one(spot, stake, pocket)
        if outcome.carried:
            self._carry_on(spot, pieces)
        else:
            self._collect(spot, pieces, Cents(stake - outcome.returned), stake if outcome.returned < stake else None)

    def win(self, spot: SpotKey, pieces: Pieces) -> None:
        """Pay a winning bet up to the maximum; its pieces stay."""
        stake = self.terms.amount(pieces)
        if pieces and not self._honoured(spot, stake):
            self.returned[spot], pieces = pieces, {}
        values = map(self.terms.value, pieces)
        parts = [_Part(chip, value, Cents(pieces[chip] * value)) for chip, value in zip(pieces, values, strict=True)]
        stays = dict(pieces)
        if spot == self.dealer.straight:
            parts, self.fifths = [*parts, *self.fifths], []
            for placed in self.placed.values():
                for chip, count in placed.items():
                    stays[chip] = stays.get(chip, 0) + count
        stake = Cents(sum(part.stake for part in parts))
        settled = self._capped(spot, stake)
        if settled < stake and self.dealer.channel.over_maximum.choice is not OverMaximum.CAP:
            back, _ = self._last(stays, stake - settled)
            self.returned[spot] = back
            stays = {chip: left for chip, count in stays.items() if (left := count - back.get(chip, 0))}
        if stays:
            self.stays[spot] = stays
        if settled:
            self._win_bet(spot, self._bet(spot, parts, stake, settled))

    def _win_bet(self, spot: SpotKey, bet: WinningBet) -> None:
        outside = self.dealer.felt.segments[spot] is not SegmentGroup.INSIDE
        self.wins[Segment(spot) if outside else INSIDE].append(bet)

    def result(self) -> PositionPayout:
        taken = {chip: count for chip, count in self.taken.items() if count}
        collected, notes = Cents(self.collected), tuple(self.notes)
        layouts = (self.returned, self.stays, self.placed, self.carried)
        return PositionPayout(self.position, collected, taken, *layouts, notes)

    def _range(self, spot: SpotKey) -> Range:
        kind = STRAIGHT if spot in self.dealer.felt.blocks else self.dealer.felt.spots[spot].kind
        return self.limits.of(kind)

    def _honoured(self, spot: SpotKey, stake: Cents) -> Cents:
        """Return the chips on a spot that count: none under the minimum where the rules return them; and note it."""
        least, under = self._range(spot).least, self.dealer.channel.under_minimum
        if least is None or stake >= least:
            return stake
        honoured = under.choice is UnderMinimum.HONOUR_ONCE
        kind, after = (NoteKind.UNDER_MINIMUM, stake) if honoured else (NoteKind.RETURNED, Cents(0))
        self.notes.append(Note(kind, spot, stake, after, under.clause))
        return after

    def _capped(self, spot: SpotKey, stake: Cents) -> Cents:
        """Limit a bet to the maximum of the player, and to the player's part of a partnership's; and note it."""
        most, share = most_on(self.dealer.felt, self.limits, spot), self.shares.get(spot)
        if most is not None and stake > most:
            self.notes.append(Note(NoteKind.CAPPED, spot, stake, most, self.dealer.channel.over_maximum.clause))
            stake = most
        if share is not None and stake > share:
            clause = self.dealer.channel.partnership
            assert clause is not None
            self.notes.append(Note(NoteKind.CAPPED, spot, stake, Cents(share), clause))
            stake = Cents(share)
        return stake

    def _last(self, pieces: Pieces, amount: int) -> tuple[Pieces, int]:
        """Choose the pieces that go back for an amount, the last placed first, and the part of a piece that is left."""
        back: dict[ChipId, int] = {}
        for chip in reversed(list(pieces)):
            count = min(pieces[chip], amount // self.terms.value(chip))
            if count:
                back[chip] = count
                amount -= count * self.terms.value(chip)
        return back, amount

    def _bet(self, spot: SpotKey, parts: Iterable[_Part], stake: Cents, settled: Cents) -> WinningBet:
        felt = self.dealer.felt
        price = felt.prices[spot]
        lines = tuple(self._lines(parts, settled, price))
        due = Cents(price.won(settled))
        return WinningBet(spot, price.odds, price.clause, stake, settled, lines, due, due)

    def _lines(self, parts: Iterable[_Part], settled: int, price: Price) -> Iterator[BetLine]:
        """Share the settled stake among the chips, the first placed first."""
        before = 0
        for chip, value, stake in parts:
            share = min(stake, settled - before)
            if share:
                due = Cents(price.won(before + share) - price.won(before))
                before += share
                own = chip in self.terms.colours and due % value == 0
                yield BetLine(chip, value, Cents(share), due, due // value if own else None)

    def rounded(self, bet: WinningBet, own: Sequence[tuple[int, int]]) -> WinningBet:
        """Round what is due for a bet to what chips can pay, where a clause rounds it, and note it.

        Chips are those of the float, and some pieces of the colours of the bet: their value, and how many there are.
        """
        paid = self._payable(bet.spot, bet.settled, bet.due, own)
        return bet if paid == bet.due else replace(bet, paid=Cents(paid))

    def change(self) -> tuple[Cents, Cents]:
        """Add up the parts of pieces that go back: what is due, and what is paid of it, as all halves are rounded.

        Halves that are returned together are one amount, in multiples of the highest minimum of their bets.
        """
        due = sum(part for _, part, _ in self.changes)
        halves = [(spot, part, halved) for spot, part, halved in self.changes if halved is not None]
        if not halves:
            return Cents(due), Cents(due)
        order = list(self.dealer.felt.spots)
        spots = sorted((spot for spot, _, _ in halves), key=lambda each: order.index(each) if each in order else -1)
        spot = max(spots, key=lambda each: self._range(each).least or 0)
        half = sum(part for _, part, _ in halves)
        paid = self._payable(spot, Cents(sum(halved for _, _, halved in halves)), half)
        return Cents(due), Cents(due - half + paid)

    def _payable(self, spot: SpotKey, settled: Cents, due: int, own: Sequence[tuple[int, int]] = ()) -> int:
        """Return what is paid of what is due for a bet, by the clause on amounts that chips do not make."""
        clause, least, sums = self.dealer.rules.rounding, self._range(spot).least or 0, self.terms.sums
        if clause is None or sums.has(due, own):
            return due
        if not self.terms.multiples:
            paid = sums.at_least(due, own)
        elif least and settled % least:
            # The lower multiple of less than the minimum is nothing. Elsewhere nothing is no multiple to be paid to.
            multiples = range(due // least * least, 0 if due >= least else -1, -least)
            paid = next((each for each in multiples if sums.has(each, own)), due)
        else:
            # Under a notice nothing is rounded up, and a bet in multiples is not rounded down.
            paid = due
        if paid != due:
            self.notes.append(Note(NoteKind.ROUNDED, spot, Cents(due), Cents(paid), clause))
        return paid


def _with(pieces: Pieces, more: Pieces) -> dict[ChipId, int]:
    """Add pieces."""
    return {chip: pieces.get(chip, 0) + more.get(chip, 0) for chip in {**pieces, **more}}


def pieces_for(
    terms: PayoutTerms, amount: int, numbers: Mapping[ChipId, Iterable[int]]
) -> tuple[ChipCount, ...] | None:
    """Make an amount of pieces and value chips: of each colour the first of these numbers that value chips complete."""
    for counts in product(*numbers.values()):
        own = dict(zip(numbers, counts, strict=True))
        rest = amount - terms.amount(own)
        if terms.sums.has(rest):
            return (*_counts(own), *value_chips(rest, terms.denominations))
    return None


def _payments(dealer: _Dealer, settled: Iterable[_Position], rack: Counter[ChipId]) -> Iterator[Payment]:
    settled = tuple(settled)
    for each in settled:
        if each.changes:
            yield _payment(dealer, RETURNS, each, rack)
    for segment in dealer.segments:
        for each in settled:
            if segment in each.wins:
                yield _payment(dealer, segment, each, rack)


def _payment(dealer: _Dealer, segment: Segment, position: _Position, rack: Counter[ChipId]) -> Payment:
    """Round the bets of a payment and choose its chips; pieces that are handed over leave the rack."""
    terms, (change, change_paid) = dealer.terms, position.change() if segment == RETURNS else (0, 0)
    wins = position.wins.get(segment, [])
    due_pieces: Counter[ChipId] = Counter()
    needed: Counter[ChipId] = Counter()
    rounded: dict[SpotKey, WinningBet] = {}
    # In the order of the layout: the order in which bets were placed changes no payment.
    for win in sorted(wins, key=lambda each: list(dealer.felt.spots).index(each.spot)):
        pieces: Counter[ChipId] = Counter()
        for line in win.lines:
            pieces[line.chip] += line.pieces or 0
        pieces = +pieces
        due_pieces.update(pieces)
        left = {chip: min(n, rack[chip] - needed[chip]) if chip in rack else n for chip, n in pieces.items()}
        own = [(terms.value(chip), count) for chip, count in left.items()]
        rounded[win.spot] = position.rounded(win, own)
        # A bet leaves to the others of the segment the pieces that it can be paid without.
        needed.update(dict(zip(left, terms.sums.pieces(rounded[win.spot].paid, own), strict=True)))
    bets = [rounded[win.spot] for win in wins]
    at_hand = Counter({chip: min(count, rack[chip]) if chip in rack else count for chip, count in due_pieces.items()})
    due, paid = Cents(change + sum(bet.due for bet in bets)), Cents(change_paid + sum(bet.paid for bet in bets))
    preferred = {chip: _numbers(terms, count, at_hand[chip]) for chip, count in due_pieces.items()}
    payable = terms.sums.has(paid, [(terms.value(chip), count) for chip, count in at_hand.items()])
    chips = pieces_for(terms, paid, preferred) if payable else None
    undecided = undecided_for(dealer.felt, terms, paid, at_hand) if chips is None else None
    colours = tuple(each for each in chips or () if each.chip in due_pieces)
    rack.subtract({chip: count for chip, count in colours if chip in rack})
    cash = (chips or ())[len(colours) :]
    clause = dealer.rules.rounding if paid != due else None
    return Payment(
        segment, position.position, tuple(bets), due, paid, _counts(due_pieces), colours, cash, clause, undecided
    )


def undecided_for(felt: PayoutTable, terms: PayoutTerms, amount: int, at_hand: Pieces) -> Undecided:
    """Offer the next payable amounts for one that chips do not make, for a person to decide."""
    rules = felt.rulebook.payout
    assert rules is not None
    numbers = {chip: range(count, -1, -1) for chip, count in at_hand.items()}
    own = [(terms.value(chip), count) for chip, count in at_hand.items()]
    amounts = (terms.sums.at_most(amount, own), terms.sums.at_least(amount, own))
    choices = (pieces_for(terms, each, numbers) for each in amounts)
    return Undecided(rules.uncovered or rules.clause, tuple(each for each in choices if each))


def _numbers(terms: PayoutTerms, count: int, most: int) -> tuple[int, ...]:
    """List how many of the pieces due may be paid in their colour, the preferred numbers first.

    All of them; or, from the table's number of pieces and if the rack lacks pieces, what is left after whole stacks,
    which are paid in value chips; or none, if the rack lacks even that.
    """
    in_stacks = most < count or (terms.cash_from is not None and count >= terms.cash_from)
    wanted = (*range(count % STACK, count + 1, STACK), 0) if in_stacks else (count,)
    # If none of them leaves an amount that value chips make, as many as do.
    return tuple(dict.fromkeys(each for each in (*wanted, *range(most, -1, -1)) if each <= most))


def _counts(pieces: Pieces) -> tuple[ChipCount, ...]:
    return tuple(ChipCount(chip, count) for chip, count in pieces.items() if count)


def value_chips(amount: int, denominations: Iterable[Cents]) -> tuple[ChipCount, ...]:
    """Pay a sum of value chips in them, the largest first."""
    return tuple(ChipCount(value_chip(value), count) for value, count in sums_of(denominations).chips(amount))
