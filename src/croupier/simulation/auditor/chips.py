"""Bets with chips: the layout, its settlement by the auditor's own arithmetic, payments and corrections."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from croupier.house.base import Event
from croupier.house.events import live as live_events
from croupier.house.events.play import BetChange, ReturnReason
from croupier.house.events.rounds import TerminalsRefunded
from croupier.house.ids import Context, PositionId
from croupier.house.settings import LimitSettings
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.procedure import Channel, ChannelName
from croupier.simulation.auditor import settlement
from croupier.simulation.auditor.model import (
    CHIPS,
    ExpectedReturn,
    Model,
    ModelChips,
    ModelLayout,
    ModelLive,
    ModelRound,
    ModelTable,
)
from croupier.simulation.auditor.payouts import Stakes, bounds_of
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not

_OUTSIDE: Final = {"red", "black", "odd", "even", "low", "high"}


def at(model: Model, event: Any) -> tuple[ModelTable, ModelLive]:  # noqa: ANN401 - an event of a table
    """Return the live table of an event."""
    table = model.tables[event.table]
    if table.live is None:
        raise InvariantViolation(CHIPS, f"{event} at a table without chips")
    return table, table.live


def chip_worth(values: Mapping[str, int], pieces: Mapping[str, int]) -> int:
    """Add up pieces: a colour by its declared value, a value chip by its name."""
    return sum(count * (values[chip] if chip in values else int(chip[1:])) for chip, count in pieces.items())


def stakes_of(live: ModelLive, position: PositionId) -> Stakes:
    """Return the stake on each spot of a player."""
    return {spot: chip_worth(live.values, pieces) for spot, pieces in live.layouts.get(position, {}).items()}


def staked(live: ModelLive) -> int:
    return sum(sum(stakes_of(live, position).values()) for position in live.layouts)


def _block(model_table: ModelTable, spot: SpotKey) -> tuple[Pocket, ...]:
    """Return the numbers under a marker: the named one and two on either side of the wheel."""
    order = model_table.felt.rulebook.wheel.order
    here = order.index(Pocket(spot.rsplit(" ", 1)[1]))
    return tuple(order[(here + step) % len(order)] for step in range(-2, 3))


def _is_block(table: ModelTable, spot: SpotKey) -> bool:
    return spot not in table.felt.covers


def changed(model: Model, event: live_events.ChipsChanged, _context: Context) -> None:
    table, live = at(model, event)
    taking = event.how in (BetChange.REMOVE, BetChange.CLEAR)
    phase = table.phase
    open_ = phase in ("open", "open_running", "last_call")
    check_not("I9", f"{event} while the round is {phase}", when=not open_ and not (taking and phase in _AFTER))
    check_not("I18", f"{event} of a player who is barred", when=event.position in live.barred and _adds(live, event))
    _lay(live, event.position, event)
    _enough(live, event)


def _adds(live: ModelLive, event: live_events.ChipsChanged | live_events.SealAmended) -> bool:
    """Return whether an event puts a chip on a spot."""
    layout = live.layouts.get(event.position, {})
    return any(count > layout.get(spot, {}).get(chip, 0) for spot, chip, count in event.pieces)


_AFTER: Final = ("paying", "between")


def _lay(live: ModelLive, position: PositionId, event: live_events.ChipsChanged | live_events.SealAmended) -> None:
    """Set the pieces on the spots of an event; their value must be the amounts it names."""
    layout = live.layouts.setdefault(position, {})
    for spot in event.spots:
        layout[spot] = {chip: count for on, chip, count in event.pieces if on == spot}
    found = tuple(chip_worth(live.values, layout[spot]) for spot in event.spots)
    check_equal(CHIPS, f"{event} stakes", event.amounts, found)
    live.layouts[position] = {spot: pieces for spot, pieces in layout.items() if pieces}
    foreign = {chip for _, chip, _ in event.pieces if chip in live.colours} - live.players[position]
    check_equal(CHIPS, f"{event} with colours of others", foreign, set())


def _enough(live: ModelLive, event: Event) -> None:
    for name, colour in live.colours.items():
        lies = sum(pieces.get(name, 0) for layout in live.layouts.values() for pieces in layout.values())
        check_not(CHIPS, f"{event} leaves {lies} of {colour.out} {name} on the layout", when=lies > colour.out)


def unplayed(table: ModelTable) -> Iterator[ExpectedReturn]:
    """12(d), 12(e): at the close, all chips of a player barred before the round go back, and bets under the minimum."""
    live = table.live
    if live is None:
        return
    assert table.round is not None
    out = {each for each in live.barred if live.barred_at[each] <= table.round.opened_at}
    for position in out:
        if live.layouts.get(position):
            yield ExpectedReturn(position, ReturnReason.BARRED, frozenset(live.layouts[position]))
    for position in (live.advised & live.layouts.keys()) - out:
        bounds = bounds_of(table.felt, live.limits.get(position) or table.settings.limits)
        under = {
            spot
            for spot, stake in stakes_of(live, position).items()
            if spot in bounds.spots and stake < bounds.spots[spot][0]
        }
        if under:
            yield ExpectedReturn(position, ReturnReason.UNDER_MINIMUM, frozenset(under))


def returned(model: Model, event: live_events.ChipsReturned, _context: Context) -> None:
    _, live = at(model, event)
    back = ExpectedReturn(event.position, event.why, frozenset(event.spots))
    check_not("I18", f"{event}: due to go back are {model.returns}", when=back not in model.returns)
    model.returns.discard(back)
    for spot in event.spots:
        del live.layouts[event.position][spot]


def seal(table: ModelTable, round_: ModelRound) -> int:
    """Seal the chips of a round; return their value."""
    live = table.live
    if live is None:
        return 0
    layouts = {position: _copy(layout) for position, layout in live.layouts.items() if layout}
    round_.chips = ModelChips(layouts, dict(live.values), table.settings, dict(live.limits))
    live.stayed = {}
    return staked(live)


def _copy(layout: ModelLayout) -> ModelLayout:
    return {spot: dict(pieces) for spot, pieces in layout.items()}


def amended(model: Model, event: live_events.SealAmended, _context: Context) -> None:
    table, live = at(model, event)
    check_not(
        "I9", f"{event} while the round is {table.phase}", when=table.phase not in ("closed", "running", "at_rest")
    )
    assert table.round is not None
    assert table.round.chips is not None
    out = event.position in live.barred and live.barred_at[event.position] <= table.round.closed_at
    check_not("I18", f"{event} of a player who is barred", when=out and _adds(live, event))
    at_rest = table.phase == "at_rest"
    check_not("I18", f"{event} without a sighting", when=at_rest and not event.sighting.strip())
    _lay(live, event.position, event)
    _enough(live, event)
    table.round.chips.sealed.pop(event.position, None)
    if live.layouts[event.position]:
        table.round.chips.sealed[event.position] = _copy(live.layouts[event.position])


@dataclass(slots=True)
class Outcome:
    """The result of one player's chips on a number."""

    collected: int = 0
    #: Value chips that the dealer takes, less those placed as change; and pieces of each colour.
    value_taken: int = 0
    colours_taken: Counter[str] = field(default_factory=Counter)
    back: Counter[str] = field(default_factory=Counter)
    stays: ModelLayout = field(default_factory=dict)
    #: The payment of each segment.
    pays: Counter[str] = field(default_factory=Counter)
    #: The pieces of each colour that are due in each segment.
    due: dict[str, Counter[str]] = field(default_factory=dict)
    change: int = 0
    advised: bool = False


