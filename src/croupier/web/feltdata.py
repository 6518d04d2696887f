"""Felts as data: what a page needs to draw a venue's layout and to name its bets, fetched once by its hash."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from croupier.house.venue import channel_of
from croupier.rules.callbet import CallBet, Called, CallKind, every_call
from croupier.rules.irregularity import Effect
from croupier.rules.offer import Expansion, expand
from croupier.rules.pocket import colour
from croupier.rules.procedure import ChannelName, CreditIn, Profile, TerminalLoss
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import OUTSIDE, Kind, Spot
from croupier.web import cloth
from croupier.web.core import Ground
from croupier.web.sector import sectors_of


class FeltData(NamedTuple):
    """A felt as it is fetched: the hash it goes by, and its JSON."""

    hash: str
    body: bytes


def felt_data(rulebook: Rulebook, profile: Profile | None = None) -> FeltData:
    """Write a felt down for a terminal model; without one, for the terminals of the venue that are of none."""
    place = profile or _usual(rulebook)
    return _written(rulebook, place.id if place else None)


@lru_cache(maxsize=64)
def _written(rulebook: Rulebook, model: str | None) -> FeltData:
    profile = next((profile for profile in rulebook.profiles if profile.id == model), None)
    body = msgspec.json.encode(_felt(rulebook, profile), order="deterministic")
    return FeltData(hashlib.sha256(body).hexdigest(), body)


def felts_of(rulebook: Rulebook) -> tuple[FeltData, ...]:
    """Write down every felt that a terminal under these rules may have."""
    models = (profile for profile in rulebook.profiles if profile.channel is ChannelName.TERMINAL)
    return felt_data(rulebook), *(felt_data(rulebook, model) for model in models)


def _usual(rulebook: Rulebook) -> Profile | None:
    """Where bets are taken at a table too, a terminal offers what terminals do there; otherwise all there is."""
    if ChannelName.TABLE not in rulebook.channels:
        return None
    return next((profile for profile in rulebook.profiles if profile.channel is ChannelName.TERMINAL), None)


def _felt(rulebook: Rulebook, profile: Profile | None) -> cloth.Cloth:
    """Draw a felt up; its odds are there to be read, as nothing is reckoned from them.

    Nothing here goes by the order of a mapping: a rulebook from a file and the same from a journal have one felt.
    """
    ground, offered, channel = Ground(rulebook), _offered(rulebook, profile), channel_of(rulebook)
    loss = rulebook.procedure.terminal_loss
    return cloth.Cloth(
        rulebook=rulebook.id,
        venue=rulebook.venue,
        currency=rulebook.currency,
        profile=profile.id if profile else None,
        wheel=tuple(cloth.WheelPocket(pocket=pocket, colour=colour(pocket)) for pocket in rulebook.wheel.order),
        cells=_cells(rulebook),
        boxes=_boxes(rulebook),
        spots=tuple(_spot(rulebook, ground, spot) for spot in rulebook.spots.values()),
        kinds=tuple(_kind(rulebook, kind) for kind in Kind if kind in rulebook.paytable.prices),
        aliases=_aliases(rulebook, ground),
        calls=tuple(_call(rulebook, call, label) for call, label in offered),
        sectors=tuple(sector for call, _ in offered for sector in sectors_of(rulebook, call)),
        neighbours_button=rulebook.neighbours_button is not None,
        patterns=rulebook.terminal.patterns.figure if rulebook.terminal.patterns else 0,
        messages={occasion.value: message.texts for occasion, message in rulebook.messages.items()},
        line_lost=cloth.LineLost(says=_LINE_LOST[loss.does], clause=loss.clause),
        no_spin=tuple(_reasons(rulebook, taking_back=False)),
        take_back=tuple(_reasons(rulebook, taking_back=True)),
        tickets=any(ruling.does is CreditIn.TICKETS for ruling in channel.credit_in),
        slip=channel.credit_out[0].does.value.replace("_", " "),
    )


def _reasons(rulebook: Rulebook, *, taking_back: bool) -> Iterator[cloth.ListedReason]:
    """List why a person may call a spin off, or take an outcome back; whoever stands above may too."""
    staff = rulebook.staff
    for each in rulebook.irregularities:
        if each.by and (each.effect is Effect.INVALIDATE) is taking_back:
            above = (title for title in staff.order if any(staff.may(title, for_title=by) for by in each.by))
            titles = tuple(dict.fromkeys((*each.by, *above)))
            yield cloth.ListedReason(reason=each.reason, clause=each.clause, by=titles)


#: What a player whose terminal has lost its line is told of the bets on it.
_LINE_LOST: Final = {
    TerminalLoss.RELEASE_AT_CLOSE: "Without a line when betting closes, your bets go back. Bets that are sealed stand.",
    TerminalLoss.MALFUNCTION: "If the line stays away, staff look into your bets.",
    TerminalLoss.STAND: "Bets that were accepted stand.",
}


def _cells(rulebook: Rulebook) -> tuple[cloth.PrintedCell, ...]:
    return tuple(
        cloth.PrintedCell(
            pocket=cell.pocket, colour=colour(cell.pocket), along=cell.area.along, across=cell.area.across
        )
        for cell in rulebook.layout.cells
    )


def _boxes(rulebook: Rulebook) -> tuple[cloth.PrintedBox, ...]:
    return tuple(
        cloth.PrintedBox(bet=box.bet, label=box.label, along=box.area.along, across=box.area.across)
        for box in rulebook.layout.boxes
    )


def _aliases(rulebook: Rulebook, ground: Ground) -> tuple[cloth.AliasPlace, ...]:
    return tuple(
        cloth.AliasPlace(
            name=alias.name,
            label=alias.label,
            spot=alias.spot,
            along=alias.area.along,
            across=alias.area.across,
            anchor=ground.alias_anchor(alias),
            core=ground.alias_core(alias),
        )
        for alias in rulebook.aliases
    )


def _spot(rulebook: Rulebook, ground: Ground, spot: Spot) -> cloth.SpotPlace:
    return cloth.SpotPlace(
        key=spot.key,
        kind=spot.kind,
        covers=spot.numbers,
        label=spot_label(rulebook, spot),
        anchor=ground.anchor(spot),
        core=ground.core(spot),
    )


def _kind(rulebook: Rulebook, kind: Kind) -> cloth.KindLine:
    price = rulebook.paytable.prices[kind]
    name = _capital(price.label)
    return cloth.KindLine(kind=kind, label=f"{name} · {price.pays} to 1", name=name, pays=price.pays)


def spot_label(rulebook: Rulebook, spot: Spot) -> str:
    """Name a spot as a player reads it: ``Split 17 / 20 · 17 to 1``."""
    price = rulebook.paytable.prices[spot.kind]
    return f"{_spot_name(spot, price.label)} · {price.pays} to 1"


def _spot_name(spot: Spot, kind: str) -> str:
    if spot.key not in OUTSIDE:
        return f"{_capital(kind)} {' / '.join(spot.numbers)}"
    # "column 1" has a number of its own; "red" is all in its name.
    return " ".join([_capital(kind), *spot.key.split()[1:]])


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _offered(rulebook: Rulebook, profile: Profile | None) -> list[tuple[CallBet, str]]:
    if profile is None:
        return [(call, call.label) for call in rulebook.calls]
    return [(call, profile.calls[call.name]) for call in rulebook.calls if call.name in profile.calls]


def _call(rulebook: Rulebook, call: CallBet, label: str) -> cloth.OfferedCall:
    """A call in every way it can be said, each with how many chips go where, to be shown before it is placed."""
    takes = {CallKind.PIECES: "nothing", CallKind.LAST_DIGIT: "digit"}.get(call.kind, "number")
    ways = tuple(_way(rulebook, call, said) for said in every_call(call, rulebook.wheel))
    return cloth.OfferedCall(name=call.name, label=label, kind=call.kind, takes=takes, ways=ways)


def _way(rulebook: Rulebook, call: CallBet, said: Called) -> cloth.Way:
    taken_apart = expand(rulebook, said, None, None)
    assert isinstance(taken_apart, Expansion)
    unit = min(bet.stake for bet in taken_apart.bets)
    pieces = tuple((bet.spot.key, bet.stake // unit) for bet in taken_apart.bets)
    reach = said.reach or call.reach.least or None
    return cloth.Way(said=str(said), of=said.number, chips=taken_apart.chips, pieces=pieces, reach=reach)
