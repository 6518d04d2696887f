"""The settlement of chips: what a round collects and owes, and what a correction changes of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from croupier.house.declare import (
    Event,
    EventTopic,
    PlayerEvent,
    RoundEvent,
    event,
    evolves,
)
from croupier.house.ids import Context, Instant, Number, PositionId, RoundNumber, TableId
from croupier.house.live.carried_chips import Chain, Moved, chain_of, hold, listed, moved, set_carried
from croupier.house.live.seats_and_colours import (
    find_float,
    live_at,
    live_of,
    records_bets,
    require_in_float,
    require_in_rack,
)
from croupier.house.play.chip_bets import (
    collect,
    copied,
    enter,
    forget,
    layout_worth,
    piece_value,
    stake_pieces,
    stakes_of,
    unseal_chips,
    values_of,
    worth,
)
from croupier.house.play.stakes import set_stakes
from croupier.house.settings import effective_limits
from croupier.house.state.ledger import LedgerAccount
from croupier.house.state.live import (
    ChipFunding,
    ChipMove,
    ChipMoves,
    Layout,
    LiveTable,
    RoundChips,
    Walk,
    WalkItem,
)
from croupier.house.state.tables import Round, Table, is_paying
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.payouts import RETURNS, ChipId, ChipStakes, NoteKind, PayoutPlan, PayoutTerms, plan_payout
from croupier.rules.procedure import ChannelName
from croupier.rules.refusal import ClauseId

if TYPE_CHECKING:
    from croupier.house import House


@event("The chips of round {round} were settled: {collected} to collect, {payable} to pay.", EventTopic.ROUND)
class ChipsSettled(RoundEvent, frozen=True):
    """The chips of a round were settled: the total to collect, the total to pay, and a digest of every amount."""

    pocket: Pocket
    collected: int
    payable: int
    digest: str


@evolves(ChipsSettled)
def chips_settled(house: House, event: ChipsSettled, _context: Context) -> None:
    table, live = house.tables[event.table], live_of(house, event.table)
    chips = table.playing.chips
    assert chips is not None
    plan = payout_plan(house, table, table.playing, chips, event.pocket)
    chips.rack, chips.partners = rack_of(live), groups_of(live)
    if not records_bets(table.settings):
        chips.walk = Walk(event.pocket, finished=False)
        return
    assert plan.digest == event.digest
    _settle(house, table, chips, plan)


class Walking(NamedTuple):
    """A round whose chips were settled, and are collected and paid."""

    table: Table
    live: LiveTable
    round: Round
    chips: RoundChips
    walk: Walk

    @property
    def pocket(self) -> Pocket:
        """The number that the chips were settled on; only while a number counts."""
        assert self.walk.pocket is not None
        return self.walk.pocket


def walking_at(table: Table, round_: Round | None) -> Walking | None:
    """Find the settled chips of a round, if it has some."""
    if table.live is None or round_ is None or round_.chips is None or round_.chips.walk is None:
        return None
    return Walking(table, table.live, round_, round_.chips, round_.chips.walk)


def walking_of(house: House, table: TableId, number: RoundNumber) -> Walking:
    """Find the settled chips of a round; only where there are some."""
    at = walking_at(house.tables[table], house.tables[table].named_round(number))
    assert at is not None
    return at


def payout_plan(house: House, table: Table, round_: Round, chips: RoundChips, pocket: Pocket) -> PayoutPlan:
    """Compute the settlement of a round's chips on a pocket."""
    live = live_of(house, table.id)
    felt = house.felt_of(round_)
    channel, terms = felt.rulebook.channels[ChannelName.TABLE], terms_of(chips)
    sealed, entered = chips.sealed, chips.entered
    limits = {each.limits: effective_limits(felt.rulebook, channel, each.limits).limits for each in sealed.values()}
    # What the dealer has at hand, and who were partners, was noted when the round was settled first.
    rack, groups = (rack_of(live), groups_of(live)) if chips.walk is None else (chips.rack, chips.partners)
    layout = [
        ChipStakes(
            position,
            each.pieces,  # type: ignore[arg-type]
            limits[each.limits],
            groups.get(position),
            entered.get(position, {}),  # type: ignore[arg-type]
            each.carried,  # type: ignore[arg-type]
        )
        for position, each in sealed.items()
    ]
    return plan_payout(felt, pocket, layout, terms, rack=rack)  # type: ignore[arg-type]


