"""Live tables: the view of a table's console, and the notice at a table."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from string import ascii_uppercase
from typing import Final

from msgspec import Raw

from croupier.house import House
from croupier.house.floor.settings import live_clause, pending_settings
from croupier.house.ids import PositionId, TableId
from croupier.house.live.arrangements import marker_call
from croupier.house.live.chip_settlement import CORRECTION, payout_plan, terms_of, walking_at
from croupier.house.live.notice import LowestMarker, Notice, NoticeTerms, notice_digest, notice_of
from croupier.house.live.partners import partner_advice
from croupier.house.live.payment_walk import PaymentWay, payment_way
from croupier.house.live.seats_and_colours import payout_rules, records_bets, table_minimum
from croupier.house.play.chip_bets import ChipSeat, advice_on, chip_seats, partners_of, values_of, worth
from croupier.house.settings import LiveSettings, effective_limits
from croupier.house.state.live import ChipMoves, Colour, LiveTable, RoundChips, Walk, WalkItem
from croupier.house.state.tables import BETTING_PHASES, Round, Table
from croupier.protocol.live import (
    AdviceRow,
    ChipPieces,
    ColourRow,
    ConductRules,
    FloatRow,
    GapRow,
    InfringementRow,
    Layout,
    LiveState,
    LiveView,
    MarkerTerms,
    NoticeArrangement,
    NoticeMark,
    NoticeRule,
    NoticeState,
    OddsRow,
    PlayerRow,
    WalkLine,
    WalkMarker,
    WalkMove,
    WalkMoves,
    WalkNote,
    WalkPayment,
    WalkPosition,
    WalkState,
)
from croupier.protocol.outbound import LiveUpdate, NoticeUpdate, WalkUpdate, encode, project
from croupier.rules.geometry import STRAIGHT, SegmentGroup, SpotKey, SpotKind
from croupier.rules.limits import OverMaximum, UnderMinimum
from croupier.rules.payouts import ChipCount, ChipId, Payment, PayoutPlan, Pieces, PositionPayout
from croupier.rules.pricing import HALVES
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.refusal import CitedTopic, ClauseId
from croupier.rules.rulebook import PayoutTable, Rulebook, Stakes

_PLAYERS: Final = "players"


class LiveViews:
    """Every live table as its consoles were last sent it, so that a delta has only what has changed."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._versions: dict[TableId, int] = {}
        #: The last encoding of each field, and of the row of each player.
        self._sent: dict[TableId, dict[str, bytes]] = {}
        self._rows: dict[TableId, dict[str, bytes]] = {}
        #: The last walk and the last notice of each table.
        self._walks: dict[TableId, bytes] = {}
        self._notices: dict[TableId, bytes] = {}

    def whole(self, name: TableId) -> LiveView | None:
        """Return the whole state of a live table for a snapshot."""
        live = self._house.tables[name].live
        if live is None:
            return None
        return LiveView(table=name, lv=self._versions.get(name, 0), state=live_state(self._house, name))

    def update(self, name: TableId) -> bytes | None:
        """Encode what has changed since the last update; None if nothing has."""
        if self._house.tables[name].live is None:
            return None
        state = live_state(self._house, name)
        changed = {**self._fields(name, state), **self._players(name, state)}
        if not changed:
            return None
        self._versions[name] = version = self._versions.get(name, 0) + 1
        return encode(LiveUpdate(table=name, lv=version, set=Raw(encode(changed))))  # type: ignore[arg-type]

    def walk(self, name: TableId) -> bytes | None:
        """Encode collection and payment at a table if they have changed since the last update."""
        return _changed(self._walks, name, encode(WalkUpdate(state=walk_state(self._house, name))))

    def notice(self, name: TableId) -> bytes | None:
        """Encode the notice of a table if it has changed since the last update."""
        return _changed(self._notices, name, encode(NoticeUpdate(state=notice_state(self._house, name))))

    def _fields(self, name: TableId, state: LiveState) -> dict[str, Raw]:
        sent, changed = self._sent.setdefault(name, {}), dict[str, Raw]()
        for each in state.__struct_fields__:
            encoded = encode(getattr(state, each))
            if each != _PLAYERS and sent.get(each) != encoded:
                sent[each], changed[each] = encoded, Raw(encoded)
        return changed

    def _players(self, name: TableId, state: LiveState) -> dict[str, dict[str, Raw]]:
        assert isinstance(state.players, dict)
        before, rows = self._rows.get(name, {}), {key: encode(row) for key, row in state.players.items()}
        self._rows[name] = rows
        changed = {key: Raw(row) for key, row in rows.items() if before.get(key) != row}
        changed |= {key: Raw(b"null") for key in before if key not in rows}
        return {_PLAYERS: changed} if changed else {}


