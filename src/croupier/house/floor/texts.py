"""The texts and names that people enter: control characters are refused."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from croupier.rules.refusal import Code, Refusal, refuse
from croupier.rules.texts import NAME_FORM, is_name, is_text


def name_form_objection(name: str) -> Refusal | None:
    """Refuse to give a table, terminal, device, person or drawer a name that has not the form of one."""
    if is_name(name):
        return None
    return refuse(Code.MALFORMED, None, f"A name has {NAME_FORM}.", name=name, why="text")


def text_objection(command: msgspec.Struct) -> Refusal | None:
    """Refuse a command of staff if any text in it has control characters: it would be shown, printed and logged."""
    if all(map(is_text, _texts(msgspec.to_builtins(command)))):
        return None
    message = "A text has a control character, a line break or a mark that reverses text: write it without."
    return refuse(Code.MALFORMED, None, message, why="text")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
