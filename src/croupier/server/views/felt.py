"""Felt spec: print, hit regions, sectors."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from croupier.house.floor.settings import channel_of
from croupier.house.settings import DozenLabels
from croupier.protocol import terminal
from croupier.protocol.outbound import project
from croupier.protocol.terminal import Core, Place, Sector
from croupier.rules.calls import CallBet, CallKind, CallSelection, every_call
from croupier.rules.geometry import (
    OUTSIDE_LINE,
    Area,
    Geometry,
    OutsideBox,
    Pocket,
    SegmentGroup,
    Spot,
    SpotKey,
    SpotKind,
)
from croupier.rules.procedure import ChannelName, CreditIn, Effect, Profile, TerminalLoss
from croupier.rules.rulebook import Rulebook, SpotAlias, expand

#: The distance of a hit region from its neighbours: two fifths of a cell.
INSET: Final = 1.6
#: The position of a chip in a box, as a fraction of its length, so that it lies beside the print.
_BESIDE: Final = {SegmentGroup.COLUMNS: 0.5, SegmentGroup.DOZENS: 0.7875}
_BESIDE_OTHERS: Final = 0.845


class _Line(NamedTuple):
    """A straight line on the felt: the axis along which it runs, and its coordinate on the other."""

    axis: int
    at: int


class HitRegions:
    """All that is printed on a venue's felt, to compute the position of a spot."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._cells = {cell.pocket: cell.area for cell in rulebook.layout.cells}
        self._boxes = {box.bet: box.area for box in rulebook.layout.boxes}
        printed = (*self._cells.values(), *self._boxes.values())
        self._aliases = rulebook.aliases
        #: The second places for spots that have a box of their own: nothing else is printed there.
        self._own = tuple(alias.area for alias in rulebook.aliases if not any(map(alias.area.overlaps, printed)))
        self._areas = (*printed, *self._own)
        self._kinds = rulebook.kind_names
        self._anchors = {(spot.anchor.along, spot.anchor.across) for spot in rulebook.spots.values()}

    def anchor(self, spot: Spot) -> Place:
        """Return the position of a spot's chip: in a box beside the print, elsewhere as the rules define it."""
        if spot.at is not Geometry.BOX:
            return spot.anchor.along, spot.anchor.across
        area = self._boxes[spot.key]
        (begin, end), share = area.along, _BESIDE.get(self._kinds[spot.kind].segment, _BESIDE_OTHERS)
        return round(begin + (end - begin) * share, 2), sum(area.across) / 2

    def hit_region(self, spot: Spot) -> Core:
        """Return the hit region of a spot."""
        if spot.at is Geometry.BOX:
            return self._rectangle(self._boxes[spot.key])
        areas = [self._cells[number] for number in spot.numbers]
        if spot.at is Geometry.CELL:
            return self._rectangle(areas[0])
        if spot.at is Geometry.EDGE:
            edge = areas[0].shared(areas[1])
            assert edge is not None
            return self._segment(edge, spot)
        if spot.at is Geometry.ROW:
            return self._segment(Area(areas[0].along, (OUTSIDE_LINE, OUTSIDE_LINE)), spot)
        return spot.anchor.along, spot.anchor.along, spot.anchor.across, spot.anchor.across

    def alias_anchor(self, alias: SpotAlias) -> Place:
        return sum(alias.area.along) / 2, sum(alias.area.across) / 2

    def alias_hit_region(self, alias: SpotAlias) -> Core:
        """Return the hit region of a second place for a spot: the rest of its area between its neighbours."""
        return *_within(alias.area.along, INSET, INSET), *_within(alias.area.across, INSET, INSET)

    def _rectangle(self, area: Area) -> Core:
        """Inset the sides beyond which something is printed, and leave out second places for spots."""
        spans = []
        for axis, span in enumerate((area.along, area.across)):
            insets = (INSET if self._borders(area, axis, side) else 0 for side in span)
            spans.append(_within(span, *insets))
        along, across = spans
        for alias in self._aliases:
            if alias.area not in self._own:
                along = _off(along, alias.area, area)
        return *along, *across

    def _borders(self, area: Area, axis: int, side: int) -> bool:
        """Return whether another area lies beyond a side."""
        for other in self._areas:
            shared = None if other is area else area.shared(other)
            if shared is not None:
                spans = shared.along, shared.across
                if spans[axis] == (side, side) and spans[1 - axis][0] < spans[1 - axis][1]:
                    return True
        return False

    def _segment(self, edge: Area, spot: Spot) -> Core:
        """Inset both ends of an edge, without leaving the chip's own position."""
        axis = 0 if edge.along[0] < edge.along[1] else 1
        span, line = (edge.along, edge.across)[axis], _Line(axis, (edge.across, edge.along)[axis][0])
        place = (spot.anchor.along, spot.anchor.across)[axis]
        low = min(place, span[0] + self._room(line, span[0], -1, place))
        high = max(place, span[1] - self._room(line, span[1], 1, place))
        across: Place = line.at, line.at
        return (*_rounded(low, high), *across) if axis == 0 else (*across, *_rounded(low, high))

    def _room(self, line: _Line, end: int, step: int, own: int) -> float:
        """Return the inset of an end: zero when nothing lies there or beyond it, less when spots are close.

        When spots are closer than usual on one side of a point, its region is no longer on the other side, so that the
        point is in the middle of its region.
        """
        if not (self._lies(line, end) or self._printed(line, end, step)):
            return 0
        return min([INSET, *(abs(place - end) for place in self._on(line) if place not in (end, own))])

    def _on(self, line: _Line) -> Iterator[int]:
        return (anchor[line.axis] for anchor in self._anchors if anchor[1 - line.axis] == line.at)

    def _lies(self, line: _Line, end: int) -> bool:
        return end in self._on(line)

    def _printed(self, line: _Line, end: int, step: int) -> bool:
        """Return whether a line continues through or beside something printed."""
        for area in self._areas:
            spans = area.along, area.across
            (low, high), (begin, until) = spans[line.axis], spans[1 - line.axis]
            if low <= min(end, end + step) and max(end, end + step) <= high and begin <= line.at <= until:
                return True
        return False


