"""Pages: the documents that hold the screens, the index and what is said where there is nothing."""

from collections.abc import Iterable
from html import escape
from typing import Final, NamedTuple
from urllib.parse import quote

import msgspec

from croupier.house.device import DeviceKind
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.rules.rulebook import Rulebook

#: What each door is for, as the index says it.
PURPOSES: Final = {
    DeviceKind.TERMINAL: "play",
    DeviceKind.DEALER: "run the rounds of a table",
    DeviceKind.PIT: "watch over the floor, see to what went wrong, sign",
    DeviceKind.CASHIER: "pay slips and tickets, keep a drawer",
    DeviceKind.BOARD: "a display for everybody: the number, the phase, the past",
    DeviceKind.AUDITOR: "look, and change nothing",
}
DEMO: Final = "DEMO: play money only"
ICON: Final = "theme/icon.svg"
#: How a plain page looks, and how screens do: players', the public's and staff's.
SHEET: Final = "theme/plain.css"
SHEETS: Final = {DeviceKind.TERMINAL: "theme/player.css", DeviceKind.BOARD: "theme/display.css"}
STAFF_SHEET: Final = "theme/staff.css"


class Frame(NamedTuple):
    """What every document shares: whose house it is, and which version of the files it is made of."""

    venue: str
    demo: bool
    version: str
    #: The way back to where the site begins, as no address here is absolute.
    root: str = ""


class Standing(msgspec.Struct, frozen=True):
    """A table as a page may know it before it has a line: enough to choose one."""

    table: str
    rulebook: str
    title: str


class Place(msgspec.Struct, frozen=True):
    """What a page is told in its own document."""

    door: str
    venue: str
    mode: str
    tables: tuple[Standing, ...]


def tables_of(house: House) -> tuple[Standing, ...]:
    return tuple(Standing(table.id, table.rulebook.id, _title(table.rulebook)) for table in house.tables.values())


def _title(rulebook: Rulebook) -> str:
    return f"{rulebook.venue}: {rulebook.title}"


def door_page(frame: Frame, door: DeviceKind, tables: Iterable[Standing]) -> str:
    """Write the document of a screen: its place, its script, and words for a browser that runs none."""
    place = Place(door.value, frame.venue, Mode.DEMO if frame.demo else Mode.REAL, tuple(tables))
    script = f'<script type="module" src="{_asset(frame, f"{door.value}/{door.value}.js")}"></script>'
    data = f'<script type="application/json" id="place">{_within_script(place)}</script>'
    body = f'{data}\n<main id="door" class="door {door.value}"><noscript>{_NO_SCRIPT}</noscript></main>'
    return document(frame, door.value.capitalize(), body, head=script, sheet=SHEETS.get(door, STAFF_SHEET))


_NO_SCRIPT: Final = "<p>This page talks to the house while it is open, which takes JavaScript.</p>"


def index_page(frame: Frame, tables: Iterable[Standing]) -> str:
    """Write the first page: the tables with their rules, seats and boards, and a way to every screen."""
    doors = "\n".join(
        f'<li><a href="{door.value}">{door.value.capitalize()}</a> <span>{words}</span></li>'
        for door, words in PURPOSES.items()
    )
    body = (
        f'<main class="index">\n<h1>{escape(frame.venue)}</h1>\n'
        f'<h2>Tables</h2>\n<ul class="tables">\n{"".join(map(_table_card, tables))}</ul>\n'
        f'<h2>Screens</h2>\n<ul class="doors">\n{doors}\n</ul>\n</main>'
    )
    return document(frame, "Croupier", body)


def _table_card(table: Standing) -> str:
    at = quote(table.table, safe="")
    rules = f'<a href="rules/{quote(table.rulebook, safe="")}">{escape(table.title)}</a>'
    ways = f'<a href="terminal#table={at}">Play</a> <a href="board#table={at}">Board</a>'
    return f"<li><h3>{escape(table.table)}</h3> <p>{rules}</p> <p>{ways}</p></li>\n"


def plain_page(frame: Frame, heading: str, words: str) -> str:
    """Write a page that says one thing."""
    body = f'<main class="index">\n<h1>{escape(heading)}</h1>\n<p>{escape(words)}</p>\n'
    body += f'<p><a href="{frame.root or "./"}">To the first page</a></p>\n</main>'
    return document(frame, heading, body)


def document(frame: Frame, title: str, body: str, *, head: str = "", sheet: str = SHEET) -> str:
    """Write a whole document; a demonstration says so in its title and at its top."""
    named = " · ".join((*(["DEMO"] if frame.demo else []), frame.venue or "Croupier", title))
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(named)}</title>",
        f'<link rel="icon" href="{_asset(frame, ICON)}">',
        f'<link rel="stylesheet" href="{_asset(frame, sheet)}">',
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


def _asset(frame: Frame, path: str) -> str:
    return f"{frame.root}static/{path}?v={frame.version}"


def _within_script(place: Place) -> str:
    """Write data into a document: nothing in it can end the element it stands in."""
    return msgspec.json.encode(place).decode().replace("<", "\\u003c")
