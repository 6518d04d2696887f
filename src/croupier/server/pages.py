"""The pages as HTML, their manifests, and the rules as text."""

import hashlib
import posixpath
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from croupier.house import House
from croupier.house.ids import DeviceKind
from croupier.house.settings import Mode
from croupier.house.state.tables import Table
from croupier.reports.header import figures
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

    def asset(self, path: str) -> str:
        """Return the address of a file of this version."""
        return f"{self.root}static/{self.version}/{path}"


class TableLink(msgspec.Struct, frozen=True):
    """A table as a page shows it before it is connected: enough to choose one."""

    table: str
    venue: str
    rulebook: str
    title: str
    #: The hash of its usual felt, so that a page fetches it while it connects.
    felt: str
    #: Whether it settles chips on a layout.
    live: bool


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
    return TableLink(
        table.id, rulebook.venue, rulebook.id, _title(rulebook), felt.hash, table.settings.live is not None
    )


def _title(rulebook: Rulebook) -> str:
    return f"{rulebook.venue}: {rulebook.title}"


def screen_page(frame: PageContext, kind: DeviceKind, tables: Iterable[TableLink]) -> str:
    """Build the document of a screen."""
    name = kind.value
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


def _script_page(
    frame: PageContext, name: str, place: msgspec.Struct, template: str = "screen.html", **more: object
) -> str:
    """Build a document with a script: its data, and what it shows before the script or without one."""
    return build_page(
        template,
        frame,
        _screen_name(name),
        sheet=SHEETS[name],
        name=name,
        place=_embedded(place),
        messages=_messages(name),
        staff=name not in _PUBLIC,
        live=name in _LIVE,
        script=frame.asset(f"{name}/{name}.js" if frame.apart else f"{name}.js"),
        early=Markup(_early()) if name == DeviceKind.TERMINAL else "",  # noqa: S704 - a file of ours
        **more,
    )


def build_page(template: str, frame: PageContext, heading: str, sheet: str = PLAIN_SHEET, **more: object) -> str:
    """Build a whole document from a template; a demonstration is marked in its title and at its top."""
    folder = f"{THEME}/" if frame.apart else ""
    head = {
        "title": " · ".join((*(["DEMO"] if frame.demo else []), frame.venue or "Croupier", heading)),
        "heading": heading,
        "language": "en",
        "direction": "",
        "icon": _icon(),
        "font": frame.asset(folder + FONT),
        "sheet": frame.asset(folder + sheet),
    }
    return _TEMPLATES.get_template(template).render(head | more, frame=frame)


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
def _messages(screen: str) -> Markup:
    """Embed the English messages that a screen may say. They are found once in a process."""
    words = msgspec.json.decode(_file(MESSAGES))
    if screen not in _PUBLIC:
        words |= msgspec.json.decode(_file(STAFF_MESSAGES))
    if screen in _LIVE:
        words |= msgspec.json.decode(_file(LIVE_MESSAGES))
    return _embedded(_said(screen, words))


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


def manifest(frame: PageContext, kind: DeviceKind) -> bytes:
    """Build the web manifest of a screen, with which a browser installs it as an application."""
    display = "fullscreen" if kind in _FULL_SCREEN else "standalone"
    icon = {"src": frame.asset(ICON), "sizes": "any", "type": "image/svg+xml"}
    name = f"{frame.venue or 'Croupier'} · {_screen_name(kind)}"
    return msgspec.json.encode(
        {
            "name": name,
            "short_name": _screen_name(kind),
            "start_url": f"{frame.root}{kind.value}",
            "display": display,
            "background_color": "#0b2e1f",
            "theme_color": "#0b2e1f",
            "icons": [icon],
        }
    )


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
    tables, mode = tuple(tables), Mode.DEMO if frame.demo else Mode.REAL
    place = LobbyData(LOBBY, frame.venue, mode, tables, frame.timezone, felts=dict(felts))
    return _script_page(frame, LOBBY, place, "lobby.html", tables=tables, purposes=PURPOSES)


def plain_page(frame: PageContext, heading: str, words: str) -> str:
    """Build a page with one message."""
    return build_page("plain.html", frame, heading, words=words)


@cache
def _icon() -> str:
    """Return the icon as data, as it is shorter than a request for it."""
    return f"data:image/svg+xml,{quote(_file(ICON))}"


def _file(path: str) -> bytes:
    file = own_assets().find(path)
    assert file is not None
    return file.body


def _embedded(data: object) -> Markup:
    """Encode data for an element of a document: it is escaped so that it cannot end it."""
    return Markup(msgspec.json.encode(data).decode().replace("<", "\\u003c"))  # noqa: S704 - escaped here


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
        # The page divides numbers: of a pot the exact fraction has hundreds of figures.
        "edge": sorted(
            {str(spot_edge(spot, rulebook.paytable, rulebook.wheel).limit_denominator(10**9)) for spot in spots}
        ),
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
            if area.overlaps(around)
        ],
        "boxes": [
            {"bet": box.bet, "label": box.label, **_area(box.area)}
            for box in felt.rulebook.layout.boxes
            if box.area.overlaps(around)
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


def _area(area: Area) -> Data:
    return {"along": list(area.along), "across": list(area.across)}


def rules_page(frame: PageContext, rules: Data) -> str:
    """Build the rules page: the odds first, then every clause with its implementation status."""
    return build_page("rules.html", frame, rules["title"], rules=rules)


def _edges(edges: Iterable[str]) -> str:
    return " or ".join(f"{edge} ({_percent(Fraction(edge))})" for edge in edges)


def _percent(edge: Fraction) -> str:
    """Round to two decimals, half away from zero, in integers."""
    hundredths = (abs(edge) * 10_000 * 2 + 1) // 2
    return f"{'-' if edge < 0 else ''}{hundredths // 100}.{hundredths % 100:02d} %"


def _span(chips: list[int]) -> str:
    return str(chips[0]) if len(chips) == 1 else f"{chips[0]} to {chips[-1]}"


def _day(day: int) -> str:
    return f"{day // 10_000}-{day // 100 % 100:02}-{day % 100:02}" if day else "-"


_OCCASIONS: Final = {
    "open": "Betting opens",
    "finish_betting": "Betting is about to close",
    "closed": "Betting is closed",
    "closed_call": "The dealer closes betting",
    "no_spin": "A spin does not count",
}
#: The templates of all pages. What a page is given is escaped, unless it is marked as HTML.
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_TEMPLATES.filters |= {
    "day": _day,
    "edges": _edges,
    "figures": figures,
    "occasion": _OCCASIONS.__getitem__,
    "screen_name": _screen_name,
    "segment": partial(quote, safe=""),
    "span": _span,
}
