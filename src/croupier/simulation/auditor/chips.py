"""Bets with chips: the layout, its settlement by the auditor's own arithmetic, payments and corrections."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from croupier.house.declare import Event
from croupier.house.ids import Context, PositionId, RoundNumber
from croupier.house.live.carried_chips import ChipsReleased
from croupier.house.live.chip_settlement import (
    BetCapped,
    ChipsCorrected,
    ChipsSettled,
    OwnerAdvised,
    PaymentRounded,
)
from croupier.house.live.partners import PlayersLinked, PlayersUnlinked
from croupier.house.live.payment_walk import (
    DollyPlaced,
    LateBetReturned,
    LosersCollected,
    OwedSettled,
    SealAmended,
    SegmentPaid,
)
from croupier.house.live.seats_and_colours import ColourRedeemed
from croupier.house.live.supervised import PayingFinished, WinnerRecorded
from croupier.house.play.betting import ReturnReason
from croupier.house.play.chip_bets import ChipsChanged, ChipsReturned
from croupier.house.rounds.recovery import TerminalsRefunded
from croupier.house.state.live import ChipMove
from croupier.house.state.tables import BetChange
from croupier.rules.geometry import Pocket, SpotKey
from croupier.simulation.auditor import settlement
from croupier.simulation.auditor.chip_payouts import Outcome, Settler, can_pay, chip_worth, judged, next_payable
from croupier.simulation.auditor.model import (
    CHIPS,
    ExpectedReturn,
    Model,
    ModelChips,
    ModelEntries,
    ModelLayout,
    ModelLive,
    ModelRound,
    ModelTable,
)
from croupier.simulation.auditor.payouts import Stakes, bounds_of
from croupier.simulation.auditor.registry import follows
from croupier.simulation.invariants import InvariantViolation, check_equal, check_not


def at(model: Model, event: Any) -> tuple[ModelTable, ModelLive]:  # noqa: ANN401 - an event of a table
    """Return the live table of an event."""
    table = model.tables[event.table]
    if table.live is None:
        raise InvariantViolation(CHIPS, f"{event} at a table without chips")
    return table, table.live


def stakes_of(live: ModelLive, position: PositionId) -> Stakes:
    """Return the stake on each spot of a player."""
    return {spot: chip_worth(live.values, pieces) for spot, pieces in live.layouts.get(position, {}).items()}


def carried_by(live: ModelLive, position: PositionId) -> Stakes:
    """Return what a player's chips that wait for the next spin are worth, spot by spot."""
    return {spot: chip_worth(live.values, pieces) for spot, pieces in live.carried.get(position, {}).items()}


def carried(live: ModelLive) -> int:
    return sum(sum(carried_by(live, position).values()) for position in live.carried)


def staked(live: ModelLive) -> int:
    return sum(sum(stakes_of(live, position).values()) for position in live.layouts)


@follows(ChipsChanged)
def changed(model: Model, event: ChipsChanged, _context: Context) -> None:
    table, live = at(model, event)
    taking = event.how in (BetChange.REMOVE, BetChange.CLEAR)
    phase = table.phase
    open_ = phase in ("open", "open_running", "last_call")
    check_not("I9", f"{event} while the round is {phase}", when=not open_ and not (taking and phase in _AFTER))
    check_not("I18", f"{event} of a player who is barred", when=event.position in live.barred and _adds(live, event))
    before = live.layouts.get(event.position, {})
    further = {spot for spot, _, _ in event.pieces if _is_marker(table, spot)} - before.keys()
    _lay(live, event.position, event)
    _markers(table, live, event)
    _few_markers(table, live, event, further)
    place(live, event.position)
    now = stakes_of(live, event.position)
    stayed = live.stayed.get(event.position, {})
    live.stayed[event.position] = {spot: min(stake, now[spot]) for spot, stake in stayed.items() if spot in now}
    _enough(live, event)


def place(live: ModelLive, position: PositionId) -> None:
    """Note the turn in which stakes of a player grew; what is gone was added last."""
    live.turn += 1
    placed, now = live.placed.setdefault(position, {}), stakes_of(live, position)
    for spot in {**placed, **now}:
        entries = placed.setdefault(spot, [])
        more = now.get(spot, 0) - sum(amount for _, amount in entries)
        if more > 0:
            entries.append((live.turn, more))
        while more < 0:
            turn, amount = entries.pop()
            more += amount
            if more > 0:
                entries.append((turn, more))


