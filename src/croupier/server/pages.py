"""The pages as HTML, their manifests, and the rules as text."""

import hashlib
import posixpath
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from html import escape
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec

from croupier.house import House
from croupier.house.ids import DeviceKind
from croupier.house.settings import Mode
from croupier.house.state.tables import Table
from croupier.rules.calls import NUMBERS_UNDER_MARKER, CallBet, CallSelection, every_call
from croupier.rules.drills import DENOMINATIONS, Drill, Level, levels_of
from croupier.rules.geometry import CELL, Area, Pocket, SpotKey, SpotKind
from croupier.rules.payouts import denomination, value_chips
from croupier.rules.pricing import pieces_edge, spot_edge, stacks
from croupier.rules.procedure import MessageKind
from croupier.rules.refusal import Clause
from croupier.rules.rulebook import Expansion, PayoutTable, Rulebook, expand
from croupier.server.assets import EARLY, FONT, LOBBY, PLAIN_SHEET, SHEETS, THEME, TRAINER, own_assets
from croupier.server.views.felt import felt_data

#: The purpose of each screen, as the index page states it.
PURPOSES: Final[dict[str, str]] = {
    DeviceKind.TERMINAL: "play",
    DeviceKind.DEALER: "run the rounds of a table",
    DeviceKind.PIT: "watch over the floor, see to what went wrong, sign",
    DeviceKind.CASHIER: "pay slips and tickets, keep a drawer",
    DeviceKind.BOARD: "a display for everybody: the number, the phase, the past",
    DeviceKind.AUDITOR: "look, and change nothing",
    DeviceKind.LIVE_TABLE: "deal a live table: players, colours, chips",
    DeviceKind.NOTICE: "the notice at a table: limits, odds, rules; also on paper",
    TRAINER: "practise payouts",
}
DEMO: Final = "DEMO: play money only"
#: The icon of every page, and the messages that every page needs, by their paths below `static`.
ICON: Final = "theme/icon.svg"
MESSAGES: Final = "words/en.json"
STAFF_MESSAGES: Final = "words/staff/en.json"
LIVE_MESSAGES: Final = "words/live/en.json"
#: The screens of players; all others have the messages of staff too.
_PUBLIC: Final = (DeviceKind.TERMINAL, LOBBY)
_NO_FELTS: Final[Mapping[str, "SmallFelt"]] = MappingProxyType({})
#: The screens of live tables, which have messages of their own.
_LIVE: Final = (DeviceKind.LIVE_TABLE, DeviceKind.NOTICE)
#: Pages of players and of the public take the whole screen when they are installed.
_FULL_SCREEN: Final = (DeviceKind.TERMINAL, DeviceKind.BOARD, DeviceKind.LIVE_TABLE, DeviceKind.NOTICE)


class PageContext(NamedTuple):
    """What every document shares: the name of the house, and the version of its files."""

    venue: str
    demo: bool
    version: str
    #: The relative path to the root of the site, as no address is absolute.
    root: str = ""
    #: Whether a page loads its modules and style sheets apart, as they are written.
    apart: bool = False
    #: The origins at which clients reach the house, besides that of the page.
    addresses: tuple[str, ...] = ()
    #: The timezone in which pages write times.
    timezone: str = "UTC"


class TableLink(msgspec.Struct, frozen=True):
    """A table as a page shows it before it is connected: enough to choose one."""

    table: str
    rulebook: str
    title: str
    #: The hash of its usual felt, so that a page fetches it while it connects.
    felt: str


class ScreenData(msgspec.Struct, frozen=True, omit_defaults=True):
    """The data of a page in its own document."""

    screen: str
    venue: str
    mode: str
    tables: tuple[TableLink, ...]
    #: The timezone in which the page writes times, as documents do.
    timezone: str
    #: The origins to connect to when that of the page does not answer.
    addresses: tuple[str, ...] = ()


class SmallFelt(msgspec.Struct, frozen=True):
    """What a card of the lobby draws: the cells and boxes of a layout in quarters of a cell, and the wheel."""

    #: The pocket, its colour, and its area along and across the layout.
    cells: tuple[tuple[str, str, int, int, int, int], ...]
    boxes: tuple[tuple[int, int, int, int], ...]
    wheel: tuple[str, ...]


class LobbyData(ScreenData, frozen=True):
    """The data of the lobby in its own document: also what its cards draw, by rulebook."""

    felts: dict[str, SmallFelt] = {}


