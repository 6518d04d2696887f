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

- A fifth of every winning marker bet is added to the straight up on the number. `t` is `s` up to the maximum.
- A losing bet: `t` is collected, `s - t` goes back, the last pieces first; the part of a piece is change, a payment in
  the segment "returns". A losing marker bet is collected whole.
- A winning bet: `t * o` is due. Pieces of a colour are paid in that colour, `pieces * o`. What is due in value chips
  is paid exactly if it is a multiple of the smallest chip of the float. Otherwise it is rounded down to a multiple of
  the minimum if a notice requires multiples and `t` is not one, else up to the smallest chip.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import gcd
from typing import Final, NamedTuple, NewType

from croupier.rules.calls import NUMBERS_UNDER_MARKER
from croupier.rules.geometry import Pocket, SpotKey, SpotKind
from croupier.rules.limits import Limits, OverMaximum, Range, UnderMinimum
from croupier.rules.money import Cents
from croupier.rules.procedure import Channel, ChannelName, PayoutRules, SegmentGroup
from croupier.rules.refusal import CitedTopic, ClauseId
from croupier.rules.rulebook import PayoutTable

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

    def value(self, chip: ChipId) -> Cents:
        colour = self.colours.get(chip)
        value = denomination(chip) if colour is None else colour
        assert value is not None, chip
        return value

    def amount(self, pieces: Pieces) -> Cents:
        """Add up the value of pieces."""
        return Cents(sum(count * self.value(chip) for chip, count in pieces.items()))


@dataclass(frozen=True, slots=True)
class ChipStakes:
    """One position's chips on the layout and on the block, and its limits."""

    position: int
    #: By spot, in the order in which the chips were placed.
    pieces: Mapping[SpotKey, Pieces]
    limits: Limits


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
    odds: int
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
    #: Set if the chips at hand cannot pay this exactly. Roundings of single bets are notes of the position.
    rounded: Note | None = None


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
    dealer = _Dealer(felt, pocket, terms)
    settled = [dealer.settle(stakes) for stakes in layout]
    left = Counter(rack or {})
    for each in settled:
        left.update({chip: count for chip, count in each.payout.collected_pieces.items() if chip in left})
    payments = tuple(_payments(dealer, settled, left))
    return PayoutPlan(pocket, tuple(each.payout for each in settled), payments)


class _Settled(NamedTuple):
    payout: PositionPayout
    #: Winning bets by segment.
    wins: Mapping[Segment, list[WinningBet]]
    change: Cents


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
        self.uncovered = rulebook.cited_clauses[CitedTopic.DISPUTE]
        self.terms = terms
        self.winners = felt.winners[pocket]
        #: The straight up on the number, which winning marker bets move to.
        self.straight = SpotKey(pocket)
        self.markers = {key for key, block in felt.blocks.items() if pocket in block.numbers}
        #: The segments that win, in order of payment.
        self.segments = tuple(key for group in self.rules.order for key in _segments(group, felt, self.winners))

    def settle(self, stakes: ChipStakes) -> _Settled:
        position = _Position(self, stakes.limits)
        for spot, pieces in stakes.pieces.items():
            if spot in self.felt.blocks:
                position.marker(pieces, won=spot in self.markers)
        for spot, pieces in stakes.pieces.items():
            if spot in self.winners:
                position.win(spot, pieces)
            elif spot not in self.felt.blocks:
                position.lose(spot, pieces)
        if position.fifths:
            position.win(self.straight, {})
        return position.result(stakes.position)


def _segments(group: SegmentGroup, felt: PayoutTable, winners: Mapping[SpotKey, int]) -> Iterator[Segment]:
    """List the segments of a group that win, in the order of the layout."""
    if group is SegmentGroup.INSIDE:
        yield INSIDE
    yield from (Segment(key) for key in winners if _GROUPS.get(felt.spots[key].kind) is group)


_GROUPS: Final = {
    SpotKind.COLUMN: SegmentGroup.COLUMNS,
    SpotKind.DOZEN: SegmentGroup.DOZENS,
    **dict.fromkeys(
        (SpotKind.RED, SpotKind.BLACK, SpotKind.ODD, SpotKind.EVEN, SpotKind.LOW, SpotKind.HIGH),
        SegmentGroup.EVEN_CHANCES,
    ),
}


