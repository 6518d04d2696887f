"""Signing in: people at consoles prove who they are, over the wire, and stay signed in for as long as they may."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import structlog

from croupier.access.reception import Reception
from croupier.access.signin import IDLE_S, STEP_UP_S, Badge, SignIn, SignIns
from croupier.access.verdict import Admitted, Denied, MustChoose, Verdict
from croupier.engine.asked import Asked
from croupier.house.answer import refuse
from croupier.house.command.record import IncidentKind, RaiseAlarm
from croupier.house.event.base import Event
from croupier.house.event.venue import PersonEnrolled, PersonReleased
from croupier.house.name import SECOND, Instant, PersonId
from croupier.rules.refusal import Code, Refusal
from croupier.web import incoming, outgoing
from croupier.web.conductor import Conductor
from croupier.web.door import Door
from croupier.web.floor import DUTIES
from croupier.web.hub import Hub
from croupier.web.limits import SECRETS_WAITING

_LOG = structlog.get_logger()
T = TypeVar("T")


@dataclass(slots=True)
class Signing:
    """The sign-ins at all doors."""

    hub: Hub
    conductor: Conductor
    reception: Reception
    #: Where secrets are looked at: so many at once as it has threads.
    examiners: Executor
    sign_ins: SignIns = field(default_factory=SignIns)
    _waiting: int = 0

    async def sign_in(self, door: Door, message: incoming.SignIn) -> None:
        verdict = await self._attempt(door, message.person, message.secret)
        if isinstance(verdict, MustChoose):
            door.send(outgoing.MustChoose(person=verdict.person))
        elif isinstance(verdict, Admitted):
            self._open(door, verdict)

    async def new_secret(self, door: Door, message: incoming.NewSecret) -> None:
        """Take the secret that somebody chose, who proves it with the code that is good once."""
        verdict = await self._attempt(door, message.person, message.code)
        if verdict is None:
            return
        chosen = await self._examined(partial(self.reception.choose, verdict, message.secret))
        if isinstance(chosen, Refusal):
            _refuse(door, chosen)
        else:
            self._open(door, chosen)

    async def step_up(self, door: Door, message: incoming.StepUp) -> None:
        """Take a secret that is given again."""
        verdict = await self._attempt(door, door.person, message.secret)
        if isinstance(verdict, Admitted):
            now = self.hub.time.now()
            refusal = self.sign_ins.step_up(door.badge, verdict, now)
            if refusal is None:
                door.send(outgoing.SteppedUp(until_us=now + STEP_UP_S * SECOND))
            else:
                _refuse(door, refusal)

    def resume(self, door: Door, message: incoming.Resume) -> None:
        """Go on with a sign-in of the same device."""
        badge = Badge(message.token, door.device)
        person = self.sign_ins.who(badge, self.hub.time.now())
        if isinstance(person, Refusal):
            _refuse(door, person)
        else:
            self._let_in(door, person, badge)

    def sign_out(self, door: Door) -> None:
        self.sign_ins.sign_out(door.badge)
        self._let_out(door, "Signed out.")

    def who(self, door: Door, *, stepped_up: bool) -> PersonId | Refusal:
        """Tell who asks at a console."""
        now = self.hub.time.now()
        who = self.sign_ins.who_stepped_up if stepped_up else self.sign_ins.who
        return who(door.badge, now)

    def heed(self, event: Event) -> None:
        """End at once what somebody had open whose titles have changed."""
        if isinstance(event, PersonReleased | PersonEnrolled):
            self._end(self.sign_ins.revoke(event.person))

    def sweep(self) -> None:
        """End what has lapsed since the last time."""
        self._end(self.sign_ins.sweep(self.hub.time.now(), self.reception.register.held()))

    def _end(self, ended: tuple[SignIn, ...]) -> None:
        for each in ended:
            door = self.hub.consoles.get(each.device)
            if door is not None:
                self._let_out(door, "You were signed out: sign in again.")

    async def _attempt(self, door: Door, name: str, secret: str) -> Admitted | MustChoose | None:
        """Judge an attempt; whoever fails is told no more than that, and the house more."""
        if self._waiting >= SECRETS_WAITING:
            _refuse(door, refuse(Code.BUSY, None, "Too many are signing in: try again in a moment."))
            return None
        verdict: Verdict = await self._examined(partial(self.reception.attempt, name, secret))
        if not isinstance(verdict, Denied):
            return verdict
        _LOG.warning("sign_in_failed", device=door.device, person=verdict.person, cause=verdict.cause.value)
        if verdict.locks:
            words = f"The account of {verdict.person} is locked after wrong secrets at {door.device}."
            self.conductor.submit(Asked(RaiseAlarm(IncidentKind.ACCOUNT_LOCKED, verdict.person, words)))
        _refuse(door, verdict.refusal)
        return None

    async def _examined(self, do: Callable[[], T]) -> T:
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.examiners, do)
        finally:
            self._waiting -= 1

    def _open(self, door: Door, admitted: Admitted) -> None:
        refusal = self._no_duty(door, admitted.person)
        opened = refusal or self.sign_ins.open(admitted, door.device, self.hub.time.now())
        if isinstance(opened, Refusal):
            _refuse(door, opened)
            return
        self._let_in(door, admitted.person, Badge(opened.token, door.device))

    def _no_duty(self, door: Door, person: PersonId) -> Refusal | None:
        """Say that a person has nothing to do at a door: none of the duties that it is for is theirs."""
        house = self.hub.run.house
        known = house.people.get(person)
        held = set() if known is None else set(known.titles_at(Instant(house.now)))
        assert door.kind is not None
        wanted = {
            title
            for table in house.tables.values()
            for duty in DUTIES[door.kind]
            for title in table.rulebook.staff.titles_for(duty)
        }
        if held & wanted:
            return None
        says = f"This page is for {' or '.join(sorted(wanted)) or 'nobody'}."
        return refuse(Code.NOT_AUTHORISED, None, says, titles=tuple(sorted(wanted)))

    def _let_in(self, door: Door, person: PersonId, badge: Badge) -> None:
        house = self.hub.run.house
        door.person, door.badge = person, badge
        titles = tuple(house.people[person].titles_at(house.now)) if person in house.people else ()
        door.send(outgoing.SignedIn(person=person, titles=titles, token=badge.token, idle_s=IDLE_S))
        _LOG.info("signed_in", device=door.device, person=person)
        self.hub.admit(door, tuple(house.tables))

    def _let_out(self, door: Door, says: str) -> None:
        _LOG.info("signed_out", device=door.device, person=door.person)
        self.hub.leave(door)
        door.person, door.badge = PersonId(""), Badge("", door.device)
        door.send(outgoing.SignedOut(says=says))


def _refuse(door: Door, refusal: Refusal) -> None:
    door.send(outgoing.Refused(refusal=outgoing.no(refusal)))