def terms_of(chips: RoundChips) -> PayoutTerms:
    """Return what the table of a round pays with."""
    values = {ChipId(name): value for name, value in chips.values.items()}
    settings = chips.settings
    return PayoutTerms(settings.denominations, values, settings.multiples, settings.cash_from)  # type: ignore[arg-type]


def rack_of(live: LiveTable) -> dict[str, int]:
    """Count the pieces of each player's colour that are with the dealer, where that is known."""
    return {
        name: colour.pieces_in_set - colour.out
        for name, colour in live.colours.items()
        if colour.position is not None and colour.out is not None
    }


def groups_of(live: LiveTable) -> dict[PositionId, Number]:
    """Return the partnership of each player who has partners."""
    return {position: player.group for position, player in live.players.items() if player.group is not None}


def _settle(house: House, table: Table, chips: RoundChips, plan: PayoutPlan, moves: ChipMoves | None = None) -> None:
    """Post a settlement, set what stays on the layout, and list the payments."""
    _post(house, table, chips, plan, 1)
    for payout in plan.positions:
        position = PositionId(payout.position)
        _set_layout(house, table, position, _layout(payout.stays))
        set_carried(house, table, position, _layout(payout.carried))
        game = house.positions[position]
        game.stayed = dict(game.bets)
    # 12(g) at Adelaide may round a payment down to nothing: then the dealer has nothing to hand over.
    items = [WalkItem(each.segment, PositionId(each.position), each.paid) for each in plan.payments if each.paid]
    collected = not any(each.collected_pieces for each in plan.positions)
    chips.walk = Walk(plan.pocket, collected=collected, items=items, moves=moves)


_HOUSE, _PAYABLE, _STAKES = LedgerAccount.HOUSE, LedgerAccount.CHIPS_PAYABLE, LedgerAccount.STAKES
_IMPRISONED: Final = LedgerAccount.IMPRISONED


def _post(house: House, table: Table, chips: RoundChips, plan: PayoutPlan, times: int) -> None:
    """Post a settlement, or with -1 its reversal."""
    live = live_of(house, table.id)
    meters, ledger = live.meters, house.ledger
    change = change_of(plan)
    for payout in plan.positions:
        returned = stakes_of(live, _layout(payout.returned))
        stays = stakes_of(live, _layout(payout.stays))
        sealed = chips.sealed[PositionId(payout.position)]
        # What was carried to the spin is staked in it, less what is carried on.
        more = layout_worth(chips.values, sealed.carried) - layout_worth(chips.values, _layout(payout.carried))
        ledger.post(times * more, source=_IMPRISONED, target=_STAKES)
        meters.carried -= times * more
        staked = layout_worth(chips.values, sealed.pieces) + more
        rest = payout.collected + change[payout.position] + sum(stays.values()) + sum(returned.values())
        assert staked == rest, (staked, rest, payout)
        ledger.post(times * payout.collected, source=_STAKES, target=_HOUSE)
        ledger.post(times * change[payout.position], source=_STAKES, target=_PAYABLE)
        for pieces in payout.returned.values():
            for chip, count in pieces.items():
                stake_pieces(house, live, chip, -times * count)
        for chip, count in payout.collected_pieces.items():
            colour = live.colours.get(chip)
            if colour is not None and colour.out is not None:
                colour.out -= times * count
        meters.returned += times * (staked - payout.collected)
    winnings = plan.paid - change.total()
    ledger.post(times * winnings, source=_HOUSE, target=_PAYABLE)
    meters.collected += times * plan.collected
    meters.returned += times * winnings
    meters.won += times * (plan.collected - winnings)
    meters.rounding += times * sum(each.paid - each.due for each in plan.payments)


def _layout(pieces: Mapping[SpotKey, Mapping[ChipId, int]]) -> Layout:
    return {spot: {str(chip): count for chip, count in each.items()} for spot, each in pieces.items()}


