"""What is fetched: every answer to a GET, from the pages and their files to the rules, the past and the figures."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol
from urllib.parse import parse_qs, unquote

import msgspec

from croupier.house.blocker import Blocker
from croupier.house.device import DeviceKind
from croupier.house.name import TableId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.house.terms import Terms
from croupier.rules.clause import Clause
from croupier.rules.pocket import colour
from croupier.rules.rulebook import Rulebook
from croupier.web.assets import Assets
from croupier.web.feltdata import felts_of
from croupier.web.figures import EXPOSITION_TYPE, Figures, Report, exposition
from croupier.web.pages import Frame, document, door_page, index_page, plain_page, tables_of
from croupier.web.placard import Spins
from croupier.web.ruletext import rules_data, rules_html
from croupier.web.takings import limits_row
from croupier.web.tally import tally

Headers = tuple[tuple[str, str], ...]

#: The longest target that is read at all.
TARGET_MOST: Final = 1_024
#: Scripts, styles and the wire are this house's own; `connect-src` stands for its WebSocket too.
POLICY: Final = (
    "default-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)
SAFE: Final[Headers] = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)
NO_STORE: Final = "no-store"
#: What has its hash in its address never changes.
FOR_EVER: Final = "public, max-age=31536000, immutable"
HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
_FELT: Final = re.compile(r"([0-9a-f]{64})\.json")


@dataclass(frozen=True, slots=True)
class Response:
    """An answer as it goes out."""

    status: int
    headers: Headers
    body: bytes


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the house is at work, and how far it has come."""

    ok: bool
    mode: str
    epoch: int
    position: int
    doors: int
    #: Why tables cannot play, with the setting or the action that ends it.
    blocked: tuple[Blocker, ...] = ()


class Published(Protocol):
    """What was last published of every table. State that is not committed yet is shown to nobody."""

    @property
    def spins(self) -> Mapping[TableId, Spins]: ...
    @property
    def played_by(self) -> Mapping[TableId, tuple[Rulebook, Terms]]: ...


class _Nothing(NamedTuple):
    spins: Mapping[TableId, Spins] = MappingProxyType({})
    played_by: Mapping[TableId, tuple[Rulebook, Terms]] = MappingProxyType({})


NOTHING_PUBLISHED: Final[Published] = _Nothing()


