"""The operator's page: every venue of a database with its health and takings, read by a role that only reads."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from html import escape
from http import HTTPStatus
from typing import Annotated, Final, Literal, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec
import structlog

from croupier.engine.accepting import connections_most
from croupier.journal.disk import JournalFault
from croupier.journal.stores import STATUS_MAX
from croupier.reports.header import figures
from croupier.reports.summaries import percent
from croupier.server.assets import OPERATOR_SHEET, own_assets
from croupier.server.http import (
    NO_HEADERS,
    HttpRequest,
    HttpResponse,
    HttpServer,
    PageHandler,
    health_response,
    html_response,
)
from croupier.server.pages import PageContext, document

#: How often the database is read, and how often the page refreshes itself, in seconds.
READ_EVERY_S: Final = 2.0
REFRESH_S: Final = 5
#: How many connections may be open: some browsers of an operator, and what looks after the page's health.
CONNECTIONS_MAX: Final = 64
#: The languages, each by its own name.
LANGUAGES: Final = {
    "en": "English",
    "fr": "Français",
    "es": "Español",
    "ms": "Bahasa Melayu",
    "zh-Hans": "简体中文",
    "ar": "العربية",
}
_RIGHT_TO_LEFT: Final = ("ar",)
_LOG = structlog.get_logger()


_Figure = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_Currency = Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}$")]


class VenueStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What a venue says of itself in the database: its health, and its takings since the first entry, in cents."""

    mode: str = ""
    day: Annotated[int, msgspec.Meta(ge=0, le=99_991_231)] = 0
    connections: _Count = 0
    blocked: _Count = 0
    incidents: _Count = 0
    turnover: dict[_Currency, _Figure] = {}
    #: Stakes of void rounds and bets, which were not at risk.
    refunded: dict[_Currency, _Figure] = {}
    won: dict[_Currency, _Figure] = {}
    #: The amounts of tickets that were transferred to each other venue, and received from it; and their currency.
    sent: dict[str, _Figure] = {}
    received: dict[str, _Figure] = {}
    currency: Literal[""] | _Currency = ""


def read_status(text: str) -> VenueStatus | None:
    """Read what a venue says of itself; None when it cannot be read: any text may be in its row."""
    try:
        return msgspec.json.decode(text, type=VenueStatus) if len(text) <= STATUS_MAX else None
    except (ValueError, RecursionError):
        return None


class Takings(NamedTuple):
    """Turnover, win and hold of a currency, as the page shows them."""

    turnover: str
    won: str
    hold: str


def takings_of(status: VenueStatus) -> list[Takings]:
    """Return the takings of a venue in each of its currencies."""
    found = []
    for currency, turnover in sorted(status.turnover.items()):
        won, risked = status.won.get(currency, 0), turnover - status.refunded.get(currency, 0)
        hold = percent(Fraction(won, risked) if risked else None)
        found.append(Takings(figures(turnover, currency), figures(won, currency), hold))
    return found


class VenueRow(Protocol):
    """A venue as the database lists it."""

    @property
    def venue(self) -> str: ...
    @property
    def epoch(self) -> int: ...
    @property
    def holder(self) -> str | None: ...
    @property
    def entries(self) -> int: ...
    @property
    def status(self) -> str: ...


