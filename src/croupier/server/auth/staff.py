"""Sign-in at consoles."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple, TypeVar

import structlog

from croupier.engine.commit_loop import CommitLoop
from croupier.engine.ports import Request
from croupier.house.base import Event
from croupier.house.commands.record import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.events.setup import PersonEnrolled, PersonReleased
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId
from croupier.house.permissions import holds_title, rulebooks_in_use, titles_for
from croupier.house.state import House
from croupier.protocol import inbound, outbound
from croupier.rules.procedure import Duty
from croupier.rules.refusal import Code, Refusal, refuse
from croupier.server.auth.credentials import CredentialError, Credentials
from croupier.server.auth.sessions import (
    IDLE_S,
    NOT_ADMITTED,
    SIGNED_OUT,
    STEP_UP_S,
    UNREADABLE,
    CredentialVerifier,
    DenialCause,
    PasswordChangeRequired,
    Sessions,
    SessionToken,
    SignInAccepted,
    SignInDenied,
    StaffSession,
    Verdict,
)
from croupier.server.connection import SECRETS_WAITING, Connection
from croupier.server.publisher import Publisher
from croupier.server.views.floor import DUTIES

#: Whoever has one of these duties reads what others have done.
READ: Final = frozenset({Duty.DECIDE, Duty.MANAGE, Duty.AUDIT, Duty.OFFICIATE, Duty.REVIEW})


class DocumentReader(NamedTuple):
    """Whoever asks; at the desk, and with no duty to read at every other door too, they have their own paper alone."""

    person: PersonId
    own_alone: bool


def reader_at(house: House, connection: Connection, now: Instant) -> DocumentReader:
    return DocumentReader(
        connection.person, connection.device_kind is DeviceKind.CASHIER or not _reads(house, connection.person, now)
    )


def _reads(house: House, name: PersonId, now: Instant) -> bool:
    """Tell whether somebody has a duty to read; whoever has left meanwhile has none."""
    return holds_title(house, name, titles_for(rulebooks_in_use(house), READ), now)


_LOG = structlog.get_logger()
T = TypeVar("T")


@dataclass(slots=True)
class StaffSignIn:
    """The sign-ins at all doors. Whoever has left while a secret was looked at is not let in any more."""

    publisher: Publisher
    commit_loop: CommitLoop
    verifier: CredentialVerifier
    #: Where secrets are looked at: so many at once as it has threads.
    password_checks: Executor
    sign_ins: Sessions = field(default_factory=Sessions)
    #: Alarms that the house was too busy to hear: it is told at the next look.
    _untold: deque[RaiseAlarm] = field(default_factory=deque)
    _waiting: int = 0

    async def sign_in(self, connection: Connection, message: inbound.SignIn) -> None:
        verdict = await self._attempt(connection, message.person, message.secret)
        if isinstance(verdict, PasswordChangeRequired):
            connection.send(outbound.ChoosePassword(person=verdict.person))
        elif verdict is not None and connection.is_open:
            self._open(connection, verdict)

    async def new_secret(self, connection: Connection, message: inbound.SetPassword) -> None:
        """Take the secret that somebody chose, who proves it with the code that is good once."""
        verdict = await self._attempt(connection, message.person, message.code)
        if verdict is None:
            return
        chosen = await self._examined(partial(self.verifier.choose, verdict, message.secret))
        if isinstance(chosen, Refusal):
            _refuse(connection, chosen)
        elif connection.is_open:
            self._open(connection, chosen)

    async def step_up(self, connection: Connection, message: inbound.StepUp) -> None:
        """Take a secret that is given again."""
        if not connection.person:
            _refuse(connection, SIGNED_OUT)
            return
        verdict = await self._attempt(connection, connection.person, message.secret)
        if verdict is None:
            return
        now = self.publisher.time.now()
        # A code that is good once opens nothing but the choice of a secret.
        refusal = (
            self.sign_ins.step_up(connection.token, verdict, now)
            if isinstance(verdict, SignInAccepted)
            else NOT_ADMITTED
        )
        if refusal is None:
            connection.send(outbound.SteppedUp(until_us=now + STEP_UP_S * SECOND))
        else:
            _refuse(connection, refusal)

    def resume(self, connection: Connection, message: inbound.Resume) -> None:
        """Go on with a sign-in of the same device."""
        token = SessionToken(message.token, connection.device)
        person = self.sign_ins.who(token, self.publisher.time.now())
        if isinstance(person, Refusal):
            _refuse(connection, person)
        elif (refusal := self._no_duty(connection, person)) is not None:
            _refuse(connection, refusal)
        else:
            self._let_in(connection, person, token)

    def sign_out(self, connection: Connection) -> None:
        self.sign_ins.sign_out(connection.token)
        self._let_out(connection, "Signed out.")

    def who(self, connection: Connection, *, stepped_up: bool) -> PersonId | Refusal:
        """Tell who asks at a console."""
        who = self.sign_ins.who_stepped_up if stepped_up else self.sign_ins.who
        return self._look_up() or who(connection.token, self.publisher.time.now())

    def present(self, connection: Connection) -> PersonId | Refusal:
        """Tell who is signed in at a door that only asks to be told something: whoever looks on is not there for it."""
        return self._look_up() or connection.person or SIGNED_OUT

    def _look_up(self) -> Refusal | None:
        """Let what was done on the host count at once, and not only at the next look; or say that it cannot be."""
        try:
            held = self.verifier.register.load()
        except CredentialError as fault:
            _LOG.error("register_unreadable", words=str(fault))
            return UNREADABLE
        self.sweep(held)
        return None

    # What ends it.

    def on_event(self, event: Event) -> None:
        """End at once what somebody had open whose titles have changed."""
        if isinstance(event, PersonReleased | PersonEnrolled):
            self._end(self.sign_ins.revoke(event.person))

    def revoke_device(self, device: DeviceId) -> None:
        """End what was open at a device that is not what it was."""
        self._end(self.sign_ins.revoke_device(device))

    def sweep(self, held: Credentials) -> None:
        """End what has lapsed since the last time, and tell the house what it has not heard yet."""
        self._end(self.sign_ins.sweep(self.publisher.time.now(), held))
        for connection in tuple(self.publisher.consoles.values()):
            if connection.person and self._no_duty(connection, connection.person) is not None:
                self.revoke_device(connection.device)
        while self._untold and self.commit_loop.submit(Request(self._untold[0])) is None:
            self._untold.popleft()

    def _end(self, ended: tuple[StaffSession, ...]) -> None:
        for each in ended:
            connection = self.publisher.consoles.get(each.device)
            if connection is not None:
                self._let_out(connection, "You were signed out: sign in again.")

    # Who it is.

    async def _attempt(
        self, connection: Connection, name: str, secret: str
    ) -> SignInAccepted | PasswordChangeRequired | None:
        """Judge an attempt; whoever fails is told no more than that, and the house more."""
        if self._waiting >= SECRETS_WAITING:
            _refuse(connection, refuse(Code.BUSY, None, "Too many are signing in: try again in a moment."))
            return None
        now = self.publisher.time.now()
        verdict: Verdict = await self._examined(partial(self.verifier.attempt, name, secret, connection.device, now))
        if not isinstance(verdict, SignInDenied):
            return verdict
        # A name that nobody has may be a secret in the wrong place.
        person = "" if verdict.cause is DenialCause.UNKNOWN else verdict.person
        _LOG.warning("sign_in_failed", device=connection.device, person=person, cause=verdict.cause.value)
        if verdict.locks:
            facts = IncidentFacts(device=connection.device)
            self.alarm(RaiseAlarm(IncidentKind.ACCOUNT_LOCKED, verdict.person, facts))
        if verdict.locks_device:
            self.alarm(RaiseAlarm(IncidentKind.SIGN_INS_GUESSED, connection.device))
        _refuse(connection, verdict.refusal)
        return None

    def alarm(self, alarm: RaiseAlarm) -> None:
        """Tell the house that somebody tries secrets or numbers out; one that is too busy hears of it later."""
        if self.commit_loop.submit(Request(alarm)) is not None:
            self._untold.append(alarm)

    async def _examined(self, do: Callable[[], T]) -> T:
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.password_checks, do)
        finally:
            self._waiting -= 1

    # Who is let in.

    def _open(self, connection: Connection, admitted: SignInAccepted) -> None:
        refusal = self._no_duty(connection, admitted.person)
        if refusal is not None:
            _refuse(connection, refusal)
            return
        token = self.sign_ins.open(admitted, connection.device, self.publisher.time.now())
        if isinstance(token, Refusal):
            # Whoever was signed in here has made way already.
            self._let_out(connection, token.message)
        else:
            self._let_in(connection, admitted.person, SessionToken(token, connection.device))

    def _no_duty(self, connection: Connection, person: PersonId) -> Refusal | None:
        """Say that a person has nothing to do at a door: none of the duties that it is for is theirs."""
        house = self.publisher.run.house
        assert connection.device_kind is not None
        titles = sorted(titles_for(rulebooks_in_use(house), DUTIES[connection.device_kind]))
        if holds_title(house, person, titles, self.publisher.time.now()):
            return None
        says = f"This page is for {' or '.join(titles) or 'nobody'}."
        return refuse(Code.NOT_AUTHORISED, None, says, titles=tuple(titles))

    def _let_in(self, connection: Connection, person: PersonId, token: SessionToken) -> None:
        house = self.publisher.run.house
        connection.person, connection.token = person, token
        titles = tuple(house.people[person].titles_at(self.publisher.time.now()))
        connection.send(outbound.SignedIn(person=person, titles=titles, token=token.token, idle_s=IDLE_S))
        _LOG.info("signed_in", device=connection.device, person=person)
        self.publisher.subscribe(connection, tuple(house.tables))

    def _let_out(self, connection: Connection, says: str) -> None:
        if connection.person:
            _LOG.info("signed_out", device=connection.device, person=connection.person)
        self.publisher.unsubscribe(connection)
        connection.person, connection.token = PersonId(""), SessionToken("", connection.device)
        connection.send(outbound.SignedOut(says=says))


def _refuse(connection: Connection, refusal: Refusal) -> None:
    connection.send(outbound.Refused(refusal=outbound.refusal_body(refusal)))
