"""The rules as text: what a venue plays by, for people to read and for programs to fetch."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from html import escape
from typing import Any, Final

from croupier.rules.bet import stacks
from croupier.rules.callbet import CallBet, Called, every_call
from croupier.rules.clause import Clause
from croupier.rules.odds import pieces_edge, spot_edge
from croupier.rules.offer import Expansion, expand
from croupier.rules.procedure import Occasion
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import Kind

Data = dict[str, Any]


def rules_data(rulebook: Rulebook, clauses: Iterable[Clause]) -> Data:
    """Give the rules as plain data: the bets with their odds, the calls, the fixed words, and every clause."""
    return {
        "id": rulebook.id,
        "venue": rulebook.venue,
        "title": rulebook.title,
        "version": rulebook.version,
        "effective": rulebook.effective.isoformat() if rulebook.effective else None,
        "currency": rulebook.currency,
        "digest": rulebook.digest,
        "pockets": len(rulebook.wheel.order),
        "bets": [_bet(rulebook, kind) for kind in Kind if kind in rulebook.paytable.prices],
        "calls": [_call(rulebook, call) for call in rulebook.calls],
        "messages": {
            occasion.value: {
                "texts": list(rulebook.messages[occasion].texts),
                "clause": rulebook.messages[occasion].clause,
            }
            for occasion in Occasion
            if occasion in rulebook.messages
        },
        # The clause on which result counts, should a display differ.
        "authority": rulebook.procedure.authority.clause,
        "clauses": [_clause(clause) for clause in clauses],
    }


def _bet(rulebook: Rulebook, kind: Kind) -> Data:
    price = rulebook.paytable.prices[kind]
    spots = [spot for spot in rulebook.spots.values() if spot.kind is kind]
    return {
        "kind": kind,
        "label": price.label,
        "covers": sorted({len(spot.numbers) for spot in spots}),
        "spots": len(spots),
        "pays": price.pays,
        "edge": sorted({str(spot_edge(spot, rulebook.paytable, rulebook.wheel)) for spot in spots}),
        "clause": price.clause,
    }


def _call(rulebook: Rulebook, call: CallBet) -> Data:
    chips = {_expansion(rulebook, said).chips for said in every_call(call, rulebook.wheel)}
    return {
        "name": call.name,
        "label": call.label,
        "chips": sorted(chips),
        "edge": sorted({str(_call_edge(rulebook, said)) for said in every_call(call, rulebook.wheel)}),
        "clause": call.clause,
    }


def _expansion(rulebook: Rulebook, said: Called) -> Expansion:
    taken_apart = expand(rulebook, said, None, None)
    assert isinstance(taken_apart, Expansion)
    return taken_apart


def _call_edge(rulebook: Rulebook, said: Called) -> Fraction:
    return pieces_edge(stacks(_expansion(rulebook, said).bets), rulebook.paytable, rulebook.wheel)


def _clause(clause: Clause) -> Data:
    return {
        "clause": clause.clause,
        "topic": clause.topic,
        "says": clause.says,
        "does": clause.does,
        "no_code": clause.no_code or None,
        "awaits": clause.awaits or None,
        "tests": list(clause.tests),
    }


def rules_html(rules: Data) -> str:
    """Write the rules to be read: the odds first, then every clause with what the software does about it."""
    parts = (
        '<main class="rules">',
        f"<h1>{escape(rules['venue'])}: {escape(rules['title'])}</h1>",
        f"<p>{_edition(rules)}</p>",
        "<h2>Bets and odds</h2>",
        "<p>What one unit pays when it wins, besides the unit itself, and the part of every stake that the house",
        f"keeps in the long run. The wheel has {rules['pockets']} pockets. Past results do not change the odds.</p>",
        *_table(("Bet", "Numbers covered", "Pays", "House keeps", "Clause"), map(_bet_row, rules["bets"])),
        *(_calls(rules["calls"]) if rules["calls"] else ()),
        *(_messages(rules["messages"]) if rules["messages"] else ()),
        "<h2>Clauses</h2>",
        *_clauses(rules["clauses"]),
        "</main>",
    )
    return "\n".join(parts)


def _edition(rules: Data) -> str:
    effective = f", in force from {rules['effective']}" if rules["effective"] else ""
    words = f"Edition {rules['version']}{effective}. Amounts are in {rules['currency']}. "
    return f"{escape(words)}Fingerprint of the rules as played: <code>{rules['digest'][:16]}</code>."


def _bet_row(bet: Data) -> tuple[str, ...]:
    covers = " or ".join(map(str, bet["covers"]))
    return bet["label"], covers, f"{bet['pays']} to 1", _kept(bet["edge"]), bet["clause"]


def _kept(edges: Iterable[str]) -> str:
    return " or ".join(f"{edge} ({_percent(Fraction(edge))})" for edge in edges)


def _percent(edge: Fraction) -> str:
    """Round to two decimals, half away from nothing, in whole numbers."""
    hundredths = (abs(edge) * 10_000 * 2 + 1) // 2
    return f"{'-' if edge < 0 else ''}{hundredths // 100}.{hundredths % 100:02d} %"


def _calls(calls: Iterable[Data]) -> Iterator[str]:
    yield "<h2>Call bets</h2>"
    rows = ((call["label"], call["name"], _span(call["chips"]), _kept(call["edge"]), call["clause"]) for call in calls)
    yield from _table(("Call", "In the notation", "Chips", "House keeps", "Clause"), rows)


def _span(chips: list[int]) -> str:
    return str(chips[0]) if len(chips) == 1 else f"{chips[0]} to {chips[-1]}"


def _messages(messages: Data) -> Iterator[str]:
    yield "<h2>Words that the rules fix</h2>"
    rows = (
        (_OCCASIONS[name], ", or ".join(f"“{text}”" for text in each["texts"]), each["clause"])
        for name, each in messages.items()
    )
    yield from _table(("When", "Words", "Clause"), rows)


_OCCASIONS: Final = {
    "open": "Betting opens",
    "finish_betting": "Betting is about to close",
    "closed": "Betting is closed",
    "closed_call": "The dealer closes betting",
    "no_spin": "A spin does not count",
}


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{head}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for name, *cells in rows:
        cells_html = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        yield f'<tr><th scope="row">{escape(name)}</th>{cells_html}</tr>'
    yield "</tbody></table></div>"


def _clauses(clauses: list[Data]) -> Iterator[str]:
    if not clauses:
        yield "<p>The commentary at hand is of another edition than the rules in force here, and is not shown.</p>"
        return
    yield "<p>Each clause as the venue's document numbers it, in our words, and what the software does about it.</p>"
    yield "<dl>"
    for each in clauses:
        yield f'<dt id="{escape(each["clause"])}">{escape(each["clause"])}</dt>'
        yield f'<dd><p>{escape(each["says"])}</p><p class="does">{escape(_done(each))}</p></dd>'
    yield "</dl>"


def _done(clause: Data) -> str:
    """Say what is done, and be honest about what is not."""
    if clause["no_code"]:
        return f"Not done by the software: {clause['no_code']}. It would be: {clause['does']}"
    return f"{clause['does']} Not yet: {clause['awaits']}." if clause["awaits"] else str(clause["does"])