def _changed(sent: dict[TableId, bytes], name: TableId, encoded: bytes) -> bytes | None:
    if sent.get(name) == encoded:
        return None
    sent[name] = encoded
    return encoded


def chip_stakes(house: House, table: Table) -> Iterator[Stakes]:
    """Return what lies on the layout and the block for each player with chips."""
    return (seat.game.bets for seat in chip_seats(house, table))


def live_state(house: House, name: TableId) -> LiveState:
    """Return the whole state of a live table."""
    table = house.tables[name]
    live, settings = table.live, table.settings.live
    assert live is not None
    assert settings is not None
    least = table_minimum(table)
    return LiveState(
        recording=settings.recording,
        emblem=settings.emblem,
        currency=table.rulebook.currency,
        denominations=tuple(sorted(settings.denominations, reverse=True)),
        least=least,
        colours=tuple(_colour(colour, each, least) for colour, each in live.colours.items()),
        players=dict(_players(house, table)),
        float=_float(live),
        notice=_notice_status(house, table),
        conduct=_conduct(table, settings),
        gap=None if live.gap is None else GapRow(since_us=live.gap.since, words=live.gap.words),
    )


def _conduct(table: Table, settings: LiveSettings) -> ConductRules:
    channel, marker = table.rulebook.channels[ChannelName.TABLE], marker_call(table.rulebook)
    carried = table.rulebook.paytable.carried
    return ConductRules(
        infringements=tuple(
            InfringementRow(kind=kind, clause=each.clause, effect=each.choice)
            for kind, each in channel.infringements.items()
        ),
        infringements_most=settings.infringements_most,
        barring=channel.barring,
        partnership=channel.partnership,
        designated_only=settings.designated_only,
        markers=None if marker is None or marker.minimum is None else marker.minimum.clause,
        arrangement=table.rulebook.arrangement,
        carried=None if carried is None else carried.clause,
        release=None if carried is None else carried.release.clause,
    )


def _colour(name: str, colour: Colour, least: int | None) -> ColourRow:
    return project(
        ColourRow,
        colour,
        colour=name,
        marker=colour.position is not None and (least is None or colour.value > least),
        pieces=colour.pieces_in_set,
    )


def _players(house: House, table: Table) -> Iterator[tuple[str, PlayerRow]]:
    for seat in chip_seats(house, table):
        position, player = seat.game.id, seat.player
        due = WalkItem(CORRECTION, position, player.payable)
        way = payment_way(table, seat.live, due, None) if due.amount else None
        yield (
            str(position),
            project(
                PlayerRow,
                player,
                position=position,
                colours=tuple(player.colours),
                second_colour=player.second_colour_approved,
                chips=player.pieces,
                advice=tuple(_advice(house, seat)),
                advised=player.advised_at is not None,
                markers=player.markers_allowed,
                arrangement=seat.game.arrangement,
                straight_only=seat.game.straight_only,
                undecided=None if way is None or way.chips is not None else way.clause,
                choices=() if way is None else way.choices,
            ),
        )


def _advice(house: House, seat: ChipSeat) -> Iterator[AdviceRow]:
    partners = partner_advice(house, seat.table, partners_of(seat.live, seat.game.id))
    own = (advice for position, advice in partners if position == seat.game.id)
    for each in (*advice_on(seat, seat.game.bets), *own):
        yield project(AdviceRow, each)


def _float(live: LiveTable) -> FloatRow | None:
    tray = live.float_
    if tray is None:
        return None
    return project(FloatRow, tray)


def _notice_status(house: House, table: Table) -> NoticeMark:
    assert table.live is not None
    rulebook, _ = pending_settings(house, table)
    digest, clause = notice_digest(house, table), rulebook.channels[ChannelName.TABLE].notice
    return NoticeMark(digest=digest, checked=table.live.notice == digest or clause is None, clause=clause)


# Collection and payment.