class AuthorityClause(msgspec.Struct, frozen=True):
    """The clause on which result counts where a display differs, and which it is."""

    clause: str
    says: str
    governs: str


class BoardData(ScreenData, frozen=True):
    """The data of a board in its own document: also the felts of its tables by hash, and a clause by rulebook."""

    felts: dict[str, msgspec.Raw] = {}
    authority: dict[str, AuthorityClause] = {}


class DrillOffer(msgspec.Struct, frozen=True):
    """A rulebook that has drills, and their levels."""

    rulebook: str
    title: str
    currency: str
    levels: tuple[Level, ...]


class TrainerData(msgspec.Struct, frozen=True):
    """The data of the trainer in its own document."""

    screen: str
    venue: str
    drills: tuple[DrillOffer, ...]


def tables_of(house: House) -> tuple[TableLink, ...]:
    return tuple(_table_link(table) for table in house.tables.values())


def _table_link(table: Table) -> TableLink:
    rulebook = table.rulebook
    felt = felt_data(rulebook, dozens=table.settings.dozen_labels)
    return TableLink(table.id, rulebook.id, _title(rulebook), felt.hash)


def _title(rulebook: Rulebook) -> str:
    return f"{rulebook.venue}: {rulebook.title}"


def screen_page(frame: PageContext, connection: DeviceKind, tables: Iterable[TableLink]) -> str:
    """Build the document of a screen."""
    name = connection.value
    mode = Mode.DEMO if frame.demo else Mode.REAL
    return _script_page(
        frame, name, ScreenData(name, frame.venue, mode, tuple(tables), frame.timezone, frame.addresses)
    )


def board_page(frame: PageContext, tables: Iterable[Table], clauses: Mapping[str, Iterable[Clause]]) -> str:
    """Build the document of a board, with what it would fetch otherwise. The clauses are by digest of the rulebook."""
    tables = tuple(tables)
    felts = (felt_data(table.rulebook, dozens=table.settings.dozen_labels) for table in tables)
    authority = {
        table.rulebook.id: AuthorityClause(clause.clause, clause.paraphrase, table.rulebook.procedure.authority.choice)
        for table in tables
        for clause in clauses.get(table.rulebook.digest, ())
        if clause.clause == table.rulebook.procedure.authority.clause
    }
    name, mode = DeviceKind.BOARD.value, Mode.DEMO if frame.demo else Mode.REAL
    data = BoardData(
        *(name, frame.venue, mode, tuple(map(_table_link, tables)), frame.timezone, frame.addresses),
        felts={felt.hash: msgspec.Raw(felt.body) for felt in felts},
        authority=authority,
    )
    return _script_page(frame, name, data)


def trainer_page(frame: PageContext, rulebooks: Iterable[Rulebook]) -> str:
    """Build the document of the payout trainer."""
    offers = (
        DrillOffer(book.id, _title(book), book.currency, levels) for book in rulebooks if (levels := levels_of(book))
    )
    return _script_page(frame, TRAINER, TrainerData(TRAINER, frame.venue, tuple(offers)))


def _script_page(frame: PageContext, name: str, place: msgspec.Struct, before: str | None = None) -> str:
    """Build a document with a script: its data, and what it shows before the script or without one."""
    script = _asset(frame, f"{name}/{name}.js" if frame.apart else f"{name}.js")
    head = f'<script type="module" src="{script}"></script>'
    data = _data("place", msgspec.json.encode(place))
    # A script waits for the style sheets before it, so a terminal's own stands before them, with its data.
    first = f"{data}\n<script>{_early()}</script>" if name == DeviceKind.TERMINAL else ""
    # The English messages come with the page: any page needs them, and a request for them would take longer.
    messages = _messages_data(name)
    shown = f"<noscript>{_NO_SCRIPT}</noscript>" if before is None else before
    held = messages if first else f"{data}\n{messages}"
    body = f'{held}\n<main id="app" class="app {name}">{shown}</main>'
    return document(frame, _screen_name(name), body, first=first, head=head, sheet=SHEETS[name])


def _early() -> str:
    """Return the script that is part of a terminal's document."""
    return _file(posixpath.basename(EARLY)).decode()


@cache
def early_hash() -> str:
    """Return the source expression that allows that script, and no other, in a content security policy."""
    return f"'sha256-{b64encode(hashlib.sha256(_early().encode()).digest()).decode()}'"


