"""Rules responses as data and as tables."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from croupier.cli.output import plain_table, written
from croupier.rulebooks.template import MarkedLine
from croupier.rules.calls import CallSelection, every_call
from croupier.rules.geometry import Area, Colour, Pocket, SpotKind, Wheel
from croupier.rules.money import Cents, amount_text
from croupier.rules.multipliers import NumberCount, multiples_text, total_weight
from croupier.rules.pricing import (
    Exposure,
    Odds,
    SettledBet,
    Settlement,
    odds_data,
    pieces_edge,
    spot_edge,
    stacks,
)
from croupier.rules.refusal import Clause, ClauseId, Code, Refusal
from croupier.rules.rulebook import Expansion, Rulebook, expand, find_profile
from croupier.transcripts.runner import Example, TranscriptResult, citing

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
            "kind": spot.kind,
            "numbers": list(spot.numbers),
            "pays": book.paytable.prices[spot.kind].odds,
            "edge": str(spot_edge(spot, book.paytable, book.wheel)),
            "clause": book.paytable.prices[spot.kind].clause,
        }
        for spot in book.spots.values()
    ]


def multipliers_data(book: Rulebook) -> Data:
    """Return what is drawn before the spin, with its probabilities; nothing where nothing is."""
    drawn = book.paytable.multipliers
    if drawn is None:
        return {}
    counts, multiples = total_weight(drawn.counts), total_weight(drawn.multiples)
    data = {
        "clause": drawn.clause,
        "counts": [
            {"numbers": each.numbers, "probability": str(Fraction(each.weight, counts))} for each in drawn.counts
        ],
        "multiples": [
            {"pays": each.pays, "probability": str(Fraction(each.weight, multiples))} for each in drawn.multiples
        ],
        "mean_numbers": str(drawn.mean_numbers),
        "mean_pays": str(drawn.mean_pays),
    }
    return {"multipliers": data}


def progressive_data(book: Rulebook) -> Data:
    """Return what goes to the pot of a progressive bet, if there is one, and the exact return of the bet."""
    rules = book.paytable.progressive
    if rules is None:
        return {}
    spot = next(spot for spot in book.spots.values() if spot.kind == rules.kind)
    data = {
        "clause": rules.clause,
        "spot": spot.key,
        "contributes": odds_data(rules.contributes),
        "reserves": odds_data(rules.reserves),
        "seed": rules.seed,
        "must_hit_by": rules.must_hit_by,
        "stake": rules.stake,
        "return": str(1 - spot_edge(spot, book.paytable, book.wheel)),
    }
    return {"progressive": data}


def calls(book: Rulebook, profile: str | None) -> list[Data]:
    """Return every call in all its variants, if the profile offers it."""
    place = find_profile(book, profile)
    offered = [call for call in book.calls if place is None or call.name in place.calls]
    return [_call(book, said, call.clause) for call in offered for said in every_call(call, book.wheel)]


def _call(book: Rulebook, said: CallSelection, clause: str) -> Data:
    taken_apart = expand(book, said, None, None)
    edge = pieces_edge(stacks(taken_apart.bets), book.paytable, book.wheel)
    return {"call": str(said), "chips": taken_apart.chips, "edge": str(edge), "clause": clause}


def expansion_data(taken_apart: Expansion) -> Data:
    return {
        "call": taken_apart.call,
        "pieces": [{"spot": bet.spot.key, "amount": bet.stake} for bet in taken_apart.bets],
        "chips": taken_apart.chips,
        "cost": taken_apart.cost,
    }


def settlement_data(book: Rulebook, settled: Settlement) -> Data:
    return {
        "rulebook": book.id,
        "result": settled.pocket,
        **({"multipliers": dict(settled.multiples)} if settled.multiples else {}),
        **({} if settled.pot is None else {"pot": settled.pot.amount}),
        "staked": settled.staked,
        "returned": settled.returned,
        "net": settled.net,
        "bets": [_settled(bet) for bet in settled.bets],
    }


def _settled(settled: SettledBet) -> Data:
    return {
        "spot": settled.bet.spot.key,
        "amount": settled.bet.stake,
        "call": settled.bet.call or None,
        "pays": odds_data(settled.pays),
        "won": settled.won,
        "returned": settled.returned,
        **({"carried": settled.carried} if settled.carried else {}),
        "clause": settled.clause,
    }


def exposure_data(book: Rulebook, exposed: Exposure, credit: Cents) -> Data:
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


def clauses_data(book: Rulebook) -> Iterator[Data]:
    return (_clause(book, clause) for clause in book.clauses)


def _clause(book: Rulebook, clause: Clause) -> Data:
    return {
        "rulebook": book.id,
        "clause": clause.clause,
        "topic": clause.topic.value,
        "says": clause.paraphrase,
        "does": clause.behaviour,
        "code": list(clause.code),
        "no_code": clause.no_code or None,
        "awaits": clause.awaits or None,
        "tests": list(clause.tests),
    }


def rule_data(book: Rulebook, name: str, rounds: Iterable[Example]) -> Data | Refusal:
    """Return one clause with the transcripts that show it, or the clauses with the closest names."""
    known = {clause.clause: clause for clause in book.clauses}
    clause = known.get(ClauseId(name))
    if clause is None:
        plain = {each.lower(): each for each in known}
        nearest = tuple(plain[each] for each in get_close_matches(name.lower(), plain, n=5, cutoff=0.5))
        message = f"There is no clause '{name}' in {book.id}"
        message += f"; the nearest are {', '.join(nearest)}." if nearest else "."
        return Refusal(Code.UNKNOWN_RECORD, None, message, {"clause": name, "nearest": nearest})
    shown = citing(book, clause.clause, rounds)
    return {**_clause(book, clause), "rounds": [{"name": each.name, "text": each.text} for each in shown]}


def transcript_data(path: Path, round_: TranscriptResult) -> Data:
    return {
        "file": str(path),
        "rulebook": round_.rulebook,
        "acts": round_.acts,
        "holds": round_.holds,
        "differences": [asdict(difference) for difference in round_.differences],
    }


def felt(book: Rulebook) -> Data:
    """Return the layout in quarters of a cell: printed cells and boxes, and the position of each spot's chip."""
    return {
        "rulebook": book.id,
        "cells": [{"pocket": cell.pocket, **_area(cell.area)} for cell in book.layout.cells],
        "boxes": [{"bet": box.bet, "label": box.label, **_area(box.area)} for box in book.layout.boxes],
        "spots": [
            {"spot": spot.key, "kind": spot.kind, "along": spot.anchor.along, "across": spot.anchor.across}
            for spot in book.spots.values()
        ],
        "aliases": [{"alias": alias.name, "spot": alias.spot, **_area(alias.area)} for alias in book.aliases],
    }