def change_of(plan: PayoutPlan) -> Counter[int]:
    """Return each position's change for a piece that is partly over the maximum."""
    return Counter({each.position: int(each.due) for each in plan.payments if each.segment == RETURNS})


def _set_layout(house: House, table: Table, position: PositionId, layout: Layout) -> None:
    """Set a player's pieces and stakes after a settlement that has posted the money."""
    live = live_of(house, table.id)
    player, game = live.players[position], house.positions[position]
    enter(live, player, {**{spot: {} for spot in player.pieces}, **layout})
    player.pieces = layout
    set_stakes(game, stakes_of(live, layout), table)
    forget(player, game)


@event("Position {position} was advised of the minimum.", EventTopic.BETS)
class OwnerAdvised(PlayerEvent, frozen=True):
    """A player's bet under the minimum was settled, once; such bets are returned from now on."""

    round: RoundNumber
    clause: ClauseId


@evolves(OwnerAdvised)
def owner_advised(house: House, event: OwnerAdvised, context: Context) -> None:
    live_of(house, event.table).players[event.position].advised_at = context.now


@event("The bet of position {position} on {spot} was settled as {settled} of {stake}.", EventTopic.BETS)
class BetCapped(PlayerEvent, frozen=True):
    """Only a part of a bet was settled: the part up to the maximum, or nothing of a bet that the rules refuse."""

    round: RoundNumber
    spot: SpotKey
    stake: int
    settled: int
    clause: ClauseId


@event("The payment of {due} to position {position} for {spot} was rounded to {paid}.", EventTopic.MONEY)
class PaymentRounded(PlayerEvent, frozen=True):
    """An amount that the float cannot pay was rounded."""

    round: RoundNumber
    spot: SpotKey
    due: int
    paid: int
    clause: ClauseId


@evolves(BetCapped, PaymentRounded)
def note_taken(_house: House, _event: Event, _context: Context) -> None:
    """Change no state: the settlement that the note belongs to has posted the amounts."""


