"""Rules responses as data and as tables, and the layout as text and as SVG."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from difflib import get_close_matches
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from croupier.cli.output import written
from croupier.rules.calls import CallSelection, every_call
from croupier.rules.geometry import Area, ChipPosition, Colour, Pocket, colour
from croupier.rules.money import Cents, amount_text
from croupier.rules.pricing import (
    Bet,
    Exposure,
    SettledBet,
    Settlement,
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
            "kind": spot.kind.value,
            "numbers": list(spot.numbers),
            "pays": book.paytable.prices[spot.kind].pays,
            "edge": str(spot_edge(spot, book.paytable, book.wheel)),
            "clause": book.paytable.prices[spot.kind].clause,
        }
        for spot in book.spots.values()
    ]


def calls(book: Rulebook, profile: str | None) -> list[Data] | Refusal:
    """Return every call in all its variants, if the profile offers it."""
    place = find_profile(book, profile)
    if isinstance(place, Refusal):
        return place
    offered = [call for call in book.calls if place is None or call.name in place.calls]
    return [_call(book, said, call.clause) for call in offered for said in every_call(call, book.wheel)]


def _call(book: Rulebook, said: CallSelection, clause: str) -> Data:
    taken_apart = expand(book, said, None, None)
    assert isinstance(taken_apart, Expansion)
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
        "says": clause.says,
        "does": clause.does,
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
        says = f"There is no clause '{name}' in {book.id}"
        says += f"; the nearest are {', '.join(nearest)}." if nearest else "."
        return Refusal(Code.UNKNOWN_RECORD, None, says, {"clause": name, "nearest": nearest})
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
            {"spot": spot.key, "kind": spot.kind.value, "along": spot.anchor.along, "across": spot.anchor.across}
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


def pocket_text(pocket: Pocket) -> Text:
    return Text(f" {pocket} ", style=POCKET_STYLE[colour(pocket)])


def _table(*columns: str, right: Iterable[str] = ()) -> Table:
    table = Table(header_style="bold", box=None, pad_edge=False, padding=(0, 1))
    for place, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if column in right else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=place == 0 or column in right)
    return table


def rulebooks(ledger: Iterable[Rulebook], *, numbered: bool = False) -> RenderableType:
    table = _table("rulebook", "venue", "version", "since", "spots", "digest", right=["spots"])
    for place, book in enumerate(ledger, start=1):
        since = book.effective.isoformat() if book.effective else "undated"
        name = f"{place}  {book.id}" if numbered else book.id
        table.add_row(name, book.venue, book.version, since, str(len(book.spots)), book.digest[:SHORT_DIGEST])
    return table


def checked(book: Rulebook) -> RenderableType:
    lines = [Text.assemble(("Consistent. ", "bold green"), f"{book.id}, {book.title}: {len(book.spots)} spots.")]
    if not book.wheel.confirmed:
        lines.append(Text.assemble(("To confirm on installation: ", "bold yellow"), book.wheel.provenance))
    lines.append(Text(f"digest {book.digest}", style="dim"))
    return Group(*lines)


def odds(book: Rulebook, calls: list[dict[str, Any]]) -> RenderableType:
    table = _table("bet", "spots", "covers", "pays", "edge", "clause", right=["spots", "covers", "pays", "edge"])
    for kind, same in groupby(book.spots.values(), key=lambda spot: spot.kind):
        spots = list(same)
        price = book.paytable.prices[kind]
        edge = str(spot_edge(spots[0], book.paytable, book.wheel))
        table.add_row(
            price.label, str(len(spots)), str(len(spots[0].numbers)), f"{price.pays} to 1", edge, price.clause
        )
    title = Text(book.title, style="bold")
    if not calls:
        return Group(title, table)
    called = _table("call", "chips", "edge", "clause", right=["chips", "edge"])
    for row in _call_rows(calls):
        called.add_row(*row)
    return Group(title, table, Text(), called)


def _call_rows(calls: list[dict[str, Any]]) -> Iterator[tuple[str, str, str, str]]:
    """Return one row for each name: a table of thirty-eight neighbours with the same cost is of no use to a reader."""
    for name, same in groupby(calls, key=lambda call: call["call"].split(" ")[0]):
        group = list(same)
        chips = sorted({call["chips"] for call in group})
        shown = str(chips[0]) if len(chips) == 1 else f"{chips[0]} to {chips[-1]}"
        said = name if len(group) == 1 else f"{name} …  ({len(group)} of them)"
        yield said, shown, ", ".join(sorted({call["edge"] for call in group})), group[0]["clause"]


def expansion_table(taken_apart: Expansion) -> RenderableType:
    table = _table("spot", "amount", right=["amount"])
    for bet in taken_apart.bets:
        table.add_row(bet.spot.key, amount_text(bet.stake))
    total = Text(f"{taken_apart.chips} chips, {amount_text(taken_apart.cost)} in all", style="bold")
    return Group(Text(taken_apart.call, style="bold"), table, total)


def settlement_table(book: Rulebook, settled: Settlement) -> RenderableType:
    table = _table("bet", "stake", "", "returned", "clause", right=["stake", "returned"])
    for bet in settled.bets:
        table.add_row(*_settled_row(book, bet))
    heading = Text.assemble("Result ", pocket_text(settled.pocket))
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
    pays = book.paytable.prices[bet.spot.kind].pays
    fate = Text(f"wins {pays} to 1", style="green") if settled.won else Text("loses", style="dim")
    return name, amount_text(bet.stake), fate, amount_text(settled.returned), settled.clause


def exposure_table(book: Rulebook, exposed: Exposure, risk: dict[str, Any] | None) -> RenderableType:
    table = _table("pocket", "returned", "net", right=["returned", "net"])
    for pocket in book.pockets:
        gross = exposed.returns[pocket]
        table.add_row(pocket_text(pocket), amount_text(gross), amount_text(gross - exposed.staked))
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
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
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
    table = _table("clause", "what is done", "code", "tests", right=["tests"])
    for clause in book.clauses:
        code = Text("\n".join(clause.code) or clause.no_code, style="" if clause.code else "dim")
        if clause.awaits:
            code.append(f"\nawaits {clause.awaits}", style="dim")
        table.add_row(clause.clause, clause.does, code, str(len(clause.tests) or ""))
    yield table


MARK = "•"
RING = "○"

Canvas = dict[tuple[int, int], tuple[str, str]]


def _areas(book: Rulebook) -> Iterator[tuple[str, Area, str]]:
    """Yield each printed area with its words and its colour, the cells first."""
    for cell in book.layout.cells:
        yield cell.pocket, cell.area, colour(cell.pocket)
    for box in book.layout.boxes:
        yield box.label, box.area, box.bet if str(box.bet) in (Colour.RED, Colour.BLACK) else ""


def _extent(book: Rulebook) -> Area:
    """Return the bounds of the drawing, including second places for spots."""
    areas = [area for _, area, _ in _areas(book)] + [alias.area for alias in book.aliases]
    along = [edge for area in areas for edge in area.along]
    across = [edge for area in areas for edge in area.across]
    return Area((min(along), max(along)), (min(across), max(across)))


def felt_text(book: Rulebook) -> Text:
    """Draw with characters: a cell is five wide and four high, the zeros at the left, the dozens below."""
    canvas: Canvas = {}
    areas = list(_areas(book))
    extent = _extent(book)
    left, top = extent.along[0], extent.across[1]

    def place(along: int, across: int) -> tuple[int, int]:
        return (along - left) * 5 // 4, top - across

    for label, area, tint in areas:
        _frame(canvas, place(area.along[0], area.across[1]), place(area.along[1], area.across[0]))
        # The words are above the middle, which belongs to the chip.
        (x, _), (end, _), (_, y) = place(area.along[0], 0), place(area.along[1], 0), place(0, area.middle.across + 1)
        inner = end - x - 1
        words = label if len(label) <= inner else label.replace(" to ", ":")
        for step, letter in enumerate(words.center(inner)):
            canvas[x + 1 + step, y] = (letter, POCKET_STYLE[Colour(tint)] if tint else "bold")
    for spot in book.spots.values():
        canvas[place(spot.anchor.along, spot.anchor.across)] = (MARK, "bold yellow")
    for alias in book.aliases:
        canvas[place(alias.area.middle.along, alias.area.middle.across)] = (RING, "bold yellow")
    return Text.assemble(_drawn(canvas), f"{len(book.spots)} spots, each marked {MARK}", *_alias_words(book))


def _alias_words(book: Rulebook) -> Iterator[str]:
    for alias in book.aliases:
        yield f"\n{RING} {alias.label}: a second place for {alias.spot}"


def _frame(canvas: Canvas, start: tuple[int, int], end: tuple[int, int]) -> None:
    for x in range(start[0], end[0] + 1):
        for y in range(start[1], end[1] + 1):
            if x in (start[0], end[0]) and y in (start[1], end[1]):
                canvas[x, y] = ("+", "dim")
            elif y in (start[1], end[1]):
                canvas.setdefault((x, y), ("-", "dim"))
            elif x in (start[0], end[0]):
                canvas[x, y] = ("|", "dim")


def _drawn(canvas: Canvas) -> Text:
    text = Text()
    width = max(x for x, _ in canvas)
    for y in range(min(y for _, y in canvas), max(y for _, y in canvas) + 1):
        for x in range(width + 1):
            letter, style = canvas.get((x, y), (" ", ""))
            text.append(letter, style=style)
        text.append("\n")
    return text


QUARTER = 17
SMALL, LARGE = 15, 20
#: No number has more digits: longer texts are words, in a smaller size.
NUMBER_WIDTH = 2
MARGIN = 34
FILLS = {Colour.RED: "#b81027", Colour.BLACK: "#17181c", Colour.GREEN: "#076b33", "": "none"}
INK = "#f4efe0"
LINE = "#e9e2c8"
GOLD = "#e3b95b"
FONT = "Helvetica Neue, Arial, Liberation Sans, Roboto, Noto Sans, sans-serif"


def felt_svg(book: Rulebook) -> str:
    """Draw an SVG: the printed layout, and a gold mark at each spot's chip position, with its name as a tooltip."""
    areas = list(_areas(book))
    extent = _extent(book)
    (left, right), (foot, top) = extent.along, extent.across
    width, height = (right - left) * QUARTER + 2 * MARGIN, (top - foot) * QUARTER + 2 * MARGIN + 2 * QUARTER

    def place(along: int, across: int) -> tuple[int, int]:
        return (along - left) * QUARTER + MARGIN, (top - across) * QUARTER + MARGIN

    name = f"{escape(book.venue)}: the layout and its {len(book.spots)} spots"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        f'  font-family="{FONT}" role="img" aria-label="{name}">',
        '<defs><radialGradient id="cloth" cy="0.35" r="0.9"><stop stop-color="#13724c"/>',
        '<stop offset="0.6" stop-color="#0d5839"/><stop offset="1" stop-color="#083c27"/></radialGradient></defs>',
        f'<rect width="{width}" height="{height}" rx="18" fill="url(#cloth)"/>',
    ]
    for label, area, tint in areas:
        parts += _svg_area(label, place(area.along[0], area.across[1]), place(area.along[1], area.across[0]), tint)
    for mark, anchor, ring in _svg_marks(book):
        x, y = place(anchor.along, anchor.across)
        look = f'fill="none" stroke="{GOLD}" stroke-width="2"' if ring else f'fill="{GOLD}" stroke="#241a04"'
        parts.append(f'<circle cx="{x}" cy="{y}" r="4.5" {look}><title>{escape(mark)}</title></circle>')
    legend = f"{book.venue}: {len(book.spots)} spots, each marked where its chip lies"
    legend += "".join(f"; the ring is the {alias.label}, a second place for {alias.spot}" for alias in book.aliases)
    parts.append(_svg_text(legend, MARGIN, height - MARGIN // 2, size=14, align="start"))
    return "\n".join([*parts, "</svg>", ""])


def _svg_marks(book: Rulebook) -> Iterator[tuple[str, ChipPosition, bool]]:
    for spot in book.spots.values():
        price = book.paytable.prices[spot.kind]
        yield f"{price.label} {spot.key} · {price.pays} to 1", spot.anchor, False
    for alias in book.aliases:
        yield f"{alias.label} · {alias.spot}", alias.area.middle, True


def _svg_area(label: str, start: tuple[int, int], end: tuple[int, int], tint: str) -> Iterable[str]:
    (x, y), (right, foot) = start, end
    fill = FILLS[Colour(tint) if tint else ""]
    yield f'<rect x="{x}" y="{y}" width="{right - x}" height="{foot - y}" rx="3" fill="{fill}" stroke="{LINE}"/>'
    # The words are above the middle, which belongs to the chip.
    yield _svg_text(
        label, (x + right) // 2, (y + foot) // 2 - QUARTER // 2, size=SMALL if len(label) > NUMBER_WIDTH else LARGE
    )


def _svg_text(words: str, x: int, y: int, *, size: int, align: str = "middle") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="700" fill="{INK}" text-anchor="{align}">'
        f"{escape(words)}</text>"
    )
