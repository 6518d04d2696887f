"""Recovery: what becomes of a running round when the system was interrupted, by the venue's own rules."""

from dataclasses import dataclass

from croupier.house import incident
from croupier.house.answer import Deciders, Decision, Events, Evolvers
from croupier.house.command.record import IncidentKind, RaiseSystemMalfunction
from croupier.house.command.round import Recover
from croupier.house.event.round import RoundInterrupted, RoundSuspended, RoundVoided
from croupier.house.event.venue import Found, HouseRecovered
from croupier.house.lifecycle import incidents_in
from croupier.house.mishap import consequence
from croupier.house.name import SECOND, Instant
from croupier.house.settings import WheelKind
from croupier.house.settling import settled
from croupier.house.stamp import Stamp
from croupier.house.standing import found
from croupier.house.state import House
from croupier.house.table import Ball, Phase, Round, Table
from croupier.rules.irregularity import Effect, Irregularity, Reason, find
from croupier.rules.matter import Matter


def recover(house: House, _command: Recover, stamp: Stamp) -> Decision:
    """Say how every table's last round was found, and decide those that were running, before another may open.

    Doing it twice changes nothing more: the second time it only says again what it found.
    """
    seen: list[Found] = []
    done: Events = ()
    for table in house.tables.values():
        if table.round is not None:
            words = "The system was interrupted."
            events = Interruption(house, table, stamp, words, after=incidents_in(done)).events()
            seen.append(found(table, table.round, events))
            done += events
    return (HouseRecovered(tuple(seen)), *done)


def raise_system_malfunction(house: House, command: RaiseSystemMalfunction, stamp: Stamp) -> Decision:
    table = house.tables[command.table]
    clause = find(table.rulebook.irregularities, Reason.MALFUNCTION).clause
    told = incident.raised(house, IncidentKind.MALFUNCTION, table.id, clause, command.words)
    return (told, *Interruption(house, table, stamp, command.words, after=1).events())


@dataclass(frozen=True, slots=True)
class Interruption:
    """One table's running round, found after the system stopped."""

    house: House
    table: Table
    stamp: Stamp
    words: str
    #: How many incidents the same answer raises before this one.
    after: int = 0

    def events(self) -> Events:
        round_ = self.table.round
        if round_ is None or round_.over or round_.phase is Phase.NO_SPIN or round_.interrupted:
            return ()
        if round_.phase is Phase.SUSPENDED:
            return self._suspended(round_)
        if round_.pocket is not None:
            return (settled(self.house, self.table, round_, round_.pocket),)
        return self._without_result(round_)

    def _suspended(self, round_: Round) -> Events:
        """Who decides it decides it still, except where the rules leave nothing to decide once the system has stopped.

        Where no number was seen, none is one person's to say.
        """
        unseen = round_.sealed is not None and round_.reported is None
        if self._undecidable(round_, unseen=unseen):
            # Nobody takes a referral from whoever decides it by calling it a malfunction.
            return () if self.stamp.person else self._without_result(round_)
        return self._attestable(round_) if unseen else ()

    def _undecidable(self, round_: Round, *, unseen: bool) -> bool:
        """Tell whether a round can only be void: a random wheel may have drawn, or the rules void it unattested."""
        settings = self.table.settings
        if unseen and settings.wheel is WheelKind.RANDOM:
            return True
        rule = next((each for each in self.table.rulebook.irregularities if each.reason is Reason.MALFUNCTION), None)
        if rule is None or round_.sealed is None or rule.effect is Effect.VOID_ROUND:
            return rule is not None
        return unseen and rule.effect is not Effect.REFER and settings.attest_s == 0

    def _without_result(self, round_: Round) -> Events:
        rules = {each.reason: each for each in self.table.rulebook.irregularities}
        rule = rules.get(Reason.MALFUNCTION)
        if round_.sealed is not None and self.table.settings.wheel is WheelKind.RANDOM:
            # It may have drawn: a random wheel never draws twice for one round.
            return (self._void(round_, Matter.UNCONFIRMED),)
        if rule is None:
            return self._kept(round_, rules[Reason.NOT_COVERED])
        if round_.sealed is None or rule.effect is Effect.VOID_ROUND:
            return (self._void(round_, Matter.INTERRUPTED_NO_OUTCOME),)
        return self._sealed(round_, rule)

    def _kept(self, round_: Round, rule: Irregularity) -> Events:
        """Without a rule on malfunctions chips stay their owners': a spin that was under way does not count.

        Neither does one whose time to bet ran out while nobody could: it could not be closed before the ball runs.
        """
        late = round_.closes_at is not None and round_.closes_at <= self.stamp.now
        idle = round_.ball is Ball.IDLE and round_.sealed is None and not late
        return () if idle or round_.reported is not None else (consequence(self.table, rule, self.words),)

    def _sealed(self, round_: Round, rule: Irregularity) -> Events:
        """Bets stand sealed and no number is on record."""
        settings = self.table.settings
        if round_.reported is not None:
            # The ball was at rest, and the wheel had said where: the dealer's word is all that is missing.
            return ()
        if rule.effect is Effect.REFER:
            return self._attestable(round_)
        if settings.attest_s == 0:
            return (self._void(round_, Matter.INTERRUPTED_NO_OUTCOME),)
        until = Instant(self.stamp.now + settings.attest_s * SECOND)
        here = (self.table.id, round_.number)
        return (*self._attestable(round_), RoundSuspended(*here, rule.reason, rule.clause, self.words, until))

    def _attestable(self, round_: Round) -> Events:
        clause, kind = self.table.rulebook.cites[Matter.INTERRUPTED_OUTCOME], IncidentKind.INTERRUPTED
        told = incident.raised(self.house, kind, self.table.id, clause, self.words, after=self.after)
        return RoundInterrupted(self.table.id, round_.number, clause), told

    def _void(self, round_: Round, matter: Matter) -> RoundVoided:
        clause = self.table.rulebook.cites[matter]
        return RoundVoided(self.table.id, round_.number, Reason.MALFUNCTION, clause, self.words)


def house_recovered(_house: House, _event: HouseRecovered, _stamp: Stamp) -> None:
    """It is on record; what was done about it follows in events of its own."""


def round_interrupted(house: House, event: RoundInterrupted, _stamp: Stamp) -> None:
    round_ = house.tables[event.table].playing
    round_.interrupted = True


DECIDERS: Deciders = {Recover: recover, RaiseSystemMalfunction: raise_system_malfunction}
EVOLVERS: Evolvers = {HouseRecovered: house_recovered, RoundInterrupted: round_interrupted}
