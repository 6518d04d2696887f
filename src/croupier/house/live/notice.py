"""The notice at a table: bets, limits and marker bets, for everybody and for players with arrangements."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from croupier.house.floor.settings import channel_of, pending_settings
from croupier.house.ids import Number
from croupier.house.settings import EffectiveLimits, TableSettings, effective_limits
from croupier.house.state.tables import Arrangement, Table
from croupier.rules.calls import NUMBERS_UNDER_MARKER, CallKind
from croupier.rules.geometry import STRAIGHT, SpotKind
from croupier.rules.money import Cents
from croupier.rules.procedure import Channel, ChannelName
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from croupier.house import House


@dataclass(frozen=True, slots=True)
class LowestMarker:
    """Marker bets: their name in the notation, the lowest, and its clause."""

    call: str
    least: Cents
    clause: ClauseId


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeTerms:
    """What players may bet: the kinds in the order of their letters, the limits, and marker bets if there are any."""

    kinds: tuple[SpotKind, ...]
    limits: EffectiveLimits
    marker: LowestMarker | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrangedTerms(NoticeTerms):
    """The same for the players of an arrangement, and the clause that permits it."""

    arrangement: Number
    clause: ClauseId


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """The notice of the next round at a table."""

    rulebook: Rulebook
    settings: TableSettings
    channel: Channel
    terms: NoticeTerms
    arranged: tuple[ArrangedTerms, ...]


def notice_of(house: House, table: Table) -> Notice:
    """Return the notice of the next round at a table.

    8(a)i at Adelaide: where all players bet straight up only by arrangement, no other bet is shown. An arrangement
    with some of them is a second notice for these.
    """
    rulebook, settings = pending_settings(house, table)
    channel = channel_of(rulebook) if settings.live is None else rulebook.channels[ChannelName.TABLE]
    shown = _arrangements(table)
    if _is_whole(table, shown) and len(shown) == 1:
        (only,) = shown.values()
        terms, shown = _notice_terms(rulebook, settings, channel, only), {}
    else:
        everybody = Arrangement([], _is_whole(table, shown), None, markers=True, words="")
        terms = _notice_terms(rulebook, settings, channel, everybody)
    return Notice(
        rulebook=rulebook,
        settings=settings,
        channel=channel,
        terms=terms,
        arranged=tuple(_arranged(rulebook, settings, channel, shown)),
    )


def _arrangements(table: Table) -> Mapping[Number, Arrangement]:
    """Select the arrangements with players with chips that the notice shows; a terminal shows its own."""
    players = {} if table.live is None else table.live.players
    return {
        number: each
        for number, each in table.arrangements.items()
        if (each.straight_only or each.limits is not None) and not players.keys().isdisjoint(each.positions)
    }


def _is_whole(table: Table, shown: Mapping[Number, Arrangement]) -> bool:
    """Check whether every player with chips bets straight up only."""
    if table.live is None or not shown:
        return False
    restricted = {position for each in shown.values() if each.straight_only for position in each.positions}
    return table.live.players.keys() <= restricted


def _notice_terms(
    rulebook: Rulebook, settings: TableSettings, channel: Channel, arrangement: Arrangement
) -> NoticeTerms:
    limits = effective_limits(rulebook, channel, arrangement.limits or settings.limits)
    markers = arrangement.markers or not arrangement.straight_only
    return NoticeTerms(
        kinds=_kinds(rulebook, straight_only=arrangement.straight_only),
        limits=limits,
        marker=_lowest_marker(rulebook, settings, limits) if markers else None,
    )


def _arranged(
    rulebook: Rulebook, settings: TableSettings, channel: Channel, shown: Mapping[Number, Arrangement]
) -> Iterator[ArrangedTerms]:
    for number, each in shown.items():
        terms = _notice_terms(rulebook, settings, channel, each)
        clause = rulebook.restriction if each.straight_only else rulebook.arrangement
        assert clause is not None
        yield ArrangedTerms(
            kinds=terms.kinds, limits=terms.limits, marker=terms.marker, arrangement=number, clause=clause
        )


def _kinds(rulebook: Rulebook, *, straight_only: bool) -> tuple[SpotKind, ...]:
    """List the kinds of bets by the letters of the document, if it has a legend."""
    if straight_only:
        return (STRAIGHT,)
    return tuple(sorted(rulebook.prices, key=lambda kind: rulebook.prices[kind].letter or ""))


def _lowest_marker(rulebook: Rulebook, settings: TableSettings, effective: EffectiveLimits) -> LowestMarker | None:
    """Return the marker bets of a live table: the lowest is that of the settings, or so many times the minimum."""
    call = next((each for each in rulebook.calls if each.kind is CallKind.MARKER), None)
    if call is None or settings.live is None:
        return None
    clause = call.clause if call.minimum is None else call.minimum.clause
    times = NUMBERS_UNDER_MARKER if call.minimum is None else call.minimum.value
    least = settings.live.marker_unit or times * (effective.limits.of(STRAIGHT).least or 0)
    return LowestMarker(call.name, Cents(least), clause)


def notice_digest(house: House, table: Table) -> str:
    """Digest what the notice at a live table must show for the next round, with its arrangements (8(b), 6(k)).

    A new, changed or ended arrangement, or a player who joins or leaves one, changes it only if the notice shows it.
    """
    rulebook, settings = pending_settings(house, table)
    arrangements = _arrangements(table)
    if not arrangements:
        return settings_digest(rulebook, settings)
    rows = [(number, each.straight_only, each.limits, each.markers) for number, each in arrangements.items()]
    return settings_digest(rulebook, settings, _is_whole(table, arrangements), rows)


def settings_digest(rulebook: Rulebook, settings: TableSettings, *arranged: object) -> str:
    """Digest limits, odds, multiples and the marker unit, and what is arranged with players, if anything is."""
    live = settings.live
    assert live is not None
    odds = sorted((kind, price.label, price.odds) for kind, price in rulebook.paytable.prices.items())
    shown = (rulebook.id, settings.limits, odds, live.multiples, live.marker_unit, *arranged)
    return hashlib.sha256(msgspec.json.encode(shown)).hexdigest()
