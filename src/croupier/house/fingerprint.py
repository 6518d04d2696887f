"""The fingerprint of a house: one digest over everything in its state, equal where two houses are."""

import hashlib
from collections import deque
from typing import Any

import msgspec

from croupier.house.books import Books
from croupier.house.felt import Felt
from croupier.house.state import House
from croupier.rules.rulebook import Rulebook

#: Neither is state: one is handed in, the other follows from the rulebooks.
_LEFT_OUT = ("read_rulebook", "felts")


def fingerprint(house: House) -> str:
    """Digest the whole state, whatever the order in which its parts came to be."""
    parts = {name: getattr(house, name) for name in House.__slots__ if name not in _LEFT_OUT}
    plain = msgspec.to_builtins(parts, str_keys=True, order="deterministic", enc_hook=_plain)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()


def _plain(value: Any) -> object:  # noqa: ANN401 - whatever is no plain value yet
    match value:
        case Rulebook():
            return value.digest
        case Felt():
            return None
        case deque():
            return list(value)
        case Books():
            return {account.value: balance for account, balance in value.balances.items()}
        case _:
            return dict(value)
