"""Felts as data: what a page needs to draw a venue's layout and to name its bets, fetched once by its hash."""

import hashlib
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from croupier.rules.callbet import CallBet, CallKind, every_call
from croupier.rules.layout import Area
from croupier.rules.offer import Expansion, expand
from croupier.rules.pocket import Pocket, colour
from croupier.rules.procedure import ChannelName, Profile, TerminalLoss
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import OUTSIDE, Kind, Spot

Data = dict[str, Any]


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


def _felt(rulebook: Rulebook, profile: Profile | None) -> Data:
    """Put everything in units of a quarter cell; the odds are in the words alone, as nothing is reckoned from them.

    Nothing here goes by the order of a mapping: a rulebook from a file and the same from a journal have one felt.
    """
    prices = rulebook.paytable.prices
    return {
        "rulebook": rulebook.id,
        "venue": rulebook.venue,
        "currency": rulebook.currency,
        "profile": profile.id if profile else None,
        "wheel": [{"pocket": pocket, "colour": colour(pocket)} for pocket in rulebook.wheel.order],
        "cells": [
            {"pocket": cell.pocket, "colour": colour(cell.pocket), **_area(cell.area)} for cell in rulebook.layout.cells
        ],
        "boxes": [{"bet": box.bet, "label": box.label, **_area(box.area)} for box in rulebook.layout.boxes],
        "spots": [_spot(rulebook, spot) for spot in rulebook.spots.values()],
        "kinds": [
            {"kind": kind, "label": f"{_capital(prices[kind].label)} · {prices[kind].pays} to 1"}
            for kind in Kind
            if kind in prices
        ],
        "aliases": [
            {"name": alias.name, "label": alias.label, "spot": alias.spot, **_area(alias.area)}
            for alias in rulebook.aliases
        ],
        "calls": [_call(rulebook, call, label) for call, label in _offered(rulebook, profile)],
        "neighbours_button": rulebook.neighbours_button is not None,
        "patterns": rulebook.terminal.patterns.figure if rulebook.terminal.patterns else 0,
        "messages": {occasion.value: list(message.texts) for occasion, message in rulebook.messages.items()},
        "line_lost": {
            "says": _LINE_LOST[rulebook.procedure.terminal_loss.does],
            "clause": rulebook.procedure.terminal_loss.clause,
        },
        "no_spin": [
            {"reason": each.reason, "clause": each.clause, "by": list(each.by)}
            for each in rulebook.irregularities
            if each.by
        ],
    }


#: What a player whose terminal has lost its line is told of the bets on it.
_LINE_LOST: Final = {
    TerminalLoss.RELEASE_AT_CLOSE: "Without a line when betting closes, your bets go back. Bets that are sealed stand.",
    TerminalLoss.MALFUNCTION: "If the line stays away, staff look into your bets.",
    TerminalLoss.STAND: "Bets that were accepted stand.",
}


def _area(area: Area) -> Data:
    return {"along": list(area.along), "across": list(area.across)}


def _spot(rulebook: Rulebook, spot: Spot) -> Data:
    return {
        "key": spot.key,
        "kind": spot.kind,
        "covers": list(spot.numbers),
        "label": spot_label(rulebook, spot),
        "anchor": [spot.anchor.along, spot.anchor.across],
    }


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


def _call(rulebook: Rulebook, call: CallBet, label: str) -> Data:
    """A call in every way it can be said, each with how many chips go where, to be shown before it is placed."""
    takes = {CallKind.PIECES: "nothing", CallKind.LAST_DIGIT: "digit"}.get(call.kind, "number")
    ways = []
    for said in every_call(call, rulebook.wheel):
        taken_apart = expand(rulebook, said, None, None)
        assert isinstance(taken_apart, Expansion)
        unit = min(bet.stake for bet in taken_apart.bets)
        pieces = [[bet.spot.key, bet.stake // unit] for bet in taken_apart.bets]
        ways.append({"said": str(said), "of": Pocket(said.number), "chips": taken_apart.chips, "pieces": pieces})
    return {"name": call.name, "label": label, "takes": takes, "ways": ways}