class _Position:
    """Collects the result of one position, bet by bet."""

    def __init__(self, dealer: _Dealer, limits: Limits) -> None:
        self.dealer = dealer
        self.terms = dealer.terms
        self.limits = limits
        self.collected = 0
        self.change = 0
        self.taken: Counter[ChipId] = Counter()
        self.returned: dict[SpotKey, Pieces] = {}
        self.stays: dict[SpotKey, dict[ChipId, int]] = {}
        self.fifths: list[_Part] = []
        self.moved: Counter[ChipId] = Counter()
        self.wins: defaultdict[Segment, list[WinningBet]] = defaultdict(list)
        self.notes: list[Note] = []

    def marker(self, pieces: Pieces, *, won: bool) -> None:
        """Settle a marker bet: of a winning one, a fifth counts on the number, and chips for it are placed there."""
        for chip, count in pieces.items():
            value = self.terms.value(chip)
            placed: Pieces = {}
            if won:
                fifth = Cents(count * value // NUMBERS_UNDER_MARKER)
                self.fifths.append(_Part(chip, value, fifth))
                placed = self._placed(chip, count, fifth)
                self.moved.update(placed)
            self.taken[chip] += count
            self.taken.subtract(placed)
            self.collected += count * value - self.terms.amount(placed)

    def _placed(self, chip: ChipId, count: int, fifth: Cents) -> Pieces:
        """Choose the chips for a fifth of a marker bet: of its own pieces, or changed into value chips of the float.

        If neither makes the fifth, whole pieces stay: one more than the fifth, or one less if a notice requires
        multiples.
        """
        whole, rest = divmod(count, NUMBERS_UNDER_MARKER)
        if rest and chip not in self.terms.colours and fifth % self.terms.smallest == 0:
            return dict(value_chips(fifth, self.terms.denominations))
        pieces = whole + 1 if rest and not self.terms.multiples else whole
        return {chip: pieces} if pieces else {}

    def lose(self, spot: SpotKey, pieces: Pieces) -> None:
        """Collect a losing bet up to the maximum, and return the rest, the last pieces first."""
        stake = self.terms.amount(pieces)
        settled = self._settled(spot, stake)
        back: Pieces = {}
        if settled < stake:
            back, change = self._last(pieces, stake - settled)
            self.returned[spot] = back
            self.change += change
        for chip, count in pieces.items():
            self.taken[chip] += count - back.get(chip, 0)
        self.collected += settled

    def win(self, spot: SpotKey, pieces: Pieces) -> None:
        """Pay a winning bet up to the maximum; its pieces stay."""
        values = map(self.terms.value, pieces)
        parts = [_Part(chip, value, Cents(pieces[chip] * value)) for chip, value in zip(pieces, values, strict=True)]
        stays = dict(pieces)
        if spot == self.dealer.straight:
            parts, self.fifths = [*parts, *self.fifths], []
            for chip, count in self.moved.items():
                stays[chip] = stays.get(chip, 0) + count
        stake = Cents(sum(part.stake for part in parts))
        settled = self._settled(spot, stake)
        excess_stays = settled > 0 and self.dealer.channel.over_maximum.choice is OverMaximum.CAP
        if settled < stake and not excess_stays:
            back, _ = self._last(stays, stake - settled)
            self.returned[spot] = back
            stays = {chip: left for chip, count in stays.items() if (left := count - back.get(chip, 0))}
        if stays:
            self.stays[spot] = stays
        if settled:
            bet = self._bet(spot, parts, stake, settled)
            outside = self.dealer.felt.spots[spot].kind in _GROUPS
            self.wins[Segment(spot) if outside else INSIDE].append(bet)

    def result(self, position: int) -> _Settled:
        payout = PositionPayout(
            position,
            Cents(self.collected),
            {chip: count for chip, count in self.taken.items() if count},
            self.returned,
            self.stays,
            tuple(self.notes),
        )
        return _Settled(payout, self.wins, Cents(self.change))

    def _range(self, spot: SpotKey) -> Range:
        return self.limits.of(self.dealer.felt.spots[spot].kind)

    def _settled(self, spot: SpotKey, stake: Cents) -> Cents:
        """Compute the part of a bet that is settled, and note why it is not the whole."""
        bounds, channel = self._range(spot), self.dealer.channel
        if bounds.least is not None and stake < bounds.least:
            under = channel.under_minimum
            if under.choice is not UnderMinimum.HONOUR_ONCE:
                self.notes.append(Note(NoteKind.RETURNED, spot, stake, Cents(0), under.clause))
                return Cents(0)
            self.notes.append(Note(NoteKind.UNDER_MINIMUM, spot, stake, stake, under.clause))
        if bounds.most is not None and stake > bounds.most:
            self.notes.append(Note(NoteKind.CAPPED, spot, stake, bounds.most, channel.over_maximum.clause))
            return bounds.most
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
        price = felt.rulebook.paytable.prices[felt.spots[spot].kind]
        lines = tuple(self._lines(parts, settled, price.pays))
        due = Cents(settled * price.pays)
        cash = sum(line.due for line in lines if line.pieces is None)
        paid = Cents(due - cash + self._payable(spot, cash, settled))
        return WinningBet(spot, price.pays, price.clause, stake, settled, lines, due, paid)

    def _lines(self, parts: Iterable[_Part], settled: int, odds: int) -> Iterator[BetLine]:
        """Share the settled stake among the chips, the first placed first."""
        for chip, value, stake in parts:
            share = min(stake, settled)
            settled -= share
            if share:
                own = chip in self.terms.colours and share * odds % value == 0
                due = Cents(share * odds)
                yield BetLine(chip, value, Cents(share), due, due // value if own else None)

    def _payable(self, spot: SpotKey, due: int, settled: int) -> int:
        """Round what is due in value chips to what the float can pay, and note it."""
        smallest, least = self.terms.smallest, self._range(spot).least or 0
        if due % smallest == 0:
            return due
        clause, paid = self.dealer.rules.rounding, -(-due // smallest) * smallest
        if self.terms.multiples:
            lower = due // least * least if least and settled % least else due
            # A stake in multiples, or a lower multiple that the float cannot pay either, is covered by no rule.
            clause, paid = (clause, lower) if clause and lower % smallest == 0 else (None, paid)
        self.notes.append(Note(NoteKind.ROUNDED, spot, Cents(due), Cents(paid), clause or self.dealer.uncovered))
        return paid


def _payments(dealer: _Dealer, settled: Iterable[_Settled], rack: Counter[ChipId]) -> Iterator[Payment]:
    settled = tuple(settled)
    for each in settled:
        if each.change:
            yield _payment(dealer, RETURNS, each.payout.position, (), rack, change=each.change)
    for segment in dealer.segments:
        for each in settled:
            if segment in each.wins:
                yield _payment(dealer, segment, each.payout.position, tuple(each.wins[segment]), rack)


def _payment(  # noqa: PLR0913 - the parts of a payment
    dealer: _Dealer,
    segment: Segment,
    position: int,
    bets: tuple[WinningBet, ...],
    rack: Counter[ChipId],
    *,
    change: int = 0,
) -> Payment:
    """Choose the chips of a payment; pieces that are handed over leave the rack."""
    terms = dealer.terms
    pieces: Counter[ChipId] = Counter()
    for line in (line for bet in bets for line in bet.lines if line.pieces is not None):
        pieces[line.chip] += line.pieces or 0
    colours = {chip: _in_colour(terms, chip, count, rack.get(chip)) for chip, count in pieces.items()}
    rack.subtract({chip: count for chip, count in colours.items() if chip in rack})
    paid = change + sum(bet.paid for bet in bets)
    cash = paid - terms.amount(colours)
    payable = -(-cash // terms.smallest) * terms.smallest
    rounded = None
    if payable != cash:
        clause = None if change or terms.multiples else dealer.rules.rounding
        before, after = Cents(paid), Cents(paid + payable - cash)
        rounded = Note(NoteKind.ROUNDED, SpotKey(segment), before, after, clause or dealer.uncovered)
    return Payment(
        segment,
        position,
        bets,
        Cents(change + sum(bet.due for bet in bets)),
        Cents(paid + payable - cash),
        _counts(pieces),
        _counts(colours),
        value_chips(payable, terms.denominations),
        rounded,
    )


def _counts(pieces: Pieces) -> tuple[ChipCount, ...]:
    return tuple(ChipCount(chip, count) for chip, count in pieces.items() if count)


def _in_colour(terms: PayoutTerms, chip: ChipId, count: int, in_rack: int | None) -> int:
    """Compute how many of the pieces due are paid in their colour.

    Whole stacks are paid in value chips from the table's number of pieces, and if the rack lacks pieces; then the rest
    too, if the rack lacks even that.
    """
    lacks = in_rack is not None and in_rack < count
    if lacks or (terms.cash_from is not None and count >= terms.cash_from):
        stack = STACK * terms.value(chip)
        # The fewest stacks that value chips can pay exactly.
        least = terms.smallest // gcd(stack, terms.smallest)
        count -= count // STACK // least * least * STACK
    return 0 if in_rack is not None and in_rack < count else count


def value_chips(amount: int, denominations: Iterable[Cents]) -> tuple[ChipCount, ...]:
    """Pay a multiple of the smallest chip in value chips, the largest first."""
    chips = []
    smallest = min(denominations := tuple(denominations))
    for value in sorted((each for each in denominations if each % smallest == 0), reverse=True):
        count, amount = divmod(amount, value)
        if count:
            chips.append(ChipCount(value_chip(value), count))
    assert amount == 0
    return tuple(chips)