def _screen_name(name: str) -> str:
    return name.replace("_", " ").capitalize()


@cache
def _messages_data(screen: str) -> str:
    """Embed the English messages that a screen may say. They are found once in a process."""
    words = msgspec.json.decode(_file(MESSAGES))
    if screen in _PUBLIC:
        return _data("messages", msgspec.json.encode(_said(screen, words)))
    words |= msgspec.json.decode(_file(STAFF_MESSAGES))
    if screen in _LIVE:
        words |= msgspec.json.decode(_file(LIVE_MESSAGES))
    marks = " data-staff" + " data-live" * (screen in _LIVE)
    return _data("messages", msgspec.json.encode(_said(screen, words)), marks)


_ID: Final = re.compile(r"[\"`]([a-z][\w-]*(?:\.[\w-]+)*)[\"`]")
#: Ids that a page puts together begin with this.
_MADE_ID: Final = re.compile(r"`([a-z][\w-]*\.)\$\{|\"([a-z][\w-]*\.)\"")


def _said(screen: str, words: Mapping[str, str]) -> dict[str, str]:
    """Return the messages whose ids are in the script of a screen, whole or by how they begin.

    A screen loads all others with its deferred scripts.
    """
    script = _file(f"{screen}.js").decode()
    whole = set(_ID.findall(script))
    made = tuple({start for starts in _MADE_ID.findall(script) for start in starts if start})
    return {name: text for name, text in words.items() if name in whole or name.startswith(made)}


def manifest(frame: PageContext, connection: DeviceKind) -> bytes:
    """Build the web manifest of a screen, with which a browser installs it as an application."""
    display = "fullscreen" if connection in _FULL_SCREEN else "standalone"
    icon = {"src": _asset(frame, ICON), "sizes": "any", "type": "image/svg+xml"}
    name = f"{frame.venue or 'Croupier'} · {_screen_name(connection)}"
    return msgspec.json.encode(
        {
            "name": name,
            "short_name": _screen_name(connection),
            "start_url": f"{frame.root}{connection.value}",
            "display": display,
            "background_color": "#0b2e1f",
            "theme_color": "#0b2e1f",
            "icons": [icon],
        }
    )


_NO_SCRIPT: Final = "<p>This page talks to the house while it is open, which takes JavaScript.</p>"


def small_felt(rulebook: Rulebook) -> SmallFelt:
    """Return the outline of a layout, for a card."""
    layout, wheel = rulebook.layout, rulebook.wheel
    cells = (
        (each.pocket, wheel.colour(each.pocket).value, *each.area.along, *each.area.across) for each in layout.cells
    )
    boxes = ((*each.area.along, *each.area.across) for each in layout.boxes)
    return SmallFelt(tuple(cells), tuple(boxes), wheel.order)


def index_page(frame: PageContext, tables: Iterable[TableLink], felts: Mapping[str, SmallFelt] = _NO_FELTS) -> str:
    """Build the lobby. Before its script, and without one, it lists the tables and links to every screen."""
    connections = "\n".join(
        f'<li><a href="{name}">{_screen_name(name)}</a> <span>{words}</span></li>' for name, words in PURPOSES.items()
    )
    tables = tuple(tables)
    before = (
        f"<noscript>\n<h1>{escape(frame.venue)}</h1>\n"
        f'<h2>Tables</h2>\n<ul class="tables">\n{"".join(map(_table_card, tables))}</ul>\n'
        f'<h2>Screens</h2>\n<ul class="screen-links">\n{connections}\n</ul>\n</noscript>'
    )
    mode = Mode.DEMO if frame.demo else Mode.REAL
    return _script_page(
        frame, LOBBY, LobbyData(LOBBY, frame.venue, mode, tables, frame.timezone, felts=dict(felts)), before
    )


def _table_card(table: TableLink) -> str:
    at = quote(table.table, safe="")
    rules = f'<a href="rules/{quote(table.rulebook, safe="")}">{escape(table.title)}</a>'
    ways = f'<a href="terminal#table={at}">Play</a> <a href="board#table={at}">Board</a>'
    return f"<li><h3>{escape(table.table)}</h3> <p>{rules}</p> <p>{ways}</p></li>\n"


