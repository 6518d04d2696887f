"""WebSocket connections: who may open one, and the effect of frames and texts that no honest page sends."""

from pathlib import Path

import msgspec
import pytest
from benchmarks.frames import BINARY, CLOSE, CONTINUATION, PING, PONG

from croupier.house.ids import SECOND
from croupier.protocol import inbound
from croupier.server.connection import HELLO_WAIT_MAX_US, INVALID_FRAMES_MAX, SWEEP_INTERVAL_US
from croupier.server.listener import FRAME_BYTES_MAX
from tests.support.browser.houses import ADELAIDE, MARINA, house_of
from tests.support.connections import TestHouse, open_house, played, refused_in
from tests.support.rawline import RawLine, frame, open_line, raw_line, said, upgrade

PINGED = b'{"t":"ping","c":1}'


#: Frames that are no message, and the close code for each.
ODD = {
    "binary": (frame(PINGED, BINARY), 1003),
    "first fragment": (frame(PINGED, fin=False), 1003),
    "continuation": (frame(PINGED, CONTINUATION), 1003),
    "compressed": (frame(PINGED, reserved=4), 1002),
    "second reserved bit": (frame(PINGED, reserved=2), 1002),
    "third reserved bit": (frame(PINGED, reserved=1), 1002),
    "reserved bit of a ping": (frame(b"", PING, reserved=4), 1002),
    "unknown opcode": (frame(PINGED, 3), 1002),
    "unmasked": (frame(PINGED, masked=False), 1002),
    "long ping": (frame(b"x" * 126, PING), 1002),
    "fragment of a ping": (frame(b"", PING, fin=False), 1002),
    "too large": (frame(PINGED[:-1] + b" " * (FRAME_BYTES_MAX - len(PINGED) + 1) + b"}"), 1009),
    "not UTF-8": (frame(b'{"t":"\xff"}'), 1007),
    "surrogate in UTF-8": (frame(b'{"t":"ping","\xed\xa0\x80":1}'), 1007),
    "close": (frame(b"", CLOSE), 1000),
    "close with a code": (frame(b"\x03\xe8", CLOSE), 1000),
    "close with a reason": (frame(b"\x03\xe8bye", CLOSE), 1000),
    "close with half a code": (frame(b"\x03", CLOSE), 1002),
    "close with a code that nobody may send": (frame(b"\x03\xe7", CLOSE), 1002),
    "close with a reason that is not UTF-8": (frame(b"\x03\xe8\xff", CLOSE), 1007),
    "a message after the close": (frame(b"", CLOSE) + frame(PINGED), 1000),
}


def test_frame_that_is_no_message_closes_the_connection(tmp_path: Path) -> None:
    """A frame that is not a whole text frame closes its connection, with the protocol's code for it."""

    async def scenario() -> dict[str, int]:
        codes = {}
        async with open_house(tmp_path) as house:
            for name, (sent, _) in ODD.items():
                async with open_line(house.port) as line:
                    line.send(sent)
                    codes[name] = await line.ended()
            await house.rest()
            assert house.venue.router.connections == {}
        return codes

    assert played(scenario) == {name: code for name, (_, code) in ODD.items()}


def test_largest_frame_is_taken(tmp_path: Path) -> None:
    """A frame of exactly the largest size is a message like any other."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            line.send(frame(PINGED[:-1] + b" " * (FRAME_BYTES_MAX - len(PINGED)) + b"}"))
            assert (await line.reported("pong"))["c"] == 1

    played(scenario)


def test_ping_of_the_protocol_is_answered_in_kind(tmp_path: Path) -> None:
    """A ping frame comes back as a pong with the same content, and a pong is only a sign of life."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            line.send(frame(b"", PONG), frame(b"x" * 125, PING))
            assert await line.hear() == (PONG, b"x" * 125)

    played(scenario)


def test_frame_may_come_a_byte_at_a_time(tmp_path: Path) -> None:
    """However a frame is cut up on its way, it is read once it is whole."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            for byte in said("ping", c=7):
                line.send(bytes([byte]))
                await line.writer.drain()
            assert (await line.reported("pong"))["c"] == 7

    played(scenario)


def test_compression_is_not_negotiated(tmp_path: Path) -> None:
    """A page that offers to compress is let in without it: nothing here can be made to swell."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, raw_line(house.port) as line:
            offers = ("Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Protocol: chat")
            reply = await line.request(upgrade(house.origin, *offers))
            assert reply.status == 101
            assert not {"Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol"} & reply.headers.keys()

    played(scenario)