def walk_state(house: House, name: TableId) -> WalkState | None:
    """Return collection and payment of the last round at a live table, until the next one is opened.

    If it is corrected while bets of the next one are open, and chips move, it is returned until betting closes.
    """
    table = house.tables[name]
    at = walking_at(table, _corrected_round(table) or table.round)
    if at is None or at.walk.pocket is None:
        return None
    _, _, round_, chips, walk = at
    plan = payout_plan(house, table, round_, chips, at.pocket)
    felt = house.felt_of(round_)
    return project(
        WalkState,
        walk,
        round=round_.number,
        pocket=at.pocket,
        clause=payout_rules(table).clause,
        recorded=records_bets(table.settings),
        amount=plan.collected,
        positions=tuple(_walk_position(chips, each) for each in plan.positions),
        markers=tuple(_markers(chips, plan, felt)),
        payments=tuple(_payments(table, plan, walk)),
        moves=None if walk.moves is None else _moves(walk.moves, table.rulebook.cited_clauses[CitedTopic.CORRECTION]),
    )


def _corrected_round(table: Table) -> Round | None:
    """Find the last round, if the bets of another are open and chips move by its correction."""
    if table.phase not in BETTING_PHASES or not table.past:
        return None
    walk = table.past[-1].walk
    return table.past[-1] if walk is not None and walk.moves is not None else None


def _moves(moves: ChipMoves, clause: ClauseId) -> WalkMoves:
    lifted, restored, freed, imprisoned = (
        tuple(project(WalkMove, each, pieces=each.count) for each in listed)
        for listed in (moves.lifted, moves.restored, moves.freed, moves.imprisoned)
    )
    return WalkMoves(clause=clause, lifted=lifted, restored=restored, freed=freed, imprisoned=imprisoned)


def _walk_position(chips: RoundChips, payout: PositionPayout) -> WalkPosition:
    terms, sealed = terms_of(chips), chips.sealed[PositionId(payout.position)]
    return WalkPosition(
        position=payout.position,
        sealed=sealed.pieces,
        stays=_layout(payout.stays),
        came=sealed.carried,
        carried=_layout(payout.carried),
        returned=_layout(payout.returned),
        collected=tuple((str(chip), count) for chip, count in payout.collected_pieces.items() if count),
        amount=payout.collected,
        handed=sum(terms.amount(pieces) for pieces in payout.returned.values()),
        notes=tuple(project(WalkNote, note) for note in payout.notes),
    )


def _layout(pieces: Mapping[SpotKey, Pieces]) -> Layout:
    return {spot: {str(chip): count for chip, count in each.items()} for spot, each in pieces.items()}


def _markers(chips: RoundChips, plan: PayoutPlan, felt: PayoutTable) -> Iterator[WalkMarker]:
    """List the marker bets, with the chips of each that hits that are placed on the number."""
    for payout in plan.positions:
        sealed = chips.sealed[PositionId(payout.position)].pieces
        for spot in sealed.keys() & felt.blocks.keys():
            hit, placed = plan.pocket in felt.blocks[spot].numbers, payout.placed.get(spot, {})
            for chip in dict.fromkeys((*map(ChipId, sealed[spot]), *placed)):
                count = sealed[spot].get(chip, 0) - payout.returned.get(spot, {}).get(chip, 0)
                stays = placed.get(chip, 0)
                yield WalkMarker(position=payout.position, spot=spot, chip=chip, pieces=count, stays=stays, hit=hit)


def _payments(table: Table, plan: PayoutPlan, walk: Walk) -> Iterator[WalkPayment]:
    """List the payments of a walk; after a correction some are no longer those of the plan."""
    planned = {(str(each.segment), each.position): each for each in plan.payments}
    items: dict[tuple[str, int], list[WalkItem]] = {}
    for item in walk.items:
        items.setdefault((item.segment, item.position), []).append(item)
    for key, each in items.items():
        total, rest = sum(item.amount for item in each), sum(item.amount for item in each if not item.made)
        payment = planned.get(key)
        if payment is not None and payment.paid == total:
            yield _payment(payment, rest)
        else:
            assert table.live is not None
            way = payment_way(table, table.live, WalkItem(key[0], PositionId(key[1]), rest), payment) if rest else None
            yield _bare_payment(table.live, *key, way or PaymentWay(total, ()))