def _placed(live: ModelLive, position: PositionId) -> ModelEntries:
    return {spot: list(entries) for spot, entries in live.placed.get(position, {}).items()}


def _adds(live: ModelLive, event: ChipsChanged | SealAmended) -> bool:
    """Return whether an event puts a chip on a spot."""
    layout = live.layouts.get(event.position, {})
    return any(count > layout.get(spot, {}).get(chip, 0) for spot, chip, count in event.pieces)


_AFTER: Final = ("paying", "between")


def _lay(live: ModelLive, position: PositionId, event: ChipsChanged | SealAmended) -> None:
    """Set the pieces on the spots of an event; their value must be the amounts it names."""
    layout = live.layouts.setdefault(position, {})
    for spot in event.spots:
        layout[spot] = {chip: count for on, chip, count in event.pieces if on == spot}
    found = tuple(chip_worth(live.values, layout[spot]) for spot in event.spots)
    check_equal(CHIPS, f"{event} stakes", event.amounts, found)
    live.layouts[position] = {spot: pieces for spot, pieces in layout.items() if pieces}
    foreign = {chip for _, chip, _ in event.pieces if chip in live.colours} - live.players[position]
    check_equal(CHIPS, f"{event} with colours of others", foreign, set())


def _is_marker(table: ModelTable, spot: SpotKey) -> bool:
    return spot not in table.felt.covers


def _markers(table: ModelTable, live: ModelLive, event: ChipsChanged | SealAmended) -> None:
    """12(a): a marker bet is five times the minimum, or the notified unit; 6(j): a fifth of it is paid."""
    assert table.settings.live is not None
    bounds = bounds_of(table.felt, live.limits.get(event.position) or table.settings.limits)
    for spot, stake in zip(event.spots, event.amounts, strict=True):
        if stake and _is_marker(table, spot):
            least = table.settings.live.marker_unit or 5 * bounds.spots[SpotKey(spot.split(" ")[1])][0]
            check_not("I18", f"{event} of a marker bet under {least}", when=stake < least or stake % 5 != 0)


def _few_markers(table: ModelTable, live: ModelLive, event: ChipsChanged, further: set[SpotKey]) -> None:
    """12(a): of further marker bets there are no more on a number, and in the spin, than the table permits."""
    assert table.settings.live is not None
    lie = Counter(spot for layout in live.layouts.values() for spot in layout if _is_marker(table, spot))
    number, spin = table.settings.live.markers_per_number, table.settings.live.markers_per_spin
    for spot in further:
        check_not("I18", f"{event}: marker bets on {spot}", when=number is not None and lie[spot] > number)
        check_not("I18", f"{event}: marker bets in the spin", when=spin is not None and lie.total() > spin)


def _enough(live: ModelLive, event: Event) -> None:
    for name, colour in live.colours.items():
        layouts = (*live.layouts.values(), *live.carried.values())
        lies = sum(pieces.get(name, 0) for layout in layouts for pieces in layout.values())
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


@follows(ChipsReturned)
def returned(model: Model, event: ChipsReturned, _context: Context) -> None:
    _, live = at(model, event)
    back = ExpectedReturn(event.position, event.why, frozenset(event.spots))
    check_not("I18", f"{event}: due to go back are {model.returns}", when=back not in model.returns)
    model.returns.discard(back)
    for spot in event.spots:
        del live.layouts[event.position][spot]
    place(live, event.position)


def seal(table: ModelTable, round_: ModelRound) -> int:
    """Seal the chips of a round; return their value."""
    live = table.live
    if live is None:
        return 0
    waits = {position: _copy(layout) for position, layout in live.carried.items() if layout}
    layouts = {each: _copy(layout) for each, layout in live.layouts.items() if layout or each in waits}
    layouts.update({each: {} for each in waits if each not in layouts})
    round_.chips = ModelChips(layouts, dict(live.values), table.settings, dict(live.limits), waits)
    round_.chips.placed = {position: _placed(live, position) for position in layouts}
    live.stayed = {}
    return staked(live)


def _copy(layout: ModelLayout) -> ModelLayout:
    return {spot: dict(pieces) for spot, pieces in layout.items()}