def _area(area: Area) -> Data:
    return {"along": list(area.along), "across": list(area.across)}


POCKET_STYLE = {
    Colour.RED: "bold white on red3",
    Colour.BLACK: "bold white on grey11",
    Colour.GREEN: "bold white on green4",
}
SHORT_DIGEST = 7
#: The most pockets that are listed in one line.
FEW = 12


def money(cents: int, book: Rulebook) -> str:
    return f"{amount_text(cents)} {book.currency}"


def pocket_text(pocket: Pocket, wheel: Wheel) -> Text:
    return Text(f" {pocket} ", style=POCKET_STYLE[wheel.colour(pocket)])


def rulebooks(ledger: Iterable[Rulebook], *, numbered: bool = False) -> RenderableType:
    table = plain_table("rulebook", "venue", "version", "since", "spots", "digest", right=["spots"])
    for place, book in enumerate(ledger, start=1):
        since = book.effective.isoformat() if book.effective else "undated"
        name = f"{place}  {book.id}" if numbered else book.id
        table.add_row(name, book.venue, book.version, since, str(len(book.spots)), book.digest[:SHORT_DIGEST])
    return table


def checked(book: Rulebook, left: Iterable[MarkedLine]) -> RenderableType:
    lines = [Text.assemble(("Consistent. ", "bold green"), f"{book.id}, {book.title}: {len(book.spots)} spots.")]
    if not book.wheel.confirmed:
        lines.append(Text.assemble(("To confirm on installation: ", "bold yellow"), book.wheel.provenance))
    for file, line, text in left:
        lines.append(Text.assemble(("Still the template's: ", "bold yellow"), f"{file}:{line}: {text}"))
    lines.append(Text(f"digest {book.digest}", style="dim"))
    return Group(*lines)


def odds(book: Rulebook, calls: list[dict[str, Any]]) -> RenderableType:
    table = plain_table("bet", "spots", "covers", "pays", "edge", "clause", right=["spots", "covers", "pays", "edge"])
    for kind, same in groupby(book.spots.values(), key=lambda spot: spot.kind):
        spots = list(same)
        price = book.paytable.prices[kind]
        edge = _edge_text(spot_edge(spots[0], book.paytable, book.wheel))
        pays = pays_text(book, spots[0].kind, price.pays)
        table.add_row(price.label, str(len(spots)), str(len(spots[0].numbers)), pays, edge, price.clause)
    title = Group(Text(book.title, style="bold"), table, *_multipliers(book), *_progressive(book))
    if not calls:
        return title
    called = plain_table("call", "chips", "edge", "clause", right=["chips", "edge"])
    for row in _call_rows(calls):
        called.add_row(*row)
    return Group(title, Text(), called)


