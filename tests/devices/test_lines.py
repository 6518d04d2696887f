"""Lines to devices, and the controller of ID003: frames, CRC, lost lines, and bytes that are changed on the way."""

import asyncio
import os
import socket
import termios
from pathlib import Path
from random import Random
from typing import Final

import pytest

from croupier.devices.emulator import PseudoTerminal
from croupier.devices.id003 import (
    SETTINGS,
    Controller,
    EmulatedAcceptor,
    Frame,
    FrameReader,
    Id003Acceptor,
    Operation,
    Status,
    Step,
    frame,
)
from croupier.devices.line import SPACE, UNSENT_MAX, Line, SerialSettings, crc16, open_channel
from croupier.devices.recorder import FlightRecorder, Record, read_records
from croupier.engine.ports import LoopClock, RecordMark
from croupier.house.ids import SECOND, TerminalId
from croupier.rules.money import Cents
from tests.support.campaign import portions
from tests.support.connections import HandTime, played, until

T1: Final = TerminalId("T1")
VALUES: Final = tuple(map(Cents, (500, 1_000, 2_000, 5_000)))
SERIAL: Final = SerialSettings(9600)


class Ledger:
    """An acceptor port that accepts notes but those of 5, and credits what is stacked, as the house does."""

    def __init__(self) -> None:
        self.time = HandTime()
        self.said: list[object] = []
        self.escrow: int | None = None
        self.credit = 0
        #: Whether the credit takes its time.
        self.slow = False
        self.controller = Controller(VALUES, self)

    @property
    def clock(self) -> LoopClock:
        return self.time

    def record(self, mark: RecordMark, data: bytes) -> None:
        """Record nothing."""

    def escrow_note(self, value: Cents) -> None:
        self.said.append(value)
        if value == VALUES[0]:
            self.controller.reject()
        else:
            self.escrow = value
            self.controller.accept()

    def escrow_ticket(self, number: str) -> None:
        self.said.append(number)
        self.controller.accept()

    def stacked(self) -> None:
        self.said.append("stacked")
        self.credit += self.escrow or 0
        self.escrow = None
        if not self.slow:
            self.controller.acknowledge()

    def returned(self, *, seen: bool) -> None:
        self.said.append(f"returned {seen}")
        self.escrow = None

    def lock_up(self, words: str) -> None:
        self.said.append(words)


def test_crc_is_the_one_of_the_protocols() -> None:
    """The CRC of the bytes that the documents give is the one that they give, and that of its check string."""
    assert crc16(b"\x01\x01").hex() == "5108"
    assert crc16(b"123456789").hex() == "8921"
    assert frame(Operation.POLL).hex() == "fc05112756"


def test_frames_are_found_among_noise() -> None:
    """Frames come whole out of pieces, of noise before them, and of a length or a CRC that is wrong."""
    reader, good = FrameReader(), frame(Status.ESCROW, b"\x63")
    noise = b"\x00\xfc\xfc\x02" + good[:-1] + b"\xff"
    stream = noise + good + good

    found = [each for byte in stream for each in reader.feed(bytes((byte,)))]
    assert found == [Frame(Status.ESCROW, b"\x63")] * 2
    assert list(reader.feed(good[:3])) == []
    reader.cut()
    assert list(reader.feed(good)) == [Frame(Status.ESCROW, b"\x63")]


def sent_for(ledger: Ledger, *statuses: Status | tuple[Status, bytes]) -> list[str]:
    """Have the controller receive statuses, each twice; return what it sends."""
    frames = [Frame(*each) if isinstance(each, tuple) else Frame(each, b"") for each in statuses for _ in range(2)]
    sent = [ledger.controller.receive(each) for each in frames]
    return [Operation(each[2]).name for each in sent if each is not None]


TICKET: Final = b"\x6f" + b"012345678901234567"