@follows(SealAmended)
def amended(model: Model, event: SealAmended, _context: Context) -> None:
    table, live = at(model, event)
    check_not(
        "I9", f"{event} while the round is {table.phase}", when=table.phase not in ("closed", "running", "at_rest")
    )
    assert table.round is not None
    assert table.round.chips is not None
    out = event.position in live.barred and live.barred_at[event.position] <= table.round.closed_at
    check_not("I18", f"{event} of a player who is barred", when=out and _adds(live, event))
    check_not("I18", f"{event} without a sighting", when=table.number_in_view and not event.sighting.strip())
    _lay(live, event.position, event)
    _markers(table, live, event)
    place(live, event.position)
    _enough(live, event)
    table.round.chips.sealed.pop(event.position, None)
    if live.layouts[event.position] or live.carried.get(event.position):
        table.round.chips.sealed[event.position] = _copy(live.layouts[event.position])
        table.round.chips.placed[event.position] = _placed(live, event.position)


def outcomes(table: ModelTable, chips: ModelChips, pocket: Pocket) -> dict[PositionId, Outcome]:
    """Settle all chips of a round on a number."""
    return Settler(table, chips, pocket).settle()


@follows(ChipsSettled)
def settled(model: Model, event: ChipsSettled, _context: Context) -> None:
    table, live = at(model, event)
    round_ = table.round
    if round_ is None or round_.status != "settled" or round_.chips is None:
        raise InvariantViolation("I9", f"{event} without a settled round")
    check_equal("I10", f"{event} is on", event.pocket, round_.pocket)
    chips = round_.chips
    chips.marked = None
    chips.paying, chips.pocket = True, event.pocket
    chips.groups = {number: set(members) for number, members in live.groups.items()}
    if live.full:
        _settle(model, table, event)
    else:
        chips.finished = False


def _settle(model: Model, table: ModelTable, event: ChipsSettled | None) -> None:
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
        live.carried[position] = _copy(outcome.carried)
        place(live, position)
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


def partners_changed(model: Model, event: PlayersLinked | PlayersUnlinked, named: set[PositionId]) -> None:
    """12(e) first: what is not paid yet to partners is due by their partnership, and what was paid stays with them."""
    table, live = at(model, event)
    round_ = table.round
    chips = None if round_ is None else round_.chips
    if round_ is None or chips is None or not chips.paying or chips.pocket is None or not live.full:
        check_equal(CHIPS, f"{event} settles again", event.round, None)
        return
    again = None if chips.over or chips.corrected else round_.number
    check_equal(CHIPS, f"{event} settles again", event.round, again)
    if again is None:
        return
    before = outcomes(table, chips, chips.pocket)
    chips.groups = {number: members - named for number, members in chips.groups.items()}
    if isinstance(event, PlayersLinked):
        chips.groups[event.group] = set(named)
    after = outcomes(table, chips, chips.pocket)
    for found, times in ((before, -1), (after, 1)):
        theirs = {each: found[each] for each in found if before[each] != after[each]}
        _book(model, live, theirs, times)
        if chips.swept:
            _sweep(model, live, theirs, times)
    number = SpotKey(chips.pocket)
    for position in after:
        live.carried[position] = _copy(after[position].carried)
        if before[position].stays.get(number) != after[position].stays.get(number):
            live.layouts[position].pop(number, None)
            live.layouts[position].update(_copy({number: after[position].stays.get(number, {})}))
            live.layouts[position] = {spot: on for spot, on in live.layouts[position].items() if on}
            place(live, position)
            live.stayed[position] = stakes_of(live, position)
        was, is_ = before[position].pays, after[position].pays
        for segment in {each for each in was | is_ if was[each] != is_[each]}:
            # What was handed over is not due again, and is not taken back.
            handed = chips.paid[segment, position]
            due = max(0, is_[segment] - handed)
            more = due - chips.items.pop((segment, position), 0) - (is_[segment] - was[segment])
            if due:
                chips.items[segment, position] = due
            model.won -= more
            live.payable += more
            chips.rounded[segment, position] = handed + due - is_[segment] if handed else 0


@follows(OwnerAdvised)
def advised(model: Model, event: OwnerAdvised, _context: Context) -> None:
    _, live = at(model, event)
    check_not("I18", f"{event} without a bet under the minimum", when=event.position not in live.advising)
    live.advising.discard(event.position)
    live.advised.add(event.position)


@follows(DollyPlaced)
def marked(model: Model, event: DollyPlaced, _context: Context) -> None:
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


@follows(LosersCollected)
def collected(model: Model, event: LosersCollected, _context: Context) -> None:
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