class OverviewVenue(msgspec.Struct, frozen=True, kw_only=True):
    """A venue as the page shows it."""

    venue: str
    #: The server that runs it; null when none does.
    holder: str | None
    epoch: int
    entries: int
    status: VenueStatus
    #: Whether its status can be read; the status is empty when it cannot.
    readable: bool = True

    @classmethod
    def of(cls, row: VenueRow) -> "OverviewVenue":
        """Read the row of one venue: what is wrong with it concerns no other."""
        status = read_status(row.status)
        return cls(
            venue=row.venue,
            holder=row.holder,
            epoch=row.epoch,
            entries=row.entries,
            status=status or VenueStatus(),
            readable=status is not None,
        )

    @property
    def state(self) -> str:
        """Return the id of the text for its state."""
        if self.holder is None:
            return "stopped"
        if not self.readable:
            return "unreadable"
        return "running" if self.status.mode else "starting"

    @property
    def needs_attention(self) -> bool:
        return self.state != "running" or self.status.blocked > 0 or self.status.incidents > 0


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """All venues, and when they were read; with the fault since which the database cannot be read, if there is one."""

    venues: tuple[OverviewVenue, ...] = ()
    read_at: str = ""
    fault: str = ""

    @classmethod
    def of(cls, rows: Iterable[VenueRow], read_at: str) -> "Overview":
        """Build it from the rows of a database."""
        return cls(venues=tuple(map(OverviewVenue.of, rows)), read_at=read_at)

    def failed(self, words: str) -> "Overview":
        """Keep what was read last, beside the fault."""
        return msgspec.structs.replace(self, fault=words)

    def totals(self) -> list[Takings]:
        """Add up the takings of all venues, by currency; demonstrations are left out."""
        turnover, refunded, won = Counter[str](), Counter[str](), Counter[str]()
        for each in self.venues:
            if each.status.mode == "real":
                turnover.update(each.status.turnover)
                refunded.update(each.status.refunded)
                won.update(each.status.won)
        return takings_of(VenueStatus(turnover=turnover, refunded=refunded, won=won))

    def debts(self) -> list["VenueDebt"]:
        """List what each venue has transferred to each other one, and what it owes it on balance."""
        by_name = {each.venue: each.status for each in self.venues}
        found = []
        for issuer, status in sorted(by_name.items()):
            for payer, sent in sorted(status.sent.items()):
                other = by_name.get(payer, VenueStatus())
                received = other.received.get(issuer, 0)
                owed = sent - other.sent.get(issuer, 0)
                found.append(VenueDebt(issuer, payer, status.currency, sent, sent - received, max(0, owed)))
        return found


class VenueDebt(NamedTuple):
    """The tickets of a venue that another pays: all transferred, those not received yet, and the debt on balance."""

    issuer: str
    payer: str
    currency: str
    transferred: int
    in_transit: int
    owed: int


class OperatorHealth(msgspec.Struct, frozen=True):
    """Whether the database can be read."""

    ok: bool


class OperatorPages(PageHandler):
    """Responds with the page and its data."""

    def __init__(self) -> None:
        super().__init__()
        self.overview = Overview()

    def context(self, depth: int = 0) -> PageContext:
        return PageContext("", demo=False, version=self.assets.version, root="../" * depth)

    def page(self, path: tuple[str, ...], query: Mapping[str, str] = NO_HEADERS) -> HttpResponse | None:
        if path == ("venues.json",):
            return health_response(self.overview, ok=True)
        if path == ("health",):
            return health_response(OperatorHealth(ok=not self.overview.fault), ok=not self.overview.fault)
        language = query.get("lang", "en")
        if path != ("",) or language not in LANGUAGES:
            return None
        return html_response(200, overview_page(self.context(), self.overview, language))


def preferred(header: str) -> str:
    """Choose a language by an Accept-Language header, in the order that it names them."""
    for each in header.split(","):
        tag = each.partition(";")[0].strip().lower()
        found = next((known for known in LANGUAGES if tag and known.lower().startswith(tag.partition("-")[0])), None)
        if found is not None:
            return found
    return next(iter(LANGUAGES))


class _Words(NamedTuple):
    texts: Mapping[str, str]

    def __call__(self, name: str, **facts: object) -> str:
        return escape(self.texts[name].format(**facts))


def words_of(language: str) -> Mapping[str, str]:
    """Read the texts of a language."""
    file = own_assets().find(f"words/operator/{language}.json")
    assert file is not None
    return msgspec.json.decode(file.body, type=dict[str, str])