@pytest.mark.parametrize(
    ("statuses", "said", "sent"),
    [
        ([Status.IDLE, (Status.ESCROW, b"\x62"), Status.STACKING, Status.VEND_VALID, Status.STACKED, Status.IDLE],
         ["returned False", 1_000, "stacked"], ["STACK", "ACK"]),
        ([(Status.ESCROW, b"\x61"), Status.RETURNING, Status.IDLE], [500, "returned True"], ["RETURN"]),
        ([(Status.ESCROW, b"\x68"), Status.IDLE], ["returned True"], ["RETURN"]),
        ([(Status.ESCROW, b""), Status.REJECTING], ["returned True"], ["RETURN"]),
        ([(Status.ESCROW, TICKET), Status.VEND_VALID], ["012345678901234567", "stacked"], ["STACK", "ACK"]),
        ([(Status.ESCROW, TICKET[:-1]), Status.ACCEPTING], ["returned True"], ["RETURN"]),
        ([(Status.ESCROW, b"\x62"), Status.IDLE], [1_000, "returned False"], ["STACK"]),
        ([(Status.ESCROW, b"\x62"), Status.HOLDING], [1_000], ["STACK", "STACK", "STACK"]),
        ([Status.HOLDING, Status.RETURNING], ["returned True"], ["RETURN", "RETURN"]),
        ([Status.POWER_UP_STACKER, Status.INITIALISE], ["stacked"], ["RESET", "ENABLE", "ENABLE"]),
        ([Status.POWER_UP_ACCEPTOR], ["returned True"], ["RESET"]),
        ([Status.POWER_UP], ["returned False"], ["RESET"]),
        ([Status.JAM_STACKER, Status.JAM_STACKER, Status.PAUSE, Status.JAM_STACKER],
         ["a note is jammed in the stacker"] * 2, []),
    ],
)  # fmt: skip
def test_controller_follows_the_acceptor(
    statuses: list[Status | tuple[Status, bytes]], said: list[object], sent: list[str]
) -> None:
    """Each course of statuses leads to its reports and to what the controller sends."""
    ledger = Ledger()

    assert sent_for(ledger, *statuses) == sent
    assert ledger.said == said


def test_controller_sets_the_acceptor_up() -> None:
    """After a reset the controller sends its settings one after another, as the acceptor repeats each."""
    ledger = Ledger()
    sent = ledger.controller.receive(Frame(Status.INITIALISE, b""))
    for operation, data in SETTINGS:
        assert sent == frame(operation, data)
        sent = ledger.controller.receive(Frame(operation, data))
    assert sent is None
    assert ledger.controller.receive(Frame(0x4B, b"")) is None


def test_note_that_is_being_credited_is_not_reported_as_returned() -> None:
    """An acceptor that goes on before the credit is durable leaves the note reported as stacked."""
    ledger = Ledger()
    ledger.slow = True
    sent_for(ledger, (Status.ESCROW, b"\x62"), Status.VEND_VALID, Status.IDLE)

    assert ledger.said == [1_000, "stacked"]
    assert ledger.controller.step is Step.STACKED


def test_decision_that_comes_too_late_is_ignored() -> None:
    """A decision about a note that is gone does nothing: it is not about the next note."""
    ledger = Ledger()
    for decide in (ledger.controller.accept, ledger.controller.reject, ledger.controller.acknowledge):
        decide()
    assert ledger.controller.step is Step.UNKNOWN


def mutated(chance: Random, data: bytes) -> bytes:
    """Lose, double, change or add bytes, in one of eight frames."""
    if chance.randrange(8):
        return data
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(changed)) if changed else 0
        match chance.randrange(4):
            case 0:
                del changed[at : at + 1]
            case 1:
                changed[at:at] = changed[at : at + 1]
            case 2:
                changed[at : at + 1] = bytes((chance.randrange(256),))
            case _:
                changed[at:at] = bytes((chance.randrange(256),))
    return bytes(changed)