def plain_page(frame: PageContext, heading: str, words: str) -> str:
    """Build a page with one message."""
    body = f'<main class="index entrance">\n{_venue(frame)}<h1>{escape(heading)}</h1>\n<p>{escape(words)}</p>\n'
    body += f'<p><a href="{frame.root or "./"}">To the first page</a></p>\n</main>'
    return document(frame, heading, body)


def _venue(frame: PageContext) -> str:
    return f'<p class="venue">{escape(frame.venue)}</p>\n' if frame.venue else ""


def document(  # noqa: PLR0913 - each is a part of the document
    frame: PageContext, title: str, body: str, *, first: str = "", head: str = "", sheet: str = PLAIN_SHEET
) -> str:
    """Build a whole document; a demonstration is marked in its title and at its top."""
    named = " · ".join((*(["DEMO"] if frame.demo else []), frame.venue or "Croupier", title))
    folder = f"{THEME}/" if frame.apart else ""
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(named)}</title>",
        f'<link rel="icon" href="{_icon()}">',
        *([first] if first else []),
        # The font begins to load with the style sheet that names it.
        f'<link rel="preload" href="{_asset(frame, folder + FONT)}" as="font" crossorigin>',
        f'<link rel="stylesheet" href="{_asset(frame, folder + sheet)}">',
        *([head] if head else []),
        "</head>",
        "<body>",
        *([f'<p class="demo">{DEMO}</p>'] if frame.demo else []),
        body,
        "</body>",
        "</html>",
        "",
    )
    return "\n".join(lines)


@cache
def _icon() -> str:
    """Return the icon as data, as it is shorter than a request for it."""
    return f"data:image/svg+xml,{quote(_file(ICON))}"


def _file(path: str) -> bytes:
    file = own_assets().find(path)
    assert file is not None
    return file.body


def _asset(frame: PageContext, path: str) -> str:
    return f"{frame.root}static/{frame.version}/{path}"


def _data(name: str, encoded: bytes, marks: str = "") -> str:
    """Embed JSON in a document: it is escaped so that it cannot end its element."""
    text = encoded.decode().replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}"{marks}>{text}</script>'


Data = dict[str, Any]


def rules_data(rulebook: Rulebook, clauses: Iterable[Clause]) -> Data:
    """Return the rules as plain data: the bets with their odds, the calls, the fixed words, and every clause."""
    return {
        "id": rulebook.id,
        "venue": rulebook.venue,
        "title": rulebook.title,
        "version": rulebook.version,
        "effective": rulebook.effective.isoformat() if rulebook.effective else None,
        "currency": rulebook.currency,
        "digest": rulebook.digest,
        "pockets": len(rulebook.wheel.order),
        "bets": [_bet(rulebook, kind) for kind in rulebook.prices],
        "calls": [_call(rulebook, call) for call in rulebook.calls],
        "messages": {
            occasion.value: {
                "texts": list(rulebook.messages[occasion].texts),
                "clause": rulebook.messages[occasion].clause,
            }
            for occasion in MessageKind
            if occasion in rulebook.messages
        },
        # The clause on which result counts if a display differs, and what it says counts.
        "authority": rulebook.procedure.authority.clause,
        "governs": rulebook.procedure.authority.choice,
        "clauses": [_clause(clause) for clause in clauses],
    }


