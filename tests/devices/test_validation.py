"""Validation numbers: each its own, none to be guessed, hardly any misread unseen, and a key made whole or not."""

import os
from itertools import combinations, pairwise, product
from pathlib import Path
from secrets import randbelow

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.devices.validation import (
    BODY,
    HALVES,
    KEY_BYTES,
    LENGTH,
    PRIME,
    ROUNDS,
    CheckDigits,
    ValidationNumbers,
    _mixed,
    open_key,
    permuted,
)
from croupier.engine.ports import Accepted
from croupier.house.credit.drawers import RedeemTicket
from croupier.house.credit.tickets import Collect, ConfirmPrint
from croupier.house.ids import Number
from croupier.journal.disk import JournalFault
from croupier.journal.keystore import KeyStore
from croupier.rules.refusal import Code, Refused
from tests.support.engine_driver import code_of, done, raised_code
from tests.support.shift import CASHIER, DESK, DRAWER, T1, Shift

KEY = bytes(range(KEY_BYTES))
NUMBERS = ValidationNumbers(KEY)
OTHERS = [ValidationNumbers(bytes([last] * KEY_BYTES)) for last in (0, 1, 255)]
KEYS = pytest.mark.parametrize("numbers", [NUMBERS, *OTHERS], ids=["a key", "noughts", "ones", "bits"])


def misread(numbers: ValidationNumbers, text: str) -> bool:
    """Tell whether a text is refused as misread."""
    code = raised_code(numbers.read, text)
    assert code in (None, Code.TICKET_MISREAD)
    return code is not None


@pytest.mark.parametrize("key", [b"", b"k", KEY])
@pytest.mark.parametrize("halves", [(1, 1), (1, 10), (10, 100), (7, 8)])
def test_small_range_is_put_in_another_order(key: bytes, halves: tuple[int, int]) -> None:
    """Every number of a small range is sent to another, and no two to one: walked whole."""
    size = halves[0] * halves[1]

    assert sorted(permuted(value, key, halves) for value in range(size)) == list(range(size))


@given(st.integers(0, HALVES[0] * HALVES[1] - 1))
def test_order_can_be_undone(value: int) -> None:
    """Over the whole range the order can be undone by the key, so that no two sequences share a number."""
    left, right = divmod(permuted(value, KEY), HALVES[1])
    for round_ in reversed(range(0, ROUNDS, 2)):
        right = (right - _mixed(KEY, round_ + 1, left)) % HALVES[1]
        left = (left - _mixed(KEY, round_, right)) % HALVES[0]

    assert left * HALVES[1] + right == value


def test_range_ends_where_it_ends() -> None:
    """The first and the last sequence of the range have numbers of eighteen digits; those beyond it are a breach."""
    for sequence in (0, 1, 10**BODY - 1):
        assert len(NUMBERS.number(Number(sequence))) == LENGTH
    for sequence in (-1, 10**BODY):
        with pytest.raises(AssertionError):
            NUMBERS.number(Number(sequence))


def test_number_is_the_same_again_and_by_no_other_key() -> None:
    """A reprint has the number of the first; another venue's tickets have others, and are misread here or unknown."""
    sequences = [Number(sequence) for sequence in range(1, 300)]
    again = ValidationNumbers(KEY)

    assert [again.number(each) for each in sequences] == [NUMBERS.number(each) for each in sequences]
    assert {OTHERS[0].number(each) for each in sequences}.isdisjoint(NUMBERS.number(each) for each in sequences)
    assert OTHERS[0].validation(Number(1)).digest != NUMBERS.validation(Number(1)).digest


def test_numbers_say_nothing_of_the_next() -> None:
    """From one number to the next the distance is never the same, and hardly a digit stays."""
    numbers = [NUMBERS.number(Number(sequence)) for sequence in range(1, 5_001)]
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    kept = sum(one == other for pair in pairwise(numbers) for one, other in zip(*pair, strict=True))

    assert len(steps) == 4_999
    # One digit in ten stays by chance: 8,998 of 4,999 pairs of eighteen, give or take 90.
    assert abs(kept - 8_998) < 7 * 90
    assert not any(number[:BODY] == f"{sequence:0{BODY}}" for sequence, number in enumerate(numbers, 1))


