"""The floor that is fuzzed: a real house, a client on every kind of connection, and an honest player among them."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from croupier.engine.ports import Request
from croupier.house.floor.malfunctions import ClearCase, ConfirmBets
from croupier.house.floor.staff import EnrolPerson
from croupier.house.ids import SECOND, SYSTEM, DeviceId, DeviceKind, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.rounds.results import ReportBoard
from croupier.protocol import inbound
from tests.support.connections import LONG_S, TestHouse, open_house
from tests.support.fuzz.honest import SEAT, Honest, seated
from tests.support.fuzz.line import BECOMES, PARTS, Line, Part
from tests.support.fuzz.messages import Fuzzer
from tests.support.fuzz.socket import Call
from tests.support.fuzz.venue import SECRET, TITLES, VENUE
from tests.support.fuzz.watch import Seen, Shadow, Watch, failed, its_own, swollen, watching
from tests.support.fuzz.words import MENUS, words_of

#: How much is said of each thing that is found.
_WORDS_MAX: Final = 800
#: Stands for every device that has enrolled itself meanwhile.
NEWCOMER: Final = ""


class FoundError(Exception):
    """The house did something that it must not do."""


@dataclass(slots=True)
class Visitor:
    """A client that reconnects each time its connection is closed."""

    part: Part
    key: str
    line: Line | None = None
    token: str = ""
    stepped_up_at: int = 0


@dataclass
class Floor:
    """A fuzzed house and everybody in it."""

    house: TestHouse
    fuzz: Fuzzer
    watch: Watch
    shadow: Shadow
    honest: Honest
    keys: dict[DeviceId, str]
    visitors: dict[str, Visitor] = field(default_factory=dict)
    #: Who came last.
    visiting: str = ""
    #: What was said since the house was last judged.
    said: list[bytes] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    frames: int = 0
    #: What may come of it, by device.
    requested: defaultdict[str, set[object]] = field(default_factory=lambda: defaultdict(set))
    _lines: list[Line] = field(default_factory=list)
    _odd: list[str] = field(default_factory=list)

    async def arrive(self, name: str) -> Visitor:
        """Connect a client, and let the fuzzer send what it might send."""
        self.visiting = name
        if name not in self.visitors:
            part = PARTS[name]
            self.visitors[name] = Visitor(part, self.keys.get(DeviceId(part.device), ""))
        visitor, run = self.visitors[name], self.house.venue.run
        line = visitor.line if visitor.line is not None and visitor.line.is_open else self.enter(visitor)
        if visitor.part.person:
            await self._sign_in(visitor, line)
        await self._relieve(visitor.part.device)
        self.fuzz.words, self.fuzz.menu = words_of(self.house, visitor.part.device), MENUS[name]
        self.fuzz.number = run.sequencer.idempotency.last(DeviceId(visitor.part.device), run.epoch)
        return visitor

    async def deliver(self, visitor: Visitor, payload: bytes) -> None:
        """Send a payload for a client, over a new connection where the last one was closed."""
        if visitor.line is None or not visitor.line.is_open:
            self.enter(visitor)
            if visitor.part.kind is DeviceKind.TERMINAL:
                # The house must know that they are back, or it takes no bets from them.
                await self.rest()
        self.say(visitor, payload)

    def say(self, visitor: Visitor, payload: bytes, line: Line | None = None) -> None:
        """Send a payload over an open connection of a client."""
        line = line or visitor.line
        assert line is not None
        self.said.append(payload)
        self.frames += 1
        message = read(payload)
        if isinstance(message, inbound.KeyedMessage) and line.is_open and line.connection.device_kind is not None:
            line.answers.waiting.append(message.id)
            if line.connection.device_kind is DeviceKind.TERMINAL or line.connection.person:
                self.requested[line.connection.device].add(command_of(message))
        elif isinstance(message, inbound.Displayed) and line.connection.device_kind is DeviceKind.BOARD:
            # The house submits it by itself.
            shown = ReportBoard(TableId(message.table), message.number, RoundNumber(message.round))
            self.requested[SYSTEM].add(shown)
        try:
            line.feed(payload)
        except Exception as error:
            raise FoundError(f"a connection raised {error!r}") from error

    def open(self, visitor: Visitor) -> Line:
        """Open one more connection, and send nothing yet."""
        line = Line(self.house.venue.router, visitor.part.peer)
        self._lines.append(line)
        return line

    def enter(self, visitor: Visitor) -> Line:
        """Open a connection, and send hello where the client's kind does."""
        part = visitor.part
        line = visitor.line = self.open(visitor)
        if part.kind is not None:
            line.say("hello", screen=part.kind, device=part.device, key=visitor.key)
        if visitor.token:
            line.say("resume", token=visitor.token)
        return line

    async def _sign_in(self, visitor: Visitor, line: Line) -> None:
        """Sign somebody in who is not, and have them give their secret again once in a while."""
        person = PersonId(visitor.part.person)
        if person not in self.house.venue.run.house.staff.people:
            await self._ask(Request(EnrolPerson(person, tuple(TITLES[person]))))
        if not line.connection.person:
            register = self.house.venue.verifier.credential_store
            register.unlock(person)
            with register._changing() as held:  # noqa: SLF001 - no minutes pass in which a device would be forgiven
                held.tries.clear()
            before = len(line.sent)
            await self._done(line, "sign_in", person=person)
            visitor.token = msgspec.json.decode(line.sent[before]).get("token", "")
            visitor.stepped_up_at = 0
        if self.house.time.at_us > visitor.stepped_up_at + 60 * SECOND:
            await self._done(line, "step_up")
            visitor.stepped_up_at = self.house.time.at_us

    async def _done(self, line: Line, kind: str, **more: object) -> None:
        """Give a secret, and wait until it was looked at."""
        line.say(kind, secret=SECRET, **more)
        await self._background_tasks()

    async def _relieve(self, name: str) -> None:
        """Have staff see to a terminal that is blocked, so that its player can go on."""
        state = self.house.venue.run.house
        terminal = state.terminals.get(TerminalId(name))
        if terminal is None or terminal.case is None:
            return
        case, pit = state.cases.all[terminal.case], DeviceId("pit-4")
        for digest in [round_.digest for round_ in case.rounds][:1]:
            await self._ask(Request(ConfirmBets(case.number, digest), pit, PersonId("dealer")))
        await self._ask(Request(ClearCase(case.number), pit, PersonId("inspector")))

    async def _ask(self, requested: Request) -> None:
        """Have something done that is no part of what is fuzzed."""
        self.house.venue.commit_loop.submit(requested)
        await self.rest()
        self.shadow.seen.clear()

    async def _background_tasks(self) -> None:
        """Wait for what is under way beside the house's turns."""
        background_tasks = self.house.venue.router.background_tasks
        async with asyncio.timeout(LONG_S):
            while under_way := tuple(background_tasks._under_way.values()):  # noqa: SLF001 - nobody else waits for them
                await asyncio.wait(under_way)

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await self.house.pass_s(seconds)

    def complain(self, odd: Iterable[str]) -> None:
        """Keep what was odd until the house is judged."""
        self._odd += odd

    async def close(self) -> None:
        """See that an honest player is still served, and so is whoever comes now."""
        self.complain(await self.honest.begin_anew())
        newcomer = await self.house.client()
        await newcomer.ping()
        await self.judge(PARTS["stranger"])

    async def settle(self) -> None:
        """Wait until everything has been done that was begun."""
        for line in self._lines:
            if not (line.is_open or line.has_hung_up):
                line.hang_up()
        await self._background_tasks()
        await self.rest()

    async def rest(self) -> None:
        """Wait until the house has done all that it can do now, or has stopped."""
        commit_loop = self.house.venue.commit_loop
        for _ in range(3):
            await asyncio.sleep(0)
        resting = asyncio.ensure_future(commit_loop.at_rest.wait())
        done, _ = await asyncio.wait((resting, commit_loop.failed), timeout=LONG_S, return_when=asyncio.FIRST_COMPLETED)
        resting.cancel()
        if not done:
            raise FoundError("the house never comes to rest")

    async def judge(self, part: Part, odd: Iterable[str] = ()) -> None:
        """Verify the house against the messages sent: FoundError for an effect that none of them may have."""
        await self.settle()
        lines, self._lines = self._lines, [line for line in self._lines if line.is_open]
        found = [*failed(self.house)] or [
            *odd,
            *self._odd,
            *self.watch.faults(),
            *self.shadow.differs(),
            *self._unexplained(part),
            *swollen(self.house, len(self._lines)),
            *(each for line in lines for each in line.oddities()),
            *await self.honest.oddities(),
        ]
        if found:
            raise FoundError("; ".join(each[:_WORDS_MAX] for each in [*dict.fromkeys(found)][:5]))
        for done in (self.said, self.calls, self.requested, self.shadow.seen):
            done.clear()

    def _unexplained(self, part: Part) -> Iterator[str]:
        wheels = self.house.venue.run.house.tables
        for seen in self.shadow.seen:
            device = seen.context.device
            if seen.abandoned:
                continue
            if device == SYSTEM:
                explained = its_own(seen.command, part.brings) or seen.command in self.requested[SYSTEM]
            else:
                explained = TableId(device) in wheels or self.honest.requested(seen) or self._was_requested(seen)
            if not explained:
                yield f"nobody may have asked for {seen}"

    def _was_requested(self, seen: Seen) -> bool:
        requested = self.requested.get(seen.context.device, self.requested[NEWCOMER])
        return seen.command in requested or type(seen.command) in requested


def read(payload: bytes) -> inbound.Incoming | None:
    """Read a message as a connection does; None where it is invalid."""
    try:
        message: inbound.Incoming = inbound.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return message


def command_of(message: inbound.KeyedMessage) -> object:
    """Name what a wish becomes in the house: its command, or the kind of it."""
    return message.command if isinstance(message, inbound.SendCommand) else BECOMES[type(message)]


@asynccontextmanager
async def fuzzed(folder: Path, seed: int) -> AsyncIterator[Floor]:
    """Open a house to be fuzzed, and stop it in good order."""
    with watching() as watch:
        async with open_house(folder, VENUE) as house:
            devices = {DeviceId(part.device): part.kind for part in PARTS.values() if part.kind is not None}
            keys = house.venue.verifier.credential_store.enrol({**devices, DeviceId(SEAT): DeviceKind.TERMINAL})
            assert isinstance(keys, dict)
            honest = await seated(house, keys[DeviceId(SEAT)])
            await house.pass_s(6)
            yield Floor(house, Fuzzer(seed), watch, Shadow(house), honest, keys)