def _multipliers(book: Rulebook) -> Iterator[RenderableType]:
    """Say what is drawn before the spin, and how often."""
    drawn = book.paytable.multipliers
    if drawn is None:
        return
    table = plain_table("drawn", "probability", right=["probability"])
    for entries, unit in ((drawn.counts, "{} numbers"), (drawn.multiples, "straight up pays {} to 1")):
        for each in entries:
            what = each.numbers if isinstance(each, NumberCount) else each.pays
            text = "1 number" if (unit, what) == ("{} numbers", 1) else unit.format(what)
            table.add_row(text, str(Fraction(each.weight, total_weight(entries))))
    yield Text()
    yield table
    mean = f"On average {drawn.mean_numbers} numbers are drawn, and a straight up on one pays {drawn.mean_pays} to 1"
    yield Text.assemble(f"{mean}.", (f"  [{drawn.clause}]", "dim"))


#: A longer fraction says nothing to a reader.
_FRACTION_MOST: Final = 24


def _edge_text(edge: Fraction) -> str:
    """Write an edge as a fraction, or as a percentage if the fraction is long: JSON has it exactly."""
    exact = str(edge)
    return exact if len(exact) <= _FRACTION_MOST else f"{Decimal(round(edge * 10**6)) / 10**4} %"


def pays_text(book: Rulebook, kind: SpotKind, pays: Odds) -> str:
    """Say what a bet pays: its odds to one, or the pot."""
    rules = book.paytable.progressive
    return "the pot" if rules is not None and rules.kind == kind else f"{pays} to 1"


def _progressive(book: Rulebook) -> Iterator[RenderableType]:
    """Say what goes to the pot, where it begins, and when it must be won."""
    rules = book.paytable.progressive
    if rules is None:
        return
    yield Text()
    yield Text.assemble(
        f"Of each stake {rules.contributes} goes to the pot and {rules.reserves} to its reserve. It begins with "
        f"{money(rules.seed, book)}, and at {money(rules.must_hit_by, book)} it is won at the next spin. The edge is "
        f"that of one bet of {money(rules.stake, book)} at every spin.",
        (f"  [{rules.clause}]", "dim"),
    )


def _call_rows(calls: list[dict[str, Any]]) -> Iterator[tuple[str, str, str, str]]:
    """Return one row for each name: a table of thirty-eight neighbours with the same cost is of no use to a reader."""
    for name, same in groupby(calls, key=lambda call: call["call"].split(" ")[0]):
        group = list(same)
        chips = sorted({call["chips"] for call in group})
        shown = str(chips[0]) if len(chips) == 1 else f"{chips[0]} to {chips[-1]}"
        said = name if len(group) == 1 else f"{name} …  ({len(group)} of them)"
        yield said, shown, ", ".join(sorted({call["edge"] for call in group})), group[0]["clause"]


def expansion_table(taken_apart: Expansion) -> RenderableType:
    table = plain_table("spot", "amount", right=["amount"])
    for bet in taken_apart.bets:
        table.add_row(bet.spot.key, amount_text(bet.stake))
    total = Text(f"{taken_apart.chips} chips, {amount_text(taken_apart.cost)} in all", style="bold")
    return Group(Text(taken_apart.call, style="bold"), table, total)


def settlement_table(book: Rulebook, settled: Settlement) -> RenderableType:
    table = plain_table("bet", "stake", "", "returned", "clause", right=["stake", "returned"])
    for bet in settled.bets:
        table.add_row(*_settled_row(book, bet))
    drawn = f"   drawn {multiples_text(settled.multiples)}" if settled.multiples else ""
    pot = "" if settled.pot is None else f"   pot {money(Cents(settled.pot.amount), book)}"
    heading = Text.assemble("Result ", pocket_text(settled.pocket, book.wheel), drawn, pot)
    # A return below the stake is not a win, and is not presented as one.
    net = settled.net
    word, style = ("up", "bold green") if net > 0 else ("down", "bold") if net < 0 else ("even", "bold")
    total = Text.assemble(
        f"staked {money(settled.staked, book)}, returned {money(settled.returned, book)}: ",
        (f"{word} {money(abs(net), book)}" if net else "even", style),
    )
    return Group(heading, table, total)


