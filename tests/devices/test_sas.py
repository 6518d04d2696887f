"""The slave of the slot-system link, polled by an independent host over an in-memory line with nine bits."""

from random import Random
from typing import Final

import pytest

from croupier.devices.sas import (
    EXCEPTIONS_MAX,
    NOTE_EXCEPTIONS,
    GameInformation,
    IssuedTicket,
    MarkedReader,
    Redemption,
    RedemptionStatus,
    SasException,
    Slave,
    Switch,
    bcd,
    from_bcd,
    marked,
)
from tests.support.campaign import portions
from tests.support.sas_host import Host, Noise, checksum, decimal, packed

TICKET: Final = "272345678901234567"
#: Meters by code, and the number of notes of 20.
METERS: Final = {0x00: 123_456, 0x01: 100_000, 0x04: 5_000, 0x05: 42, 0x06: 12, 0x07: 30, 0x0F02: 3, 0x0F00: 90,
                 0x0C: 2_550, 0x0D: 1_234, 0x0E: 4_321, 0x24: 10_234, 0x10000 + 2_000: 3}  # fmt: skip


class Terminal:
    """A terminal whose changes are durable after some polls."""

    def __init__(self) -> None:
        self.meters, self.state = dict(METERS), {Switch.START_UP, Switch.ENABLE_NOTES}
        self.requested: list[object] = []
        self.listed = [IssuedTicket(1, TICKET, 2_500, "11172026", "042500", 30)]
        self.found = Redemption(RedemptionStatus.NO_TICKET)
        #: Whether the redemption of the ticket has begun.
        self.begun = False
        self.tables = [GameInformation(50_000, "A1B2C3", 9_730)]

    def games(self) -> list[GameInformation]:
        return self.tables

    def meter(self, code: int) -> int:
        return self.meters.get(code, 0)

    def is_switched(self, switch: Switch) -> bool:
        return switch in self.state

    def switch(self, switch: Switch) -> None:
        if switch not in self.requested:
            self.requested.append(switch)

    def commit(self) -> None:
        """Make durable what was requested for."""
        opposite = {Switch.SHUT_DOWN: Switch.START_UP, Switch.ENABLE_NOTES: Switch.DISABLE_NOTES}
        opposite |= {other: one for one, other in opposite.items()}
        for each in [each for each in self.requested if isinstance(each, Switch)]:
            self.state = (self.state - {opposite[each]}) | {each}
        self.requested.clear()

    def local_time(self) -> str:
        return "11172026042500"

    def set_time(self, text: str) -> None:
        self.requested.append(text)

    def identity(self) -> bytes:
        return b"A-1"

    def tickets(self) -> list[IssuedTicket]:
        return self.listed

    def redemption(self) -> Redemption:
        return self.found

    def redeem(self, amount: int) -> None:
        self.requested.append(amount)
        self.found = Redemption(RedemptionStatus.PENDING, TICKET, amount)

    def reject(self, status: RedemptionStatus) -> None:
        if not self.begun:
            self.found = Redemption(status, TICKET)


def linked(noise: Noise | None = None) -> tuple[Host, Slave, Terminal]:
    terminal = Terminal()
    slave = Slave(1, terminal)
    return Host(slave.feed, noise=noise), slave, terminal


@pytest.mark.parametrize(
    ("command", "values"),
    [
        (0x0F, [5_000, 123_456, 100_000, 10_234, 0, 42]), (0x10, [5_000]), (0x11, [123_456]), (0x12, [100_000]),
        (0x13, [10_234]), (0x14, [0]), (0x15, [42]), (0x16, [12]), (0x17, [30]), (0x1A, [2_550]), (0x20, [90]),
        (0x19, [123_456, 100_000, 10_234, 0, 42]), (0x1C, [123_456, 100_000, 10_234, 0, 42, 12, 0, 3]),
        (0x35, [3]), (0x36, [0]),
    ],
)  # fmt: skip
def test_meters_are_sent_as_the_host_reads_them(command: int, values: list[int]) -> None:
    """Each meter poll has its meters in BCD, the most significant digit first, with the right CRC."""
    host, _, _ = linked()
    data = host.plain(command, 4 * len(values))

    assert data is not None
    assert [decimal(data[at : at + 4]) for at in range(0, len(data), 4)] == values


