"""Actors and placeholders."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final, NamedTuple

from croupier.house import AnyCommand
from croupier.house.credit.tickets import Validation
from croupier.house.declare import Decision
from croupier.house.floor.service import ReportTerminalLost, ReportTerminalReturned
from croupier.house.floor.staff import AppointActing
from croupier.house.ids import (
    SECOND,
    Day,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.settings import TableSettings
from croupier.house.state.records import MalfunctionKind
from croupier.house.state.tables import Table, Terminal
from croupier.rules.calls import CallSelection
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents, amount_text, cents_of
from croupier.rules.multipliers import multiples_text
from croupier.rules.notation import ChipBet, MalformedError, NotationBet, parse_multiples, parse_slip, print_slip
from croupier.rules.payouts import ChipCount
from croupier.rules.procedure import CreditOut, Duty, Reason
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import Rulebook
from croupier.transcripts.driver import HouseDriver
from croupier.transcripts.format import PLACEHOLDERS as PLAIN
from croupier.transcripts.format import ParseExpectationError, Setting, compiled, seat_named, table_named
from croupier.transcripts.live import print_chips, read_chips
from croupier.transcripts.settings import date_text, gaming_day, set_all


class Placeholder(NamedTuple):
    """The pattern of a placeholder, its parser and its writer; an invalid text is a ParseExpectationError."""

    fits: str
    read: Callable[[str, Rulebook], object]
    write: Callable[[Any], str] = str


def amount(text: str) -> Cents:
    cents = cents_of(text)
    assert cents is not None
    return cents


def _signed(text: str, _rulebook: Rulebook) -> int:
    cents = amount(text.removeprefix("-"))
    return -cents if text.startswith("-") else cents


def spot(text: str, rulebook: Rulebook) -> SpotKey:
    """Parse the name of a spot, or an alias of one; the house decides whether it is on this layout."""
    named = rulebook.named_spot(text)
    if named != text:
        return named
    try:
        (wager,) = parse_slip(f"1 on {text}")
    except MalformedError:
        raise ParseExpectationError("a spot") from None
    if not isinstance(wager.on, str):
        raise ParseExpectationError("a spot")
    return wager.on


def instant(text: str) -> Instant:
    hours, minutes, seconds = (int(part) for part in text.split(":"))
    return Instant(((hours * 60 + minutes) * 60 + seconds) * SECOND)


def titles(rulebook: Rulebook) -> dict[str, str]:
    """Return the venue's titles by their names in a transcript: in lower case."""
    return {title.lower(): title for title in (*rulebook.staff.order, *rulebook.staff.others)}


def _title(text: str, rulebook: Rulebook) -> str:
    known = titles(rulebook)
    if text not in known:
        raise ParseExpectationError(f"a title of this venue: {', '.join(known)}")
    return known[text]


def _cited(text: str, rulebook: Rulebook) -> tuple[ClauseId, str]:
    """Parse a clause, which may contain spaces, and the words after it."""
    fitting = [each.clause for each in rulebook.clauses if f"{text} ".startswith(f"{each.clause} ")]
    if not fitting:
        raise ParseExpectationError("a clause of this rulebook")
    clause = max(fitting, key=len)
    return clause, text.removeprefix(clause).strip()


def _settings(text: str, _rulebook: Rulebook) -> tuple[Setting, ...]:
    parts = (part.rpartition(" ") for part in text.split(", "))
    settings = tuple(Setting(name, value) for name, _, value in parts)
    set_all(TableSettings(), settings)
    return settings


def _spelt(words: type[StrEnum]) -> Placeholder:
    """One of a closed list of words, with spaces for underscores; of two that match the longer is meant."""
    known = {word.value.replace("_", " "): word for word in words}
    fits = "|".join(sorted(known, key=len, reverse=True))
    return Placeholder(fits, lambda text, _: known[text], lambda word: str(word).replace("_", " "))


def _slip(text: str, _rulebook: Rulebook) -> tuple[NotationBet, ...]:
    return parse_slip(text)


def _place(text: str, rulebook: Rulebook) -> SpotKey:
    """Parse a spot of the layout, or one of the block such as ``neighbours 17``."""
    (bet,) = read_chips(f"1 on {text}")
    return SpotKey(str(bet.on)) if isinstance(bet.on, CallSelection) else spot(text, rulebook)