#: The fifths of winning marker bets by chip, and the pieces that are placed on the number for them.
Gain = tuple[list[tuple[str, int]], Counter[str]]


class Settler:
    """Settles one layout on one number, by the text of the rules."""

    def __init__(self, table: ModelTable, chips: ModelChips, pocket: Pocket) -> None:
        self.table, self.values, self.pocket = table, chips.values, pocket
        assert chips.settings.live is not None
        self.limits, self.terms = chips.settings.limits, chips.settings.live
        self.smallest = min(self.terms.denominations)
        self.channel: Channel = table.felt.rulebook.channels[ChannelName.TABLE]

    def settle(self, layout: ModelLayout, limits: LimitSettings | None) -> Outcome:
        """Settle the layout of a player, within limits of the player's own if an arrangement has them."""
        self.bounds = bounds_of(self.table.felt, limits or self.limits)
        outcome, fifths = Outcome(), list[tuple[str, int]]()
        moved: Counter[str] = Counter()
        for spot, pieces in layout.items():
            if _is_block(self.table, spot):
                self._marker(spot, pieces, outcome, (fifths, moved))
        number = SpotKey(self.pocket)
        for spot, pieces in layout.items():
            if not _is_block(self.table, spot) and self.pocket in self.table.felt.covers[spot]:
                own = (fifths, moved) if spot == number else ([], Counter[str]())
                self._win(spot, pieces, outcome, own)
            elif not _is_block(self.table, spot):
                self._lose(spot, pieces, outcome)
        if fifths and number not in layout:
            self._win(number, {}, outcome, (fifths, moved))
        return outcome

    def _worth(self, chip: str) -> int:
        return self.values[chip] if chip in self.values else int(chip[1:])

    def _take(self, chip: str, count: int, outcome: Outcome) -> None:
        if chip in self.values:
            outcome.colours_taken[chip] += count
        else:
            outcome.value_taken += count * self._worth(chip)

    def _marker(
        self,
        spot: SpotKey,
        pieces: Mapping[str, int],
        outcome: Outcome,
        gain: Gain,
    ) -> None:
        fifths, moved = gain
        won = self.pocket in _block(self.table, spot)
        for chip, count in pieces.items():
            total = count * self._worth(chip)
            placed: Counter[str] = Counter()
            if won:
                fifths.append((chip, total // 5))
                if chip not in self.values and count % 5 and total // 5 % self.smallest == 0:
                    placed = self._changed(total // 5)
                else:
                    placed[chip] = -(-count // 5) if not self.terms.multiples else count // 5
            moved.update(placed)
            self._take(chip, count, outcome)
            for each, number in placed.items():
                self._take(each, -number, outcome)
            outcome.collected += total - chip_worth(self.values, placed)

    def _changed(self, amount: int) -> Counter[str]:
        made: Counter[str] = Counter()
        for value in sorted(self.terms.denominations, reverse=True):
            if value % self.smallest == 0:
                made[f"v{value}"], amount = divmod(amount, value)
        return +made

    def _limited(self, spot: SpotKey, stake: int, outcome: Outcome) -> int:
        least, most = self.bounds.spots[spot]
        if stake < least:
            if self.channel.under_minimum.choice != "honour_once":
                return 0
            outcome.advised = True
        return min(stake, most)

    def _last(self, pieces: Mapping[str, int], amount: int) -> tuple[Counter[str], int]:
        back: Counter[str] = Counter()
        for chip in reversed(list(pieces)):
            back[chip] = min(pieces[chip], amount // self._worth(chip))
            amount -= back[chip] * self._worth(chip)
        return +back, amount

    def _lose(self, spot: SpotKey, pieces: Mapping[str, int], outcome: Outcome) -> None:
        stake = chip_worth(self.values, pieces)
        settled = self._limited(spot, stake, outcome)
        back, change = self._last(pieces, stake - settled)
        outcome.back.update(back)
        outcome.change += change
        if change:
            outcome.pays["returns"] += change
        for chip, count in pieces.items():
            self._take(chip, count - back[chip], outcome)
        outcome.collected += settled

    def _win(
        self,
        spot: SpotKey,
        pieces: Mapping[str, int],
        outcome: Outcome,
        gain: Gain,
    ) -> None:
        fifths, moved = gain
        parts = [*((chip, count * self._worth(chip)) for chip, count in pieces.items()), *fifths]
        stays = Counter(dict(pieces)) + moved
        stays = Counter({chip: stays[chip] for chip in (*pieces, *(each for each in moved if each not in pieces))})
        stake = sum(amount for _, amount in parts)
        settled = self._limited(spot, stake, outcome)
        if settled < stake and not (settled and self.channel.over_maximum.choice == "cap"):
            back, _ = self._last(stays, stake - settled)
            outcome.back.update(back)
            stays -= back
        if +stays:
            outcome.stays[spot] = dict(+stays)
        if settled:
            kind = self.table.felt.kinds[spot].value
            segment = spot if kind in {*_OUTSIDE, "dozen", "column"} else "inside"
            outcome.pays[segment] += self._due(spot, parts, settled, outcome.due.setdefault(segment, Counter()))

    def _due(self, spot: SpotKey, parts: list[tuple[str, int]], settled: int, pieces: Counter[str]) -> int:
        """Pay colours in their pieces, and value chips by what the float can pay (12(g))."""
        odds, least = self.table.felt.gross[spot] - 1, self.bounds.spots[spot][0]
        exact = cash = 0
        left = settled
        for chip, amount in parts:
            share = min(amount, left)
            left -= share
            if chip in self.values and share * odds % self.values[chip] == 0:
                exact += share * odds
                pieces[chip] += share * odds // self.values[chip]
            else:
                cash += share * odds
        if cash % self.smallest:
            lower = cash // least * least if least and settled % least else cash
            down = self.terms.multiples and lower % self.smallest == 0 and self._has_rounding
            cash = lower if down else -(-cash // self.smallest) * self.smallest
        return exact + cash

    @property
    def _has_rounding(self) -> bool:
        payout = self.table.felt.rulebook.payout
        return payout is not None and payout.rounding is not None


def outcomes(table: ModelTable, chips: ModelChips, pocket: Pocket) -> dict[PositionId, Outcome]:
    """Settle all chips of a round on a number."""
    settler = Settler(table, chips, pocket)
    own = chips.limits
    found = {position: settler.settle(layout, own.get(position)) for position, layout in chips.sealed.items()}
    rack = Counter(chips.rack)
    for each in found.values():
        rack.update({chip: count for chip, count in each.colours_taken.items() if chip in chips.rack})
    for segment in _segments(table, pocket):
        for each in found.values():
            if segment in each.pays:
                each.pays[segment] += _rounded(settler, each, segment, rack)
    return found


def _segments(table: ModelTable, pocket: Pocket) -> Iterator[str]:
    """List the segments in the order of payment."""
    payout, felt = table.felt.rulebook.payout, table.felt
    assert payout is not None
    groups = {"even_chances": _OUTSIDE, "dozens": {"dozen"}, "columns": {"column"}, "inside": set[str]()}
    yield "returns"
    for group in payout.order:
        if group.value == "inside":
            yield "inside"
        yield from (
            spot for spot in felt.kinds if felt.kinds[spot].value in groups[group.value] and pocket in felt.covers[spot]
        )


def _rounded(settler: Settler, outcome: Outcome, segment: str, rack: Counter[str]) -> int:
    """Return what a payment is rounded up by, if the rack lacks pieces that value chips cannot replace exactly."""
    in_colour = 0
    for chip, count in outcome.due.get(segment, {}).items():
        value, left = settler.values[chip], rack.get(chip)
        given = count
        cash_from = settler.terms.cash_from
        if (left is not None and left < count) or (cash_from is not None and count >= cash_from):
            # Whole stacks of twenty, as many as value chips can pay.
            stacks = next(n for n in range(count // 20, -1, -1) if n * 20 * value % settler.smallest == 0)
            given -= stacks * 20
        if left is not None and left < given:
            given = 0
        if left is not None:
            rack[chip] -= given
        in_colour += given * value
    return -(outcome.pays[segment] - in_colour) % settler.smallest


def settled(model: Model, event: live_events.ChipsSettled, _context: Context) -> None:
    table, live = at(model, event)
    round_ = table.round
    if round_ is None or round_.status != "settled" or round_.chips is None:
        raise InvariantViolation("I9", f"{event} without a settled round")
    check_equal("I10", f"{event} is on", event.pocket, round_.pocket)
    chips = round_.chips
    chips.marked = None
    chips.paying, chips.pocket = True, event.pocket
    if live.full:
        _settle(model, table, event)
    else:
        chips.finished = False


def _settle(model: Model, table: ModelTable, event: live_events.ChipsSettled | None) -> None:
    live, round_ = table.live, table.round
    assert live is not None
    assert round_ is not None
    chips = round_.chips
    assert chips is not None
    assert chips.pocket is not None
    if event is not None:
        chips.rack = {name: each.pieces - each.out for name, each in live.colours.items() if each.position is not None}
    found = outcomes(table, chips, chips.pocket)
    collected = sum(each.collected for each in found.values())
    payable = sum(each.pays.total() for each in found.values())
    if event is not None:
        check_equal("I3", f"{event} collects", event.collected, collected)
        check_equal("I3", f"{event} pays", event.payable, payable)
    _book(model, live, found, 1)
    for position, outcome in found.items():
        live.layouts[position] = _copy(outcome.stays)
        live.stayed[position] = stakes_of(live, position)
    # What is rounded down to nothing is not paid.
    due = ((segment, position, amount) for position, each in found.items() for segment, amount in each.pays.items())
    chips.items = {(segment, position): amount for segment, position, amount in due if amount}
    chips.collected = not any(each.value_taken or +each.colours_taken for each in found.values())
    live.advising = {each for each, outcome in found.items() if outcome.advised and live.labels.get(each)}
    live.advising -= live.advised


def _book(model: Model, live: ModelLive, found: Mapping[PositionId, Outcome], times: int) -> None:
    for outcome in found.values():
        for chip, count in outcome.colours_taken.items():
            live.colours[chip].out -= times * count
        # Value chips that the dealer has not collected yet are on no layout, in no float and in nobody's hands.
        model.value_chips -= times * outcome.value_taken
        model.won += times * (outcome.collected + outcome.change)
    due = sum(each.pays.total() for each in found.values())
    model.won -= times * due
    live.payable += times * due


def advised(model: Model, event: live_events.OwnerAdvised, _context: Context) -> None:
    _, live = at(model, event)
    check_not("I18", f"{event} without a bet under the minimum", when=event.position not in live.advising)
    live.advising.discard(event.position)
    live.advised.add(event.position)


def marked(model: Model, event: live_events.DollyPlaced, _context: Context) -> None:
    """9(d), Rotation (3): the dolly is on the number."""
    table, _ = at(model, event)
    round_ = table.round
    if round_ is None or round_.chips is None or not round_.chips.paying:
        raise InvariantViolation("I9", f"{event} without a settled round")
    check_equal("I10", f"{event} marks", event.pocket, round_.chips.pocket)
    round_.chips.marked = event.pocket


def _unmarked(table: ModelTable) -> bool:
    """Return whether the number of the last round is not marked on the layout."""
    chips = None if table.round is None else table.round.chips
    return chips is not None and chips.paying and chips.pocket is not None and chips.marked != chips.pocket


def collected(model: Model, event: live_events.LosersCollected, _context: Context) -> None:
    table, live = at(model, event)
    check_equal("I9", f"{event} while the round is", table.phase, "paying")
    check_not("I9", f"{event} before the dolly", when=_unmarked(table))
    assert table.round is not None
    chips = table.round.chips
    assert chips is not None
    check_not(CHIPS, f"{event} a second time", when=chips.collected)
    chips.collected = chips.swept = True
    if live.full:
        assert chips.pocket is not None
        found = outcomes(table, chips, chips.pocket)
        check_equal("I3", f"{event} takes", event.amount, sum(each.collected for each in found.values()))
        _sweep(model, live, found, 1)


def _sweep(model: Model, live: ModelLive, found: Mapping[PositionId, Outcome], times: int) -> None:
    taken = times * sum(each.value_taken for each in found.values())
    assert live.tray is not None
    live.tray += taken
    model.value_chips += taken


def paid(model: Model, event: live_events.SegmentPaid, _context: Context) -> None:
    table, live = at(model, event)
    check_not("I9", f"{event} before the dolly", when=_unmarked(table))
    round_ = table.rounds.get(event.round)
    chips = None if round_ is None else round_.chips
    for payment in event.payments:
        key = (event.segment, payment.position)
        if chips is not None and key in chips.items:
            check_not(
                "I9", f"{event} before the collection", when=not chips.collected and event.segment != "correction"
            )
            due = chips.items.pop(key)
            chips.made = True
        else:
            check_equal(CHIPS, f"{event} pays a second time", event.segment, "correction")
            due = live.owing.pop(payment.position, 0)
        value = chip_worth(live.values, dict(payment.chips))
        check_equal(CHIPS, f"{payment} is worth", payment.value, value)
        check_not("I3", f"{payment} for {due}", when=not 0 <= value - due < min(live.smallest))
        more = value - due
        check_not("I3", f"{payment} is rounded", when=bool(more) and event.segment != "correction")
        model.won -= more
        live.payable -= value - more
        for chip, count in payment.chips:
            if chip in live.colours:
                live.colours[chip].out += count
            else:
                assert live.tray is not None
                live.tray -= count * int(chip[1:])


def recorded(model: Model, event: live_events.WinnerRecorded, _context: Context) -> None:
    """At a table that does not record all bets, what the dealer records is due."""
    table, live = at(model, event)
    assert table.round is not None
    chips = table.round.chips
    assert chips is not None
    assert chips.pocket is not None
    check_not(CHIPS, f"{event} where all bets are recorded", when=live.full or not chips.paying)
    check_not("I9", f"{event} before the dolly", when=_unmarked(table))
    before = outcomes(table, chips, chips.pocket).get(event.position, Outcome()).pays
    layout = chips.sealed.setdefault(event.position, {})
    for on, count in event.bets:
        spot = next((each.spot for each in table.felt.rulebook.aliases if each.name == on), SpotKey(on))
        layout.setdefault(spot, {}).setdefault(event.chip, 0)
        layout[spot][event.chip] += count
    due = outcomes(table, chips, chips.pocket)[event.position].pays - before
    check_equal("I3", f"{event} is due", dict(event.due), dict(due))
    for segment, amount in due.items():
        key = (segment, event.position)
        chips.items[key] = chips.items.get(key, 0) + amount
    model.won -= due.total()
    live.payable += due.total()


def finished(model: Model, event: live_events.PayingFinished, _context: Context) -> None:
    table, _ = at(model, event)
    assert table.round is not None
    assert table.round.chips is not None
    check_equal(CHIPS, f"{event} with open payments", table.round.chips.items, {})
    table.round.chips.finished = True


def unseal(table: ModelTable, round_: ModelRound) -> None:
    """Chips stay where they lie, and are no longer sealed."""
    if table.live is not None:
        round_.chips = None


def restore(model: Model, table: ModelTable, round_: ModelRound) -> None:
    """Undo a settlement of which nothing was paid."""
    live, chips = table.live, round_.chips
    assert live is not None
    assert chips is not None
    assert chips.pocket is not None
    found = outcomes(table, chips, chips.pocket)
    if chips.swept:
        _sweep(model, live, found, -1)
    _book(model, live, found, -1)
    for position, layout in chips.sealed.items():
        live.layouts[position] = _copy(layout)
    live.stayed, chips.items = {}, {}


def corrected(model: Model, event: live_events.ChipsCorrected, _context: Context) -> None:
    """Settle sealed layouts again while nothing was collected; afterwards give or take the difference."""
    table, live = at(model, event)
    round_ = table.rounds[event.round]
    chips = round_.chips
    if chips is None or not chips.paying:
        raise InvariantViolation("I10", f"{event}: no chips were settled")
    before, after = (_entitled(table, chips, pocket) for pocket in (chips.pocket, event.pocket))
    due = {each: after[each] - before[each] for each in chips.sealed if after[each] != before[each]}
    check_equal("I10", f"{event} changes", dict(event.changes), due)
    untouched = not chips.swept and not chips.made and table.round is round_ and live.full
    anew = untouched and not chips.over
    check_equal("I10", f"{event} settles anew", event.anew, anew)
    chips.marked = None
    if anew:
        restore(model, table, round_)
        chips.pocket = event.pocket
        if event.pocket is None:
            chips.collected, chips.items = True, {}
        else:
            _settle(model, table, None)
        return
    running = not chips.over
    open_: Counter[PositionId] = Counter()
    for (_, position), amount in chips.items.items():
        open_[position] += amount
    chips.items = {}
    for position, change in due.items():
        model.won -= change
        if change > 0:
            cleared = min(change, live.owed[position])
            live.owed[position] -= cleared
            open_[position] += change - cleared
            live.payable += change - cleared
        else:
            _take(table, (round_, position), -change, open_)
    for position, amount in open_.items():
        if amount and running:
            chips.items["correction", position] = amount
        elif amount:
            live.owing[position] = live.owing.get(position, 0) + amount
    chips.pocket = event.pocket
    live.owing = {each: amount for each, amount in live.owing.items() if amount}


def _entitled(table: ModelTable, chips: ModelChips, pocket: Pocket | None) -> Counter[PositionId]:
    live = table.live
    assert live is not None
    if pocket is None:
        has = {each: sum(chip_worth(chips.values, on) for on in chips.sealed[each].values()) for each in chips.sealed}
        return Counter(has if live.full else {})
    has = {}
    for position, each in outcomes(table, chips, pocket).items():
        stays = sum(chip_worth(chips.values, on) for on in each.stays.values())
        has[position] = each.pays.total() + (stays + chip_worth(chips.values, each.back) if live.full else 0)
    return Counter(has)


def _take(table: ModelTable, of: tuple[ModelRound, PositionId], amount: int, open_: Counter[PositionId]) -> None:
    """Take a difference from what is not paid, then from stakes that stayed, and the rest as a debt."""
    live, (round_, position) = table.live, of
    assert live is not None
    unpaid = min(amount, open_[position])
    open_[position] -= unpaid
    owing = min(amount - unpaid, live.owing.get(position, 0))
    if owing:
        live.owing[position] -= owing
    live.payable -= unpaid + owing
    amount -= unpaid + owing
    running = table.round
    assert running is not None
    free = running is round_ or (running.number == round_.number + 1 and running.chips is None)
    if free and not round_.invalidated and position in live.players:
        amount -= _lift(table, live, position, amount)
    live.owed[position] += amount


def _lift(table: ModelTable, live: ModelLive, position: PositionId, amount: int) -> int:
    """Take stakes that stayed, spot by spot as on the layout."""
    lifted, stayed = 0, live.stayed.get(position, {})
    for spot in (each for each in table.felt.covers if each in stayed):
        left, pieces = stayed[spot], live.layouts[position].get(spot, {})
        for chip in reversed(list(pieces)):
            worth = chip_worth(live.values, {chip: 1})
            count = min(pieces[chip], left // worth, (amount - lifted) // worth)
            left -= count * worth
            lifted += count * worth
            pieces[chip] -= count
            if chip in live.colours:
                live.colours[chip].out -= count
            else:
                assert live.tray is not None
                live.tray += count * worth
        kept = {chip: count for chip, count in pieces.items() if count}
        live.layouts[position].pop(spot, None)
        if kept:
            live.layouts[position][spot] = kept
    return lifted


def owed_settled(model: Model, event: live_events.OwedSettled, _context: Context) -> None:
    _, live = at(model, event)
    amount = chip_worth(live.values, {event.chip: event.pieces})
    check_equal(CHIPS, f"{event} is worth", event.amount, amount)
    check_not(CHIPS, f"{event} of a debt of {live.owed[event.position]}", when=amount > live.owed[event.position])
    live.owed[event.position] -= amount
    if event.chip in live.colours:
        live.colours[event.chip].out -= event.pieces
    else:
        assert live.tray is not None
        live.tray += amount


def terminals_refunded(model: Model, event: TerminalsRefunded, _context: Context) -> None:
    table, _ = at(model, event)
    assert table.round is not None
    check_equal("I23", f"{event} after the seal", table.round.sealed, None)
    settlement.refund(model, table, table.round)


def no_change(model: Model, event: Event, _context: Context) -> None:
    """Chips that went back at once, and notes on a settlement, change nothing."""
    at(model, event)


Follower = Callable[[Model, Any, Context], None]

CHIP_BETS: Final[Mapping[type[Event], Follower]] = {
    live_events.ChipsChanged: changed,
    live_events.ChipsReturned: returned,
    live_events.LateBetReturned: no_change,
    live_events.SealAmended: amended,
    live_events.ChipsSettled: settled,
    live_events.OwnerAdvised: advised,
    live_events.BetCapped: no_change,
    live_events.PaymentRounded: no_change,
    live_events.DollyPlaced: marked,
    live_events.LosersCollected: collected,
    live_events.SegmentPaid: paid,
    live_events.WinnerRecorded: recorded,
    live_events.PayingFinished: finished,
    live_events.ChipsCorrected: corrected,
    live_events.OwedSettled: owed_settled,
    TerminalsRefunded: terminals_refunded,
}