def test_other_polls_have_their_forms() -> None:
    """Identity, games, clock and selected meters come in the forms of the protocol."""
    host, slave, terminal = linked()
    terminal.meters[0x05] += 7
    assert (host.plain(0x18, 4) or b"").hex() == "00070049"
    terminal.meters[0x05] -= 7
    assert host.plain(0x1F, 20) == b"RL000\x01\xff\x00\x00\x00A1B2C39730"
    assert host.plain(0x51, 2) == host.plain(0x55, 2) == b"\x00\x01"
    assert host.plain(0x54, 7) == b"\x06602A-1"
    assert host.plain(0x56, 4) == b"\x03\x01\x00\x01"
    terminal.state = {Switch.SHUT_DOWN}
    assert host.plain(0x56, 2) == b"\x01\x00"
    assert (host.plain(0x7E, 7) or b"").hex() == terminal.local_time()
    assert decimal((host.long(0x52, b"\x00\x01", 18) or b"")[2:6]) == 123_456
    assert host.long(0x52, b"\x00\x02", 18) is None
    assert host.long(0x53, b"\x00\x00", 22) == b"\x00\x00" + (host.plain(0x1F, 20) or b"")
    assert host.long(0x53, b"\x00\x02", 22) is None
    assert host.long(0x53, b"\x00\x0a", 22) is None
    assert (host.long(0x2F, b"\x05\x00\x01\x00\x05\xee") or b"").hex() == "0c0001" + "0000123456" + "0500000042"
    extended = host.long(0x6F, b"\x06\x00\x00" + b"\x0d\x00" + b"\xee\xee")
    assert (extended or b"").hex() == "0d0000" + "0d0005" + "0000001234" + "eeee00"
    slave.raise_(SasException.GAME_STARTED)
    assert host.plain(0x0E, 4) is None
    assert host.long(0x99) is None


def test_each_table_of_a_terminal_is_a_game_with_its_own_rules() -> None:
    """With two tables there are two games, none selected, each with the rules of its table; meters are of both."""
    host, _, terminal = linked()
    terminal.tables.append(GameInformation(200, "FFEEDD", 9_474))
    assert (host.plain(0x51, 2), host.plain(0x55, 2)) == (b"\x00\x02", b"\x00\x00")
    assert host.plain(0x56, 6) == b"\x05\x02\x00\x01\x00\x02"
    assert host.long(0x53, b"\x00\x02", 22) == b"\x00\x02RL000\x01\xc8\x00\x00\x00FFEEDD9474"
    assert decimal((host.long(0x52, b"\x00\x00", 18) or b"")[2:6]) == 123_456
    assert host.long(0x52, b"\x00\x01", 18) is None


REFUSED: Final = b"\x81"


@pytest.mark.parametrize(
    ("command", "data"),
    [
        (0x2F, "020000"), (0x2F, "0d0000" + "00" * 11), (0x2F, "0300ab05"), (0x2F, "0155"), (0x2F, "00"),
        (0x2F, "03000305"), (0x6F, "fe0000" + "0d00" * 126), (0x6F, "1c0000" + "0d00" * 13), (0x6F, "0300000d"),
        (0x6F, "020000"), (0x6F, "0400ab0d00"), (0x71, "00"), (0x71, "0100"), (0x4D, "20"), (0x4D, "fe"),
    ],
)  # fmt: skip
def test_invalid_poll_is_refused(command: int, data: str) -> None:
    """Too many meters, none, a game that is none, and unknown functions get a refusal, and the link goes on."""
    host, slave, terminal = linked()
    terminal.found = Redemption(RedemptionStatus.WAITING, TICKET)
    assert slave.feed(units(bytes((0x01, command)) + bytes.fromhex(data))) == REFUSED
    assert host.meter(0x1A) == 2_550
    assert terminal.found.status is RedemptionStatus.WAITING


def test_most_meters_that_one_poll_may_select_are_sent() -> None:
    """Ten selected and twelve extended meters fit into one response."""
    host, _, _ = linked()
    assert len(host.long(0x2F, b"\x0c\x00\x00" + b"\x0d" * 10) or b"") == 3 + 10 * 6
    assert len(host.long(0x6F, b"\x1a\x00\x00" + b"\x0d\x00" * 12) or b"") == 3 + 12 * 8


