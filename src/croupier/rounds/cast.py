"""The cast: who acts in a round, at which table, and how what they ask for is put to the house."""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from croupier.house.answer import Decision
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import Validation
from croupier.house.command.record import LoseTerminal, ReturnTerminal
from croupier.house.command.venue import AppointActing
from croupier.house.name import DeviceId, DrawerId, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.rounds.floor import Floor
from croupier.rounds.place import seat_named, table_named
from croupier.rounds.slot import titles
from croupier.rounds.wanted import WantedError
from croupier.rules.rulebook import Rulebook
from croupier.rules.staff import Duty


class Part(StrEnum):
    """What kind of actor somebody is, which decides what deeds there are."""

    SEAT = "seat"
    WHEEL = "wheel"
    SYSTEM = "system"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody, or something, that acts at a table."""

    part: Part
    #: The seat or the person; empty for machines of the house.
    name: str
    table: TableId
    #: The venue's own title, for staff.
    title: str = ""


_WRITTEN: Final = re.compile("([a-z ]*?[a-z])(?: ([1-9][0-9]*))?(?: at table ([1-9][0-9]*))?")


def read_actor(text: str, rulebook: Rulebook) -> Actor:
    """Read who acts, or raise WantedError with what was wanted."""
    match = _WRITTEN.fullmatch(text)
    who, number, at = match.groups() if match else ("", None, None)
    table = table_named(at or 1)
    known = titles(rulebook)
    if who == "seat" and number:
        return Actor(Part.SEAT, f"seat {number}", table)
    if who == "wheel" and not at:
        return Actor(Part.WHEEL, "", table_named(number or 1))
    if who == "system" and not number:
        return Actor(Part.SYSTEM, "", table)
    if who in known:
        return Actor(Part.STAFF, f"{who} {number}" if number else who, table, known[who])
    raise WantedError(f"an actor: a seat with its number, 'wheel', 'system' or one of {', '.join(known)}")


def digest_of(sequence: int) -> str:
    """Digest a slip's validation number, which in a round is no secret: it follows from the sequence alone."""
    return hashlib.sha256(f"{sequence}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Scene:
    """The moment of a deed: the floor as it stands, who acts, and the deed in words."""

    floor: Floor
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
        """What every command about a game begins with: it is meant for the round and spin that runs now."""
        round_ = self.here.round
        return self.terminal, self.table, self.here.rounds, 1 if round_ is None else round_.spin

    @property
    def person(self) -> PersonId:
        return PersonId(self.actor.name)

    @property
    def drawer(self) -> DrawerId:
        return DrawerId(self.actor.name)

    @property
    def validation(self) -> Validation:
        """The number of the next slip, as far as the house may know it."""
        sequence = self.floor.house.next_ticket
        digest = digest_of(sequence)
        return Validation(sequence, digest, digest[-4:])

    def record_of(self, case: int) -> str:
        """Look up the digest of the bets in question at their close, as the record has it."""
        found = self.floor.house.cases.get(Number(case))
        tables = self.floor.house.tables
        rounds = [tables[table].find_round(number) for table, number in (found.questioned if found else ())]
        return next((round_.digest for round_ in rounds if round_ is not None), "")

    def holder_of(self, hold: int) -> TerminalId:
        """Find the terminal whose win is held under a number; where there is none, any, to be refused."""
        terminals = list(self.floor.house.terminals.values())
        holders = [each.id for each in terminals if Number(hold) in each.holds]
        return next(iter((*holders, *(each.id for each in terminals))), seat_named(1))

    def ask(self, command: AnyCommand) -> Decision:
        """Put a command to the house as the actor would."""
        floor, part = self.floor, self.actor.part
        if part is Part.SYSTEM or isinstance(command, LoseTerminal | ReturnTerminal):
            return floor.ask(command)
        if part is Part.WHEEL:
            return floor.ask(command, DeviceId(self.table))
        if part is Part.SEAT:
            return floor.ask(command, DeviceId(self.terminal))
        if self.person not in floor.house.people:
            floor.enrol(self.actor.title, self.actor.name)
        return floor.by(self._signer(command), command)

    def _signer(self, command: AnyCommand) -> str:
        """Name who signs: the actor, but for an acting appointment, which whoever manages makes."""
        if not isinstance(command, AppointActing):
            return self.actor.name
        return self.here.rulebook.staff.titles_for(Duty.MANAGE)[0].lower()