def _bet(rulebook: Rulebook, kind: SpotKind) -> Data:
    price = rulebook.paytable.prices[kind]
    spots = [spot for spot in rulebook.spots.values() if spot.kind == kind]
    return {
        "kind": kind,
        "label": price.label,
        "covers": sorted({len(spot.numbers) for spot in spots}),
        "spots": len(spots),
        "pays": price.odds,
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


def _expansion(rulebook: Rulebook, said: CallSelection) -> Expansion:
    return expand(rulebook, said, None, None)


def _call_edge(rulebook: Rulebook, said: CallSelection) -> Fraction:
    return pieces_edge(stacks(_expansion(rulebook, said).bets), rulebook.paytable, rulebook.wheel)


def _clause(clause: Clause) -> Data:
    return {
        "clause": clause.clause,
        "topic": clause.topic,
        "says": clause.paraphrase,
        "does": clause.behaviour,
        "no_code": clause.no_code or None,
        "awaits": clause.awaits or None,
        "tests": list(clause.tests),
    }


def drill_data(felt: PayoutTable, drill: Drill) -> Data:
    """Return a drill as plain data: the felt around the number, the chips, and the whole working."""
    [due] = drill.payment.pieces
    cells = {cell.pocket: cell.area for cell in felt.rulebook.layout.cells}
    around = _around(cells[drill.pocket])
    lines = [_drill_line(felt, drill.pocket, spot, count) for spot, count in drill.pieces.items()]
    return {
        "rulebook": felt.rulebook.id,
        "level": drill.level,
        "seed": drill.seed,
        "pocket": drill.pocket,
        "chip": drill.chip,
        "value": drill.value,
        "cells": [
            {"pocket": pocket, "colour": felt.rulebook.wheel.colour(pocket), **_area(area)}
            for pocket, area in cells.items()
            if _seen(area, around)
        ],
        "boxes": [
            {"bet": box.bet, "label": box.label, **_area(box.area)}
            for box in felt.rulebook.layout.boxes
            if _seen(box.area, around)
        ],
        "lines": lines,
        # What a dealer adds up: all pieces at the same odds together.
        "sums": [_drill_sum(odds, lines) for odds in sorted({line["odds"] for line in lines}, reverse=True)],
        "question": drill.question,
        "answer": list(drill.answer),
        "pieces": due.pieces,
        "stacks": list(due.stacks),
        "amount": drill.payment.due,
        "cash": [[denomination(chip), count] for chip, count in value_chips(drill.payment.due, DENOMINATIONS)],
    }


def _drill_line(felt: PayoutTable, pocket: Pocket, spot: SpotKey, count: int) -> Data:
    """Return the chips on a spot, or on the block: of a marker bet a fifth counts on the number."""
    block = felt.blocks.get(spot)
    on = felt.spots[spot if block is None else pocket]
    price = felt.rulebook.paytable.prices[on.kind]
    counts = count if block is None else count // NUMBERS_UNDER_MARKER
    place = {"along": on.anchor.along, "across": on.anchor.across} if block is None else {"numbers": block.numbers}
    label = f"{price.label} {spot}" if block is None else spot
    return {
        "spot": spot,
        "kind": on.kind,
        "label": label[:1].upper() + label[1:],
        "placed": count,
        "counts": counts,
        "odds": price.odds,
        "out": price.won(counts),
        **place,
    }


def _drill_sum(odds: int, lines: Iterable[Data]) -> Data:
    counts = sum(line["counts"] for line in lines if line["odds"] == odds)
    return {"counts": counts, "odds": odds, "out": counts * odds}


def _around(area: Area) -> Area:
    """Return the part of the felt that a drill shows: the number, and most of a cell on either side of it."""
    return Area((area.along[0] - CELL + 1, area.along[1] + CELL - 1), (-CELL, 4 * CELL))


def _seen(area: Area, around: Area) -> bool:
    shared = area.shared(around)
    return shared is not None and shared.is_real


def _area(area: Area) -> Data:
    return {"along": list(area.along), "across": list(area.across)}


def rules_html(rules: Data) -> str:
    """Build the rules page: the odds first, then every clause with its implementation status."""
    parts = (
        '<main class="rules entrance">',
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
    return f"{escape(words)}Digest of the rules in force: <code>{rules['digest'][:16]}</code>."


def _bet_row(bet: Data) -> tuple[str, ...]:
    covers = " or ".join(map(str, bet["covers"]))
    return bet["label"], covers, f"{bet['pays']} to 1", _edges(bet["edge"]), bet["clause"]


def _edges(edges: Iterable[str]) -> str:
    return " or ".join(f"{edge} ({_percent(Fraction(edge))})" for edge in edges)


def _percent(edge: Fraction) -> str:
    """Round to two decimals, half away from zero, in integers."""
    hundredths = (abs(edge) * 10_000 * 2 + 1) // 2
    return f"{'-' if edge < 0 else ''}{hundredths // 100}.{hundredths % 100:02d} %"


def _calls(calls: Iterable[Data]) -> Iterator[str]:
    yield "<h2>Call bets</h2>"
    rows = ((call["label"], call["name"], _span(call["chips"]), _edges(call["edge"]), call["clause"]) for call in calls)
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
    """Describe how a clause is implemented, or that it is not."""
    if clause["no_code"]:
        return f"Not done by the software: {clause['no_code']}. It would be: {clause['does']}"
    return f"{clause['does']} Not yet: {clause['awaits']}." if clause["awaits"] else str(clause["does"])
