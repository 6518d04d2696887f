"""A site to fetch from: a venue of one table with its past, on a clock that is moved by hand."""

from croupier.engine.metrics import Metrics, MetricsCollector
from croupier.engine.ports import Request
from croupier.house.floor.setup import CreateHouse
from croupier.house.ids import DeviceId, TableId
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import EffectiveLimits, Mode, TableSettings
from croupier.rules.geometry import Pocket
from croupier.rules.rulebook import Rulebook
from croupier.server.http import Health, HttpHandler, HttpResponse
from croupier.server.lobby import Lobby
from croupier.server.views.table import Spins
from tests.conftest import venue
from tests.support.engine_driver import done, memory_storage, provisioning, start

TABLE = TableId("A")


def _empty_lobby() -> Lobby:
    return Lobby(now_us=0, gift=None, tables=())


class Fetched:
    """A venue under a rulebook, its site, and what is said of its health."""

    def __init__(self, rulebook: str = "marina-bay-sands-2020", mode: Mode = Mode.DEMO, table: TableId = TABLE) -> None:
        self.book = venue(rulebook)
        self.run = start(memory_storage())
        house = CreateHouse(mode, self.book.venue, "UTC")
        done(self.run, *provisioning(self.book, table, (), TableSettings(warning_s=0), house))
        self.table, self.figures, self.ok = table, Metrics(), True
        self.spins = dict[TableId, Spins]()
        self.played_by = dict[TableId, tuple[Rulebook, TableSettings, EffectiveLimits]]()
        self.publish()
        self.report = MetricsCollector(self.figures, self.run.house)
        self.site = HttpHandler(self.run.house, self.report, self._health, (self.book,), self, _empty_lobby)

    def _health(self) -> Health:
        return Health(ok=self.ok, mode="demo", epoch=1, position=self.run.writer.head.position, connections=3)

    def get(self, target: str, method: str = "GET", **headers: str) -> HttpResponse:
        return self.site.respond(target, {name.replace("_", "-"): value for name, value in headers.items()}, method)

    def static(self, path: str) -> str:
        """The address of a static file."""
        return f"/static/{self.site.assets.version}/{path}"

    def spin(self, pocket: str) -> None:
        """Play a round to its number."""
        wheel = DeviceId(self.table)
        done(
            self.run,
            OpenBets(self.table),
            CloseBets(self.table),
            Request(BallLaunched(self.table, opposite=True, turning=True), wheel),
        )
        done(self.run, Request(BallAtRest(self.table, Pocket(pocket), revolutions=9, opposite=True), wheel))
        self.publish()

    def publish(self) -> None:
        """Publish the table as the house has it now."""
        table = self.run.house.tables[self.table]
        self.spins[self.table], self.played_by[self.table] = (
            tuple(table.history),
            (table.rulebook, table.settings, table.effective_limits),
        )