@follows(SegmentPaid)
def paid(model: Model, event: SegmentPaid, _context: Context) -> None:
    table, live = at(model, event)
    check_not("I9", f"{event} before the dolly", when=_unmarked(table))
    round_ = table.rounds.get(event.round)
    chips = None if round_ is None else round_.chips
    for payment in event.payments:
        key, noted = (event.segment, payment.position), chips
        if chips is not None and key in chips.items:
            check_not(
                "I9", f"{event} before the collection", when=not chips.collected and event.segment != "correction"
            )
            due = chips.items.pop(key)
            chips.made = True
            chips.paid[key] += payment.value
        else:
            check_equal(CHIPS, f"{event} pays a second time", event.segment, "correction")
            due = live.owing.pop(payment.position, 0)
            corrected_in = live.corrected.get(payment.position)
            noted = None if corrected_in is None else table.rounds[corrected_in].chips
        value = chip_worth(live.values, dict(payment.chips))
        check_equal(CHIPS, f"{payment} is worth", payment.value, value)
        more = value - due
        # Another amount is paid only for one that value chips do not make: not above the next that they do.
        higher, makes = next_payable(live.smallest, due), can_pay(live.smallest, due)
        check_not("I3", f"{payment} for {due}", when=bool(more) and (makes or value > higher or value < due - higher))
        if more and noted is not None:
            noted.rounded[key] += more
        model.won -= more
        live.payable -= value - more
        for chip, count in payment.chips:
            if chip in live.colours:
                live.colours[chip].out += count
            else:
                assert live.tray is not None
                live.tray -= count * int(chip[1:])


@follows(WinnerRecorded)
def recorded(model: Model, event: WinnerRecorded, _context: Context) -> None:
    """At a table that does not record all bets, what the dealer records is due."""
    table, live = at(model, event)
    assert table.round is not None
    chips = table.round.chips
    assert chips is not None
    assert chips.pocket is not None
    check_not(CHIPS, f"{event} where all bets are recorded", when=live.full or not chips.paying)
    check_not("I9", f"{event} before the dolly", when=_unmarked(table))
    out = event.position in live.barred and live.barred_at[event.position] <= table.round.opened_at
    check_not("I18", f"{event} of a player who is barred", when=out)
    before = outcomes(table, chips, chips.pocket).get(event.position, Outcome()).pays
    layout, placed = chips.sealed.setdefault(event.position, {}), chips.placed.setdefault(event.position, {})
    live.turn += 1
    for on, count in event.bets:
        spot = next((each.spot for each in table.felt.rulebook.aliases if each.name == on), SpotKey(on))
        layout.setdefault(spot, {}).setdefault(event.chip, 0)
        layout[spot][event.chip] += count
        placed.setdefault(spot, []).append((live.turn, chip_worth(chips.values, {event.chip: count})))
    found = outcomes(table, chips, chips.pocket)
    after = found[event.position].pays
    due = {each: after[each] - before[each] for each in {**before, **after} if after[each] != before[each]}
    check_equal("I3", f"{event} is due", dict(event.due), due)
    for segment, amount in due.items():
        key = (segment, event.position)
        chips.items[key] = chips.items.get(key, 0) + amount
        check_not("I3", f"{event} leaves {chips.items[key]} to pay", when=chips.items[key] < 0)
        if not chips.items[key]:
            del chips.items[key]
    model.won -= sum(due.values())
    live.payable += sum(due.values())
    live.advising = {each for each, outcome in found.items() if outcome.advised and live.labels.get(each)}
    live.advising -= live.advised


@follows(PayingFinished)
def finished(model: Model, event: PayingFinished, _context: Context) -> None:
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
        chips.swept, chips.rearranged = False, True
    _book(model, live, found, -1)
    for position, layout in chips.sealed.items():
        live.layouts[position] = _copy(layout)
        live.carried[position] = _copy(chips.carried.get(position, {}))
        live.placed[position] = {spot: list(each) for spot, each in chips.placed[position].items()}
    live.stayed, chips.items = {}, {}


