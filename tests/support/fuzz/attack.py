"""Attacks on a fuzzed house: streams of messages, calls over real sockets, and sequences that nobody would play."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import msgspec

from croupier.house.ids import DeviceKind
from croupier.protocol import inbound
from tests.support.fuzz.floor import NEWCOMER, Floor, Visitor, command_of, read
from tests.support.fuzz.line import HOST, PARTS, PLAYERS, STAFF
from tests.support.fuzz.socket import Call, odd_calls, whole_calls

HELLO: Final = {"t": "hello", "protocol": inbound.PROTOCOL}
#: Who makes the calls over real sockets.
CALLER: Final = "player on a raw line"
#: Everybody else; strangers are many, and quick.
_CROWD: Final = (*("stranger",) * 20, *("neighbour",) * 2, *PLAYERS * 2, *(name for name in PARTS if name != CALLER))


async def messages(floor: Floor, frames: int = 1_500) -> None:
    """Have somebody say very much at one instant."""
    name = floor.fuzz.any_of(_CROWD)
    visitor = await floor.arrive(name)
    for _ in range(frames):
        await floor.deliver(visitor, floor.fuzz.payload())
    await floor.judge(visitor.part)


async def whole(floor: Floor) -> None:
    """Have whole messages said over real sockets."""
    visitor = await floor.arrive(CALLER)
    await make(floor, visitor, whole_calls(floor.fuzz, 20, 30))


async def odd(floor: Floor) -> None:
    """Have odd frames and odd requests sent over real sockets."""
    visitor = await floor.arrive(CALLER)
    await make(floor, visitor, odd_calls(floor.fuzz, 40))


async def make(floor: Floor, visitor: Visitor, calls: Iterable[Call]) -> None:
    """Make calls, some concurrently, and verify the house against them and all earlier messages."""
    port, part, made = floor.house.venue.port, visitor.part, list(calls)
    hello = msgspec.json.encode({**HELLO, "screen": part.kind, "device": part.device, "key": visitor.key})
    floor.calls, floor.frames = made, floor.frames + sum(1 + len(each.said) for each in made)
    for at in range(0, len(made), _AT_ONCE):
        await asyncio.gather(*(each.make(port, hello) for each in made[at : at + _AT_ONCE]))
    received = (read(payload) for each in made for payload in each.incoming())
    wanted = {command_of(message) for message in received if isinstance(message, inbound.KeyedMessage)}
    floor.requested[part.device] |= wanted
    floor.requested[NEWCOMER] |= wanted
    await floor.judge(part, [odd for each in made for odd in each.oddities()])


_AT_ONCE: Final = 20


async def sequence(floor: Floor) -> None:
    """Have somebody do one odd thing after the other, while an honest player goes on."""
    fuzz = floor.fuzz
    visitor = await floor.arrive(fuzz.any_of((*PLAYERS, *STAFF, "board", "pit, not signed in", *("neighbour",) * 3)))
    for _ in range(2 + int(fuzz.chance() * 6)):
        await fuzz.any_of(MOVES)(floor, visitor)
    await floor.judge(visitor.part)


# What somebody may do.


async def _babble(floor: Floor, visitor: Visitor) -> None:
    for _ in range(30):
        await floor.deliver(visitor, floor.fuzz.payload())


async def _say_hello_again(floor: Floor, visitor: Visitor) -> None:
    await floor.deliver(visitor, _hello(visitor, visitor.key))
    await _babble(floor, visitor)


async def _come_with_another_key(floor: Floor, visitor: Visitor) -> None:
    line = floor.open(visitor)
    floor.say(visitor, _hello(visitor, "another"), line)
    floor.say(visitor, floor.fuzz.sound(), line)


async def _ask_before_hello(floor: Floor, visitor: Visitor) -> None:
    floor.say(visitor, floor.fuzz.sound(), floor.open(visitor))


async def _sit_down(floor: Floor, visitor: Visitor) -> None:
    """Enrol one more device, as whoever is at the machine itself may in a demonstration, and go on as that one."""
    if visitor.part.peer == HOST:
        line = floor.open(visitor)
        kind, table = floor.fuzz.any_of(tuple(DeviceKind)), floor.fuzz.any_of(("A", "M", "C", "nowhere"))
        floor.say(
            visitor,
            msgspec.json.encode({**HELLO, "screen": kind, "join": "", "table": table}),
            line,
        )
        await floor.settle()
        for _ in range(20):
            floor.say(visitor, floor.fuzz.payload(), line)


async def _open_two_windows(floor: Floor, visitor: Visitor) -> None:
    """Go on in a window that another one has taken the place of."""
    older = visitor.line
    floor.enter(visitor)
    for _ in range(5):
        await floor.deliver(visitor, floor.fuzz.sound())
        if older is not None:
            floor.say(visitor, floor.fuzz.sound(), older)


async def _sign_in_again_and_again(floor: Floor, visitor: Visitor) -> None:
    for _ in range(12):
        kind = floor.fuzz.any_of(("sign_in", "new_secret", "step_up", "resume"))
        await floor.deliver(visitor, floor.fuzz.sound(kind))


async def _number_at_random(floor: Floor, visitor: Visitor) -> None:
    """Number commands ahead, anew and backwards, in epochs that are past or have not begun."""
    fuzz = floor.fuzz
    for _ in range(10):
        fuzz.number = max(1, fuzz.number + fuzz.any_of((0, 1, 1, 2, 50, -1, -20)))
        await floor.deliver(visitor, fuzz.sound())


async def _say_it_again(floor: Floor, visitor: Visitor) -> None:
    """Send what was sent before, to the byte."""
    for payload in floor.said[-20:]:
        await floor.deliver(visitor, payload)


async def _hang_up(floor: Floor, visitor: Visitor) -> None:
    if visitor.line is not None:
        visitor.line.disconnect()
    await floor.settle()


async def _read_nothing(floor: Floor, visitor: Visitor) -> None:
    """Let what is sent pile up for a while: then it is told everything at once."""
    line = visitor.line
    if line is None or not line.is_open:
        return
    line.connection.pause_writing()
    await _babble(floor, visitor)
    await floor.settle()
    line.answers.waiting.clear()
    if line.is_open:
        line.connection.resume_writing()


async def _rush(floor: Floor, visitor: Visitor) -> None:
    """Say more than anybody may at one instant."""
    if visitor.line is not None:
        for _ in range(3_300):
            visitor.line.feed(b'{"t":"ping","c":1}')
    await _babble(floor, visitor)


async def _wait(floor: Floor, _visitor: Visitor) -> None:
    await floor.wait(floor.fuzz.any_of((0.1, 1, 6, 20, 45)))


async def _let_an_honest_player_bet(floor: Floor, _visitor: Visitor) -> None:
    await floor.settle()
    floor.complain(await floor.honest.bet())


def _hello(visitor: Visitor, key: str) -> bytes:
    part = visitor.part
    return msgspec.json.encode({**HELLO, "screen": part.kind or "terminal", "device": part.device, "key": key})


MOVES: Final[tuple[Callable[[Floor, Visitor], Awaitable[None]], ...]] = (
    _babble,
    _say_hello_again,
    _come_with_another_key,
    _ask_before_hello,
    _sit_down,
    _open_two_windows,
    _sign_in_again_and_again,
    _number_at_random,
    _say_it_again,
    _hang_up,
    _read_nothing,
    _rush,
    _wait,
    _let_an_honest_player_bet,
    _let_an_honest_player_bet,
)