def overview_page(frame: PageContext, overview: Overview, language: str) -> str:
    """Build the page in a language."""
    say = _Words(words_of(language))
    parts = ['<main class="operator">', f"<h1>{say('title')}</h1>"]
    if overview.fault:
        stale = say("stale", time=_time(overview), words=overview.fault.rstrip(".?"))
        parts.append(f'<p class="fault" role="alert">{stale}</p>')
    if overview.venues:
        parts += [*_summary(overview, say), '<div class="scroll" tabindex="0">', *_table(overview, say), "</div>"]
    else:
        parts.append(f"<p>{say('none')}</p>")
    if debts := overview.debts():
        parts += [f"<h2>{say('between')}</h2>", '<div class="scroll" tabindex="0">', *_debts(debts, say), "</div>"]
    read, since = say("read", time=_time(overview)), say("since", seconds=REFRESH_S)
    parts += [f"<p><small>{read} {since}</small></p>", _choices(language), "</main>"]
    refresh = f'<meta http-equiv="refresh" content="{REFRESH_S}">'
    direction = "rtl" if language in _RIGHT_TO_LEFT else "ltr"
    page = document(frame, say("title"), "\n".join(parts), head=refresh, sheet=OPERATOR_SHEET)
    return page.replace('<html lang="en">', f'<html lang="{language}" dir="{direction}">', 1)


def _time(overview: Overview) -> str:
    """Isolate the time from the direction of the text around it."""
    return f"\u2066{overview.read_at or '-'}\u2069"


def _choices(language: str) -> str:
    """Link to the page in every language, and mark this one."""
    links = (
        f'<a href="?lang={each}" hreflang="{each}" lang="{each}"{_current(each == language)}>{name}</a>'
        for each, name in LANGUAGES.items()
    )
    return f'<nav class="languages">{"".join(links)}</nav>'


def _current(chosen: bool) -> str:  # noqa: FBT001 - the only argument
    return ' aria-current="true"' if chosen else ""


def _summary(overview: Overview, say: _Words) -> Iterator[str]:
    """Add up what an operator looks for first."""
    venues = overview.venues
    running = sum(each.holder is not None for each in venues)
    yield f'<p class="spoken" role="status">{say("counts", running=running, venues=len(venues))}</p>'
    yield '<dl class="summary">'
    yield _figure(say("running"), f"{running} / {len(venues)}", alert=running < len(venues))
    yield _figure(say("connections"), f"{sum(each.status.connections for each in venues):,}")
    for name in ("blocked", "incidents"):
        total = sum(getattr(each.status, name) for each in venues)
        yield _figure(say(name), f"{total:,}", alert=total > 0)
    yield "</dl>"


def _marked(alert: bool) -> str:  # noqa: FBT001 - the only argument
    return ' class="alert"' if alert else ""


def _figure(label: str, text: str, *, alert: bool = False) -> str:
    # Figures are read from left to right in every language.
    return f'<div><dt>{label}</dt><dd{_marked(alert)}><bdi dir="ltr">{text}</bdi></dd></div>'


_COLUMNS: Final = ("venue", "state", "day", "connections", "blocked", "incidents", "entries", "turnover", "won", "hold")
_TEXTS: Final = ("venue", "state", "day", "issuer", "payer")


def _table(overview: Overview, say: _Words) -> Iterator[str]:
    """List the venues by name, those that need attention first."""
    heads = "".join(f'<th scope="col"{_aligned(name)}>{say(name)}</th>' for name in _COLUMNS)
    yield f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>"
    for each in sorted(overview.venues, key=lambda each: (not each.needs_attention, each.venue)):
        yield _row(each, say)
    yield "</tbody>"
    if sums := overview.totals():
        yield f'<tfoot><tr><th scope="row" colspan="7">{say("total")}</th>{"".join(_columns(sums, say))}</tr></tfoot>'
    yield "</table>"


_DEBTS: Final = ("issuer", "payer", "transferred", "in_transit", "owed")