#: Texts that are no message, each with a word of what is said to it.
NONSENSE = [
    (b"", "truncated"),
    (b"null", "object"),
    (b"[]", "object"),
    (b"{}", "missing required field"),
    (b'{"t":null}', "Expected `str`"),
    (b'{"t":1}', "Expected `str`"),
    (b'{"t":"tick"}', "Invalid value"),
    (b'{"t":"Ping","c":1}', "Invalid value"),
    (b'{"t":"ping"}', "missing required field `c`"),
    (b'{"t":"ping","c":1,"d":2}', "unknown field"),
    (b'{"t":"ping","c":NaN}', "malformed"),
    (b'{"t":"ping","c":Infinity}', "malformed"),
    (b'{"t":"ping","c":-Infinity}', "malformed"),
    (b'{"t":"ping","c":1e3}', "got `float`"),
    (b'{"t":"ping","c":1.0}', "got `float`"),
    (b'{"t":"ping","c":true}', "got `bool`"),
    (b'{"t":"ping","c":"1"}', "got `str`"),
    (b'{"t":"ping","c":-1}', ">= 0"),
    (b'{"t":"ping","c":9007199254740992}', "<= 9007199254740991"),
    (b'{"t":"ping","c":' + b"9" * 4_000 + b"}", "<= 9007199254740991"),
    (b'{"t":"ping","c":01}', "malformed"),
    (b'{"t":"ping","c":0x1}', "malformed"),
    (b'{"t":"ping","c":1} {}', "trailing"),
    (b'{"t":"ping","c":1,}', "malformed"),
    (b'{"t":"ping","t":"resync","c":1}', "Invalid value"),
    (b'{"t":"ping","t":"ping","c":1}', "same key twice"),
    (b'{"t":"ping","c":1,"c":2}', "same key twice"),
    (b'{"t":"ping","c":2,"c":2}', "same key twice"),
    (b'{"t":"ping","c" :1,"c":2}', "same key twice"),
    (b'{"t":"ping","c":1,"\\u0063":2}', "same key twice"),
    (b'{"t":"ask","id":1,"id":1,"epoch":1,"command":{"type":"OpenBets","table":"A"}}', "same key twice"),
    (b'{"t":"ask","id":1,"epoch":1,"command":{"type":"OpenBets","table":"B","table":"A"}}', "same key twice"),
    (b"\xef\xbb\xbf" + PINGED, "malformed"),
    (b"{'t':'ping','c':1}", "malformed"),
    (b'{"t":"ping","c":/**/1}', "malformed"),
    (b"[" * 4_000, "object"),
    (b'{"t":"ping","c":' + b"[" * 4_000, "got `array`"),
    (b'{"a":' + b"[" * 4_000, "recursion"),
    (b'{"a":' * 600 + b"1" + b"}" * 600, "missing required field"),
    (b'{"t":"ask","id":1,"epoch":1,"command":{"a":' + b"[" * 3_900, "recursion"),
    (b'{"t":"sign_in","person":"\\ud800","secret":"x"}', "surrogate"),
    (b'{"t":"sign_in","person":"\\udc00\\ud800","secret":"x"}', "surrogate"),
    (b'{"t":"sign_in","person":"","secret":"x"}', "length >= 1"),
    (b'{"t":"sign_in","person":"' + b"x" * 65 + b'","secret":"x"}', "length <= 64"),
    (b'{"t":"ping\\u0000","c":1}', "Invalid value"),
    (b'{"t":"ask","id":0,"epoch":1,"command":{"type":"OpenBets","table":"A"}}', ">= 1"),
    (b'{"t":"ask","id":1,"epoch":1,"command":{"type":"open_bets","table":"A"}}', "Invalid value"),
    (b'{"t":"ask","id":1,"epoch":1,"command":{"type":"OpenBets","table":["A"]}}', "got `array`"),
    (b'{"t":"ask","id":1,"epoch":1,"device":"B-1","command":{"type":"OpenBets","table":"A"}}', "unknown field"),
    (b'{"t":"ask","id":1,"epoch":1,"person":"manager","command":{"type":"OpenBets","table":"A"}}', "unknown field"),
]


