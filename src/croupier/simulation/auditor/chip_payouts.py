"""The auditor's settlement of chips: by its own arithmetic, all players of a table at once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count as count_from
from itertools import product
from math import gcd

from croupier.house.ids import PositionId
from croupier.rules.geometry import POCKETS, Pocket, SpotKey
from croupier.rules.procedure import Channel, ChannelName
from croupier.simulation.auditor.model import ModelChips, ModelLayout, ModelTable
from croupier.simulation.auditor.payouts import ModelPayouts, bounds_of


def chip_worth(values: Mapping[str, int], pieces: Mapping[str, int]) -> int:
    """Add up pieces: a colour by its declared value, a value chip by its name."""
    return sum(count * (values[chip] if chip in values else int(chip[1:])) for chip, count in pieces.items())


@lru_cache(maxsize=64)
def _table_of_sums(denominations: tuple[int, ...]) -> tuple[int, bytearray]:
    """Mark the sums of chips up to the number from which every multiple of their common divisor is one."""
    unit = gcd(*denominations)
    values = [each // unit for each in denominations]
    made = bytearray(1 + min(values) * max(values))
    made[0] = 1
    for amount in range(1, len(made)):
        made[amount] = any(value <= amount and made[amount - value] for value in values)
    return unit, made


def can_pay(denominations: tuple[int, ...], amount: int) -> bool:
    """Return whether value chips make an amount."""
    unit, made = _table_of_sums(denominations)
    units, part = divmod(amount, unit)
    return amount >= 0 and part == 0 and (units >= len(made) or bool(made[units]))


def next_payable(denominations: tuple[int, ...], amount: int) -> int:
    """Return the first amount from this one on that value chips make."""
    unit, _ = _table_of_sums(denominations)
    return next(each for each in count_from(-(-max(0, amount) // unit) * unit, unit) if can_pay(denominations, each))


#: What a zero may do that returns half of a bet.
HALVES = ("la_partage", "surrender")


def judged(felt: ModelPayouts, spot: SpotKey, stake: int, pocket: Pocket) -> tuple[int, bool]:
    """Return what a spin gives back of a stake that waited for it, winnings included, and whether it waits on."""
    if spot in felt.covers:
        returned, after = felt.settles({}, {spot: stake}, pocket)
        return returned, bool(after)
    order, number = felt.rulebook.wheel.order, SpotKey(spot.rsplit(" ", 1)[1])
    here = order.index(Pocket(number))
    if pocket in {order[(here + step) % len(order)] for step in range(-2, 3)}:
        return stake // 5, False
    returned, after = felt.settles({}, {number: stake}, pocket)
    return returned, bool(after)


@dataclass(slots=True)
class WonBet:
    """A winning bet: what is settled and due of it, and the part that is due in pieces of colours."""

    spot: SpotKey
    settled: int
    due: int
    pieces: list[tuple[str, int]]


@dataclass(slots=True)
class Outcome:
    """The result of one player's chips on a number."""

    collected: int = 0
    #: Value chips that the dealer takes, less those placed as change; and pieces of each colour.
    value_taken: int = 0
    colours_taken: Counter[str] = field(default_factory=Counter)
    back: Counter[str] = field(default_factory=Counter)
    stays: ModelLayout = field(default_factory=dict)
    carried: ModelLayout = field(default_factory=dict)
    #: The winning bets and the payment of each segment.
    bets: dict[str, list[WonBet]] = field(default_factory=dict)
    pays: Counter[str] = field(default_factory=Counter)
    change: int = 0
    #: The change as the dealer pays it, and the halves in it before they are rounded: spot, stake and part of a chip.
    change_paid: int = 0
    halves: list[tuple[SpotKey, int, int]] = field(default_factory=list)
    advised: bool = False