class Site:
    """Everything that is fetched. What it is handed it only reads."""

    def __init__(
        self,
        house: House,
        figures: Figures,
        health: Callable[[], Health],
        shelf: Iterable[Rulebook] = (),
        published: Published = NOTHING_PUBLISHED,
    ) -> None:
        """Take also the rulebooks as they were loaded: a journal has no commentary on their clauses."""
        self.house, self.health, self.published = house, health, published
        self.assets = Assets()
        #: Whether the metrics are told at an address of their own, and not here.
        self.metrics_apart = False
        self.report = Report(figures, house, lambda: self.health().blocked)
        self._clauses = {rulebook.digest: rulebook.clauses for rulebook in shelf}
        self._pages: dict[str, Callable[[], Response | None]] = {
            "": self._index,
            "health": self._health,
            "metrics": self._metrics,
            **{door.value: partial(self._door, door) for door in DeviceKind},
        }
        self._shelves: dict[str, Callable[[str], Response | None]] = {
            "felt": self._felt,
            "rules": self._rules,
            "history": self._history,
            "statistics": self._statistics,
            "limits": self._limits,
        }

    def answer(self, target: str, has: str = "") -> Response:
        """Answer a GET: for the target of the request, and what its If-None-Match says it has."""
        asked = read_target(target)
        if asked is None:
            return self.plain(400, "That address cannot be read", "Something in it is not as an address is written.")
        path, query = asked
        response = self._route(path, query)
        if response is None:
            return self.plain(404, "There is nothing here", "This address leads nowhere in this house.", len(path) - 1)
        tag = dict(response.headers).get("ETag")
        return Response(304, response.headers, b"") if tag is not None and tag == has else response

    def _route(self, path: tuple[str, ...], query: dict[str, str]) -> Response | None:
        room, rest = path[0], "/".join(path[1:])
        if len(path) == 1:
            page = self._pages.get(room)
            return page() if page else None
        if room == "static":
            return self._static(rest, query.get("v", ""))
        shelf = self._shelves.get(room)
        return shelf(rest) if shelf else None

    def _index(self) -> Response:
        return _html(200, index_page(self._frame(), tables_of(self.house)))

    def _door(self, door: DeviceKind) -> Response:
        return _html(200, door_page(self._frame(), door, tables_of(self.house)))

    def _metrics(self) -> Response | None:
        return None if self.metrics_apart else self.metrics()

    def metrics(self) -> Response:
        """Tell the metrics in the text format of Prometheus."""
        return _response(200, EXPOSITION_TYPE, exposition(self.report))

    def _static(self, path: str, version: str) -> Response | None:
        asset = self.assets.find(path)
        if asset is None:
            return None
        cache = FOR_EVER if version == self.assets.version else "no-cache"
        return _response(200, asset.type, asset.body, cache=cache, tag=f'"{self.assets.version}"')

    def _felt(self, name: str) -> Response | None:
        match = _FELT.fullmatch(name)
        if match is None:
            return None
        wanted = match[1]
        found = (felt for book in self._in_use() for felt in felts_of(book) if felt.hash == wanted)
        felt = next(found, None)
        return None if felt is None else _response(200, JSON, felt.body, cache=FOR_EVER, tag=f'"{wanted}"')

    def _rules(self, name: str) -> Response | None:
        wanted = name.removesuffix(".json")
        rulebook = next((each for each in self._in_use() if each.id == wanted), None)
        if rulebook is None:
            return None
        clauses = self._clauses.get(rulebook.digest, ())
        if name != wanted:
            return _response(200, JSON, _rules_json(rulebook, clauses))
        return _html(200, document(self._frame(1), rulebook.title, _rules_page(rulebook, clauses)))

    def _history(self, name: str) -> Response | None:
        wanted = name.removesuffix(".json")
        told = self.published.spins.get(TableId(wanted))
        if told is None or name == wanted:
            return None
        spins = [{"round": number, "pocket": pocket, "colour": colour(pocket)} for number, pocket in told]
        return _response(200, JSON, msgspec.json.encode({"table": wanted, "spins": spins}))

    def _statistics(self, name: str) -> Response | None:
        wanted = TableId(name.removesuffix(".json"))
        told = self.published.spins.get(wanted)
        if told is None or name == wanted:
            return None
        rulebook, _ = self.published.played_by[wanted]
        return _response(200, JSON, msgspec.json.encode(tally(wanted, rulebook, told)))

    def _limits(self, name: str) -> Response | None:
        wanted = TableId(name.removesuffix(".json"))
        terms = self.published.played_by.get(wanted)
        if terms is None or name == wanted:
            return None
        return _response(200, JSON, msgspec.json.encode(limits_row(*terms)))

    def _health(self) -> Response:
        health = self.health()
        return _response(200 if health.ok else 503, JSON, msgspec.json.encode(health))

    def _in_use(self) -> Iterator[Rulebook]:
        """Name the rulebooks that tables play by, and then those that were adopted, one may be named twice."""
        yield from (table.rulebook for table in self.house.tables.values())
        yield from self.house.rulebooks.values()

    def _frame(self, depth: int = 0) -> Frame:
        return Frame(self.house.venue, self.house.mode is Mode.DEMO, self.assets.version, "../" * depth)

    def plain(self, status: int, heading: str, words: str, depth: int = 0) -> Response:
        return _html(status, plain_page(self._frame(depth), heading, words))


def read_target(target: str) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """Read the target of a request into its path, part by part, and its query; None where it is no such thing."""
    if not target.startswith("/") or len(target) > TARGET_MOST:
        return None
    path, _, query = target.partition("?")
    try:
        # Parted first and read afterwards: a slash that is written as %2F is part of a name.
        parts = tuple(unquote(part, errors="strict") for part in path[1:].split("/"))
        asked = parse_qs(query, keep_blank_values=True, errors="strict", max_num_fields=16)
    except ValueError:
        return None
    if any("\0" in part for part in parts):
        return None
    return parts, {name: values[0] for name, values in asked.items()}


@lru_cache(maxsize=16)
def _rules_json(rulebook: Rulebook, clauses: tuple[Clause, ...]) -> bytes:
    return msgspec.json.encode(rules_data(rulebook, clauses))


@lru_cache(maxsize=16)
def _rules_page(rulebook: Rulebook, clauses: tuple[Clause, ...]) -> str:
    return rules_html(rules_data(rulebook, clauses))


def _html(status: int, page: str) -> Response:
    return _response(status, HTML, page.encode())


def _response(status: int, type_: str, body: bytes, *, cache: str = NO_STORE, tag: str = "") -> Response:
    headers = (("Content-Type", type_), ("Cache-Control", cache), *((("ETag", tag),) if tag else ()), *SAFE)
    return Response(status, headers, body)