def _debts(debts: list[VenueDebt], say: _Words) -> Iterator[str]:
    heads = "".join(f'<th scope="col"{_aligned(name)}>{say(name)}</th>' for name in _DEBTS)
    yield f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>"
    for each in debts:
        cells = (
            f'<th scope="row">{escape(each.issuer)}</th>',
            f'<td data-label="{say(_DEBTS[1])}">{escape(each.payer)}</td>',
            _amount(say(_DEBTS[2]), figures(each.transferred, each.currency)),
            _amount(say(_DEBTS[3]), figures(each.in_transit, each.currency), alert=each.in_transit != 0),
            _amount(say(_DEBTS[4]), figures(each.owed, each.currency)),
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield f"</tbody></table>\n<p><small>{say('owed_about')}</small></p>"


def _aligned(name: str) -> str:
    return "" if name in _TEXTS else ' class="number"'


def _row(each: OverviewVenue, say: _Words) -> str:
    status = each.status
    mark = "good" if each.state == "running" else "alert"
    server = f"<small>{escape(each.holder)}</small>" if each.holder else ""
    demo = f"<small>{say('demo')}</small>" if status.mode == "demo" else ""
    cells = (
        f'<th scope="row">{escape(each.venue)}{demo}</th>',
        f'<td data-label="{say("state")}"><span class="state {mark}">{say(each.state)}</span>{server}</td>',
        f'<td class="day" data-label="{say("day")}">{_day(status.day)}</td>',
        _number(say("connections"), f"{status.connections:,}"),
        _number(say("blocked"), f"{status.blocked}", alert=status.blocked > 0),
        _number(say("incidents"), f"{status.incidents}", alert=status.incidents > 0),
        _number(say("entries"), f"{each.entries:,}"),
        *_columns(takings_of(status) or [Takings("-", "-", "-")], say),
    )
    return f"<tr>{''.join(cells)}</tr>"


def _number(label: str, text: str, *, alert: bool = False) -> str:
    kind = " alert" if alert else " none" if text == "0" else ""
    return f'<td class="number{kind}" data-label="{label}">{text}</td>'


def _amount(label: str, *lines: str, alert: bool = False) -> str:
    """Build a cell with a line for each amount."""
    return _number(label, f"<span>{'<br>'.join(map(escape, lines))}</span>", alert=alert)


def _columns(takings: list[Takings], say: _Words) -> Iterator[str]:
    """Build the cells of the takings, each with a line for each currency."""
    columns = zip(Takings._fields, zip(*takings, strict=True), strict=True)
    return (_amount(say(name), *column) for name, column in columns)


def _day(day: int) -> str:
    return f"{day // 10_000}-{day // 100 % 100:02}-{day % 100:02}" if day else "-"


def _hostname(header: str) -> str | None:
    """Return the name in a Host header, without the port; None when there is none."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        # Half of an address of IPv6.
        return None


class OperatorServer:
    """Reads the database again and again, and serves the page. It writes nothing."""

    def __init__(self, read: Callable[[], Iterable[VenueRow]], names: frozenset[str]) -> None:
        self._read, self._names = read, names
        self.site = OperatorPages()
        self.http = HttpServer(self.respond, connections_most(CONNECTIONS_MAX))

    async def run(self, stopped: asyncio.Event) -> None:
        """Read until it is stopped; a database that cannot be read is shown, and tried again."""
        while not stopped.is_set():
            await asyncio.get_running_loop().run_in_executor(None, self.refresh)
            waiting = asyncio.ensure_future(stopped.wait())
            await asyncio.wait((waiting,), timeout=READ_EVERY_S)
            waiting.cancel()

    def refresh(self) -> None:
        """Read the database once."""
        now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
        try:
            self.site.overview = Overview.of(self._read(), now)
        except JournalFault as fault:
            _LOG.warning("database_unreachable", words=str(fault))
            self.site.overview = self.site.overview.failed(str(fault))

    def respond(self, request: HttpRequest) -> HttpResponse:
        """Respond with the page, in the language of the browser where the address names none."""
        target, method, headers, _ = request
        # A page of another site could have its name resolved to this address, and read the takings.
        if _hostname(headers.get("Host", "")) not in self._names:
            return self.site.plain(HTTPStatus.MISDIRECTED_REQUEST, "Another site", "Use this server's name.")
        if target == "/":
            target = f"/?lang={preferred(headers.get('Accept-Language', ''))}"
        return self.site.respond(target, headers, method)