@pytest.mark.parametrize("start", range(0, len(NONSENSE), INVALID_FRAMES_MAX))
def test_text_that_is_no_message_is_refused(tmp_path: Path, start: int) -> None:
    """Each gets a refusal with the cause, has no effect, and the connection stays open."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            for text, words in NONSENSE[start : start + INVALID_FRAMES_MAX]:
                line.send(frame(text))
                refusal = (await line.reported("refused"))["refusal"]
                assert (refusal["code"], words in refusal["says"]) == ("malformed", True), (text, refusal)
            line.send(said("ping", c=5))
            assert (await line.reported("pong"))["c"] == 5

    played(scenario)


def test_command_that_cannot_be_read_is_refused_under_its_number(tmp_path: Path) -> None:
    """Whoever goes by the numbers never takes a command that was no message for one that was answered with a yes."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            number = player.ask("PlaceBets", terminal=player.device, table="A", round=1, spin=1, bets=[["17", "much"]])
            refused = refused_in(await player.hear("seat"))
            assert {id_: refusal["code"] for id_, refusal in refused.items()} == {number: "malformed"}
            boss = await house.signed_in("manager", "pit", house.codes["manager"])
            number = boss.ask("OpenBets", table=1)
            ack = await boss.hear("ack")
            assert (ack["id"], ack["refusal"]["code"]) == (number, "malformed")
            boss.say("journal", q=7, before="x")
            answer = await boss.hear("refused")
            assert (answer["q"], answer["refusal"]["code"]) == (7, "malformed")

    played(scenario)


@pytest.mark.parametrize(
    "text",
    [
        b'{"t":"ping","c":1}',
        b'{"c":1,"t":"ping"}',
        b' {"t" : "ping",\n"c":1 }',
        b'{"\\u0074":"ping","c":1}',
        b'{"t":"pin\\u0067","c":1}',
    ],
)
def test_message_may_be_written_in_any_form(text: bytes) -> None:
    """Another order, blanks and escapes are no fault, as long as no key stands twice in one object."""
    assert inbound.decode(text) == inbound.Ping(1)


def test_connection_with_invalid_messages_is_closed(tmp_path: Path) -> None:
    """So many frames that are no message are borne, and the next one is the last."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            line.send(*[frame(b"{}")] * (INVALID_FRAMES_MAX + 1))
            for _ in range(INVALID_FRAMES_MAX):
                assert (await line.reported("refused"))["refusal"]["code"] == "malformed"
            assert (await line.reported("bye"))["refusal"]["code"] == "malformed"
            assert await line.ended() == 1008
            assert house.venue.publisher.figures.closed["malformed"] == 1

    played(scenario)


async def until_shut(house: TestHouse, line: RawLine, seconds: int) -> str:
    """Let time pass, after which the connection must be closed; return why it was."""
    await house.pass_s(seconds)
    code: str = (await line.reported("bye"))["refusal"]["code"]
    return code


def test_connection_without_hello_is_closed(tmp_path: Path) -> None:
    """A connection has a limited time to send hello, however often it requests the time."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            for _ in range(HELLO_WAIT_MAX_US // SWEEP_INTERVAL_US):
                await house.pass_s(SWEEP_INTERVAL_US // SECOND)
                line.send(said("ping", c=1))
                await line.reported("pong")
            assert await until_shut(house, line, SWEEP_INTERVAL_US // SECOND) == "out_of_turn"

    played(scenario)


@pytest.mark.parametrize(
    "message",
    [{"t": "resync"}, {"t": "practice"}, {"t": "sign_out"}, {"t": "cash_out", "id": 1, "epoch": 1}],
    ids=lambda message: message["t"],
)
def test_connection_with_a_request_before_hello_is_closed(tmp_path: Path, message: dict[str, object]) -> None:
    """Nothing but a sign of life is heard before the hello."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            line.send(frame(msgspec.json.encode(message)))
            assert (await line.reported("bye"))["refusal"]["code"] == "out_of_turn"

    played(scenario)


def test_second_hello_closes_the_connection(tmp_path: Path) -> None:
    """Whoever has said hello is who they are, also while they wait to be let in."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, open_line(house.port) as line:
            line.send(*[said("hello", screen="terminal", join="", table="A")] * 2)
            assert (await line.reported("bye"))["refusal"]["code"] == "out_of_turn"
            await house.rest()
            assert house.venue.publisher.seats == {}

    played(scenario)


def test_what_is_not_there_is_refused_by_the_terminals_own_rules(tmp_path: Path) -> None:
    """In a house of two venues a bet at a table that does not exist is refused by a clause of whoever is asked."""

    async def scenario() -> None:
        async with open_house(tmp_path, house_of(MARINA, ADELAIDE)) as house:
            for table, clause in (("M", "1.1.1"), ("A", "5.3(a)")):
                player = await house.seated(table)
                refused = refused_in(await player.answered(player.bet("17", 500, 1, "nowhere")))
                assert [(each["code"], each["clause"]) for each in refused.values()] == [("unknown_table", clause)]

    played(scenario)