@pytest.mark.untraced
def test_no_guess_hits() -> None:
    """Of many guesses, at random and beside numbers that are known, none is a ticket, and few come to a look-up."""
    issued = {NUMBERS.validation(Number(sequence)).digest for sequence in range(1, 5_001)}
    known = int(NUMBERS.number(Number(1)))
    guesses = [f"{randbelow(10**LENGTH):018}" for _ in range(60_000)]
    beside = [f"{(known + step) % 10**LENGTH:018}" for step in range(1, 20_001)]
    digests = [NUMBERS.read(guess) for guess in guesses + beside if not misread(NUMBERS, guess)]

    assert issued.isdisjoint(digests)
    # One in a thousand passes the check digits: 80 of 80,000, give or take 9.
    assert len(digests) < 160


@KEYS
def test_one_misread_digit_shows(numbers: ValidationNumbers) -> None:
    """Every digit misread as every other shows, wherever it stands."""
    for sequence in range(1, 51):
        number = numbers.number(Number(sequence))
        wrong = [
            number[:place] + digit + number[place + 1 :]
            for place, digit in product(range(LENGTH), "0123456789")
            if digit != number[place]
        ]
        assert len(wrong) == 9 * LENGTH
        assert all(misread(numbers, each) for each in wrong)


@KEYS
def test_digits_that_changed_places_show(numbers: ValidationNumbers) -> None:
    """Any two digits that changed places show, side by side or far apart, unless they are the same."""
    for sequence in range(1, 51):
        number = numbers.number(Number(sequence))
        for one, other in combinations(range(LENGTH), 2):
            digits = [*number]
            digits[one], digits[other] = digits[other], digits[one]
            assert misread(numbers, "".join(digits)) == (number[one] != number[other])


@KEYS
def test_two_misread_digits_show(numbers: ValidationNumbers) -> None:
    """Any two digits misread together show, as no two weights are in a ratio that they can make up for."""
    number = numbers.number(Number(1))
    for one, other in combinations(range(LENGTH), 2):
        for first, second in product("0123456789", repeat=2):
            if first != number[one] and second != number[other]:
                digits = [*number]
                digits[one], digits[other] = first, second
                assert misread(numbers, "".join(digits))


@KEYS
def test_one_text_in_a_thousand_is_right(numbers: ValidationNumbers) -> None:
    """Behind any fifteen digits exactly one of a thousand endings is right: of texts at random 99.9 % are misread."""
    for body in ("0" * BODY, "9" * BODY, "123456789012345"):
        assert sum(not misread(numbers, f"{body}{ending:03}") for ending in range(1_000)) == 1


def test_check_digits_are_a_remainder() -> None:
    """The check digits are always three, and below the prime; another key gives others."""
    bodies = [f"{randbelow(10**BODY):015}" for _ in range(500)]
    one, other = CheckDigits(b"one"), CheckDigits(b"other")

    assert all(len(one.digits(body)) == 3 and int(one.digits(body)) < PRIME for body in bodies)
    assert [one.digits(body) for body in bodies] != [other.digits(body) for body in bodies]


@pytest.mark.parametrize("gap", ["", " ", "-", " - "])
def test_number_is_read_as_people_write_it(gap: str) -> None:
    """Spaces and dashes between the digits and around them make no difference."""
    number = NUMBERS.number(Number(17))
    text = gap.join(number[place : place + 3] for place in range(0, LENGTH, 3))

    assert NUMBERS.read(f"{gap}{text}{gap}") == NUMBERS.validation(Number(17)).digest


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "17",
        "1" * 17,
        "1" * 19,
        "1" * 17 + "x",
        "+" + "1" * 17,
        "1" * 17 + "²",
        "\N{ARABIC-INDIC DIGIT ONE}" * 18,
        "\N{FULLWIDTH DIGIT ONE}" * 18,
        "1" * 17 + "\n",
    ],
)
def test_text_that_is_no_number_is_misread(text: str) -> None:
    """What does not have eighteen plain digits is misread, whatever else it has."""
    assert misread(NUMBERS, text)