def _within(span: tuple[int, int], before: float, after: float) -> Place:
    """Inset both ends of a span; when nothing is left, return its middle."""
    low, high = span[0] + before, span[1] - after
    middle = sum(span) / 2
    return _rounded(low, high) if low <= high else (middle, middle)


def _off(along: Place, alias: Area, area: Area) -> Place:
    """Cut a hit region back so that a second place for a spot reaches as far as it is printed."""
    if not area.overlaps(alias):
        return along
    middle = sum(alias.along) / 2
    low, high = along
    if middle * 2 >= sum(area.along):
        return low, max(low, min(high, alias.along[0] * 2 - middle))
    return min(high, max(low, alias.along[1] * 2 - middle)), high


def _rounded(low: float, high: float) -> Place:
    return round(low, 2), round(high, 2)


#: Fewer adjacent pockets are not shown as a sector.
POCKETS_MIN: Final = 3


def sectors_of(rulebook: Rulebook, call: CallBet) -> tuple[Sector, ...]:
    """Find the sectors of a call; none when its numbers are scattered on the wheel."""
    if call.kind is not CallKind.PIECES:
        return ()
    order = rulebook.wheel.order
    covered = {number for piece in call.pieces for number in rulebook.spots[piece].numbers}
    runs = _runs(order, covered)
    if any(len(run) < POCKETS_MIN for run in runs):
        return ()
    return tuple(Sector(call=call.name, first=order.index(run[0]), pockets=tuple(run)) for run in runs)


def _runs(order: tuple[Pocket, ...], covered: set[Pocket]) -> list[list[Pocket]]:
    """Find runs of adjacent covered pockets, starting at an uncovered one: the wheel has no beginning."""
    begin = next((place for place, pocket in enumerate(order) if pocket not in covered), 0)
    runs: list[list[Pocket]] = []
    beside = False
    for pocket in (*order[begin:], *order[:begin]):
        if pocket in covered and not beside:
            runs.append([])
        beside = pocket in covered
        if beside:
            runs[-1].append(pocket)
    return runs


class FeltData(NamedTuple):
    """A felt as it is fetched: the hash that identifies it, and its JSON."""

    hash: str
    body: bytes


def felt_data(
    rulebook: Rulebook, profile: Profile | None = None, dozens: DozenLabels = DozenLabels.ORDINAL
) -> FeltData:
    """Encode a felt for a terminal model; without one, for the venue's terminals without a model."""
    place = profile or _usual(rulebook)
    return _written(rulebook, place.id if place else None, dozens)


@lru_cache(maxsize=64)
def _written(rulebook: Rulebook, model: str | None, dozens: DozenLabels) -> FeltData:
    profile = next((profile for profile in rulebook.profiles if profile.id == model), None)
    body = msgspec.json.encode(_felt(rulebook, profile, dozens), order="deterministic")
    return FeltData(hashlib.sha256(body).hexdigest(), body)


