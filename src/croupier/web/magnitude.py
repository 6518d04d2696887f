"""Magnitudes: whether every number of a command is one that journals and browsers can write down."""

from collections.abc import Iterator
from typing import Final

import msgspec

from croupier.house.answer import refuse
from croupier.house.command.any import AnyCommand
from croupier.rules.refusal import Code, Refusal

#: Beyond this a browser does not tell two numbers apart.
MOST: Final = 2**53 - 1


def too_large(command: AnyCommand) -> Refusal | None:
    """Refuse a command with a number that no screen could show as it is: nobody would have meant it."""
    if all(-MOST <= number <= MOST for number in _numbers(msgspec.to_builtins(command))):
        return None
    return refuse(Code.MALFORMED, None, f"No number may be beyond {MOST}.", most=MOST)


def _numbers(value: object) -> Iterator[int]:
    match value:
        case int():
            yield value
        case dict():
            for each in value.values():
                yield from _numbers(each)
        case list() | tuple():
            for each in value:
                yield from _numbers(each)