def test_bytes_are_those_of_a_second_implementation() -> None:
    """Selected meters, a ticket, escrow and redemption have the bytes that Monaco's own tests expect, field by field.

    Monaco is the machine's side of SAS that Aristocrat has published (Aristocrat.Sas.Client and its parser tests, LP1F,
    LP2F, LP4D, LP70 and LP71): meters 0C and 05 in four bytes and 0D in five; the ticket's own number with the low byte
    first; days until it expires with 9999 for never; an amount of zero in escrow.
    """
    host, _, terminal = linked()
    terminal.meters |= {0x0C: 1_234, 0x05: 5_678, 0x0D: 6_789}
    selected = host.long(0x2F, bytes.fromhex("05 0001 0c050d"))
    assert (selected or b"").hex(" ") == "12 00 01 0c 00 00 12 34 05 00 00 56 78 0d 00 00 00 67 89"
    terminal.listed = [IssuedTicket(1, "016429188185446104", 100, "01032019", "153058", 9_999)]
    ticket = host.long(0x4D, b"\x00", 31) or b""
    assert ticket.hex(" ") == (
        "00 01 01 03 20 19 15 30 58 64 29 18 81 85 44 61 04 00 00 00 01 00 01 00 01 00 00 99 99 00 00"
    )
    terminal.found = Redemption(RedemptionStatus.WAITING, "004054504974162392")
    shown = host.plain(0x70, 17) or b""
    assert shown.hex(" ") == "10 00 00 00 00 00 00 00 00 40 54 50 49 74 16 23 92"
    terminal.found = Redemption(RedemptionStatus.PENDING, "001553049347404912", 2_500)
    status = host.long(0x71, b"\x01\xff") or b""
    assert status.hex(" ") == "10 40 00 00 00 25 00 00 00 15 53 04 93 47 40 49 12"
    terminal.tables = [GameInformation(0xC9, "123456", 9_050)]
    machine = host.plain(0x1F, 20) or b""
    assert machine[5:7] + machine[10:] == b"\x01\xc9" + b"1234569050"


