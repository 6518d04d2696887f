"""The operator's page: every venue of a database with its health and takings, read by a role that only reads."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from fractions import Fraction
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
from croupier.server.pages import PageContext, build_page

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
_Currency = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}\Z")]


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
    def takings(self) -> list[Takings]:
        return takings_of(self.status) or [Takings("-", "-", "-")]

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


def words_of(language: str) -> Mapping[str, str]:
    """Read the texts of a language."""
    file = own_assets().find(f"words/operator/{language}.json")
    assert file is not None
    return msgspec.json.decode(file.body, type=dict[str, str])


def overview_page(frame: PageContext, overview: Overview, language: str) -> str:
    """Build the page in a language."""
    texts = words_of(language)

    def say(name: str, **facts: object) -> str:
        return texts[name].format(**facts)

    return build_page(
        "operator.html",
        frame,
        say("title"),
        OPERATOR_SHEET,
        overview=overview,
        say=say,
        language=language,
        direction="rtl" if language in _RIGHT_TO_LEFT else "ltr",
        languages=LANGUAGES,
        refresh_s=REFRESH_S,
    )


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