def felts_of(rulebook: Rulebook) -> tuple[FeltData, ...]:
    """Encode every felt that a terminal under these rules may have."""
    models = [profile for profile in rulebook.profiles if profile.channel is ChannelName.TERMINAL]
    labels = DozenLabels if rulebook.terminal.dozen_ranges else (DozenLabels.ORDINAL,)
    return tuple(felt_data(rulebook, model, dozens) for dozens in labels for model in (None, *models))


def _usual(rulebook: Rulebook) -> Profile | None:
    """Return the default profile: where tables are dealt too, that of terminals; otherwise None, for all bets."""
    if ChannelName.TABLE not in rulebook.channels:
        return None
    return next((profile for profile in rulebook.profiles if profile.channel is ChannelName.TERMINAL), None)


def _felt(rulebook: Rulebook, profile: Profile | None, dozens: DozenLabels) -> terminal.FeltSpec:
    """Build a felt; its odds are for display only, and nothing is computed from them.

    The result does not depend on the order of a mapping: a rulebook from a file and the same from a journal have one
    felt.
    """
    ground, offered, channel = HitRegions(rulebook), _offered(rulebook, profile), channel_of(rulebook)
    loss = rulebook.procedure.terminal_loss
    return terminal.FeltSpec(
        rulebook=rulebook.id,
        venue=rulebook.venue,
        currency=rulebook.currency,
        profile=profile.id if profile else None,
        wheel=tuple(
            terminal.WheelPocket(pocket=pocket, colour=rulebook.wheel.colour(pocket)) for pocket in rulebook.wheel.order
        ),
        cells=_cells(rulebook),
        boxes=_boxes(rulebook, dozens),
        spots=tuple(_spot(rulebook, ground, spot) for spot in rulebook.spots.values()),
        kinds=tuple(_kind(rulebook, kind) for kind in rulebook.prices),
        halved=_halved(rulebook),
        multipliers=_multipliers(rulebook),
        aliases=_aliases(rulebook, ground),
        calls=tuple(_call(rulebook, call, label) for call, label in offered),
        sectors=tuple(sector for call, _ in offered for sector in sectors_of(rulebook, call)),
        neighbours_button=rulebook.neighbours_button is not None,
        patterns=rulebook.terminal.patterns.value if rulebook.terminal.patterns else 0,
        messages={occasion.value: message.texts for occasion, message in rulebook.messages.items()},
        line_lost=terminal.ConnectionLostNotice(choice=loss.choice, says=_LINE_LOST[loss.choice], clause=loss.clause),
        no_spin=tuple(_reasons(rulebook, taking_back=False)),
        take_back=tuple(_reasons(rulebook, taking_back=True)),
        tickets=any(ruling.choice is CreditIn.TICKETS for ruling in channel.credit_in),
        slip=channel.credit_out[0].choice.value.replace("_", " "),
    )


def _reasons(rulebook: Rulebook, *, taking_back: bool) -> Iterator[terminal.ListedReason]:
    """List the reasons for which a person may call a spin off, or invalidate an outcome; a higher rank may too."""
    staff = rulebook.staff
    for each in rulebook.irregularities:
        if each.by and (each.effect is Effect.INVALIDATE) is taking_back:
            above = (title for title in staff.order if any(staff.may(title, for_title=by) for by in each.by))
            titles = tuple(dict.fromkeys((*each.by, *above)))
            yield terminal.ListedReason(reason=each.reason, clause=each.clause, by=titles)


#: The text of an offline terminal about the bets on it.
_LINE_LOST: Final = {
    TerminalLoss.RELEASE_AT_CLOSE: "Without a line when betting closes, your bets go back. Bets that are sealed stand.",
    TerminalLoss.MALFUNCTION: "If the line stays away, staff look into your bets.",
    TerminalLoss.STAND: "Bets that were accepted stand.",
}


def _cells(rulebook: Rulebook) -> tuple[terminal.PrintedCell, ...]:
    return tuple(
        terminal.PrintedCell(
            pocket=cell.pocket,
            colour=rulebook.wheel.colour(cell.pocket),
            along=cell.area.along,
            across=cell.area.across,
        )
        for cell in rulebook.layout.cells
    )


def _boxes(rulebook: Rulebook, dozens: DozenLabels) -> tuple[terminal.PrintedBox, ...]:
    return tuple(
        terminal.PrintedBox(
            bet=box.bet, label=_box_label(rulebook, box, dozens), along=box.area.along, across=box.area.across
        )
        for box in rulebook.layout.boxes
    )


