"""Forms: what a key of the configuration takes, in words, and how it is read."""

import re
from collections.abc import Callable
from datetime import date, time
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import available_timezones

from croupier.config.complaints import nearest
from croupier.house.settings import Bounds
from croupier.rulebooks.complaint import shown
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.shape import MisfitError
from croupier.rules.money import Cents, cents_of
from croupier.rules.refusal import Code, Refusal
from croupier.rules.rulebook import Rulebook

#: The longest name that fits a screen.
NAME_MOST: Final = 40
#: More seconds, days, games or doors than anybody means.
WHOLE_MOST: Final = 999_999

#: Reads a value beside the folder that the file stands in, or raises MisfitError with what is the matter.
Read = Callable[[object, Path], object]


class Form(NamedTuple):
    """What a key takes."""

    words: str
    read: Read


def expected(words: str, value: object) -> MisfitError:
    return MisfitError(f"expected {words}, found {_named(value)}")


def _named(value: object) -> str:
    """Show a value as it is written in the file."""
    match value:
        case bool():
            return str(value).lower()
        case Decimal() | date() | time():
            return str(value)
        case _:
            return shown(value)


def _text(value: object, _folder: Path) -> str:
    if not isinstance(value, str):
        raise expected("text", value)
    if not value.strip():
        raise MisfitError("must not be empty")
    return value


def _name(value: object, folder: Path) -> str:
    text = _text(value, folder)
    if not text.isprintable() or text != text.strip() or len(text) > NAME_MOST:
        raise expected(NAME.words, value)
    return text


def _secret(value: object, _folder: Path) -> str:
    if not (isinstance(value, str) and value):
        # A secret that was mistyped is a secret still: it is not shown.
        raise MisfitError("expected text that is not empty")
    return value


def _yes(value: object, _folder: Path) -> bool:
    if not isinstance(value, bool):
        raise expected("true or false", value)
    return value


def _amount(value: object, _folder: Path) -> Cents:
    # Text, a whole number or a decimal as it was written: never a float.
    written = str(value) if type(value) in (str, int, Decimal) else ""
    cents = cents_of(written)
    if cents is None:
        raise expected(AMOUNT.words, value)
    return cents


def _bounds(value: object, folder: Path) -> Bounds:
    if not isinstance(value, dict) or not value or value.keys() - {"minimum", "maximum"}:
        raise expected(BOUNDS.words, value)
    amounts = {key: _amount(amount, folder) for key, amount in value.items()}
    return Bounds(amounts.get("minimum"), amounts.get("maximum"))


def _time(value: object, _folder: Path) -> time:
    if not (isinstance(value, str) and re.fullmatch("[0-2][0-9]:[0-5][0-9]", value) and value < "24"):
        raise expected(TIME.words, value)
    return time.fromisoformat(value)


def _zone(value: object, folder: Path) -> str:
    name = _text(value, folder)
    # A small machine may have no table of timezones: UTC needs none.
    known = {"UTC", *available_timezones()}
    if name not in known:
        raise MisfitError(f"{name!r} is no timezone that this machine knows{nearest(name, known)}")
    return name


def _origin(value: object, folder: Path) -> str:
    text = _text(value, folder)
    if not re.fullmatch(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?", text):
        raise expected(ORIGIN.words, value)
    return text


def _witness(value: object, folder: Path) -> str:
    text = _text(value, folder)
    # Printable ASCII: an address is sent as it stands here.
    if not re.fullmatch(r"file:///[!-~]+|https://[a-z0-9.-]+(:[0-9]{1,5})?(/[!-~]*)?", text):
        raise expected(WITNESS.words, value)
    return text


def _path(value: object, folder: Path) -> Path:
    text = _text(value, folder)
    if not text.isprintable():
        raise expected("a path", value)
    path = folder / text
    try:
        path.stat()
    except FileNotFoundError:
        return path  # it will be made
    except OSError as error:  # links that lead in a circle, a name that is too long, a folder that is shut
        raise MisfitError(f"{path} cannot be used: {error.strerror}") from None
    return path


def _file(value: object, folder: Path) -> Path:
    path = _path(value, folder)
    try:
        with path.open("rb"):
            return path
    except OSError as error:
        raise MisfitError(f"{path} cannot be read: {error.strerror}") from None


def _rulebook(value: object, folder: Path) -> Rulebook:
    """Load a rulebook that comes with Croupier, or one in a folder beside the file."""
    name, known = _text(value, folder), rulebook_ids()
    book = load_rulebook(name if name in known else str(folder / name))
    if isinstance(book, Rulebook):
        return book
    if book.code is Code.UNKNOWN_RULEBOOK:
        raise MisfitError(f"there is neither a rulebook {name!r} nor such a folder{nearest(name, known)}")
    raise MisfitError(_inconsistent(book))


def _inconsistent(refusal: Refusal) -> str:
    complaints = refusal.facts["complaints"]
    assert isinstance(complaints, tuple)
    return f"is not consistent: {'; '.join(map(str, complaints))}"


def whole(unit: str = "", *, least: int = 0, most: int = WHOLE_MOST) -> Form:
    """A whole number within bounds, such as one of seconds."""
    words = f"a whole number of {unit}" if unit else "a whole number"
    if most < WHOLE_MOST:
        words += f", {least} to {most}"
    elif least > 0:
        words += f", {least} or more"

    def read(value: object, _folder: Path) -> int:
        if type(value) is not int or value < least:
            raise expected(words, value)
        if value > most:
            raise MisfitError(f"is {value}, and may be {most} at most")
        return value

    return Form(words, read)


def one_of(words: type[StrEnum], *, but: StrEnum | None = None) -> Form:
    """One of a few words, and not one of them where it has its own place in the file."""
    known = [word for word in words if word is not but]
    wanted = f"one of {', '.join(known)}"

    def read(value: object, _folder: Path) -> StrEnum:
        if not (isinstance(value, str) and value in known):
            near = nearest(value, known) if isinstance(value, str) else ""
            raise MisfitError(f"{expected(wanted, value)}{near}")
        return words(value)

    return Form(wanted, read)


def list_of(form: Form, words: str) -> Form:
    """Several values of one form."""
    wanted = f"a list of {words}"

    def read(value: object, folder: Path) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise expected(wanted, value)
        return tuple(form.read(each, folder) for each in value)

    return Form(wanted, read)


TEXT: Final = Form("text", _text)
NAME: Final = Form(f"a name of at most {NAME_MOST} characters", _name)
SECRET: Final = Form("text", _secret)
YES: Final = Form("true or false", _yes)
AMOUNT: Final = Form('an amount such as 5 or "0.50"', _amount)
BOUNDS: Final = Form('amounts such as { minimum = 5, maximum = "500" }', _bounds)
TIME: Final = Form('a time of day such as "06:00"', _time)
ZONE: Final = Form("the name of a timezone such as Australia/Adelaide", _zone)
ORIGIN: Final = Form("an origin such as https://tables.example", _origin)
WITNESS: Final = Form("an address such as file:///mnt/witness/heads.jsonl or https://witness.example/heads", _witness)
PATH: Final = Form("a path, relative to the configuration", _path)
FILE: Final = Form("the path of a file, relative to the configuration", _file)
RULEBOOK: Final = Form("the id of a rulebook, or the path of its folder, relative to the configuration", _rulebook)