@event("The chips of round {round} were settled anew.", EventTopic.ROUND, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ChipsCorrected(RoundEvent, frozen=True, omit_defaults=True):
    """After a correction or an invalidated outcome: the difference for each position, negative if it owes it."""

    #: None if no number counts.
    pocket: Pocket | None
    changes: tuple[tuple[PositionId, int], ...]
    #: Whether nothing had been paid yet: then the sealed layouts are settled again.
    anew: bool
    #: Once losing bets were collected, the chips that won by the wrong number only and are lifted from the layout, and
    #: those that win by the true number only and are put back on it.
    lifted: tuple[ChipMove, ...] = ()
    restored: tuple[ChipMove, ...] = ()
    #: The chips that by the true number are not carried to the next spin, and those that are.
    freed: tuple[ChipMove, ...] = ()
    imprisoned: tuple[ChipMove, ...] = ()


@evolves(ChipsCorrected)
def chips_corrected(house: House, event: ChipsCorrected, context: Context) -> None:
    at = walking_of(house, event.table, event.round)
    table, live, round_, chips, walk = at
    moves = _outstanding(table, walk, event)
    if not event.anew:
        _correct(house, at, event, context.now)
        walk.pocket = event.pocket
        # The dolly marks another number.
        walk.marked, walk.moves = None, moves
        return
    _unsettle(house, at)
    if event.pocket is not None:
        _settle(house, table, chips, payout_plan(house, table, round_, chips, event.pocket), moves)
        return
    live.meters.refunded += sum(layout_worth(chips.values, each.pieces) for each in chips.sealed.values())
    chips.walk = Walk(None, collected=True)


def _unsettle(house: House, at: Walking) -> None:
    """Undo a settlement of which nothing was paid: every sealed layout is as it was."""
    table, live, round_, chips, walk = at
    assert not any(item.made for item in walk.items)
    plan = payout_plan(house, table, round_, chips, at.pocket)
    if walk.swept:
        collect(house, live, collected_pieces(plan), -1)
    _post(house, table, chips, plan, -1)
    for position, sealed in chips.sealed.items():
        _set_layout(house, table, position, {spot: dict(pieces) for spot, pieces in sealed.pieces.items()})
        set_carried(house, table, position, {spot: dict(pieces) for spot, pieces in sealed.carried.items()})
        live.players[position].entered = copied(chips.entered.get(position, {}))
        house.positions[position].stayed = {}


def collected_pieces(plan: PayoutPlan) -> Counter[str]:
    """Add up the pieces that the dealer takes; negative for change from the float."""
    taken: Counter[str] = Counter()
    for payout in plan.positions:
        for chip, count in payout.collected_pieces.items():
            taken[str(chip)] += count
    return taken


def _outstanding(table: Table, walk: Walk, event: ChipsCorrected) -> ChipMoves | None:
    """Add the moves of a correction to those of an earlier one that the dealer has not made."""
    before = walk.moves
    if event.pocket is None or not records_bets(table.settings) or (event.anew and not (walk.swept or before)):
        return None
    waiting = ChipMoves((), ()) if before is None else before
    return ChipMoves(
        *listed(moved((event.lifted, event.restored), (waiting.lifted, waiting.restored))),
        *listed(moved((event.freed, event.imprisoned), (waiting.freed, waiting.imprisoned))),
    )


#: The segment of what a correction has added.
CORRECTION: Final = "correction"


def _correct(house: House, at: Walking, event: ChipsCorrected, now: Instant) -> None:
    """Give or take each difference; what is not paid yet of the round becomes one payment to each position."""
    table, live, round_, chips, walk = at
    running = not walk.over
    # What is taken back or paid again is no longer rounded.
    walk.rounded = _rounded(house, at, event.pocket)
    due = Counter[PositionId]()
    for item in walk.items:
        due[item.position] += 0 if item.made else item.amount
    walk.items = [item for item in walk.items if item.made]
    walk.corrected = True
    moves = _move(house, table, event.lifted, -1)
    waiting = _change_carried(house, at, event)
    moves.update(waiting)
    for back in event.restored:
        # It lies there in its old turn: the order of partners' bets decides which of them count.
        entered = chips.entered.get(back.position, {}).get(back.spot, ())
        live.players[back.position].entered[back.spot] = list(entered)
        moves.update(_move(house, table, (back,), 1))
    for position, change in {**dict.fromkeys(moves, 0), **dict(event.changes)}.items():
        sealed = chips.sealed[position]
        account = _account(live, position, sealed.label)
        account.corrected, account.corrected_at, account.corrected_in = round_.number, now, sealed.colours
        live.meters.won -= change
        live.meters.returned += change - waiting[position]
        # What lies on the layout of the difference is neither paid nor owed.
        rest = change - moves[position]
        if rest > 0:
            cleared = min(rest, account.owed)
            account.owed -= cleared
            house.ledger.post(cleared, source=_HOUSE, target=LedgerAccount.RECEIVABLES)
            house.ledger.post(rest - cleared, source=_HOUSE, target=_PAYABLE)
            due[position] += rest - cleared
        else:
            due[position] -= _take(house, live, position, -rest, due[position])
    for position, amount in due.items():
        if amount and running:
            walk.items.append(WalkItem(CORRECTION, position, amount))
        elif amount:
            _account(live, position).payable += amount
    for position in [each for each, account in live.left.items() if not (account.payable or account.owed)]:
        del live.left[position]


def _rounded(house: House, at: Walking, pocket: Pocket | None) -> dict[str, dict[PositionId, int]]:
    """List the rounded payments that another number does not change: of each, how much it was rounded.

    What a correction gave is changed with any part of what the position has.
    """
    rounded = at.walk.rounded
    if not rounded or pocket == at.walk.pocket:
        return rounded
    was, is_ = (_shares(house, at, each) for each in (at.walk.pocket, pocket))
    return {
        segment: {
            position: more
            for position, more in each.items()
            if (
                was[position] == is_[position]
                if segment == CORRECTION
                else was[position][segment] == is_[position][segment]
            )
        }
        for segment, each in rounded.items()
    }


#: The share of a position that is no payment: its stakes that stay or went back.
_STAKED: Final = "staked"


def _shares(house: House, at: Walking, pocket: Pocket | None) -> defaultdict[PositionId, Counter[str]]:
    """Compute what each position has of a round by the plan: the payment of each segment, and its stakes.

    Without a pocket, stakes go back; of a table that does not record all bets only payments are known.
    """
    chips = at.chips
    has: defaultdict[PositionId, Counter[str]] = defaultdict(Counter)
    full = records_bets(at.table.settings)
    if pocket is None:
        for position, sealed in chips.sealed.items() if full else ():
            has[position][_STAKED] = sum(worth(chips.values, pieces) for pieces in sealed.pieces.values())
        return has
    plan = payout_plan(house, at.table, at.round, chips, pocket)
    for payment in plan.payments:
        has[PositionId(payment.position)][payment.segment] += payment.paid
    for payout in plan.positions if full else ():
        for pieces in (*payout.returned.values(), *payout.stays.values()):
            value = worth(chips.values, {str(chip): n for chip, n in pieces.items()})
            has[PositionId(payout.position)][_STAKED] += value
    return has


def _account(live: LiveTable, position: PositionId, label: str = "") -> ChipFunding:
    """Find the account of a player, who may have left: then it has the name by which the bets were sealed."""
    return live.players.get(position) or live.left.setdefault(position, ChipFunding(label))


def _take(house: House, live: LiveTable, position: PositionId, amount: int, unpaid: int) -> int:
    """Take back a difference: from what is not paid, and the rest as a debt; return what payments of the round lose."""
    account = _account(live, position)
    of_round = min(amount, unpaid)
    of_account = min(amount - of_round, account.payable)
    account.payable -= of_account
    house.ledger.post(of_round + of_account, source=_PAYABLE, target=_HOUSE)
    rest = amount - of_round - of_account
    account.owed += rest
    house.ledger.post(rest, source=LedgerAccount.RECEIVABLES, target=_HOUSE)
    return of_round


def _move(house: House, table: Table, moves: Iterable[ChipMove], times: int) -> Counter[PositionId]:
    """Put chips back on the layout, or with -1 lift them; return what each position has more there."""
    live = live_of(house, table.id)
    more: Counter[PositionId] = Counter()
    for move in moves:
        player, game = live.players[move.position], house.positions[move.position]
        layout = {spot: dict(pieces) for spot, pieces in player.pieces.items()}
        pieces, count = layout.setdefault(move.spot, {}), times * move.count
        pieces[move.chip] = pieces.get(move.chip, 0) + count
        amount = count * piece_value(values_of(live), move.chip)
        colour = live.colours.get(move.chip)
        if colour is None:
            collect(house, live, {move.chip: -count})
        else:
            # Only a table that records every bet has chips to move.
            assert colour.out is not None
            colour.out += count
        house.ledger.post(amount, source=_HOUSE, target=_STAKES)
        more[move.position] += amount
        stayed = {**game.stayed, move.spot: game.stayed.get(move.spot, 0) + amount}
        kept = {spot: {chip: n for chip, n in each.items() if n} for spot, each in layout.items()}
        _set_layout(house, table, move.position, {spot: each for spot, each in kept.items() if each})
        game.stayed = {spot: stake for spot, stake in stayed.items() if stake}
    return more


def _change_carried(house: House, at: Walking, event: ChipsCorrected) -> Counter[PositionId]:
    """Change what waits for the next spin; return what each position has more there."""
    if not house.felt_of(at.round).carries:
        return Counter()
    chains = [_chain(house, at, pocket) for pocket in (at.walk.pocket, event.pocket)]
    return hold(house, at, chains, moved((event.freed, event.imprisoned)))


def _chain(house: House, at: Walking, pocket: Pocket | None) -> Chain:
    """Follow what a round carries on with a number, or without one: then what came to it waits for another spin."""
    if pocket is None:
        layouts = {position: sealed.carried for position, sealed in at.chips.sealed.items()}
    else:
        plan = payout_plan(house, at.table, at.round, at.chips, pocket)
        layouts = {PositionId(each.position): _layout(each.carried) for each in plan.positions}
    return chain_of(house, at, {position: layout for position, layout in layouts.items() if layout})


def settled_chips(house: House, table: Table, round_: Round, pocket: Pocket) -> Iterator[Event]:
    """Settle the chips of a round, with what the dealer tells their owners."""
    if round_.chips is None:
        return
    if not records_bets(table.settings):
        yield ChipsSettled(table.id, round_.number, pocket, 0, 0, "")
    elif round_.chips.sealed:
        plan = payout_plan(house, table, round_, round_.chips, pocket)
        yield ChipsSettled(table.id, round_.number, pocket, plan.collected, plan.paid, plan.digest)
        yield from notes_of(table, round_, plan)


def notes_of(table: Table, round_: Round, plan: PayoutPlan) -> Iterator[Event]:
    """Tell of bets that are not settled as they lie, and of amounts that cannot be paid as they are due."""
    live = live_at(table)
    for payout in plan.positions:
        position = PositionId(payout.position)
        here = (table.id, position, round_.number)
        for note in payout.notes:
            if note.kind in (NoteKind.CAPPED, NoteKind.RETURNED):
                yield BetCapped(*here, note.spot, note.before, note.after, note.clause)
            elif note.kind is NoteKind.ROUNDED:
                yield PaymentRounded(*here, note.spot, note.before, note.after, note.clause)
        under = next((note.clause for note in payout.notes if note.kind is NoteKind.UNDER_MINIMUM), None)
        # Without an owner on record no player can be advised.
        if under is not None and live.players[position].label and live.players[position].advised_at is None:
            yield OwnerAdvised(*here, under)


def round_in_payment(table: Table) -> Walking | None:
    """Return the round whose chips are paid now, if other partnerships can still change what is due of it."""
    at = walking_at(table, table.round)
    if at is None or not records_bets(table.settings):
        return None
    return at if is_paying(at.round) and not at.walk.corrected and at.walk.pocket is not None else None


def settled_again(house: House, at: Walking, partners: Mapping[PositionId, Number]) -> tuple[str, tuple[Event, ...]]:
    """Compute the settlement of a round by other partnerships: the digest of its amounts, and what is new to tell."""
    table, _, round_, chips, _ = at
    before = payout_plan(house, table, round_, chips, at.pocket)
    after = payout_plan(house, table, round_, replace(chips, partners=dict(partners)), at.pocket)
    noted = {*notes_of(table, round_, before)}
    return after.digest, tuple(each for each in notes_of(table, round_, after) if each not in noted)


def settle_again(house: House, at: Walking, partners: Mapping[PositionId, Number], digest: str) -> None:
    """Settle a round by other partnerships: what is not paid yet is due by them, and what was paid stays paid.

    What was collected over the maximum goes back.
    """
    table, live, round_, chips, walk = at
    before = payout_plan(house, table, round_, chips, at.pocket)
    chips.partners = dict(partners)
    after = payout_plan(house, table, round_, chips, at.pocket)
    assert after.digest == digest
    changed = {each.position for each in {*before.payments} ^ {*after.payments}}
    changed |= {is_.position for was, is_ in zip(before.positions, after.positions, strict=True) if was != is_}
    for plan, times in ((before, -1), (after, 1)):
        theirs = PayoutPlan(
            plan.pocket,
            tuple(each for each in plan.positions if each.position in changed),
            tuple(each for each in plan.payments if each.position in changed),
        )
        _post(house, table, chips, theirs, times)
        if walk.swept:
            collect(house, live, collected_pieces(theirs), times)
    number = SpotKey(at.pocket)
    for was, is_ in zip(before.positions, after.positions, strict=True):
        if was.carried != is_.carried:
            set_carried(house, table, PositionId(is_.position), _layout(is_.carried))
        # Of a marker bet another fifth is placed on the number. Every other winning bet stays whole.
        if was.stays.get(number) != is_.stays.get(number):
            position = PositionId(is_.position)
            layout = {**live.players[position].pieces, **_layout({number: is_.stays.get(number, {})})}
            stayed = house.positions[position].stayed
            _set_layout(house, table, position, {spot: pieces for spot, pieces in layout.items() if pieces})
            lies = {spot: stake for spot, stake in house.positions[position].bets.items() if spot == number}
            house.positions[position].stayed = {
                **{spot: each for spot, each in stayed.items() if spot != number},
                **lies,
            }
    _due_again(house, live, walk, before, after)


def _due_again(house: House, live: LiveTable, walk: Walk, before: PayoutPlan, after: PayoutPlan) -> None:
    """List again what is to be paid: of a payment that was made, what is due beyond it.

    What was paid beyond what is due is not taken back. It is noted with the round, as another amount that was paid.
    """
    was, is_ = (
        {(str(each.segment), PositionId(each.position)): each for each in plan.payments} for plan in (before, after)
    )
    items = list[WalkItem]()
    for segment, position in {**is_, **was}:
        own = [item for item in walk.items if (item.segment, item.position) == (segment, position)]
        old, new = was.get((segment, position)), is_.get((segment, position))
        planned, due = old.paid if old else 0, new.paid if new else 0
        if planned == due:
            items += own
            continue
        made = [item for item in own if item.made]
        paid, open_ = sum(item.amount for item in made), sum(item.amount for item in own if not item.made)
        left = max(0, due - paid)
        items += [*made, WalkItem(segment, position, left)] if left else made
        # The settlements have posted the difference of the plans: what was paid of it is no longer payable.
        more = left - open_ - (due - planned)
        house.ledger.post(more, source=_HOUSE, target=_PAYABLE)
        live.meters.won -= more
        live.meters.returned += more
        if made:
            live.meters.rounding += (old.paid - old.due if old else 0) - (new.paid - new.due if new else 0)
            rounded = walk.rounded.setdefault(segment, {})
            rounded.pop(position, None)
            if paid + left != due:
                rounded[position] = paid + left - due
    walk.items = items


def may_restore(round_: Round) -> bool:
    """Check whether nothing of a round's chips was paid, so that the sealed layouts can be restored."""
    walk = round_.walk
    if walk is None or walk.over or walk.corrected:
        return False
    return walk.finished and not any(item.made for item in walk.items)


def restore_sealed(house: House, table: Table, round_: Round) -> None:
    """Undo the settlement of a round's chips whose spin does not count, and reopen the layouts."""
    _unsettle(house, walking_of(house, table.id, round_.number))
    unseal_chips(house, table, round_)


def entitlements(house: House, at: Walking, pocket: Pocket | None) -> Counter[PositionId]:
    """Compute what each position has of a round on a pocket: payments, stakes that stay, and stakes that went back.

    Payments that were rounded count as they were paid, and what the round carries on by the rounds after it.
    """
    has = Counter({position: each.total() for position, each in _shares(house, at, pocket).items()})
    for paid in _rounded(house, at, pocket).values():
        has.update(paid)
    if house.felt_of(at.round).carries:
        chain = _chain(house, at, pocket)
        has.update(chain.returned)
        has.update({each: layout_worth(at.chips.values, layout) for each, layout in chain.carried.items()})
    return has


def corrected_chips(house: House, table: Table, round_: Round, pocket: Pocket | None) -> Iterator[Event]:
    """Settle the chips of a settled round by another number, or without one.

    Until the first payment the sealed layouts are settled again: what was collected by the wrong number is put back,
    and collected by the true one. Stakes that were collected are due if no number counts.
    """
    at = walking_at(table, round_)
    if at is None:
        return
    before, after = entitlements(house, at, at.walk.pocket), entitlements(house, at, pocket)
    changes = tuple((position, after[position] - before[position]) for position in at.chips.sealed)
    unpaid = table.round is round_ and may_restore(round_)
    anew = unpaid and (pocket is not None or not at.walk.swept)
    changed = tuple(each for each in changes if each[1])
    find = _rearranged if anew else _moves
    moves = ChipMoves(*find(house, at, pocket), *listed(_held_moves(house, at, pocket)))
    if not anew and (moves.freed or moves.imprisoned):
        _require_chips_at_hand(at, moves)
    yield ChipsCorrected(table.id, round_.number, pocket, changed, anew, **structs.asdict(moves))
    if anew and pocket is not None:
        yield from notes_of(table, round_, payout_plan(house, table, round_, at.chips, pocket))


def _held_moves(house: House, at: Walking, pocket: Pocket | None) -> Moved:
    """Find the pieces that are carried to the next spin by another number only, or by the number of the round only."""
    more = Moved()
    if house.felt_of(at.round).carries:
        for number, times in ((at.walk.pocket, -1), (pocket, 1)):
            for position, layout in _chain(house, at, number).carried.items():
                for spot, pieces in layout.items():
                    for chip, count in pieces.items():
                        more[position, spot, chip] += times * count
    return more


def _require_chips_at_hand(at: Walking, moves: ChipMoves) -> None:
    """Refuse a correction that puts chips back to wait for a spin which the rack or the float does not have."""
    pieces = Counter[str]()
    for (_, _, chip), count in moved((moves.lifted, moves.restored), (moves.freed, moves.imprisoned)).items():
        pieces[chip] += count
    for chip in pieces.keys() & at.live.colours.keys():
        require_in_rack(at.table, at.live.colours[chip], pieces[chip])
    cash = sum(count * piece_value({}, chip) for chip, count in pieces.items() if chip not in at.live.colours)
    if cash > 0:
        find_float(at.table)
        require_in_float(at.table, Cents(cash))


def _rearranged(house: House, at: Walking, pocket: Pocket | None) -> tuple[tuple[ChipMove, ...], tuple[ChipMove, ...]]:
    """List the chips to lift and to put back before the first payment, once chips were collected by a wrong number."""
    more = Moved()
    if pocket is None or not (at.walk.swept or at.walk.moves):
        return listed(more)
    for number, times in ((at.pocket, -1), (pocket, 1)):
        for payout in payout_plan(house, at.table, at.round, at.chips, number).positions:
            for spot, pieces in payout.stays.items():
                for chip, count in pieces.items():
                    more[PositionId(payout.position), spot, str(chip)] += times * count
    return listed(more)


def _moves(house: House, at: Walking, pocket: Pocket | None) -> tuple[tuple[ChipMove, ...], tuple[ChipMove, ...]]:
    """List the chips to lift and to put back after payments, position by position.

    A bet that wins by both numbers stays. One that won by the wrong number only is taken, if it still lies there and is
    in no other spin. One that wins by the true number only goes back to its spot until the next round is opened.
    """
    table, live, round_, chips, walk = at
    if pocket is None or walk.pocket is None or not records_bets(table.settings) or not _may_lift(table, round_):
        return (), ()
    was, is_ = (
        {PositionId(each.position): each for each in payout_plan(house, table, round_, chips, number).positions}
        for number in (walk.pocket, pocket)
    )
    rack, cash = Counter(rack_of(live)), 0 if live.float_ is None else live.float_.booked
    lifted, restored = list[ChipMove](), list[ChipMove]()
    for position in (each for each in chips.sealed if each in live.players):
        player, game = live.players[position], house.positions[position]
        before, after = _layout(was[position].stays), _layout(is_[position].stays)
        handed, again = _layout(was[position].returned), _layout(is_[position].returned)
        stays = table.round is round_ and live.float_ is not None and player.barred is None and not table.closed
        for spot in {**before, **after}:
            had, keeps = before.get(spot, {}), after.get(spot, {})
            left = game.stayed.get(spot, 0)
            for chip in {**had, **keeps}:
                value = piece_value(values_of(live), chip)
                more = keeps.get(chip, 0) - had.get(chip, 0)
                off = min(player.pieces.get(spot, {}).get(chip, 0), -more, left // value if value else 0)
                if off > 0:
                    lifted.append(ChipMove(position, spot, chip, off))
                    left -= off * value
                own = chip in player.colours and chips.values[chip] == value
                at_hand = rack[chip] if own else cash // value if chip not in chips.values else 0
                # What went back by the wrong number only is in the hand of the player.
                in_hand = handed.get(spot, {}).get(chip, 0) - again.get(spot, {}).get(chip, 0)
                back = min(more - max(0, in_hand), at_hand)
                if stays and back > 0:
                    restored.append(ChipMove(position, spot, chip, back))
                    rack[chip] -= back
                    cash -= 0 if own else back * value
    return tuple(lifted), tuple(restored)


def _may_lift(table: Table, round_: Round) -> bool:
    """Check whether winning stakes that stayed up are not yet in another spin."""
    running = table.playing
    return running is round_ or (running.number == round_.number + 1 and running.chips is None)