def _box_label(rulebook: Rulebook, box: OutsideBox, dozens: DozenLabels) -> str:
    spot = rulebook.spots.get(box.bet)
    if (
        spot is not None
        and rulebook.kind_names[spot.kind].segment is SegmentGroup.DOZENS
        and dozens is DozenLabels.RANGE
    ):
        return f"{spot.numbers[0]} {spot.numbers[-1]}"
    return box.label


def _aliases(rulebook: Rulebook, ground: HitRegions) -> tuple[terminal.AliasPlace, ...]:
    return tuple(
        project(
            terminal.AliasPlace,
            alias,
            along=alias.area.along,
            across=alias.area.across,
            anchor=ground.alias_anchor(alias),
            core=ground.alias_hit_region(alias),
        )
        for alias in rulebook.aliases
    )


def _spot(rulebook: Rulebook, ground: HitRegions, spot: Spot) -> terminal.SpotPlace:
    return terminal.SpotPlace(
        key=spot.key,
        kind=spot.kind,
        covers=spot.numbers,
        label=spot_label(rulebook, spot),
        names={each: _spot_name(spot, name) for each, name in rulebook.kind_names[spot.kind].names.items()},
        anchor=ground.anchor(spot),
        core=ground.hit_region(spot),
    )


def _halved(rulebook: Rulebook) -> dict[Pocket, tuple[SpotKey, ...]]:
    spots, halves = rulebook.spots.values(), rulebook.paytable.halves
    found = {zero: tuple(spot.key for spot in spots if halves(spot, zero)) for zero in rulebook.wheel.zeros}
    return {zero: keys for zero, keys in found.items() if keys}


def _multipliers(rulebook: Rulebook) -> terminal.MultipliersRow | None:
    drawn = rulebook.paytable.multipliers
    if drawn is None:
        return None
    return terminal.MultipliersRow(
        clause=drawn.clause,
        counts=tuple((each.numbers, each.weight) for each in drawn.counts),
        multiples=tuple((each.pays, each.weight) for each in drawn.multiples),
    )


def _kind(rulebook: Rulebook, kind: SpotKind) -> terminal.KindRow:
    price = rulebook.paytable.prices[kind]
    name = _capital(price.label)
    own = rulebook.kind_names[kind]
    return terminal.KindRow(
        kind=kind,
        label=f"{name} · {price.pays} to 1",
        name=name,
        names=dict(own.names),
        help=own.help or "",
        helps=dict(own.helps),
        pays=price.odds,
        steps=tuple((step.over, step.odds) for step in price.steps),
        win_most=price.win_most,
        letter=price.letter or "",
        segment=own.segment,
    )


def spot_label(rulebook: Rulebook, spot: Spot) -> str:
    """Return the name of a spot as a player reads it: ``Split 17 / 20 · 17 to 1``."""
    price = rulebook.paytable.prices[spot.kind]
    return f"{_spot_name(spot, price.label)} · {price.pays} to 1"


def _spot_name(spot: Spot, kind: str) -> str:
    if spot.at is not Geometry.BOX:
        return f"{_capital(kind)} {' / '.join(spot.numbers)}"
    # "column 1" has a number of its own; "red" is all in its name.
    return " ".join([_capital(kind), *spot.key.split()[1:]])


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _offered(rulebook: Rulebook, profile: Profile | None) -> list[tuple[CallBet, str]]:
    if profile is None:
        return [(call, call.label) for call in rulebook.calls]
    return [(call, profile.calls[call.name]) for call in rulebook.calls if call.name in profile.calls]


def _call(rulebook: Rulebook, call: CallBet, label: str) -> terminal.OfferedCall:
    """Build a call in all its variants, each with its number of chips by spot, to be shown before it is placed."""
    takes = {CallKind.PIECES: "nothing", CallKind.LAST_DIGIT: "digit"}.get(call.kind, "number")
    ways = tuple(_way(rulebook, call, said) for said in every_call(call, rulebook.wheel))
    return terminal.OfferedCall(name=call.name, label=label, kind=call.kind, takes=takes, ways=ways)


def _way(rulebook: Rulebook, call: CallBet, said: CallSelection) -> terminal.CallVariant:
    taken_apart = expand(rulebook, said, None, None)
    unit = min(bet.stake for bet in taken_apart.bets)
    pieces = tuple((bet.spot.key, bet.stake // unit) for bet in taken_apart.bets)
    reach = said.reach or call.reach.least or None
    return terminal.CallVariant(said=str(said), of=said.number, chips=taken_apart.chips, pieces=pieces, reach=reach)