#: Polls of one stream: several notes pass in it.
POLLS: Final = 60


def _stream(seed: int) -> None:
    chance, ledger, acceptor = Random(seed), Ledger(), EmulatedAcceptor()  # noqa: S311 - to be had again
    reader, sent = FrameReader(), ledger.controller.poll()
    for poll in range(POLLS + 40):
        quiet = poll >= POLLS
        if not quiet and chance.randrange(6) == 0:
            acceptor.insert_note(chance.randrange(5))
        if not quiet and chance.randrange(25) == 0:
            acceptor.lose_power()
        response = acceptor.feed(sent if quiet else mutated(chance, sent))
        reader.cut()
        answer = None
        for each in reader.feed(response if quiet else mutated(chance, response)):
            answer = ledger.controller.receive(each)
        sent = answer or ledger.controller.poll()
        stacked = sum(VALUES[each[0] - 0x61] for each in acceptor.box)
        assert ledger.credit <= stacked, seed
    assert ledger.credit == stacked, (seed, ledger.said, acceptor.box)


@pytest.mark.campaign
@pytest.mark.parametrize("seeds", portions(day=400, night=200_000, size=5_000), ids=str)
def test_changed_bytes_never_make_or_lose_credit(seeds: range) -> None:
    """However bytes are lost, doubled or changed both ways, credit never exceeds the box, and equals it in the end."""
    for seed in seeds:
        _stream(seed)