def test_each_note_has_its_exception() -> None:
    """The exceptions of notes are those in the table of the public host saspy; any other note is 4F."""
    saspy = {1: 0x47, 5: 0x48, 10: 0x49, 20: 0x4A, 50: 0x4B, 100: 0x4C, 2: 0x4D, 500: 0x4E, 200: 0x50}
    assert {value // 100: int(code) for value, code in NOTE_EXCEPTIONS.items()} == saspy


def test_switch_is_acknowledged_when_it_is_durable() -> None:
    """A host that shuts play down or disables notes gets busy responses until the state is durable."""
    host, _, terminal = linked()
    for switch in (Switch.SHUT_DOWN, Switch.DISABLE_NOTES, Switch.START_UP, Switch.ENABLE_NOTES):
        assert not host.order(switch, most=3)
        assert terminal.requested == [switch]
        terminal.commit()
        assert host.order(switch, most=1)


def units(data: bytes) -> list[tuple[int, bool]]:
    return [(byte, at == 0) for at, byte in enumerate(data + checksum(data))]


def test_clock_is_set_and_an_invalid_one_is_refused() -> None:
    """The time of the host is noted; digits that are none are not acknowledged."""
    host, _, terminal = linked()
    body = b"\x01\x7f" + bytes.fromhex("11172026042500")
    wrong = b"\x01\x7f" + bytes.fromhex("1117202604250a")
    slave = Slave(1, terminal)
    assert slave.feed(units(body)) == b"\x01"
    assert slave.feed(units(wrong)) == b"\x81"
    assert slave.feed([(0x01, True), (0x7F, False), *((byte, False) for byte in bytes(9))]) == b""
    assert terminal.requested == ["11172026042500"]
    assert host.polls == 0


def test_exception_stays_until_the_host_has_it() -> None:
    """A general poll that is repeated gets the same exception; after another poll the next one comes."""
    host, slave, _ = linked()
    slave.raise_(SasException.GAME_STARTED)
    assert [host.general(), host.general()] == [SasException.POWER_APPLIED] * 2
    host.synchronise()
    assert host.general() == SasException.GAME_STARTED
    host.meter(0x1A)
    assert host.general() == SasException.NOTHING
    for _ in range(EXCEPTIONS_MAX + 5):
        slave.raise_(SasException.GAME_ENDED)
    host.synchronise()
    for _ in range(EXCEPTIONS_MAX):
        host.cycle()
    assert host.exceptions[-2:] == [SasException.GAME_ENDED, SasException.BUFFER_OVERFLOW]
    assert slave.waiting == 0


def test_tickets_are_read_once_and_by_their_place() -> None:
    """Enhanced validation gives each ticket once, looks ahead, and gives the last ones again by their places."""
    host, _, terminal = linked()
    terminal.listed.append(IssuedTicket(2, TICKET[::-1], 100, "11172026", "042501", 9999))
    assert (host.long(0x4C, b"\x00\x00\x01\x00\x00\x05", 6) or b"").hex() == "000001000005"
    assert (host.long(0x4C, bytes(6), 6) or b"").hex() == "000001000005"
    ahead, first = host.long(0x4D, b"\xff", 31), host.long(0x4D, b"\x00", 31)
    assert ahead == first is not None
    assert first[:2].hex() == "0001"
    assert first[2:9].hex() == "11172026042500"
    assert first[24:25].hex() + first[9:17].hex() == TICKET
    assert decimal(first[17:22]) == 2_500
    assert host.long(0x4D, b"\x00", 31) == first
    host.synchronise()
    assert (host.long(0x4D, b"\x00", 31) or b"")[1] == 2
    host.synchronise()
    assert host.long(0x4D, b"\x00", 31) == bytes(31)
    assert host.long(0x4D, b"\x01", 31) == first
    assert host.long(0x4D, b"\x1f", 31) == bytes(31)


def redeem(code: int = 0, amount: int = 2_500, number: str = TICKET) -> bytes:
    body = bytes((code,)) + packed(amount, 5) + b"\x00" + bytes.fromhex(number)
    return bytes((len(body),)) + body


def test_ticket_is_redeemed_when_the_host_has_authorised_it() -> None:
    """A ticket in escrow is shown, authorised by its number and amount, and complete once it is durable."""
    host, _, terminal = linked()
    assert host.plain(0x70, 2) == b"\x01\xff"
    assert host.long(0x71, b"\x01\xff") == b"\x01\xff"
    assert host.long(0x71, redeem()) == b"\x01\xc0"
    terminal.found = Redemption(RedemptionStatus.WAITING, TICKET)
    assert (host.plain(0x70, 17) or b"")[8:].hex() == TICKET
    assert (host.long(0x71, b"\x01\xff") or b"??")[1] == RedemptionStatus.WAITING
    for _ in range(2):
        assert (host.long(0x71, redeem()) or b"??")[1] == RedemptionStatus.PENDING
    assert terminal.requested == [2_500]
    assert (host.plain(0x70, 17) or b"")[8:].hex() == TICKET
    assert host.long(0x71, redeem(amount=2_400)) == b"\x01\xc0"
    terminal.found = Redemption(RedemptionStatus.COMPLETE, TICKET, 2_500)
    for poll in (b"\x01\xff", redeem()):
        done = host.long(0x71, poll)
        assert done is not None
        assert (done[1], decimal(done[2:7]), done[8:].hex()) == (0, 2_500, TICKET)
    assert terminal.requested == [2_500]
    # After a restart the slave knows its last redemption from the journal alone.
    again = Host(Slave(1, terminal).feed)
    assert (again.long(0x71, redeem()) or b"??")[1] == RedemptionStatus.COMPLETE
    assert again.long(0x71, redeem(amount=2_400)) == b"\x01\xc0"


@pytest.mark.parametrize(
    ("poll", "status"),
    [
        (b"\x01\x80", 0x80),
        ("reject", 0x80),
        ("restricted", 0x87),
        ("nonrestricted", 0x87),
        ("unknown", 0x82),
        ("number", 0x81),
        ("parsing", 0x81),
        ("nothing", 0x83),
        ("digits", 0x83),
    ],
)
def test_ticket_that_cannot_be_credited_is_rejected(poll: bytes | str, status: int) -> None:
    """Each cause has its status, nothing is redeemed, and the poll that is repeated gets the same status."""
    polls = {
        "reject": redeem(0x85),
        "restricted": redeem(0x01),
        "nonrestricted": redeem(0x02),
        "unknown": redeem(0x05),
        "number": redeem(number=TICKET[::-1]),
        "parsing": redeem()[:7] + b"\x01" + redeem()[8:],
        "nothing": redeem(amount=0),
        "digits": redeem()[:3] + b"\x0a" + redeem()[4:],
    }
    host, _, terminal = linked()
    terminal.found = Redemption(RedemptionStatus.WAITING, TICKET)
    said = polls[poll] if isinstance(poll, str) else poll
    first = host.long(0x71, said)
    assert (first or b"??")[1] == status
    assert host.long(0x71, said) == first
    assert terminal.requested == []


def test_same_decision_about_another_ticket_is_a_new_one() -> None:
    """A ticket that comes again after it was rejected is decided anew, though the host sends the same poll."""
    host, _, terminal = linked()
    for _ in range(2):
        terminal.found = Redemption(RedemptionStatus.WAITING, TICKET)
        assert (host.long(0x71, redeem(0x01)) or b"??")[1] == RedemptionStatus.REJECTED_BY_MACHINE
        assert terminal.found.status is RedemptionStatus.REJECTED_BY_MACHINE


def test_rejection_that_comes_too_late_is_not_confirmed() -> None:
    """A host that rejects a ticket whose redemption has begun reads that the poll does not fit, and gets no ticket."""
    host, _, terminal = linked()
    terminal.found, terminal.begun = Redemption(RedemptionStatus.PENDING, TICKET), True
    assert host.long(0x71, redeem(0x80)) == b"\x01\xc0"
    assert terminal.found.status is RedemptionStatus.PENDING


@pytest.mark.parametrize("data", [b"", b"\x81", b"\xff\x01", bytes(range(256))])
def test_marks_are_separated_from_bytes(data: bytes) -> None:
    """Marked bytes come back as they were, in pieces too, and a mark that lost its second byte is a plain byte."""
    stream = marked(b"\x01" + data)
    reader = MarkedReader()
    found = [each for byte in stream for each in reader.feed(bytes((byte,)))]

    assert found == [(0x01, True), *((byte, False) for byte in data)]
    assert list(reader.feed(b"\xff\x05\x06")) == [(0xFF, False), (0x05, False), (0x06, False)]


def test_numbers_are_packed() -> None:
    """A number is packed and read again, and a meter rolls over at its size."""
    assert (bcd(1_234_567_890, 4).hex(), from_bcd(b"\x12\x34"), from_bcd(b"\x1a")) == ("34567890", 1_234, None)


@pytest.mark.untraced
def test_polls_hold_for_a_day_on_a_bad_line() -> None:
    """A day of polls every 200 ms, 2 bytes of a thousand lost and 1 doubled: every exception once, every meter true."""
    chance = Random(24)  # noqa: S311 - to be had again
    host, slave, terminal = linked(Noise(chance))
    raised = [SasException.POWER_APPLIED]
    for poll in range(24 * 3600 * 5):
        if poll % 150 == 0:
            game = SasException.GAME_STARTED if poll % 300 else SasException.GAME_ENDED
            slave.raise_(game)
            raised.append(game)
            terminal.meters[0x05] += 1
        host.cycle()
        if poll % 997 == 0:
            assert host.meter(0x15) == terminal.meters[0x05]
            assert decimal(host.must(lambda: host.plain(0x0F, 24))[4:8]) == 123_456
    while slave.waiting:
        host.cycle()

    assert host.exceptions == raised
    assert host.polls >= 432_000
    assert host.repeated > 1_000


@pytest.mark.campaign
@pytest.mark.parametrize("seeds", portions(day=2_000, night=200_000, size=20_000), ids=str)
def test_changed_bytes_never_move_money_or_break_the_slave(seeds: range) -> None:
    """Whatever bytes come, nothing is raised, and nothing is redeemed or switched but what the host sent."""
    for seed in seeds:
        chance = Random(seed)  # noqa: S311 - to be had again
        _, slave, terminal = linked()
        terminal.found = Redemption(RedemptionStatus.WAITING, TICKET)
        body = b"\x01\x71" + redeem()
        stream = bytearray()
        for poll in (
            b"\x81",
            b"\x01\x1a",
            body + checksum(body),
            b"\x01\x01" + checksum(b"\x01\x01"),
            b"\x80",
            b"\x81",
        ):
            stream += marked(poll)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(stream))
            match chance.randrange(3):
                case 0:
                    del stream[at]
                case 1:
                    stream[at] = chance.randrange(256)
                case _:
                    stream[at:at] = bytes((chance.randrange(256),))
        reader = MarkedReader()
        for begin in range(0, len(stream), 7):
            slave.feed(reader.feed(bytes(stream[begin : begin + 7])))
        assert set(terminal.requested) <= {2_500, Switch.SHUT_DOWN}, seed
