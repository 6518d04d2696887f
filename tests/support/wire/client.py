"""A client of one terminal over all of its connections, which notes everything that it sends and receives."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from croupier.client.connection import ServerAddress, WebSocket
from croupier.protocol.inbound import PROTOCOL
from tests.support.connections import LONG_S

Said = dict[str, Any]
#: Chips by spot, of every game of a terminal by its table.
Chips = dict[str, dict[str, int]]
#: Looks on as something is asked or heard.
Witness = Callable[["Page", Said], None]
ACCEPTED: Final = ""
OPEN: Final = ("open", "open_running", "last_call")


class Requested(NamedTuple):
    """What was asked, and in which epoch for the first time."""

    epoch: int
    message: Said


class Shown(NamedTuple):
    """What a page shows after a frame, and the last command that it was told of as accepted."""

    epoch: int
    accepted: int
    credit: int
    chips: Chips


class Page:
    """The client of one terminal, which notes everything and checks each delta by code of its own.

    Ids rise over all epochs, and each is noted before it is sent.
    """

    def __init__(self, device: str, tables: tuple[str, ...], witness: Witness, join: str = "") -> None:
        self.device, self.names, self._witness, self._join = device, tables, witness, join
        self.key = ""
        self.epoch = self.credit = self._version = self._accepted = 0
        self.chips: Chips = {}
        self.tables: dict[str, Said] = {}
        self._versions: dict[str, int] = {}
        #: What was asked, and the answers: nothing for yes, or the code of a refusal.
        self.requested: dict[int, Requested] = {}
        self.answers: dict[int, str] = {}
        self.pending: dict[int, Requested] = {}
        self.shown: list[Shown] = []
        #: Tables as they were told in each epoch, and slips.
        self.table_views: list[tuple[int, Said]] = []
        self.slips: list[Said] = []
        #: Violations of the protocol, and why connections were closed.
        self.complaints: list[str] = []
        self.byes: list[str] = []
        self._websocket: WebSocket | None = None
        self._closed: asyncio.Future[int] | None = None
        self._snapped, self._quiet = asyncio.Event(), asyncio.Event()
        #: Whether it asks again for all that was not answered at its next snapshot, before it hears anything else; and
        #: the command whose answer shows that all are answered.
        self._asks_again, self._barrier = False, 0

    # Coming and going.

    async def enter(self, port: int, origin: str = "") -> None:
        """Come in, with the key where there is one, and ask again for all that was not answered."""
        self._snapped.clear()
        self._asks_again = True
        closed = self._closed = asyncio.get_running_loop().create_future()
        server = ServerAddress("127.0.0.1", port)
        self._websocket = await server.connect(self._received, closed.set_result, origin or None)
        known = {"key": self.key} if self.key else {"join": self._join, "table": self.names[0]}
        self.say(t="hello", screen="terminal", protocol=PROTOCOL, device=self.device, **known)
        await self._unless_down(self._snapped.wait())

    def _ask_again(self) -> None:
        if self.pending:
            for number in sorted(self.pending):
                self.say(**self.pending[number].message)
            # A refusal may be among what was lost: with the answer to one more command all before it are answered.
            self.ask("ReportDisplay")
            self._barrier = len(self.requested)

    @property
    def is_up(self) -> bool:
        return self._closed is not None and not self._closed.done()

    @property
    def is_shown(self) -> bool:
        """Whether it has had the snapshot of its line."""
        return self._snapped.is_set()

    async def down(self) -> None:
        """Wait until the line is down, with everything heard that came over it."""
        assert self._closed is not None
        await asyncio.wait_for(asyncio.shield(self._closed), LONG_S)

    async def leave(self) -> None:
        """Hang up."""
        assert self._websocket is not None
        self._websocket.transport.disconnect()
        await self.down()

    async def quiet(self) -> None:
        """Wait until everything is answered, or the line is down."""
        if self.pending:
            self._quiet.clear()
            await self._unless_down(self._quiet.wait())

    async def _unless_down(self, wait: Any) -> None:  # noqa: ANN401 - any coroutine
        assert self._closed is not None
        waiting = asyncio.ensure_future(wait)
        done, _ = await asyncio.wait((waiting, self._closed), timeout=LONG_S, return_when=asyncio.FIRST_COMPLETED)
        assert done, f"{self.device} waits for an answer"
        if waiting in done:
            waiting.result()
        waiting.cancel()

    # Asking.

    def say(self, **message: object) -> None:
        if self.is_up:
            assert self._websocket is not None
            self._websocket.send(msgspec.json.encode(message))
            self._witness(self, message)

    def ask(self, command: str, **more: object) -> None:
        self.wish("ask", command={"type": command, "terminal": self.device, **more})

    def wish(self, kind: str, **more: object) -> None:
        """Ask for something under the next number."""
        number = len(self.requested) + 1
        message = {"t": kind, "id": number, "epoch": self.epoch, **more}
        self.requested[number] = self.pending[number] = Requested(self.epoch, message)
        self.say(**message)

    # Hearing.

    def _received(self, text: bytes) -> None:
        said = msgspec.json.decode(text)
        match said["t"]:
            case "enrolled":
                self.key = said["key"]
            case "welcome" if self._snapped.is_set():
                # The line was held by a gateway while the house was away.
                self._snapped.clear()
                self._asks_again = True
            case "snap":
                self._snap(said)
            # What comes on a new line before its snapshot is in the snapshot too.
            case "seat" if self._snapped.is_set():
                self._seat(said)
            case "table" if self._snapped.is_set():
                self._table(said["tv"], said["state"])
            case "slip":
                self.slips.append(said)
            case "bye":
                self.byes.append(said["refusal"]["code"])
        self._witness(self, said)

    def _snap(self, said: Said) -> None:
        self._versions = {}
        self.epoch, self._version = said["epoch"], said["v"]
        self.credit, self.chips = 0, {}
        for version, state in said["tables"]:
            self._table(version, state)
        self._take(said["seat"])
        self._show()
        self._snapped.set()
        if self._asks_again:
            self._asks_again = False
            self._ask_again()

    def _seat(self, said: Said) -> None:
        if said["v"] != self._version + 1:
            self.complaints.append(f"delta {said['v']} follows {self._version}")
        self._version, before = said["v"], self._worth
        games = said.get("set", {}).get("games", {})
        self._take(said.get("set", {}))
        if games and all("stakes" in game for game in games.values()) and before != self._worth:
            self.complaints.append(f"chips were moved, and {before} became {self._worth}: {said}")
        self._answered(said["last_cmd"], {each["id"]: each["code"] for each in said.get("refused", ())})
        self._show()

    def _take(self, reported: Said) -> None:
        """Lay what was told over what is shown: what is missing has not changed."""
        self.credit = reported.get("credit", self.credit)
        for table, game in reported.get("games", {}).items():
            lying = {**game.get("bets", self.chips.get(table, {})), **game.get("stakes", {})}
            self.chips[table] = {spot: stake for spot, stake in lying.items() if stake}
            if game.get("staked", sum(self.chips[table].values())) != sum(self.chips[table].values()):
                self.complaints.append(f"{game} is not what lies at {table}: {self.chips[table]}")

    def _answered(self, last: int, refused: dict[int, str]) -> None:
        known = last if self._barrier not in self.pending or self._barrier <= last else 0
        for number in [each for each in self.pending if each <= known or each in refused]:
            self.answers[number] = refused.get(number, ACCEPTED)
            if number not in refused:
                self._accepted = max(self._accepted, number)
            del self.pending[number]
        if not self.pending:
            self._quiet.set()

    def _table(self, version: int, state: Said) -> None:
        name = state["table"]
        if version <= self._versions.get(name, 0):
            self.complaints.append(f"version {version} of {name} follows {self._versions[name]}")
        self._versions[name], self.tables[name] = version, state
        self.table_views.append((self.epoch, state))

    def _show(self) -> None:
        self.shown.append(Shown(self.epoch, self._accepted, self.credit, {**self.chips}))

    @property
    def _worth(self) -> int:
        """What is on the terminal, on the meter and on the felt."""
        return self.credit + sum(sum(each.values()) for each in self.chips.values())