@follows(ChipsCorrected)
def corrected(model: Model, event: ChipsCorrected, _context: Context) -> None:
    """Settle sealed layouts again while nothing was collected; afterwards give or take the difference."""
    table, live = at(model, event)
    round_ = table.rounds[event.round]
    chips = round_.chips
    if chips is None or not chips.paying:
        raise InvariantViolation("I10", f"{event}: no chips were settled")
    kept = _still_rounded(table, chips, event.pocket)
    was, is_ = (_follow(table, round_, pocket) for pocket in (chips.pocket, event.pocket))
    before, after = _has(table, chips, chips.pocket, chips.rounded), _has(table, chips, event.pocket, kept)
    before.update(_waits(chips, was))
    after.update(_waits(chips, is_))
    _check_held(event, was, is_)
    due = {each: after[each] - before[each] for each in chips.sealed if after[each] != before[each]}
    check_equal("I10", f"{event} changes", dict(event.changes), due)
    unpaid = not chips.made and table.round is round_ and live.full and not chips.over
    anew = unpaid and not (chips.swept and event.pocket is None)
    check_equal("I10", f"{event} settles anew", event.anew, anew)
    chips.marked = None
    if anew:
        _check_rearranged(table, chips, event)
        restore(model, table, round_)
        chips.pocket = event.pocket
        if event.pocket is None:
            chips.collected, chips.items = True, {}
        else:
            _settle(model, table, None)
        return
    chips.rounded, chips.corrected = kept, True
    running = not chips.over
    open_: Counter[PositionId] = Counter()
    for (_, position), amount in chips.items.items():
        open_[position] += amount
    chips.items = {}
    moved = _moved(table, round_, event)
    moved.update(_hold(table, round_, was, is_))
    for position, change in {**dict.fromkeys(moved, 0), **due}.items():
        live.corrected[position] = event.round
        model.won -= change
        rest = change - moved[position]
        if rest > 0:
            cleared = min(rest, live.owed[position])
            live.owed[position] -= cleared
            open_[position] += rest - cleared
            live.payable += rest - cleared
        else:
            _take(live, position, -rest, open_)
    for position, amount in open_.items():
        if amount and running:
            chips.items["correction", position] = amount
        elif amount:
            live.owing[position] = live.owing.get(position, 0) + amount
    chips.pocket = event.pocket
    live.owing = {each: amount for each, amount in live.owing.items() if amount}


@dataclass(slots=True)
class Line:
    """What becomes of the chips that a round carries on, in the rounds after it as they were settled."""

    carried: dict[PositionId, ModelLayout]
    returned: Counter[PositionId] = field(default_factory=Counter)
    came: dict[RoundNumber, dict[PositionId, ModelLayout]] = field(default_factory=dict)


def _follow(table: ModelTable, first: ModelRound, pocket: Pocket | None) -> Line:
    """Follow what waits after a round with a number, or without one; of a player who left, it is released."""
    chips, live = first.chips, table.live
    assert chips is not None
    assert live is not None
    if pocket is None:
        line = Line({each: _copy(layout) for each, layout in chips.carried.items() if layout})
    else:
        found = outcomes(table, chips, pocket) if live.full else {}
        line = Line({each: _copy(outcome.carried) for each, outcome in found.items() if outcome.carried})
    for number in sorted(each for each in table.rounds if each >= first.number):
        round_ = table.rounds[number]
        if round_.status == "settled" and round_ is not first and line.carried:
            line.came[number] = {each: _copy(layout) for each, layout in line.carried.items()}
            # Without an outcome, stakes wait for another spin.
            if round_.pocket is not None and not round_.invalidated:
                for position, layout in line.carried.items():
                    line.carried[position] = _waits_on(table, (chips, position), layout, round_.pocket, line)
        for position in {*line.carried} & {*round_.released}:
            _give_up(table, chips, line, position)
    for position, layout in [*line.carried.items()]:
        own = {name: live.colours[name].value for name in live.players.get(position, ())}
        colours = {chip for pieces in layout.values() for chip in pieces if chip in live.colours}
        if position not in live.players or any(own.get(each) != chips.values[each] for each in colours):
            _give_up(table, chips, line, position)
    line.carried = {each: layout for each, layout in line.carried.items() if layout}
    return line


def _waits_on(
    table: ModelTable, whose: tuple[ModelChips, PositionId], layout: ModelLayout, pocket: Pocket, line: Line
) -> ModelLayout:
    chips, position = whose
    after: ModelLayout = {}
    for spot, pieces in layout.items():
        returned, waits = judged(table.felt, spot, chip_worth(chips.values, pieces), pocket)
        line.returned[position] += returned
        if waits:
            after[spot] = pieces
    return after