class Settler:
    """Settles the layouts of a table on one number, by the text of the rules."""

    def __init__(self, table: ModelTable, chips: ModelChips, pocket: Pocket) -> None:
        self.table, self.chips, self.values, self.pocket = table, chips, chips.values, pocket
        assert chips.settings.live is not None
        self.terms = chips.settings.live
        #: The payouts of the round, with the multiples that were drawn for it.
        self.felt = table.felt.drawn(chips.multiples)
        self.channel: Channel = table.felt.rulebook.channels[ChannelName.TABLE]
        self.number = SpotKey(pocket)
        self.bounds = {
            position: bounds_of(table.felt, chips.limits.get(position) or chips.settings.limits).spots
            for position in chips.sealed
        }

    def settle(self) -> dict[PositionId, Outcome]:
        self.counts = self._counted()
        found = {position: self._of_player(position) for position in self.chips.sealed}
        rack = Counter(self.chips.rack)
        for each in found.values():
            rack.update({chip: count for chip, count in each.colours_taken.items() if chip in self.chips.rack})
        for each in found.values():
            if each.change_paid:
                each.pays["returns"] = each.change_paid
        for segment in self._segments():
            for position, each in found.items():
                if segment in each.bets:
                    each.pays[segment] = self._payment(position, each.bets[segment], rack)
        return found

    # What counts of each bet: up to the maximum of the player, and of all partners together.

    def _counted(self) -> dict[PositionId, dict[SpotKey, int]]:
        sealed, groups = self.chips.sealed, self.chips.groups.values()
        teams = [[each for each in sealed if each in group] for group in groups]
        teams += [[each] for each in sealed if not any(each in group for group in groups)]
        counted: dict[PositionId, dict[SpotKey, int]] = {position: {} for position in sealed}
        spots = dict.fromkeys(spot for layout in sealed.values() for spot in layout if spot != self.number)
        for spot in (*spots, self.number):
            for team in filter(None, teams):
                self._share(team, spot, counted)
        return counted

    def _share(self, team: list[PositionId], spot: SpotKey, counted: dict[PositionId, dict[SpotKey, int]]) -> None:
        most = {each: self._most(each, spot) for each in team}
        queue = []
        for seat, position in enumerate(team):
            left = most[position]
            for turn, amount in sorted(self._added(position, spot, counted[position])):
                queue.append((turn, seat, min(amount, left)))
                left -= min(amount, left)
            counted[position][spot] = 0
        left = max(most.values())
        for _, seat, amount in sorted(queue):
            counted[team[seat]][spot] += min(amount, left)
            left -= min(amount, left)

    def _most(self, position: PositionId, spot: SpotKey) -> int:
        bounds = self.bounds[position]
        # 6(j): of five times the maximum on a number, a fifth is the maximum.
        return 5 * bounds[self.number][1] if self._is_marker(spot) else bounds[spot][1]

    def _added(self, position: PositionId, spot: SpotKey, counted: Mapping[SpotKey, int]) -> Iterator[tuple[int, int]]:
        """List what came onto a spot in which turn; to the number also a fifth of winning marker bets."""
        layout, placed = self.chips.sealed[position], self.chips.placed.get(position, {})
        stake = chip_worth(self.values, layout.get(spot, {}))
        if not self._is_marker(spot) and stake < self.bounds[position][spot][0] and not self._honours:
            stake = 0
        if stake:
            yield from placed.get(spot) or [(0, stake)]
        for marker in layout if spot == self.number else ():
            if self._wins(marker) and self._is_marker(marker):
                left, before = counted[marker], 0
                for turn, amount in placed.get(marker) or [(0, left)]:
                    after = min(before + amount, left)
                    yield turn, after // 5 - before // 5
                    before = after

    @property
    def _honours(self) -> bool:
        return self.channel.under_minimum.choice == "honour_once"

    def _is_marker(self, spot: SpotKey) -> bool:
        return spot not in self.felt.covers

    def _wins(self, spot: SpotKey) -> bool:
        if not self._is_marker(spot):
            return self.pocket in self.felt.covers[spot]
        # The named number and two on either side of the wheel.
        order = self.felt.rulebook.wheel.order
        here = order.index(Pocket(spot.rsplit(" ", 1)[1]))
        return self.pocket in {order[(here + step) % len(order)] for step in range(-2, 3)}

    # The bets of one player.

    def _of_player(self, position: PositionId) -> Outcome:
        layout, counted, outcome = self.chips.sealed[position], self.counts[position], Outcome()
        fifths: list[tuple[str, int]] = []
        moved: Counter[str] = Counter()
        for spot in sorted(filter(self._is_marker, layout), key=lambda each: POCKETS.index(Pocket(each.split(" ")[1]))):
            self._marker((spot, layout[spot]), counted[spot], outcome, (fifths, moved))
        for spot, pieces in layout.items():
            if self._is_marker(spot):
                continue
            outcome.advised |= chip_worth(self.values, pieces) < self.bounds[position][spot][0] and self._honours
            if self._imprisons(spot):
                self._imprison(spot, pieces, counted[spot], outcome)
            elif not self._wins(spot):
                part = counted[spot] // 2 if self._halves(spot) else 0
                self._take_but((spot, pieces), (counted[spot], part), outcome)
            elif spot != self.number:
                self._won(spot, pieces, counted[spot], outcome)
        if (self.number in layout and not self._imprisons(self.number)) or fifths:
            pieces = layout.get(self.number, {})
            if chip_worth(self.values, pieces) < self.bounds[position][self.number][0] and not self._honours:
                outcome.back.update(pieces)
                pieces = {}
            self._won(self.number, pieces, counted[self.number], outcome, (fifths, moved))
        for spot, pieces in self.chips.carried.get(position, {}).items():
            self._judge(spot, pieces, outcome)
        self._hand_halves(position, outcome)
        return outcome

    def _hand_halves(self, position: PositionId, outcome: Outcome) -> None:
        """F1: the parts of chips of all halves are one amount."""
        if outcome.halves:
            spot = max((each for each, _, _ in outcome.halves), key=lambda each: self.bounds[position][each][0])
            counted = sum(stake for _, stake, _ in outcome.halves)
            part = sum(part for _, _, part in outcome.halves)
            outcome.change_paid += self._round(position, spot, counted, part, [])

    def _take_but(self, bet: tuple[SpotKey, Mapping[str, int]], amounts: tuple[int, int], outcome: Outcome) -> None:
        """Collect what counts of a bet but for a part; the parts of chips in it are rounded as a payment is."""
        spot, pieces = bet
        counted, part = amounts
        before = outcome.change
        self._take_up_to(counted - part, pieces, outcome)
        change = outcome.change - before
        if part and change:
            outcome.halves.append((self._straight(spot), counted, change))
        else:
            outcome.change_paid += change

    def _straight(self, spot: SpotKey) -> SpotKey:
        """Name the number of a marker button; any other spot is itself."""
        return SpotKey(spot.split(" ")[1]) if self._is_marker(spot) else spot

    def _effect(self, spot: SpotKey) -> str:
        """Name what a zero does with a bet that it does not win for."""
        return "" if self._wins(spot) else self.felt.zero(self._straight(spot), self.pocket)

    def _imprisons(self, spot: SpotKey) -> bool:
        """Whether a bet waits for another spin: in prison, or after the first of two wins."""
        first = self._wins(spot) and not self._is_marker(spot) and self.felt.prices[spot].twice
        return first or self._effect(spot).startswith("en_prison")

    def _imprison(self, spot: SpotKey, pieces: Mapping[str, int], counted: int, outcome: Outcome) -> None:
        """Whole pieces wait: of what is over the maximum the last go back, and a piece that is partly over it too."""
        excess, left = chip_worth(self.values, pieces) - counted, dict(pieces)
        for chip in reversed(list(left)):
            back = min(left[chip], excess // self._worth(chip))
            left[chip] -= back
            excess -= back * self._worth(chip)
        if excess:
            left[[chip for chip, count in left.items() if count][-1]] -= 1
        outcome.back.update({chip: count - left[chip] for chip, count in pieces.items()})
        self._wait(spot, left, outcome)

    def _wait(self, spot: SpotKey, pieces: Mapping[str, int], outcome: Outcome) -> None:
        waits = Counter(outcome.carried.get(spot, {}))
        waits.update(pieces)
        if +waits:
            outcome.carried[spot] = dict(+waits)

    def _judge(self, spot: SpotKey, pieces: Mapping[str, int], outcome: Outcome) -> None:
        """Decide about chips that waited for this spin."""
        stake = chip_worth(self.values, pieces)
        if self._is_marker(spot) or not (self._wins(spot) and self.felt.prices[spot].twice):
            returned, waits = judged(self.felt, spot, stake, self.pocket)
            if waits:
                self._wait(spot, pieces, outcome)
            else:
                self._take_but((spot, pieces), (stake, returned), outcome)
            return
        outcome.back.update(pieces)
        parts = [(chip, count * self._worth(chip)) for chip, count in pieces.items()]
        segment = "inside" if self.felt.segments[spot] == "inside" else spot
        outcome.bets.setdefault(segment, []).append(self._bet(spot, parts, stake))

    def _halves(self, spot: SpotKey) -> bool:
        """Whether half of a losing bet on this spot is returned."""
        return self.felt.halves(spot, self.pocket)

    def _worth(self, chip: str) -> int:
        return chip_worth(self.values, {chip: 1})

    def _take(self, chip: str, count: int, outcome: Outcome) -> None:
        if chip in self.values:
            outcome.colours_taken[chip] += count
        else:
            outcome.value_taken += count * self._worth(chip)

    def _marker(
        self,
        bet: tuple[SpotKey, Mapping[str, int]],
        counted: int,
        outcome: Outcome,
        gain: tuple[list[tuple[str, int]], Counter[str]],
    ) -> None:
        """Of what counts, a fifth goes on the number if it wins, and the rest is collected; the excess goes back."""
        (spot, pieces), (fifths, moved) = bet, gain
        if self._imprisons(spot):
            self._imprison(spot, pieces, counted, outcome)
            return
        if self._effect(spot) in HALVES:
            self._take_but(bet, (counted, counted // 2), outcome)
            return
        before = outcome.change
        kept = self._take_up_to(counted, pieces, outcome)
        outcome.change_paid += outcome.change - before
        if not self._wins(spot):
            return
        placed = self._placed(kept, counted)
        outcome.collected -= chip_worth(self.values, placed)
        for chip, number in placed.items():
            self._take(chip, -number, outcome)
        if self._imprisons(self.number):
            # Its fifth is a bet on the number, which must win twice.
            self._wait(self.number, placed, outcome)
            return
        moved.update(placed)
        before = 0
        for chip, number in kept:
            after = min(before + number * self._worth(chip), counted)
            if after // 5 > before // 5:
                fifths.append((chip, after // 5 - before // 5))
            before = after

    def _placed(self, kept: list[tuple[str, int]], counted: int) -> Counter[str]:
        """6(j): make the fifth of its own pieces and of value chips; else the next amount, under a notice the lower."""
        unit, fifth = gcd(*map(self._worth, dict(kept)), *self.terms.denominations), counted // 5
        lower = range(fifth // unit * unit, -1, -unit)
        higher = range(-(-fifth // unit) * unit, counted + 1, unit)
        amounts = lower if self.terms.multiples else (*higher, *lower)
        return next(made for each in amounts if (made := self._made(each, kept)) is not None)

    def _made(self, amount: int, kinds: list[tuple[str, int]]) -> Counter[str] | None:
        """Make an amount of pieces, of each kind as many as possible, and of value chips; None if they do not."""
        if not kinds:
            return self._in_value_chips(amount) if can_pay(self.terms.denominations, amount) else None
        (chip, most), *others = kinds
        for number in range(min(most, amount // self._worth(chip)), -1, -1):
            made = self._made(amount - number * self._worth(chip), others)
            if made is not None:
                made[chip] += number
                return +made
        return None

    def _in_value_chips(self, amount: int) -> Counter[str]:
        """Make an amount of value chips, of the largest as many as possible."""
        made: Counter[str] = Counter()
        values = sorted({*self.terms.denominations}, reverse=True)
        for place, value in enumerate(values):
            number, others = amount // value, tuple(values[place + 1 :])
            while others and not can_pay(others, amount - number * value):
                number -= 1
            made[f"v{value}"], amount = number, amount - number * value
        return +made

    def _take_up_to(self, counted: int, pieces: Mapping[str, int], outcome: Outcome) -> list[tuple[str, int]]:
        """Collect what counts of a bet, and return the rest: whole pieces, the last first, and change."""
        excess, kept = chip_worth(self.values, pieces) - counted, list[tuple[str, int]]()
        for chip in reversed(list(pieces)):
            back = min(pieces[chip], excess // self._worth(chip))
            excess -= back * self._worth(chip)
            outcome.back[chip] += back
            self._take(chip, pieces[chip] - back, outcome)
            kept.insert(0, (chip, pieces[chip] - back))
        outcome.change += excess
        outcome.collected += counted
        return kept

    def _won(
        self,
        spot: SpotKey,
        pieces: Mapping[str, int],
        counted: int,
        outcome: Outcome,
        gain: tuple[Sequence[tuple[str, int]], Counter[str]] = ((), Counter()),
    ) -> None:
        fifths, moved = gain
        parts = [*((chip, count * self._worth(chip)) for chip, count in pieces.items()), *fifths]
        stays = {chip: pieces.get(chip, 0) + moved[chip] for chip in {**pieces, **moved}}
        excess = sum(amount for _, amount in parts) - counted
        if self.channel.over_maximum.choice != "cap" or (pieces and not counted and not self._honours):
            for chip in reversed(list(stays)):
                back = min(stays[chip], excess // self._worth(chip))
                excess -= back * self._worth(chip)
                outcome.back[chip] += back
                stays[chip] -= back
        if any(stays.values()):
            outcome.stays[spot] = {chip: count for chip, count in stays.items() if count}
        if counted:
            segment = "inside" if self.felt.segments[spot] == "inside" else spot
            outcome.bets.setdefault(segment, []).append(self._bet(spot, parts, counted))

    def _bet(self, spot: SpotKey, parts: list[tuple[str, int]], counted: int) -> WonBet:
        before, own = 0, []
        for chip, amount in parts:
            after = min(before + amount, counted)
            due = self.felt.wins(spot, after) - self.felt.wins(spot, before)
            before = after
            if chip in self.values and due % self.values[chip] == 0:
                own.append((chip, due // self.values[chip]))
        return WonBet(spot, counted, self.felt.wins(spot, counted), own)

    # Payments, in their order: what the rack and the float have.

    def _segments(self) -> Iterator[str]:
        payout, felt = self.felt.rulebook.payout, self.felt
        assert payout is not None
        for group in payout.order:
            if group.value == "inside":
                yield "inside"
            else:
                yield from (spot for spot, segment in felt.segments.items() if segment == group and self._wins(spot))

    def _payment(self, position: PositionId, bets: list[WonBet], rack: Counter[str]) -> int:
        """Round the bets in the order of the layout: each leaves to the next the pieces that it does not need."""
        total, owed, used, layout = 0, Counter[str](), Counter[str](), [*self.felt.kinds]
        for bet in sorted(bets, key=lambda each: layout.index(each.spot)):
            due: Counter[str] = Counter()
            for chip, count in bet.pieces:
                due[chip] += count
            owed.update(due)
            own = [(chip, min(n, rack[chip] - used[chip]) if chip in rack else n) for chip, n in due.items()]
            paid = self._round(position, bet.spot, bet.settled, bet.due, own)
            total += paid
            for given in self._given(own):
                if can_pay(self.terms.denominations, paid - sum(n * self.values[chip] for chip, n in given)):
                    for chip, number in given:
                        used[chip] += number
                    break
        at_hand = Counter({chip: min(count, rack[chip]) if chip in rack else count for chip, count in owed.items()})
        for chip, count in self._in_colour(total, owed, at_hand).items():
            if chip in rack:
                rack[chip] -= count
        return total

    def _round(self, position: PositionId, spot: SpotKey, settled: int, due: int, own: list[tuple[str, int]]) -> int:
        """12(g) at Adelaide: up without a notice; with one down, if the bet is not in multiples of the minimum."""
        payout, least = self.felt.rulebook.payout, self.bounds[position][spot][0]
        assert payout is not None
        if payout.rounding is None or self._makes(due, own):
            return due
        if not self.terms.multiples:
            return min(worth + next_payable(self.terms.denominations, due - worth) for worth in self._worths(own))
        if not least or settled % least == 0:
            return due
        lower = due - due % least
        while lower and not self._makes(lower, own):
            lower -= least
        # Less than the minimum is rounded to nothing; for more, the text has no amount if chips make no multiple.
        return lower if lower or due < least else due

    def _makes(self, amount: int, own: Sequence[tuple[str, int]]) -> bool:
        return any(can_pay(self.terms.denominations, amount - worth) for worth in self._worths(own))

    def _worths(self, own: Sequence[tuple[str, int]]) -> list[int]:
        return [sum(n * self.values[chip] for chip, n in given) for given in self._given(own)]

    def _given(self, own: Sequence[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
        """List some of the pieces, few first; as many as make a smallest chip can be replaced by such chips."""
        smallest = min(self.terms.denominations)
        counts = [range(min(count, smallest // gcd(smallest, self.values[chip])) + 1) for chip, count in own]
        for numbers in product(*counts):
            yield [(chip, number) for (chip, _), number in zip(own, numbers, strict=True)]

    def _in_colour(self, total: int, owed: Counter[str], at_hand: Counter[str]) -> dict[str, int]:
        """Return how many pieces of each colour are handed over, if chips make the payment at all."""
        if not self._makes(total, list(at_hand.items())):
            return {}
        wanted = []
        for chip, count in owed.items():
            has, cash_from = at_hand[chip], self.terms.cash_from
            stacked = has < count or (cash_from is not None and count >= cash_from)
            first = [*range(count % 20, count + 1, 20), 0] if stacked else [count]
            wanted.append([each for each in [*first, *range(has, -1, -1)] if each <= has])
        for counts in product(*wanted):
            given = dict(zip(owed, counts, strict=True))
            if can_pay(self.terms.denominations, total - chip_worth(self.values, given)):
                return given
        return {}