def _pieces(text: str, _rulebook: Rulebook) -> tuple[ChipCount, ...]:
    """Parse chips such as ``3 blue and 2 x 25``."""
    bets = read_chips("; ".join(f"{part} on 0" for part in text.split(" and ")))
    if not all(isinstance(bet.chips, ChipCount) for bet in bets):
        raise ParseExpectationError("chips such as '3 blue and 2 x 25'")
    return tuple(bet.chips for bet in bets if isinstance(bet.chips, ChipCount))


def _written_pieces(chips: Iterable[ChipCount]) -> str:
    return " and ".join(str(ChipBet(chip, SpotKey("0"))).removesuffix(" on 0") for chip in chips)


#: The outside boxes, and the names of the other segments that are paid.
_SEGMENTS: Final = "inside|returns|correction|red|black|odd|even|low|high|(?:dozen|column) [1-3]"


def _written_clause(cited: tuple[ClauseId, str]) -> str:
    clause, words = cited
    return f"{clause} {tidy(words)}"


def tidy(words: str) -> str:
    """Normalise words for a field: single spaces, and no sign that begins a comment."""
    return " ".join(words.replace("#", " ").split()) or "no words"


#: Numbers and their multiples: "17 x100, 23 x60".
_DRAWN: Final = "[0-9]{1,3} x[1-9][0-9]{0,5}(?:, [0-9]{1,3} x[1-9][0-9]{0,5})*"

PLACEHOLDERS: Final[Mapping[str, Placeholder]] = {
    "AMOUNT": Placeholder(PLAIN["AMOUNT"], lambda text, _: amount(text), amount_text),
    "CHIPS": Placeholder(r"[0-9].* on .*", lambda text, _: read_chips(text), print_chips),
    "CITED": Placeholder(r"\S.*", _cited, _written_clause),
    "COLOUR": Placeholder("[a-z]+(?:[/-][a-z]+)*", lambda text, _: text),
    "CURRENCY": Placeholder("[A-Z]{3}", lambda text, _: text),
    "DATE": Placeholder("[0-9]{4}-[0-9]{2}-[0-9]{2}", lambda text, _: Day(gaming_day(text)), date_text),
    "DOUBT": Placeholder(r"(?!seat )\S.*", lambda text, _: text, tidy),
    "DRAWN": Placeholder(_DRAWN, lambda text, _: parse_multiples(text), multiples_text),
    "FAULT": _spelt(MalfunctionKind),
    "MEANS": _spelt(CreditOut),
    "N": Placeholder(PLAIN["N"], lambda text, _: int(text)),
    "PIECES": Placeholder("[0-9].*", _pieces, _written_pieces),
    "PLACE": Placeholder("[a-z0-9/ -]+", _place),
    "POCKET": Placeholder(PLAIN["POCKET"], lambda text, _: Pocket(text)),
    "REASON": _spelt(Reason),
    "SEGMENT": Placeholder(_SEGMENTS, lambda text, _: text),
    "SETTINGS": Placeholder(r"\S.* \S+", _settings, lambda settings: ", ".join(map(str, settings))),
    "SIGNED": Placeholder(PLAIN["SIGNED"], _signed, amount_text),
    "SLIP": Placeholder(r"[0-9].*|.* on .*", _slip, print_slip),
    "SPOT": Placeholder("[a-z0-9/ -]+", spot),
    "TIME": Placeholder("(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]", lambda text, _: instant(text)),
    "TIMES": Placeholder("[0-9]{1,6}", lambda text, _: int(text)),
    "TITLE": Placeholder("[a-z ]+", _title),
    "WORD": Placeholder(r"\S+", lambda text, _: text),
    "WORDS": Placeholder(r"\S.*", lambda text, _: text, tidy),
}

_FITS: Final = {name: placeholder.fits for name, placeholder in PLACEHOLDERS.items()}


@cache
def form_pattern(form: str) -> re.Pattern[str]:
    return compiled(form, _FITS)


def read_form(form: str, text: str, rulebook: Rulebook) -> tuple[object, ...] | None:
    """Parse a text by a form into the values of its placeholders; None when it does not match."""
    match = form_pattern(form).fullmatch(text)
    if match is None:
        return None
    names = re.findall("[A-Z]+", form)
    return tuple(PLACEHOLDERS[name].read(part, rulebook) for name, part in zip(names, match.groups(), strict=True))


def write_form(form: str, values: Iterable[object]) -> str:
    """Write a form with values in its placeholders."""
    left = iter(values)
    return re.sub("[A-Z]+", lambda name: PLACEHOLDERS[name.group()].write(next(left)), form)