def test_refusal_does_not_repeat_the_number() -> None:
    """What is told of a misread number has none of its digits, as it may be somebody's."""
    number = NUMBERS.number(Number(17))
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    with pytest.raises(Refused) as misread_:
        NUMBERS.read(wrong)
    refusal = misread_.value.refusal

    assert (refusal.clause, refusal.facts) == (None, {})
    assert number[:6] not in refusal.message


def test_house_is_sent_a_digest_and_four_digits() -> None:
    """What the house may know is the sequence, a digest of sixty-four hexadecimal digits, and the last four."""
    number, valid = NUMBERS.number(Number(17)), NUMBERS.validation(Number(17))

    assert (valid.sequence, valid.last_four) == (17, number[-4:])
    assert len(bytes.fromhex(valid.digest)) == 32
    assert number[:BODY] not in repr(valid)


def test_ticket_is_paid_by_its_number_once_and_the_journal_never_has_it() -> None:
    """What was collected is paid to whoever brings the number, once, and no entry of the journal has the number."""
    shift = Shift.founded()
    shift.drawer()
    done(shift.run, shift.note(), shift.keyed(Collect(T1, NUMBERS.validation(shift.house.tickets.next_number)), T1))
    done(shift.run, shift.keyed(ConfirmPrint(T1, Number(1)), T1))
    number = NUMBERS.number(Number(1))
    digest = NUMBERS.read(f"{number[:9]}-{number[9:]}")
    assert isinstance(digest, str)
    first, second, other = (
        shift.ask(shift.keyed(RedeemTicket(DRAWER, each), DESK, CASHIER))[0]
        for each in (digest, digest, NUMBERS.validation(Number(2)).digest)
    )

    assert isinstance(first, Accepted)
    assert [code_of(second), code_of(other)] == [Code.TICKET_PAID, Code.TICKET_UNKNOWN]
    assert not any(number[:BODY].encode() in page.body for page in shift.store.stored)


def safe_in(path: Path) -> KeyStore:
    safe = KeyStore(path / "safe")
    safe.provision()
    return safe


def test_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    """The key is made where there is none, beside the signing key, for nobody else to read, and never made again."""
    safe = safe_in(tmp_path)
    key = open_key(safe)

    assert len(key) == KEY_BYTES
    assert open_key(safe) == open_key(safe, make=False) == key
    assert (safe.path / "ticket.key").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in safe.path.iterdir()} == {"public.pem", "signing.pem", "ticket.key"}
    assert open_key(safe_in(tmp_path / "another")) != key


def test_key_that_was_half_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where making the key was cut short there is none, and the next try makes a whole one."""
    safe = safe_in(tmp_path)

    def cut(_path: int) -> None:
        raise OSError("the power failed")

    with monkeypatch.context() as world:
        world.setattr(os, "fsync", cut)
        with pytest.raises(JournalFault):
            open_key(safe)

    assert not (safe.path / "ticket.key").exists()
    assert len(open_key(safe)) == KEY_BYTES


def test_lost_key_is_not_replaced(tmp_path: Path) -> None:
    """Where tickets are out and the key is gone, nobody goes on with another, by which they could not be read."""
    with pytest.raises(JournalFault, match=r"the key store lacks ticket\.key"):
        open_key(safe_in(tmp_path), make=False)


@pytest.mark.parametrize("content", [b"", b"short", b"k" * 33, bytes(32)])
def test_damaged_key_is_refused(tmp_path: Path, content: bytes) -> None:
    """A key of another length, or of zeros, is not used, and not replaced."""
    safe = safe_in(tmp_path)
    path = safe.path / "ticket.key"
    path.write_bytes(content)
    path.chmod(0o600)

    with pytest.raises(JournalFault, match="is not a key"):
        open_key(safe)
    assert path.read_bytes() == content


def test_safe_that_is_not_there_has_no_key(tmp_path: Path) -> None:
    """Where there is no safe no key is made."""
    with pytest.raises(JournalFault, match="the key store lacks"):
        open_key(KeyStore(tmp_path / "nowhere"))