def _settled_row(book: Rulebook, settled: SettledBet) -> tuple[str | Text, ...]:
    bet = settled.bet
    name = f"{bet.spot.key}  ({bet.call})" if bet.call else bet.spot.key
    if settled.carried:
        fate = Text("goes on to the next spin")
    elif settled.won:
        price = book.prices[bet.spot.kind]
        over = price.win_most is not None and replace(price, win_most=None).won(bet.stake) > price.win_most
        cap = f", capped at {amount_text(price.win_most)}" if over and price.win_most is not None else ""
        fate = Text(f"wins {pays_text(book, bet.spot.kind, settled.pays)}{cap}", style="green")
    elif settled.returned:
        fate = Text("half back")
    else:
        fate = Text("loses", style="dim")
    return name, amount_text(bet.stake), fate, amount_text(settled.returned), settled.clause


def exposure_table(book: Rulebook, exposed: Exposure, risk: dict[str, Any] | None) -> RenderableType:
    table = plain_table("pocket", "returned", "net", right=["returned", "net"])
    for pocket in book.pockets:
        gross = exposed.returns[pocket]
        table.add_row(pocket_text(pocket, book.wheel), amount_text(gross), amount_text(gross - exposed.staked))
    lines: list[RenderableType] = [table, Text(f"staked {money(exposed.staked, book)}", style="bold")]
    for word, returned in (("best", exposed.best), ("worst", exposed.worst)):
        pockets = exposed.where(returned)
        where = ", ".join(pockets) if len(pockets) <= FEW else f"{len(pockets)} pockets"
        lines.append(Text(f"{word} {money(returned, book)} back, on {where}"))
    if risk is not None:
        lines.append(_risk_line(book, risk))
    return Group(*lines)


def _risk_line(book: Rulebook, risk: dict[str, Any]) -> Text:
    verdict = ("Risk check passed", "green") if risk["allowed"] else (risk["message"], "bold red")
    margin, threshold = money(risk["margin"], book), money(risk["threshold"], book)
    reason = f": the best outcome is {margin} above the total bet, {threshold} is needed"
    return Text.assemble(verdict, reason, (f"  [{risk['clause']}]", "dim"))


def clauses_table(ledger: Iterable[Rulebook]) -> RenderableType:
    return Group(*(part for book in ledger for part in _matrix(book)))


def rule_table(row: dict[str, Any]) -> RenderableType:
    """Build the text of one clause in our words, and every transcript that shows it, verbatim."""
    table = plain_table("", "")
    parts: list[RenderableType] = [
        Text.assemble((row["clause"], "bold"), f"  {row['rulebook']}, {row['topic']}"),
        table,
    ]
    lines = [
        ("says", row["says"]),
        ("does", row["does"]),
        ("code", ", ".join(row["code"])),
        ("no code", row["no_code"]),
    ]
    lines += [("awaits", row["awaits"]), *(("test", test) for test in row["tests"])]
    for name, words in lines:
        if words:
            table.add_row(Text(name, style="dim"), Text(words))
    for file in row["rounds"]:
        parts += [Text.assemble("\n", (file["name"], "bold")), written(file["text"].rstrip())]
    return Group(*parts)


def transcript_table(rounds: list[dict[str, Any]], *, updated: bool) -> RenderableType:
    """Show every line that differs at its place, and how many transcripts hold."""
    parts = [part for each in rounds for part in _differences(each)]
    differ = [each for each in rounds if not each["holds"]]
    hold = len(rounds) - len(differ)
    said = f"{hold} {'round holds' if hold == 1 else 'rounds hold'}"
    if differ:
        fate = "rewritten, to be reviewed" if updated else "differ" if len(differ) > 1 else "differs"
        said += f", {len(differ)} {fate}"
    parts.append(Text(f"{said}.", style="bold red" if differ else "bold green"))
    return Group(*parts)


def _differences(row: dict[str, Any]) -> Iterator[Text]:
    for each in row["differences"]:
        yield written((f"{row['file']}:{each['line']}", "bold"), f": {each['says']}")
        for name in ("expected", "found"):
            for place, words in enumerate(each[name] or ("nothing",)):
                yield written(f"  {'' if place else name:8}  {words}")


def _matrix(book: Rulebook) -> Iterator[RenderableType]:
    yield Text(f"{book.id}: {len(book.clauses)} clauses", style="bold")
    table = plain_table("clause", "what is done", "code", "tests", right=["tests"])
    for clause in book.clauses:
        code = Text("\n".join(clause.code) or clause.no_code, style="" if clause.code else "dim")
        if clause.awaits:
            code.append(f"\nawaits {clause.awaits}", style="dim")
        table.add_row(clause.clause, clause.behaviour, code, str(len(clause.tests) or ""))
    yield table