def _bare_payment(live: LiveTable, segment: str, position: int, way: PaymentWay) -> WalkPayment:
    """Return a payment without its bets, with the chips that make what is open of it; with none if all is paid."""
    chips = way.chips or ()
    paid = worth(values_of(live), dict(chips)) or way.amount
    return WalkPayment(
        segment=segment,
        position=position,
        lines=(),
        due=way.amount,
        paid=paid,
        rounding=None if paid == way.amount else way.clause,
        pieces=(),
        colours=tuple(each for each in chips if each[0] in live.colours),
        cash=tuple(each for each in chips if each[0] not in live.colours),
        undecided=way.clause if way.chips is None else None,
        choices=way.choices,
        made=way.chips == (),
    )


def _payment(payment: Payment, rest: int) -> WalkPayment:
    """Return a payment; of one that is made in part only the rest, whose chips are chosen when it is paid."""
    whole = rest in (0, payment.paid)
    return project(
        WalkPayment,
        payment,
        lines=tuple(_lines(payment)),
        paid=payment.paid if whole else rest,
        pieces=_counted(payment.pieces),
        colours=_counted(payment.colours) if whole else (),
        cash=_counted(payment.cash) if whole else (),
        undecided=None if payment.undecided is None else payment.undecided.clause,
        choices=() if payment.undecided is None else tuple(map(_counted, payment.undecided.choices)),
        made=rest == 0,
    )


def _lines(payment: Payment) -> Iterator[WalkLine]:
    for bet in payment.bets:
        for line in bet.lines:
            yield project(WalkLine, line, spot=bet.spot, odds=bet.odds, clause=bet.clause)


def _counted(counts: Iterable[ChipCount]) -> ChipPieces:
    return tuple((str(each.chip), each.pieces) for each in counts)


# The notice at a table.


def notice_state(house: House, name: TableId) -> NoticeState:
    """Return the notice of the next round at a table: staff check it before the round is opened."""
    table = house.tables[name]
    notice = notice_of(house, table)
    rulebook, live, terms = notice.rulebook, notice.settings.live, notice.terms
    general = terms.limits.limits.spot.least
    return NoticeState(
        table=name,
        venue=rulebook.venue,
        rulebook=rulebook.id,
        currency=rulebook.currency,
        digest="" if live is None else notice_digest(house, table),
        least=terms.limits.limits.headline.least,
        multiples=None if live is None or not _rounds(rulebook) or general is None else live.multiples,
        marker=_marker(terms.marker),
        rows=tuple(_odds(rulebook, terms)),
        arrangements=tuple(
            NoticeArrangement(
                arrangement=each.arrangement,
                clause=each.clause,
                rows=tuple(_odds(rulebook, each)),
                marker=_marker(each.marker),
            )
            for each in notice.arranged
        ),
        rules=tuple(_rules(notice)),
        advice=rulebook.cited_clauses[CitedTopic.ADVICE] if Duty.OFFICIATE in rulebook.staff.duties else None,
    )


def _rounds(rulebook: Rulebook) -> bool:
    return rulebook.payout is not None and rulebook.payout.rounding is not None


def _marker(marker: LowestMarker | None) -> MarkerTerms | None:
    return None if marker is None else MarkerTerms(call=marker.call, least=marker.least)


def _odds(rulebook: Rulebook, terms: NoticeTerms) -> Iterator[OddsRow]:
    """List the kinds of bets; neighbours in the paytable with equal odds and limits share a row if there are many."""
    prices, limits = rulebook.paytable.prices, terms.limits.limits
    letters = dict(zip(terms.kinds, ascii_uppercase, strict=False))
    spots = _samples(rulebook)
    even: Callable[[SpotKind], bool] = lambda kind: rulebook.kind_names[kind].segment is SegmentGroup.EVEN_CHANCES  # noqa: E731
    key: Callable[[SpotKind], object] = lambda kind: (prices[kind].pays, limits.of(kind), even(kind))  # noqa: E731
    for _, group in groupby(terms.kinds, key):
        together = tuple(group)
        # The even chances are in one row, and every other kind in a row of its own.
        for kinds in [together] if even(together[0]) else [(kind,) for kind in together]:
            first = prices[kinds[0]]
            yield OddsRow(
                letters=tuple(prices[kind].letter or letters[kind] for kind in kinds),
                kinds=kinds,
                labels=tuple(prices[kind].label for kind in kinds),
                segment=rulebook.kind_names[kinds[0]].segment,
                pays=first.odds,
                least=limits.of(kinds[0]).least,
                most=limits.of(kinds[0]).most,
                clause=first.clause,
                spots=tuple(spots[kind] for kind in kinds),
            )


