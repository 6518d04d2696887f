"""The lobby: every table as a card of the first page, and the address at which phones join as a QR code."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Final, Protocol

import msgspec
import segno

from croupier.engine.ports import Clock
from croupier.house import House
from croupier.house.ids import DeviceId, TableId
from croupier.house.settings import EffectiveLimits, Mode, TableSettings
from croupier.house.state.tables import Terminal
from croupier.protocol.outbound import TableState, project
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import ChannelName
from croupier.rules.rulebook import Rulebook
from croupier.server.auth.devices import QUIET_ZONE
from croupier.server.ticket_desk import PRACTICE
from croupier.server.views.seat import limits_row

#: The pockets on either side of the zero of the two wheels in use: a single zero is European.
_EUROPEAN_NEIGHBOURS: Final = frozenset(("26", "32"))
#: How many past numbers a card shows.
NUMBERS_MOST: Final = 10


class LobbyTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table as its card shows it."""

    table: str
    venue: str
    rulebook: str
    currency: str
    #: How many zeros its wheel has, and in which order its numbers stand: european or american.
    zeros: int
    order: str
    felt: str
    phase: str
    round: int
    spin: int
    closed: bool
    closes_at: int | None
    launched_at: int | None
    #: How long betting is open, in seconds; null where a dealer decides.
    betting_s: int | None
    pocket: str | None
    number_at: int | None
    numbers: tuple[str, ...]
    #: The lowest minimum and the highest maximum of any bet; null where there is none.
    least: int | None
    most: int | None
    #: Whether its seats are for practice alone.
    practice: bool
    #: Whether a visitor may deal it, and nobody does.
    undealt: bool
    #: Whether it is played with chips, by a dealer.
    live: bool
    seats: int
    free: int


class Lobby(msgspec.Struct, frozen=True, kw_only=True):
    """Every table of the house, and the time at which this was said."""

    now_us: int
    #: The value of the play money of a new seat; null where money is real.
    gift: int | None
    tables: tuple[LobbyTable, ...]


class JoinPicture(msgspec.Struct, frozen=True, omit_defaults=True):
    """The address at which phones join, as the dark modules of a QR code: never as text."""

    #: The number of modules along a side, with the quiet zone around the code.
    size: int = 0
    #: An SVG path of the dark modules, one unit each.
    path: str = ""


class PublishedTables(Protocol):
    """What was last published of every table. State that is not committed yet is never shown."""

    @property
    def published(self) -> Mapping[TableId, tuple[int, TableState]]: ...
    @property
    def played_by(self) -> Mapping[TableId, tuple[Rulebook, TableSettings, EffectiveLimits]]: ...


class LobbyView:
    """Builds the lobby from what was published."""

    def __init__(
        self,
        house: House,
        published: PublishedTables,
        connected: Container[DeviceId],
        time: Clock,
        undealt: Callable[[TableId], bool] = lambda _: False,
    ) -> None:
        self._house, self._published, self._connected, self._time = house, published, connected, time
        self._undealt = undealt

    def build(self) -> Lobby:
        gift = PRACTICE if self._house.setup.mode is Mode.DEMO else None
        return Lobby(now_us=self._time.now(), gift=gift, tables=tuple(self._tables()))

    def _tables(self) -> Iterator[LobbyTable]:
        for name, (_, state) in self._published.published.items():
            rulebook, settings, effective = self._published.played_by[name]
            limits = limits_row(rulebook, settings, effective)
            bounds = [(each.least, each.most) for each in limits.kinds]
            terminals = map(self._house.terminals.__getitem__, self._house.tables[name].terminals)
            seats = [each for each in terminals if not each.closed]
            yield project(
                LobbyTable,
                state,
                table=name,
                venue=rulebook.venue,
                rulebook=rulebook.id,
                currency=rulebook.currency,
                zeros=len(rulebook.wheel.zeros),
                order=wheel_order(rulebook.wheel.order),
                betting_s=settings.betting_s,
                numbers=state.numbers[:NUMBERS_MOST],
                least=min((least for least, _ in bounds if least is not None), default=None),
                most=max((most for _, most in bounds if most is not None), default=None),
                practice=ChannelName.TERMINAL not in rulebook.channels,
                undealt=self._undealt(name),
                live=settings.live is not None,
                seats=len(seats),
                free=sum(map(self._is_free, seats)),
            )

    def _is_free(self, seat: Terminal) -> bool:
        return DeviceId(seat.id) not in self._connected and not (seat.credit or seat.in_play or seat.held_total)


def wheel_order(order: Iterable[Pocket]) -> str:
    """Return whose order a wheel has, by the numbers beside its zeros."""
    pockets = tuple(order)
    zero = pockets.index(Pocket("0"))
    beside = {pockets[zero - 1], pockets[(zero + 1) % len(pockets)]}
    return "european" if beside & _EUROPEAN_NEIGHBOURS else "american"


def join_picture(url: str) -> JoinPicture:
    """Draw an address as a QR code."""
    # Medium redundancy: a screen is photographed at an angle, and is neither torn nor stained.
    code = segno.make_qr(url, error="m")
    rows = tuple(code.matrix_iter(border=QUIET_ZONE))
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return JoinPicture(len(rows), path)