def _give_up(table: ModelTable, chips: ModelChips, line: Line, position: PositionId) -> None:
    stakes = {spot: chip_worth(chips.values, pieces) for spot, pieces in line.carried.pop(position).items()}
    line.returned[position] += table.felt.frees(stakes)


def _waits(chips: ModelChips, line: Line) -> Counter[PositionId]:
    """Return what each position has of what waited after a round: what came back, and what still waits."""
    has = Counter(line.returned)
    for position, layout in line.carried.items():
        has[position] += sum(chip_worth(chips.values, pieces) for pieces in layout.values())
    return has


def _pieces_of(line: Line) -> Counter[tuple[PositionId, SpotKey, str]]:
    return Counter(
        {
            (position, spot, chip): count
            for position, layout in line.carried.items()
            for spot, pieces in layout.items()
            for chip, count in pieces.items()
        }
    )


def _check_held(event: ChipsCorrected, was: Line, is_: Line) -> None:
    """What waits by one of two numbers alone is lifted or put back."""
    before, after = _pieces_of(was), _pieces_of(is_)
    listed = [{each[:3]: each[3] for each in map(_listed, moves)} for moves in (event.freed, event.imprisoned)]
    check_equal("I10", f"{event} frees and imprisons", listed, [dict(before - after), dict(after - before)])


def _hold(table: ModelTable, first: ModelRound, was: Line, is_: Line) -> Counter[PositionId]:
    """Set what waits now and came to the rounds after one; return what each position has more there."""
    live, more = table.live, Counter[PositionId]()
    assert live is not None
    for number in {*was.came, *is_.came}:
        chips = table.rounds[number].chips
        if chips is not None:
            if is_.came.get(number) and not chips.paying:
                # Without bets there was nothing to settle.
                round_ = table.rounds[number]
                chips.pocket = chips.marked = None if round_.invalidated else round_.pocket
                chips.paying = chips.collected = True
            _come(chips, was.came.get(number, {}), is_.came.get(number, {}))
    for times, line in ((-1, was), (1, is_)):
        for (position, spot, chip), count in _pieces_of(line).items():
            here = live.carried.setdefault(position, {}).setdefault(spot, {})
            here[chip] = here.get(chip, 0) + times * count
            worth = times * chip_worth(live.values, {chip: count})
            more[position] += worth
            if chip in live.colours:
                live.colours[chip].out += times * count
            else:
                assert live.tray is not None
                live.tray -= worth
    live.carried = {position: _cleared(layout) for position, layout in live.carried.items()}
    running = table.round
    if running is not None and running is not first and running.status != "settled" and running.chips is not None:
        running.chips.carried = {each: _copy(layout) for each, layout in live.carried.items() if layout}
        _seats(running.chips)
    return more


def _come(chips: ModelChips, was: dict[PositionId, ModelLayout], is_: dict[PositionId, ModelLayout]) -> None:
    for times, layouts in ((-1, was), (1, is_)):
        for position, layout in layouts.items():
            own = chips.carried.setdefault(position, {})
            for spot, pieces in layout.items():
                here = own.setdefault(spot, {})
                for chip, count in pieces.items():
                    here[chip] = here.get(chip, 0) + times * count
    chips.carried = {each: left for each, layout in chips.carried.items() if (left := _cleared(layout))}
    _seats(chips)


def _seats(chips: ModelChips) -> None:
    """Each player with chips in a round, on a spot or waiting, is in its record."""
    chips.sealed.update({each: {} for each in chips.carried if each not in chips.sealed})
    chips.sealed = {each: layout for each, layout in chips.sealed.items() if layout or each in chips.carried}
    for position in chips.sealed:
        chips.placed.setdefault(position, {})


def _cleared(layout: ModelLayout) -> ModelLayout:
    after = {spot: {chip: count for chip, count in pieces.items() if count} for spot, pieces in layout.items()}
    return {spot: pieces for spot, pieces in after.items() if pieces}


