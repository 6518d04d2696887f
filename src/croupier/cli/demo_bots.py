"""The demo bots of a server: terminals enrolled for them, and their tasks."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, Self

import msgspec
import structlog

from croupier.app import Venue
from croupier.client.bots import STRATEGIES, Bot
from croupier.client.client import AsyncClient
from croupier.client.connection import ServerAddress
from croupier.client.session import DeviceKey
from croupier.config.schema import Config
from croupier.house import House
from croupier.house.ids import DeviceId, DeviceKind, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.journal.disk import write_atomic
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.auth.credentials import CredentialError, CredentialStore, DeviceCredential, name_objection
from croupier.server.auth.devices import is_empty

_LOG = structlog.get_logger()
#: Beside the credential store. It contains no keys.
BOT_LIST_FILE: Final = "bots.json"
Devices = Mapping[DeviceId, DeviceCredential]


def enrol_bots(
    house: House, credentials: CredentialStore, directory: Path, count: int, *, last: str = ""
) -> dict[TerminalId, str]:
    """Enrol terminals for some bots, at most as many as leave one terminal free at every table; return their keys.

    Terminals of the table `last` are chosen when all others have their bots.
    """
    enrolled = credentials.load().devices
    ours = {device: each for device, each in _read(directory / BOT_LIST_FILE).items() if enrolled.get(device) == each}
    terminals = _choose(house, enrolled, ours, count, TableId(last))
    keys = credentials.enrol({DeviceId(terminal): DeviceKind.TERMINAL for terminal in terminals})
    assert isinstance(keys, dict)
    now = credentials.load().devices
    # Those of the bots that are not used this time stay reserved for them.
    try:
        devices = {**ours, **{device: now[device] for device in keys}}
        write_atomic(directory / BOT_LIST_FILE, msgspec.json.encode(devices))
    except OSError as error:
        raise CredentialError(f"The bot list cannot be written: {error.strerror}: {error.filename}.") from error
    return {TerminalId(device): key for device, key in keys.items()}


def _choose(house: House, enrolled: Devices, ours: Devices, count: int, last: TableId) -> list[TerminalId]:
    """Choose the terminals that bots had before, and then free ones."""
    chosen = [terminal for terminal in map(TerminalId, ours) if terminal in house.terminals][:count]
    free = [each for each in house.terminals if DeviceId(each) not in enrolled and name_objection(each) is None]
    while len(chosen) < count:
        used, left = _per_table(house, chosen), _per_table(house, free)
        candidates = [each for each in free if all(left[table] > 1 for table in house.terminals[each].games)]
        if not candidates:
            break
        # At the table with the fewest bots, so that tables fill evenly.
        used[last] += len(house.terminals)
        chosen.append(min(candidates, key=lambda each: max(used[table] for table in house.terminals[each].games)))
        free.remove(chosen[-1])
    return chosen


def _per_table(house: House, terminals: Iterable[TerminalId]) -> Counter[TableId]:
    return Counter(table for terminal in terminals for table in house.terminals[terminal].games)


def _read(path: Path) -> Devices:
    """Read which terminals the bots had; none if the file is missing or damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[DeviceId, DeviceCredential])
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    except OSError as error:
        raise CredentialError(f"The bot list cannot be read: {error.strerror}: {error.filename}.") from error


#: How many bots play at each table by default.
BOTS_PER_TABLE: Final = 3


def money_objection(config: Config) -> Refusal | None:
    """Refuse demo bots where the money is real."""
    if config.mode is Mode.DEMO:
        return None
    says = "Demo bots play with play money only: this venue is for real money. Open it with `croupier serve`."
    return refuse(Code.DEMO_ONLY, None, says, mode=config.mode)


def server_address(venue: Venue) -> ServerAddress:
    listen = venue.config.listen
    return ServerAddress.of(listen.host, venue.port, None if listen.tls is None else listen.tls.certificate)


class DemoBots:
    """The bots of one running server."""

    def __init__(self, venue: Venue, random: Random) -> None:
        assert venue.config.mode is Mode.DEMO
        self._venue, self._random, self._server = venue, random, server_address(venue)
        self.bots: list[Bot] = []
        #: How many were requested.
        self.requested = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def start(cls, venue: Venue, count: int | None = None, random: Random | None = None) -> Self:
        """Start bots against a running server; none if no terminal can be enrolled for them."""
        demo = cls(venue, random or Random())  # noqa: S311 - it decides no result
        demo.requested, default = count or 0, BOTS_PER_TABLE * len(venue.run.house.tables)
        try:
            keys = enrol_bots(
                venue.run.house,
                venue.verifier.credential_store,
                venue.config.key_store,
                default if count is None else count,
                last=venue.config.visitor_table or "",
            )
        except CredentialError as fault:
            _LOG.error("bots_not_started", words=str(fault))
            keys = {}
        for number, (terminal, key) in enumerate(keys.items()):
            demo.add(number, terminal, key)
        return demo

    def add(self, number: int, terminal: TerminalId, key: str) -> None:
        """Start the next bot."""
        identity = DeviceKey(DeviceKind.TERMINAL, terminal, key)
        client = AsyncClient(self._server, identity, retry_s=(), clock=self._venue.publisher.time)
        random = Random(self._random.getrandbits(64))  # noqa: S311 - it decides no result
        strategy, free_seats = STRATEGIES[number % len(STRATEGIES)](), partial(self._free_seats, terminal)
        bot = Bot(f"Bot {number + 1}", client, strategy, random, free_seats)
        self.bots.append(bot)
        task = asyncio.get_running_loop().create_task(bot.play())
        self._tasks.add(task)
        task.add_done_callback(partial(self._stopped, bot))

    def _free_seats(self, terminal: TerminalId) -> int:
        """Return how many seats are free at the table of a terminal; of two tables, at the one with fewer."""
        house, inside = self._venue.run.house, self._venue.publisher.inside
        free = {each.id for each in house.terminals.values() if not each.closed and is_empty(each)} - set(inside)
        return min(len(free.intersection(house.tables[table].terminals)) for table in house.terminals[terminal].games)

    def summary(self) -> Iterator[str]:
        """Describe which bots play, and why there are fewer than requested."""
        names = ", ".join(f"{bot.name} at {bot.client.terminal}" for bot in self.bots)
        yield f"Demo bots, with play money only: {names or 'none'}."
        if len(self.bots) < self.requested:
            yield f"{len(self.bots)} of {self.requested}: one terminal stays free at every table."

    def cancel(self) -> None:
        """Stop all requests; the connections end when the server closes them."""
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """Stop all bots, and drop their connections."""
        self.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for bot in self.bots:
            bot.client.abort()

    def _stopped(self, bot: Bot, task: "asyncio.Task[None]") -> None:
        """Log a bot that has stopped; an exception in one does not affect the others."""
        self._tasks.discard(task)
        if task.cancelled():
            return
        bot.client.abort()
        error = task.exception()
        if error is None:
            _LOG.info("bot_stopped", bot=bot.name, terminal=bot.client.terminal)
        else:
            facts = {"bot": bot.name, "terminal": bot.client.terminal}
            _LOG.error("bot_failed", **facts, error=type(error).__name__, words=str(error))