class ActorRole(StrEnum):
    """The kind of an actor, which determines its actions."""

    SEAT = "seat"
    PLAYER = "player"
    WHEEL = "wheel"
    SYSTEM = "system"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class Actor:
    """A person or a device that acts at a table."""

    role: ActorRole
    #: The seat or the person; empty for machines of the house.
    name: str
    table: TableId
    #: The venue's own title, for staff.
    title: str = ""


_WRITTEN: Final = re.compile("([a-z ]*?[a-z])(?: ([1-9][0-9]*))?(?: at table ([1-9][0-9]*))?")


def read_actor(text: str, rulebook: Rulebook) -> Actor:
    """Parse an actor, or raise ParseExpectationError with what is expected."""
    match = _WRITTEN.fullmatch(text)
    who, number, at = match.groups() if match else ("", None, None)
    table = table_named(at or 1)
    known = titles(rulebook)
    if who == "seat" and number:
        return Actor(ActorRole.SEAT, f"seat {number}", table)
    if who == "player" and number:
        return Actor(ActorRole.PLAYER, f"player {number}", table)
    if who == "wheel" and not at:
        return Actor(ActorRole.WHEEL, "", table_named(number or 1))
    if who == "system" and not number:
        return Actor(ActorRole.SYSTEM, "", table)
    if who in known:
        return Actor(ActorRole.STAFF, f"{who} {number}" if number else who, table, known[who])
    raise ParseExpectationError(
        f"an actor: a seat or a player with its number, 'wheel', 'system' or one of {', '.join(known)}"
    )


def digest_of(sequence: int) -> str:
    """Digest a slip's validation number, which is not secret in a transcript: it follows from the sequence alone."""
    return hashlib.sha256(f"{sequence}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ActionContext:
    """The context of an action: the floor in its current state, the actor, and the action in words."""

    floor: HouseDriver
    actor: Actor
    words: str

    @property
    def table(self) -> TableId:
        return self.actor.table

    @property
    def here(self) -> Table:
        return self.floor.house.tables[self.actor.table]

    @property
    def terminal(self) -> TerminalId:
        return TerminalId(self.actor.name)

    @property
    def seated(self) -> Terminal:
        return self.floor.house.terminals[self.terminal]

    @property
    def game(self) -> tuple[TerminalId, TableId, RoundNumber, int]:
        """The first fields of every command about a game: it is meant for the current round and spin."""
        round_ = self.here.round
        return self.terminal, self.table, self.here.rounds, 1 if round_ is None else round_.spin.number

    @property
    def person(self) -> PersonId:
        return PersonId(self.actor.name)

    @property
    def drawer(self) -> DrawerId:
        return DrawerId(self.actor.name)

    @property
    def validation(self) -> Validation:
        """The number of the next slip, as far as the house knows it."""
        sequence = self.floor.house.tickets.next_number
        digest = digest_of(sequence)
        return Validation(sequence, digest, digest[-4:])

    def record_of(self, case: int) -> str:
        """Look up the digest of the bets in question at their close, as recorded."""
        found = self.floor.house.cases.all.get(Number(case))
        tables = self.floor.house.tables
        rounds = [tables[table].find_round(number) for table, number in (found.questioned if found else ())]
        return next((round_.digest for round_ in rounds if round_ is not None), "")

    def holder_of(self, hold: int) -> TerminalId:
        """Find the terminal whose win is held under a number; when there is none, any terminal, which is refused."""
        terminals = list(self.floor.house.terminals.values())
        holders = [each.id for each in terminals if Number(hold) in each.holds]
        return next(iter((*holders, *(each.id for each in terminals))), seat_named(1))

    def ask(self, command: AnyCommand) -> Decision:
        """Submit a command to the house as the actor."""
        floor, role = self.floor, self.actor.role
        if role is ActorRole.SYSTEM or isinstance(command, ReportTerminalLost | ReportTerminalReturned):
            return floor.ask(command)
        if role is ActorRole.WHEEL:
            return floor.ask(command, DeviceId(self.table))
        if role is ActorRole.SEAT:
            return floor.ask(command, DeviceId(self.terminal))
        if role is ActorRole.PLAYER:
            # A dealer records the chips of players.
            return floor.by(self.here.rulebook.staff.titles_for(Duty.DEAL)[0].lower(), command)
        if self.person not in floor.house.staff.people:
            floor.enrol(self.actor.title, self.actor.name)
        return floor.by(self._signer(command), command)

    def _signer(self, command: AnyCommand) -> str:
        """Return the signer: the actor, except for an acting appointment, which a manager signs."""
        if not isinstance(command, AppointActing):
            return self.actor.name
        return self.here.rulebook.staff.titles_for(Duty.MANAGE)[0].lower()