@follows(ChipsReleased)
def released(model: Model, event: ChipsReleased, _context: Context) -> None:
    """A player who leaves gets of chips that wait what the rules say: whole pieces, the last first, and the rest."""
    table, live = at(model, event)
    waits = live.carried.get(event.position, {})
    stakes = carried_by(live, event.position)
    back = {spot: table.felt.frees({spot: stake}) for spot, stake in stakes.items()}
    check_equal("I3", f"{event} releases", (event.carried, event.returned), (sum(stakes.values()), sum(back.values())))
    check_not("I9", f"{event} while the round is {table.phase}", when=table.phase not in _RELEASING)
    for spot, pieces in waits.items():
        left = back[spot]
        for chip in reversed(list(pieces)):
            value = chip_worth(live.values, {chip: 1})
            given = min(pieces[chip], left // value)
            left -= given * value
            if chip in live.colours:
                live.colours[chip].out -= pieces[chip] - given
            else:
                assert live.tray is not None
                live.tray += (pieces[chip] - given) * value
        live.payable += left
        if left:
            live.owing[event.position] = live.owing.get(event.position, 0) + left
    model.won += event.carried - event.returned
    given_up(table, event.position)
    live.carried[event.position] = {}


_RELEASING: Final = ("between", "open", "open_running", "last_call")


def given_up(table: ModelTable, position: PositionId) -> None:
    """Note with the last settled round that what it carried on was released."""
    last = [each for each in table.rounds.values() if each.status == "settled"][-1:]
    for round_ in last:
        round_.released.add(position)


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


def _has(
    table: ModelTable, chips: ModelChips, pocket: Pocket | None, rounded: Counter[tuple[str, PositionId]]
) -> Counter[PositionId]:
    """Add to what each position is entitled to what its payments were rounded."""
    has = _entitled(table, chips, pocket)
    for (_, position), more in rounded.items():
        has[position] += more
    return has


def _still_rounded(table: ModelTable, chips: ModelChips, pocket: Pocket | None) -> Counter[tuple[str, PositionId]]:
    """A payment that was rounded stays as it was paid if the other number gives the same amount."""
    was, is_ = ({} if each is None else outcomes(table, chips, each) for each in (chips.pocket, pocket))
    totals = [_entitled(table, chips, each) for each in (chips.pocket, pocket)]
    kept: Counter[tuple[str, PositionId]] = Counter()
    for (segment, position), more in chips.rounded.items():
        old, new = (each.get(position, Outcome()) for each in (was, is_))
        same = old.pays[segment] == new.pays[segment]
        if segment == "correction":
            same = old.pays == new.pays and totals[0][position] == totals[1][position]
        if same:
            kept[segment, position] = more
    return kept


def _take(live: ModelLive, position: PositionId, amount: int, open_: Counter[PositionId]) -> None:
    """Take a difference from what is not paid, and the rest as a debt."""
    unpaid = min(amount, open_[position])
    open_[position] -= unpaid
    owing = min(amount - unpaid, live.owing.get(position, 0))
    if owing:
        live.owing[position] -= owing
    live.payable -= unpaid + owing
    live.owed[position] += amount - unpaid - owing


def _check_rearranged(table: ModelTable, chips: ModelChips, event: ChipsCorrected) -> None:
    """Before payments, what one of two numbers alone leaves on the layout moves, if losing bets were collected."""
    more: Counter[tuple[PositionId, SpotKey, str]] = Counter()
    moves = event.pocket is not None and (chips.swept or chips.rearranged)
    for pocket, times in ((chips.pocket, -1), (event.pocket, 1)) if moves else ():
        assert pocket is not None
        for position, outcome in outcomes(table, chips, pocket).items():
            for spot, pieces in outcome.stays.items():
                for chip, count in pieces.items():
                    more[position, spot, chip] += times * count
    listed = {each[:3]: -each[3] for each in map(_listed, event.lifted)}
    listed.update({each[:3]: each[3] for each in map(_listed, event.restored)})
    check_equal("I10", f"{event} moves chips", listed, {each: count for each, count in more.items() if count})


def _moved(table: ModelTable, round_: ModelRound, event: ChipsCorrected) -> Counter[PositionId]:
    """A bet that wins by both numbers stays; what won by the wrong one only is lifted, what should have is put back."""
    live, chips, running = table.live, round_.chips, table.round
    assert live is not None
    assert chips is not None
    assert running is not None
    free = running is round_ or (running.number == round_.number + 1 and running.chips is None)
    more: Counter[PositionId] = Counter()
    if not free or not live.full or event.pocket is None or chips.pocket is None:
        check_equal("I10", f"{event} moves chips", (*event.lifted, *event.restored), ())
        return more
    was, is_ = outcomes(table, chips, chips.pocket), outcomes(table, chips, event.pocket)
    lifted = {each[:3]: each[3] for each in map(_listed, event.lifted)}
    restored = {each[:3]: each[3] for each in map(_listed, event.restored)}
    for position in (each for each in live.players if each in chips.sealed):
        for spot in {**was[position].stays, **is_[position].stays}:
            had, keeps = was[position].stays.get(spot, {}), is_[position].stays.get(spot, {})
            left = live.stayed.get(position, {}).get(spot, 0)
            for chip in {**had, **keeps}:
                worth = chip_worth(live.values, {chip: 1}) if chip in live.values or chip[0] == "v" else 0
                lies = live.layouts.get(position, {}).get(spot, {}).get(chip, 0)
                lost = had.get(chip, 0) - keeps.get(chip, 0)
                off = max(0, min(lies, lost, left // worth if worth else 0))
                left -= off * worth
                check_equal("I10", f"{event} lifts {chip} on {spot}", lifted.pop((position, spot, chip), 0), off)
                back = restored.pop((position, spot, chip), 0)
                check_not("I10", f"{event} puts {back} {chip} back on {spot}", when=back > max(0, -lost))
                more[position] += (back - off) * worth
                if back:
                    # It lies there in its old turn: the order of partners' bets decides which of them count.
                    live.placed[position][spot] = list(chips.placed[position].get(spot, ()))
                _lay_more(live, position, (spot, chip), back - off)
    check_equal("I10", f"{event} moves other chips", (lifted, restored), ({}, {}))
    return Counter({each: amount for each, amount in more.items() if amount or each in chips.sealed})


def _listed(move: ChipMove) -> tuple[PositionId, SpotKey, str, int]:
    return (move.position, move.spot, move.chip, move.count)


def _lay_more(live: ModelLive, position: PositionId, where: tuple[SpotKey, str], count: int) -> None:
    """Put chips on the layout from the dealer's hands, or with a negative count the other way."""
    spot, chip = where
    if not count:
        return
    pieces = live.layouts.setdefault(position, {}).setdefault(spot, {})
    pieces[chip] = pieces.get(chip, 0) + count
    worth = count * chip_worth(live.values, {chip: 1})
    if chip in live.colours:
        live.colours[chip].out += count
    else:
        assert live.tray is not None
        live.tray -= worth
    live.layouts[position] = {
        on: {each: n for each, n in lies.items() if n}
        for on, lies in live.layouts[position].items()
        if any(lies.values())
    }
    stayed = live.stayed.setdefault(position, {})
    stayed[spot] = stayed.get(spot, 0) + worth
    place(live, position)


@follows(OwedSettled)
def owed_settled(model: Model, event: OwedSettled, _context: Context) -> None:
    table, live = at(model, event)
    amount = chip_worth(live.values, {event.chip: event.pieces})
    check_equal(CHIPS, f"{event} is worth", event.amount, amount)
    check_not(CHIPS, f"{event} of a debt of {live.owed[event.position]}", when=amount > live.owed[event.position])
    live.owed[event.position] -= amount
    if event.chip in live.colours:
        live.colours[event.chip].out -= event.pieces
        check_hand(table, event, event.chip)
    else:
        assert live.tray is not None
        live.tray += amount


def check_hand(table: ModelTable, event: OwedSettled | ColourRedeemed, name: str) -> None:
    """A player hands over only chips of a colour that are in the hand, and none that an unpaid round may take again."""
    live, chips = table.live, None if table.round is None else table.round.chips
    assert live is not None
    if live.full:
        layouts = (live.layouts.get(event.position, {}), live.carried.get(event.position, {}))
        lies = sum(pieces.get(name, 0) for layout in layouts for pieces in layout.values())
        left = live.colours[name].out - lies
        check_not(CHIPS, f"{event} leaves {left} chips in the hand", when=left < 0)
        anew = table.phase == "paying" and chips is not None and event.position in chips.sealed and not chips.corrected
        check_not(CHIPS, f"{event} while the round may be settled anew", when=anew)


@follows(TerminalsRefunded)
def terminals_refunded(model: Model, event: TerminalsRefunded, _context: Context) -> None:
    table, _ = at(model, event)
    assert table.round is not None
    check_equal("I23", f"{event} after the seal", table.round.sealed, None)
    settlement.refund(model, table, table.round)


@follows(LateBetReturned, BetCapped, PaymentRounded)
def no_change(model: Model, event: Event, _context: Context) -> None:
    """Chips that went back at once, and notes on a settlement, change nothing."""
    at(model, event)