class Port:
    """A port that records to a file."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.recorder = HandTime(), FlightRecorder(folder, "T1", directory="devices")

    def record(self, mark: RecordMark, data: bytes) -> None:
        self.recorder.write(Record(self.clock.now(), self.clock.wall(), mark, data))

    def records(self) -> list[tuple[str, bytes]]:
        return [(each.mark.value, each.data) for each in read_records(self.recorder.path.read_bytes().splitlines())]


def plain(_mark: RecordMark, data: bytes) -> bytes:
    return data


def test_line_over_a_network_socket_is_opened_again(tmp_path: Path) -> None:
    """A line over TCP passes bytes both ways, is lost when the device closes it, and comes back within a second."""

    async def scenario() -> None:
        port, received = Port(tmp_path), list[bytes]()
        with socket.create_server(("127.0.0.1", 0)) as server:
            line = Line(f"tcp:127.0.0.1:{server.getsockname()[1]}", SERIAL, received.append, plain)
            line.open(port)
            line.send(port, b"hello")
            device, _ = server.accept()
            assert await asyncio.to_thread(device.recv, 5) == b"hello"
            device.sendall(b"yes")
            await until(lambda: received == [b"yes"])
            device.close()
            await until(lambda: line.fault.endswith("was closed"))
            line.send(port, b"lost")
            port.clock.at_us += SECOND
            port.clock.ring_next(port.clock.at_us)
            assert line.fault == ""
        line.close()
        assert not line.is_open
        notes = [data for mark, data in port.records() if mark == "="]
        assert notes[0] == b"opened"

    played(scenario)


@pytest.mark.parametrize(
    "address", ["/missing", "file:/missing", "tcp:127.0.0.1:x", "tcp:[::1]:1", "tcp:127.0.0.1:1", "file:FILE"]
)
def test_line_that_is_not_there_is_a_fault(address: str, tmp_path: Path) -> None:
    """An address that cannot be opened or connected is a fault of the line, which tries again."""
    tmp_path.joinpath("file").touch()

    async def scenario() -> None:
        port = Port(tmp_path)
        line = Line(address.replace("FILE", str(tmp_path / "file")), SERIAL, lambda _: None, plain)
        line.open(port)
        await until(lambda: line.fault != "")
        port.clock.at_us += SECOND
        assert port.clock.ring_next(port.clock.at_us)
        line.close()

    played(scenario)


def test_device_that_takes_nothing_is_given_up(tmp_path: Path) -> None:
    """Bytes wait for a device file that is not read; when a mebibyte waits the line is lost."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def scenario() -> None:
        port = Port(tmp_path)
        line = Line(f"file:{pipe}", SERIAL, lambda _: None, lambda *_: b"")
        line.opened = lambda: line.send(port, b"x" * (UNSENT_MAX // 2))
        line.open(port)
        # The pipe is open both ways, so that what it takes is what it reads.
        await until(lambda: line.unsent < UNSENT_MAX // 2)
        line.send(port, b"x")
        line.send(port, b"x" * (UNSENT_MAX + 1))
        assert line.fault.endswith("takes nothing")
        line.close()

    played(scenario)


def test_line_that_breaks_while_it_is_written_is_lost(tmp_path: Path) -> None:
    """A device that goes away is found when bytes are sent to it."""

    async def scenario() -> None:
        port, terminal = Port(tmp_path), PseudoTerminal(tmp_path / "line")
        terminal.plug()
        line = Line(str(terminal.link), SERIAL, lambda _: None, plain)
        line.open(port)
        terminal.unplug()
        line.send(port, b"x")
        assert "was lost" in line.fault
        assert PseudoTerminal(tmp_path / "x").receive() == b""
        line.close()

    played(scenario)


def test_line_with_parity_is_opened_again(tmp_path: Path) -> None:
    """A pseudo-terminal, which has no parity, is opened as often as a house is started."""

    async def scenario() -> None:
        port, terminal = Port(tmp_path), PseudoTerminal(tmp_path / "line")
        terminal.plug()
        for _ in range(3):
            line = Line(str(terminal.link), SerialSettings(9600, "E"), lambda _: None, plain)
            line.open(port)
            assert line.fault == ""
            line.close()
        terminal.unplug()

    played(scenario)


def test_driver_that_is_not_open_has_no_fault() -> None:
    """A driver before its opening has no fault, and can be closed."""
    driver = Id003Acceptor(T1, "/missing", VALUES)
    assert driver.fault == ""
    driver.close()


def test_note_behind_the_lever_is_in_the_stacker() -> None:
    """After a power loss at vend valid the note is in the stacker; a stray acknowledgement does nothing."""
    acceptor = EmulatedAcceptor()
    acceptor.status = Status.VEND_VALID
    acceptor.lose_power()
    assert acceptor.status is Status.POWER_UP_STACKER
    acceptor._acknowledged()  # noqa: SLF001 - the controller never sends a stray one
    assert acceptor.status is Status.POWER_UP_STACKER


def test_ninth_bit_is_marked(tmp_path: Path) -> None:
    """A line with a ninth bit has bytes of the other parity marked."""
    line = PseudoTerminal(tmp_path / "line")
    line.plug()
    channel = open_channel(str(line.link), SerialSettings(19_200, SPACE))
    assert termios.tcgetattr(channel.fileno())[0] & termios.PARMRK
    channel.close()
    line.unplug()


def test_signal_is_one_byte_that_is_not_recorded(tmp_path: Path) -> None:
    """A signal passes a serial line as its byte with the line's settings as before, and is dropped without a line."""

    async def scenario() -> None:
        port, terminal = Port(tmp_path), PseudoTerminal(tmp_path / "line")
        terminal.plug()
        line = Line(str(terminal.link), SerialSettings(19_200, SPACE), lambda _: None, plain)
        line.signal(0x05)
        line.open(port)
        probe = os.open(terminal.link, os.O_RDWR | os.O_NOCTTY)
        before = termios.tcgetattr(probe)
        line.signal(0x07)
        assert terminal.receive() == b"\x07"
        assert termios.tcgetattr(probe) == before
        os.close(probe)
        line.close()
        line.signal(0x09)
        terminal.unplug()

    played(scenario)
    assert b" > " not in b"".join(path.read_bytes() for path in tmp_path.rglob("*.log"))
