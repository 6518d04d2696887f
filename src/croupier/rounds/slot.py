"""Slots: what may stand for a word in capitals in the form of a deed, and what it is read into."""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from croupier.house.command.record import Fault
from croupier.house.name import SECOND, Day, Instant
from croupier.house.settings import TableSettings
from croupier.rounds.setting import gaming_day, set_all
from croupier.rounds.wanted import WantedError
from croupier.rules.clause import ClauseId
from croupier.rules.irregularity import Reason
from croupier.rules.money import Cents, cents_of
from croupier.rules.notation import MalformedError, parse_slip
from croupier.rules.pocket import Pocket
from croupier.rules.procedure import CreditOut
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import SpotKey
from croupier.rules.transcript import SLOTS as PLAIN
from croupier.rules.transcript import Setting, compiled


class Slot(NamedTuple):
    """The text that fits, and how it is read; what cannot be is a WantedError that says what was wanted."""

    fits: str
    read: Callable[[str, Rulebook], object]


def amount(text: str) -> Cents:
    cents = cents_of(text)
    assert cents is not None
    return cents


def _signed(text: str, _rulebook: Rulebook) -> int:
    cents = amount(text.removeprefix("-"))
    return -cents if text.startswith("-") else cents


def spot(text: str, rulebook: Rulebook) -> SpotKey:
    """Read the name of a spot, or an alias of one; whether it is on this layout is for the house to say."""
    alias = rulebook.spot_aliases.get(text.replace(" ", "-"))
    if alias is not None:
        return alias.key
    try:
        (wager,) = parse_slip(f"1 on {text}")
    except MalformedError:
        raise WantedError("a spot") from None
    if not isinstance(wager.on, str):
        raise WantedError("a spot")
    return wager.on


def instant(text: str) -> Instant:
    hours, minutes, seconds = (int(part) for part in text.split(":"))
    return Instant(((hours * 60 + minutes) * 60 + seconds) * SECOND)


def titles(rulebook: Rulebook) -> dict[str, str]:
    """Give the venue's titles by what a round calls them: in small letters."""
    return {title.lower(): title for title in (*rulebook.staff.order, *rulebook.staff.others)}


def _title(text: str, rulebook: Rulebook) -> str:
    known = titles(rulebook)
    if text not in known:
        raise WantedError(f"a title of this venue: {', '.join(known)}")
    return known[text]


def _cited(text: str, rulebook: Rulebook) -> tuple[ClauseId, str]:
    """Read a clause, which may hold spaces, and the words after it."""
    fitting = [each.clause for each in rulebook.clauses if f"{text} ".startswith(f"{each.clause} ")]
    if not fitting:
        raise WantedError("a clause of this rulebook")
    clause = max(fitting, key=len)
    return clause, text.removeprefix(clause).strip()


def _settings(text: str, _rulebook: Rulebook) -> tuple[Setting, ...]:
    parts = (part.rpartition(" ") for part in text.split(", "))
    settings = tuple(Setting(name, value) for name, _, value in parts)
    set_all(TableSettings(), settings)
    return settings


def _spelt(words: type[StrEnum]) -> Slot:
    """One of a closed list of words, spaces for underscores; of two that fit the longer is meant."""
    known = {word.value.replace("_", " "): word for word in words}
    return Slot("|".join(sorted(known, key=len, reverse=True)), lambda text, _: known[text])


SLOTS: Final[Mapping[str, Slot]] = {
    "AMOUNT": Slot(PLAIN["AMOUNT"], lambda text, _: amount(text)),
    "CITED": Slot(r"\S.*", _cited),
    "CURRENCY": Slot("[A-Z]{3}", lambda text, _: text),
    "DATE": Slot("[0-9]{4}-[0-9]{2}-[0-9]{2}", lambda text, _: Day(gaming_day(text))),
    "DOUBT": Slot(r"(?!seat )\S.*", lambda text, _: text),
    "FAULT": _spelt(Fault),
    "MEANS": _spelt(CreditOut),
    "N": Slot(PLAIN["N"], lambda text, _: int(text)),
    "POCKET": Slot(PLAIN["POCKET"], lambda text, _: Pocket(text)),
    "REASON": _spelt(Reason),
    "SETTINGS": Slot(r"\S.* \S+", _settings),
    "SIGNED": Slot(PLAIN["SIGNED"], _signed),
    "SPOT": Slot("[a-z0-9/ -]+", spot),
    "TIME": Slot("(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]", lambda text, _: instant(text)),
    "TIMES": Slot("[0-9]{1,3}", lambda text, _: int(text)),
    "TITLE": Slot("[a-z ]+", _title),
    "WORD": Slot(r"\S+", lambda text, _: text),
    "WORDS": Slot(r"\S.*", lambda text, _: text),
}

_FITS: Final = {name: slot.fits for name, slot in SLOTS.items()}


@cache
def form_pattern(form: str) -> re.Pattern[str]:
    return compiled(form, _FITS)


def read_form(form: str, text: str, rulebook: Rulebook) -> tuple[object, ...] | None:
    """Read a text that goes by a form into the values of its slots; None where it does not."""
    match = form_pattern(form).fullmatch(text)
    if match is None:
        return None
    slots = re.findall("[A-Z]+", form)
    return tuple(SLOTS[slot].read(part, rulebook) for slot, part in zip(slots, match.groups(), strict=True))
