"""Reports: the answers as plain data, amounts in whole cents, fractions and numbers as text."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from croupier.rounds.run import Played
from croupier.rounds.shelf import Example, citing
from croupier.rules.bet import Bet, stacks
from croupier.rules.callbet import Called, every_call
from croupier.rules.clause import Clause, ClauseId
from croupier.rules.exposure import Exposure
from croupier.rules.layout import Area
from croupier.rules.money import Cents
from croupier.rules.odds import pieces_edge, spot_edge
from croupier.rules.offer import Expansion, expand, find_profile
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook
from croupier.rules.settlement import SettledBet, Settlement

Data = dict[str, Any]


def summary(book: Rulebook) -> Data:
    return {
        "id": book.id,
        "venue": book.venue,
        "title": book.title,
        "version": book.version,
        "effective": book.effective.isoformat() if book.effective else None,
        "currency": book.currency,
        "digest": book.digest,
        "wheel": {"id": book.wheel.id, "pockets": len(book.wheel.order), "confirmed": book.wheel.confirmed},
        "layout": book.layout.id,
        "spots": len(book.spots),
        "calls": [call.name for call in book.calls],
        "profiles": [profile.id for profile in book.profiles],
        "clauses": len(book.clauses),
    }


def spots(book: Rulebook) -> list[Data]:
    return [
        {
            "spot": spot.key,
            "kind": spot.kind.value,
            "numbers": list(spot.numbers),
            "pays": book.paytable.prices[spot.kind].pays,
            "edge": str(spot_edge(spot, book.paytable, book.wheel)),
            "clause": book.paytable.prices[spot.kind].clause,
        }
        for spot in book.spots.values()
    ]


def calls(book: Rulebook, profile: str | None) -> list[Data] | Refusal:
    """Every call in every way it can be said, where the profile offers it."""
    place = find_profile(book, profile)
    if isinstance(place, Refusal):
        return place
    offered = [call for call in book.calls if place is None or call.name in place.calls]
    return [_call(book, said, call.clause) for call in offered for said in every_call(call, book.wheel)]


def _call(book: Rulebook, said: Called, clause: str) -> Data:
    taken_apart = expand(book, said, None, None)
    assert isinstance(taken_apart, Expansion)
    edge = pieces_edge(stacks(taken_apart.bets), book.paytable, book.wheel)
    return {"call": str(said), "chips": taken_apart.chips, "edge": str(edge), "clause": clause}


def expansion(taken_apart: Expansion) -> Data:
    return {
        "call": taken_apart.call,
        "pieces": [{"spot": bet.spot.key, "amount": bet.stake} for bet in taken_apart.bets],
        "chips": taken_apart.chips,
        "cost": taken_apart.cost,
    }


def settlement(book: Rulebook, settled: Settlement) -> Data:
    return {
        "rulebook": book.id,
        "result": settled.pocket,
        "staked": settled.staked,
        "returned": settled.returned,
        "net": settled.net,
        "bets": [_settled(book, bet) for bet in settled.bets],
    }


def _settled(book: Rulebook, settled: SettledBet) -> Data:
    return {
        **_bet(settled.bet),
        "pays": book.paytable.prices[settled.bet.spot.kind].pays,
        "won": settled.won,
        "returned": settled.returned,
        "clause": settled.clause,
    }


def _bet(bet: Bet) -> Data:
    return {"spot": bet.spot.key, "amount": bet.stake, "call": bet.call or None}


def exposure(book: Rulebook, exposed: Exposure, credit: Cents) -> Data:
    return {
        "rulebook": book.id,
        "staked": exposed.staked,
        "returns": {pocket: exposed.returns[pocket] for pocket in book.pockets},
        "best": _extreme(exposed, exposed.best),
        "worst": _extreme(exposed, exposed.worst),
        "risk": _risk(book, exposed, credit),
    }


def _extreme(exposed: Exposure, returned: Cents) -> Data:
    return {"returned": returned, "net": returned - exposed.staked, "pockets": list(exposed.where(returned))}


def _risk(book: Rulebook, exposed: Exposure, credit: Cents) -> Data | None:
    if book.risk is None:
        return None
    objection = book.risk.objection(exposed, credit=credit)
    return {
        "allowed": objection is None,
        "margin": exposed.best - exposed.staked,
        "threshold": book.risk.threshold(exposed.staked, credit=credit),
        "clause": book.risk.clause,
        "message": book.risk.message if objection else None,
    }


def clauses(book: Rulebook) -> Iterator[Data]:
    return (_clause(book, clause) for clause in book.clauses)


def _clause(book: Rulebook, clause: Clause) -> Data:
    return {
        "rulebook": book.id,
        "clause": clause.clause,
        "topic": clause.topic.value,
        "says": clause.says,
        "does": clause.does,
        "code": list(clause.code),
        "no_code": clause.no_code or None,
        "awaits": clause.awaits or None,
        "tests": list(clause.tests),
    }


def rule(book: Rulebook, name: str, rounds: Iterable[Example]) -> Data | Refusal:
    """One clause with the rounds that show it, or the clauses whose names are nearest to what was asked for."""
    known = {clause.clause: clause for clause in book.clauses}
    clause = known.get(ClauseId(name))
    if clause is None:
        plain = {each.lower(): each for each in known}
        nearest = tuple(plain[each] for each in get_close_matches(name.lower(), plain, n=5, cutoff=0.5))
        says = f"There is no clause '{name}' in {book.id}"
        says += f"; the nearest are {', '.join(nearest)}." if nearest else "."
        return Refusal(Code.UNKNOWN_RECORD, None, says, {"clause": name, "nearest": nearest})
    shown = citing(book, clause.clause, rounds)
    return {**_clause(book, clause), "rounds": [{"name": each.name, "text": each.text} for each in shown]}


def played(path: Path, round_: Played) -> Data:
    return {
        "file": str(path),
        "rulebook": round_.rulebook,
        "acts": round_.acts,
        "holds": round_.holds,
        "differences": [asdict(difference) for difference in round_.differences],
    }


def felt(book: Rulebook) -> Data:
    """The layout in quarters of a cell: printed cells and boxes, and where each spot's chip lies."""
    return {
        "rulebook": book.id,
        "cells": [{"pocket": cell.pocket, **_area(cell.area)} for cell in book.layout.cells],
        "boxes": [{"bet": box.bet, "label": box.label, **_area(box.area)} for box in book.layout.boxes],
        "spots": [
            {"spot": spot.key, "kind": spot.kind.value, "along": spot.anchor.along, "across": spot.anchor.across}
            for spot in book.spots.values()
        ],
        "aliases": [{"alias": alias.name, "spot": alias.spot, **_area(alias.area)} for alias in book.aliases],
    }


def _area(area: Area) -> Data:
    return {"along": list(area.along), "across": list(area.across)}
