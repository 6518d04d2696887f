"""The demo bots of a venue: seats, start and stop."""

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
from croupier.client.session import ServerAddress, TerminalClient
from croupier.config.schema import Config
from croupier.house.ids import DeviceId, DeviceKind, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.journal.disk import write_atomic
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.auth.credentials import CredentialError, CredentialStore, DeviceCredential, name_objection

#: Beside the register; it has no key in it.
BOT_LIST_FILE: Final = "players.json"
Devices = Mapping[DeviceId, DeviceCredential]


def bot_seats(house: House, register: CredentialStore, key_store: Path, wanted: int) -> dict[TerminalId, str]:
    """Give so many players a seat and its key, or as many as leave a seat free at every table."""
    held = register.load().devices
    ours = {device: each for device, each in _read(key_store / BOT_LIST_FILE).items() if held.get(device) == each}
    seats = _chosen(house, held, ours, wanted)
    keys = register.enrol({DeviceId(seat): DeviceKind.TERMINAL for seat in seats})
    assert isinstance(keys, dict)
    now = register.load().devices
    # Also those that nobody sits at this time: they are given to nobody else.
    _write(key_store / BOT_LIST_FILE, {**ours, **{device: now[device] for device in keys}})
    return {TerminalId(device): key for device, key in keys.items()}


def _chosen(house: House, held: Devices, ours: Devices, wanted: int) -> list[TerminalId]:
    """Choose the seats that are the players' already, and then free ones."""
    seats = [seat for seat in map(TerminalId, ours) if seat in house.terminals][:wanted]
    free = [seat for seat in house.terminals if DeviceId(seat) not in held and name_objection(seat) is None]
    while len(seats) < wanted:
        taken, left = _count(house, seats), _count(house, free)
        can = [seat for seat in free if all(left[table] > 1 for table in house.terminals[seat].games)]
        if not can:
            break
        # Where the fewest are, so that tables fill evenly.
        seats.append(min(can, key=lambda seat: max(taken[table] for table in house.terminals[seat].games)))
        free.remove(seats[-1])
    return seats


def _count(house: House, seats: Iterable[TerminalId]) -> Counter[TableId]:
    """Count seats by the tables that are played at them."""
    return Counter(table for seat in seats for table in house.terminals[seat].games)


def _read(path: Path) -> Devices:
    """Read which seats they had; none where nobody knows: they find others."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[DeviceId, DeviceCredential])
    except (FileNotFoundError, msgspec.DecodeError):
        return {}
    except OSError as error:
        raise CredentialError(f"the roster cannot be read: {error.strerror}: {error.filename}") from error


def _write(path: Path, devices: Devices) -> None:
    try:
        write_atomic(path, msgspec.json.encode(devices))
    except OSError as error:
        raise CredentialError(f"the roster cannot be written: {error.strerror}: {error.filename}") from error


#: How many players come to each table where nobody says how many.
LIVELY: Final = 3
_LOG = structlog.get_logger()


def money_objection(config: Config) -> Refusal | None:
    """Object to simulated players where the money is real."""
    if config.mode is Mode.DEMO:
        return None
    says = "Simulated players play for play money alone: this venue is for real money, and `croupier serve` opens it."
    return refuse(Code.DEMO_ONLY, None, says, mode=config.mode)


def server_address(venue: Venue) -> ServerAddress:
    listen = venue.config.listen
    return ServerAddress.of(listen.host, venue.port, None if listen.tls is None else listen.tls.certificate)


class DemoBots:
    """The players of one house that is open."""

    def __init__(self, venue: Venue, chance: Random) -> None:
        assert venue.config.mode is Mode.DEMO
        self._venue, self._chance, self._server_address = venue, chance, server_address(venue)
        self.players: list[Bot] = []
        #: How many somebody has asked for.
        self.asked_for = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    def engaged(cls, venue: Venue, wanted: int | None = None, chance: Random | None = None) -> Self:
        """Have players come to a house that is open; none, where no seat can be given to anybody."""
        director = cls(venue, chance or Random())  # noqa: S311 - no number of a wheel comes of it
        director.asked_for, lively = wanted or 0, LIVELY * len(venue.run.house.tables)
        try:
            keys = bot_seats(
                venue.run.house, venue.verifier.register, venue.config.key_store, lively if wanted is None else wanted
            )
        except CredentialError as fault:
            _LOG.error("no_players", words=str(fault))
            keys = {}
        for number, (seat, key) in enumerate(keys.items()):
            director.seat(number, seat, key)
        return director

    def seat(self, number: int, seat: TerminalId, key: str) -> None:
        """Have the next player come to a seat."""
        terminal = TerminalClient(seat, key, self._server_address, self._venue.publisher.time)
        chance = Random(self._chance.getrandbits(64))  # noqa: S311 - no number of a wheel comes of it
        player = Bot(f"Player {number + 1}", terminal, STRATEGIES[number % len(STRATEGIES)](), chance)
        self.players.append(player)
        task = asyncio.get_running_loop().create_task(player.play())
        self._tasks.add(task)
        task.add_done_callback(partial(self._gone, player))

    def words(self) -> Iterator[str]:
        """Say who is there, and where more were asked for, why they are not."""
        names = ", ".join(f"{player.name} at {player.terminal.name}" for player in self.players)
        yield f"Simulated players, for play money alone: {names or 'none'}."
        if len(self.players) < self.asked_for:
            yield f"That is {len(self.players)} of {self.asked_for}: a seat is left free at every table."

    def hush(self) -> None:
        """Have nobody ask for anything any more; their lines end with the house's doors."""
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """Send everybody home."""
        self.hush()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for player in self.players:
            player.terminal.hang_up()

    def _gone(self, player: Bot, task: "asyncio.Task[None]") -> None:
        """Hear that a player has stopped; one who fails takes nobody along."""
        self._tasks.discard(task)
        if task.cancelled():
            return
        player.terminal.hang_up()
        error = task.exception()
        if error is None:
            _LOG.info("player_left", player=player.name, terminal=player.terminal.name)
        else:
            facts = {"player": player.name, "terminal": player.terminal.name}
            _LOG.error("player_failed", **facts, error=type(error).__name__, words=str(error))