def _samples(rulebook: Rulebook) -> dict[SpotKind, SpotKey]:
    """Choose a spot of each kind to be marked on the drawing of the layout, apart from each other."""
    found: dict[SpotKind, list[SpotKey]] = {}
    for key, spot in rulebook.spots.items():
        found.setdefault(spot.kind, []).append(key)
    samples = {}
    for kind, keys in found.items():
        wanted = _SAMPLES.get(kind)
        samples[kind] = wanted if wanted in keys else keys[0]
    return samples


#: Spots that are well apart on every layout.
_SAMPLES: Final[dict[SpotKind, SpotKey]] = {
    SpotKind("straight"): SpotKey("23"),
    SpotKind("split"): SpotKey("8/11"),
    SpotKind("street"): SpotKey("28/29/30"),
    SpotKind("corner"): SpotKey("14/15/17/18"),
    SpotKind("six_line"): SpotKey("31/32/33/34/35/36"),
}


def _rules(notice: Notice) -> Iterator[NoticeRule]:
    """List what the notice states besides limits and odds, each rule that the rulebook has."""
    rulebook, channel, live, terms = notice.rulebook, notice.channel, notice.settings.live, notice.terms
    least = terms.limits.limits.spot.least
    if terms.kinds == (STRAIGHT,):
        assert rulebook.restriction is not None
        yield _rule("straight-only", rulebook.restriction)
    if live is not None:
        yield _rule("chips", channel.cites[CitedTopic.CHIPS])
        # The value of a chip is at least the minimum of the table, also for players with limits of their own.
        smallest = effective_limits(rulebook, channel, notice.settings.limits).limits.spot.least
        value = "chip-value" if smallest is not None else "chip-owner"
        yield _rule(value, channel.cites[CitedTopic.CHIP_VALUE], smallest)
        if terms.marker is not None:
            yield _rule("marker", terms.marker.clause, terms.marker.least)
    late = (
        live_clause(rulebook, CitedTopic.LATE_BET) if live is not None else rulebook.cited_clauses[CitedTopic.LATE_BET]
    )
    yield _rule("closed", late)
    yield from _price_rules(rulebook)
    if channel.under_minimum.choice is UnderMinimum.HONOUR_ONCE:
        yield _rule("under", channel.under_minimum.clause, least)
    if channel.over_maximum.choice is OverMaximum.CAP:
        yield _rule("over", channel.over_maximum.clause)
    rounding = None if rulebook.payout is None else rulebook.payout.rounding
    if live is not None and rounding is not None and least is not None:
        yield _rule("multiples" if live.multiples else "no-multiples", rounding, least)
    if rulebook.procedure.revolutions is not None:
        turns = rulebook.procedure.revolutions
        yield _rule("turns", turns.clause, turns.value)
    if live is not None:
        yield _rule("stays", channel.winning_stake.clause)
        yield _rule("redeem", channel.cites[CitedTopic.REDEMPTION])


def _price_rules(rulebook: Rulebook) -> Iterator[NoticeRule]:
    """List what the notice states besides odds about zeros and about numbers that are drawn."""
    # What returns a part of a stake is the rule that a player looks for.
    for zero in sorted(rulebook.paytable.zeros, key=lambda zero: zero.does not in HALVES)[:1]:
        yield _rule("zero-half" if zero.does in HALVES else "zero", zero.clause)
    if rulebook.paytable.multipliers is not None:
        yield _rule("multipliers", rulebook.paytable.multipliers.clause)


#: The rules that a notice may state, by the ids of their texts on the pages.
NOTICE_RULES: Final = (
    *("chips", "chip-value", "chip-owner", "marker", "closed", "zero", "zero-half", "multipliers", "under", "over"),
    *("multiples", "no-multiples", "turns", "stays", "straight-only", "redeem"),
)


def _rule(rule: str, clause: ClauseId, amount: int | None = None) -> NoticeRule:
    assert rule in NOTICE_RULES, rule
    return NoticeRule(rule=rule, amount=amount, clause=clause)
