"""Secrets: hashed at a cost, compared whatever is typed, and drawn so that they can be read out."""

import re
import unicodedata
from math import log2

import pytest
from argon2 import extract_parameters
from argon2.low_level import Type
from hypothesis import example, given
from hypothesis import strategies as st

from croupier.rules.refusal import Code
from croupier.server.auth.credentials import CredentialError
from croupier.server.auth.sessions import SECRET_MAX, Argon2Hasher, HashCost, new_code, password_objection, read_code

CHEAP = HashCost(passes=1, memory_kib=8, lanes=1)
HASHER = Argon2Hasher(CHEAP)
CODE = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}")


def test_cost_is_what_the_rfc_asks_for() -> None:
    """Where nobody says otherwise a secret costs three passes over 64 MiB by Argon2id, on one core."""
    found = extract_parameters(Argon2Hasher().hash_secret("a secret"))

    assert (found.type, found.time_cost, found.memory_cost, found.parallelism) == (Type.ID, 3, 65_536, 1)
    assert (found.salt_len, found.hash_len) == (16, 32)


def test_same_secret_is_never_hashed_the_same() -> None:
    """Two people with one secret have two hashes."""
    assert HASHER.hash_secret("a secret") != HASHER.hash_secret("a secret")


@pytest.mark.property
@given(st.text(), st.text())
@example("", "")
@example("\ud800", "\ud800")
@example("a" * 513, "a" * 514)
def test_secret_is_matched_by_itself_alone(secret: str, other: str) -> None:
    """Any text is compared without a fault: it fits its own hash, and no other that is a secret does."""
    kept = HASHER.hash_secret(secret)
    same = unicodedata.normalize("NFC", secret) == unicodedata.normalize("NFC", other)

    assert HASHER.matches(kept, secret)
    if password_objection(secret) is None:
        assert HASHER.matches(kept, other) == same


def test_keyboard_may_send_one_letter_as_two_signs() -> None:
    """An accent that is typed as a sign of its own makes the same secret."""
    assert HASHER.matches(HASHER.hash_secret("caf\u00e9 au lait"), "cafe\u0301 au lait")


def test_what_is_longer_than_a_secret_fits_none() -> None:
    """What is cut off a text that is too long never makes it one that somebody has."""
    longest = "\u1f82" * SECRET_MAX
    kept, typed = HASHER.hash_secret(longest), unicodedata.normalize("NFD", longest)

    assert len(typed) == 4 * SECRET_MAX
    assert password_objection(typed) is None
    assert HASHER.matches(kept, typed)
    assert not HASHER.matches(kept, f"{typed}a")
    assert not HASHER.matches(kept, f"{longest}a")


@pytest.mark.parametrize(
    ("secret", "objects"),
    [
        ("", True),
        ("1234567", True),
        ("12345678", False),
        ("        ", False),
        ("\U0001f3b2" * 8, False),
        ("e\u0301" * 7, True),
        ("e\u0301" * 8, False),
        ("e\u0301" * SECRET_MAX, False),
        ("x" * SECRET_MAX, False),
        ("x" * (SECRET_MAX + 1), True),
        ("x" * 1_000_000, True),
        ("1234567\ud83c", True),
    ],
)
def test_length_of_a_secret(secret: str, *, objects: bool) -> None:
    """A secret has 8 to 128 letters, however they are typed, and nothing that is half a sign."""
    objection = password_objection(secret)

    assert (objection is not None) == objects
    assert objection is None or objection.code is Code.MALFORMED


def test_hash_of_another_cost_is_outdated() -> None:
    """A hash is outdated as soon as the cost is another, and is matched all the same."""
    dearer = Argon2Hasher(CHEAP._replace(passes=2))
    kept = HASHER.hash_secret("a secret")

    assert (HASHER.is_outdated(kept), dearer.is_outdated(kept)) == (False, True)
    assert dearer.matches(kept, "a secret")


@pytest.mark.parametrize("kept", ["", "garbage", "$argon2id$v=19$m=8,t=1,p=1$x$y", "$argon2id$"])
def test_hash_that_is_none_is_a_fault(kept: str) -> None:
    """A malformed hash admits nobody: it is a fault."""
    with pytest.raises(CredentialError, match="cannot be compared"):
        HASHER.matches(kept, "a secret")


def test_work_that_cannot_be_done_is_a_fault() -> None:
    """Where Argon2 cannot do its work, for a decoy too, that is a fault and not an answer."""
    hasher = Argon2Hasher(HashCost(passes=1, memory_kib=1))

    for work in (hasher.hash_secret, hasher.decoy):
        with pytest.raises(CredentialError, match="cannot be hashed"):
            work("a secret")


def test_codes_can_be_read_out_and_not_guessed() -> None:
    """A code has three groups of four, sixty bits, no letter that looks like another, and never comes twice."""
    codes = {new_code() for _ in range(1_000)}
    used = {sign for code in codes for sign in code} - {"-"}

    assert len(codes) == 1_000
    assert all(CODE.fullmatch(code) for code in codes)
    assert 12 * log2(len(used)) >= 60
    assert used.isdisjoint("ILOU")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ABCD-0123-XYZ1", "ABCD0123XYZ1"),
        ("abcd-0123-xyz1", "ABCD0123XYZ1"),
        ("ABCD 0123 XYZ1", "ABCD0123XYZ1"),
        ("abcdO123xyzi", "ABCD0123XYZ1"),
        ("abcdo123xyzl", "ABCD0123XYZ1"),
        ("", ""),
    ],
)
def test_code_is_read_as_it_is_meant(typed: str, meant: str) -> None:
    """A code is read in small letters, without dashes, and with the letters that look like 0 and 1."""
    assert read_code(typed) == meant


@pytest.mark.property
@given(st.text())
def test_any_text_may_be_typed_for_a_code(typed: str) -> None:
    """Whatever is typed for a code is read without a fault, and read again it is the same."""
    assert read_code(read_code(typed)) == read_code(typed)
