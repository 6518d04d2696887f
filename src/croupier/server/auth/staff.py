"""Sign-in at consoles."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple, TypeVar

import structlog

from croupier.engine.commit_loop import CommitLoop
from croupier.house import House
from croupier.house.declare import Event
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.house.floor.permissions import holds_title, rulebooks_in_use, titles_for
from croupier.house.floor.staff import PersonEnrolled, PersonReleased
from croupier.house.ids import SECOND, DeviceId, DeviceKind, Instant, PersonId
from croupier.protocol import inbound, outbound
from croupier.rules.procedure import Duty
from croupier.rules.refusal import (
    Code,
    Refusal,
    Refused,
    or_raise,
    raise_if,
    refuse,
)
from croupier.server.auth.credentials import CredentialError, Credentials, PasswordOrigin
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
from croupier.server.connection import Connection, refusing, send_refusal
from croupier.server.publisher import Publisher
from croupier.server.views.floor import DUTIES

#: How many passwords are verified at once: each takes memory and time.
PASSWORD_CHECKS_MAX: Final = 2
#: How many passwords may be verified or wait for it; a sign-in beyond that is refused.
SECRETS_WAITING: Final = 16

#: The duties by which a person may read the documents of others.
READ: Final = frozenset({Duty.DECIDE, Duty.MANAGE, Duty.AUDIT, Duty.OFFICIATE, Duty.REVIEW})


class DocumentReader(NamedTuple):
    """The person of a query; at the cashier, or without a duty to read, they get only their own documents."""

    person: PersonId
    own_alone: bool


def reader_at(house: House, connection: Connection, now: Instant) -> DocumentReader:
    return DocumentReader(
        connection.person, connection.device_kind is DeviceKind.CASHIER or not _reads(house, connection.person, now)
    )


def _reads(house: House, name: PersonId, now: Instant) -> bool:
    """Return whether a person has a duty to read; a released person has none."""
    return holds_title(house, name, titles_for(rulebooks_in_use(house), READ), now)


#: The person who deals the table of visitors in a demonstration: signed in without a password, and nowhere else.
VISITOR: Final = PersonId("visitor")
_LOG = structlog.get_logger()
T = TypeVar("T")


@dataclass(slots=True)
class StaffSignIn:
    """The sign-ins on all connections. One that was closed while the password was verified is not signed in."""

    publisher: Publisher
    commit_loop: CommitLoop
    verifier: CredentialVerifier
    #: Verifies passwords: as many at once as it has threads.
    password_checks: Executor
    sign_ins: Sessions = field(default_factory=Sessions)
    _waiting: int = 0

    async def sign_in(self, connection: Connection, message: inbound.SignIn) -> None:
        verdict = await self._attempt(connection, message.person, message.secret)
        if isinstance(verdict, PasswordChangeRequired):
            connection.send(outbound.ChoosePassword(person=verdict.person))
        elif verdict is not None and connection.is_open:
            with refusing(connection):
                self._open(connection, verdict)

    def visit(self, connection: Connection, message: inbound.Visit) -> None:
        """Sign a visitor of a demonstration in, to deal one table or as a person of the house."""
        with refusing(connection):
            self._look_up()
            admitted = self._enters(connection, PersonId(message.person))
            if not message.person and connection.device in self.publisher.devices.visits:
                account = self.verifier.credential_store.account(VISITOR)
                admitted = None if account is None else SignInAccepted(VISITOR, account.hash)
            if admitted is None:
                raise Refused.by(NOT_ADMITTED)
            self._open(connection, admitted)

    def _enters(self, connection: Connection, person: PersonId) -> SignInAccepted | None:
        """Admit a visitor as a person of the house who has not chosen a password yet."""
        account = self.verifier.credential_store.account(person)
        offered = person in self.publisher.devices.entered_as.get(connection.device, ())
        if not offered or account is None or account.origin is not PasswordOrigin.CODE:
            return None
        return SignInAccepted(person, account.hash)

    async def set_password(self, connection: Connection, message: inbound.SetPassword) -> None:
        """Set the password that a person chose, authenticated by a one-time code."""
        verdict = await self._attempt(connection, message.person, message.code)
        if verdict is None:
            return
        with refusing(connection):
            chosen = or_raise(await self._examined(partial(self.verifier.choose, verdict, message.secret)))
            if connection.is_open:
                self._open(connection, chosen)

    async def step_up(self, connection: Connection, message: inbound.StepUp) -> None:
        """Verify a password for a step-up."""
        if not connection.person:
            send_refusal(connection, SIGNED_OUT)
            return
        verdict = self._enters(connection, connection.person) or await self._attempt(
            connection, connection.person, message.secret
        )
        if verdict is None:
            return
        now = self.publisher.time.now()
        # A one-time code only permits choosing a password.
        refusal = (
            self.sign_ins.step_up(connection.token, verdict, now)
            if isinstance(verdict, SignInAccepted)
            else NOT_ADMITTED
        )
        if refusal is None:
            connection.send(outbound.SteppedUp(until_us=now + STEP_UP_S * SECOND))
        else:
            send_refusal(connection, refusal)

    def resume(self, connection: Connection, message: inbound.Resume) -> None:
        """Resume a session of the same device."""
        token = SessionToken(message.token, connection.device)
        with refusing(connection):
            person = or_raise(self.sign_ins.who(token, self.publisher.time.now()))
            raise_if(self._no_duty(connection, person))
            self._signed_in(connection, person, token)

    def sign_out(self, connection: Connection) -> None:
        self.sign_ins.sign_out(connection.token)
        self._signed_out(connection, "Signed out.")

    def who(self, connection: Connection, *, stepped_up: bool) -> PersonId:
        """Return the person of a request at a console."""
        who = self.sign_ins.who_stepped_up if stepped_up else self.sign_ins.who
        self._look_up()
        return or_raise(who(connection.token, self.publisher.time.now()))

    def present(self, connection: Connection) -> PersonId:
        """Return the person who is signed in on a querying connection; a query does not count as activity."""
        self._look_up()
        return or_raise(connection.person or SIGNED_OUT)

    def _look_up(self) -> None:
        """Apply changes of the credential store at once, and not only at the next sweep; or refuse."""
        try:
            credentials = self.verifier.credential_store.load()
        except CredentialError as fault:
            _LOG.error("credential_store_unreadable", words=str(fault))
            raise Refused.by(UNREADABLE) from None
        self.sweep(credentials)

    # Ending sessions.

    def on_event(self, event: Event) -> None:
        """End at once the sessions of a person whose titles have changed."""
        if isinstance(event, PersonReleased | PersonEnrolled):
            self._end(self.sign_ins.revoke(event.person))

    def revoke_device(self, device: DeviceId) -> None:
        """End the session of a device that was released or has changed."""
        self._end(self.sign_ins.revoke_device(device))

    def sweep(self, credentials: Credentials) -> None:
        """End expired sessions, and submit alarms that were refused before."""
        self._end(self.sign_ins.sweep(self.publisher.time.now(), credentials))
        for connection in tuple(self.publisher.consoles.values()):
            if connection.person and self._no_duty(connection, connection.person) is not None:
                self.revoke_device(connection.device)
        self.commit_loop.resend_alarms()

    def _end(self, ended: tuple[StaffSession, ...]) -> None:
        for each in ended:
            connection = self.publisher.consoles.get(each.device)
            if connection is not None:
                self._signed_out(connection, "You were signed out: sign in again.")

    # Verification.

    async def _attempt(
        self, connection: Connection, name: str, secret: str
    ) -> SignInAccepted | PasswordChangeRequired | None:
        """Verify an attempt; a client that fails learns no more than that, and the log has the cause."""
        if self._waiting >= SECRETS_WAITING:
            send_refusal(connection, refuse(Code.BUSY, None, "Too many are signing in: try again in a moment."))
            return None
        now = self.publisher.time.now()
        verdict: Verdict = await self._examined(partial(self.verifier.attempt, name, secret, connection.device, now))
        if not isinstance(verdict, SignInDenied):
            return verdict
        # An unknown name may be a password in the wrong field.
        person = "" if verdict.cause is DenialCause.UNKNOWN else verdict.person
        _LOG.warning("sign_in_failed", device=connection.device, person=person, cause=verdict.cause.value)
        if verdict.locks:
            facts = IncidentFacts(device=connection.device)
            self.commit_loop.alarm(RaiseAlarm(IncidentKind.ACCOUNT_LOCKED, verdict.person, facts))
        if verdict.locks_device:
            self.commit_loop.alarm(RaiseAlarm(IncidentKind.SIGN_INS_GUESSED, connection.device))
        send_refusal(connection, verdict.refusal)
        return None

    async def _examined(self, do: Callable[[], T]) -> T:
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.password_checks, do)
        finally:
            self._waiting -= 1

    # Signing in.

    def _open(self, connection: Connection, admitted: SignInAccepted) -> None:
        raise_if(self._no_duty(connection, admitted.person))
        token = self.sign_ins.open(admitted, connection.device, self.publisher.time.now())
        if isinstance(token, Refusal):
            # The session before was ended already.
            self._signed_out(connection, token.message)
        else:
            self._signed_in(connection, admitted.person, SessionToken(token, connection.device))

    def _no_duty(self, connection: Connection, person: PersonId) -> Refusal | None:
        """Refuse a person who has none of the duties that this kind of device is for."""
        house = self.publisher.run.house
        assert connection.device_kind is not None
        if person == VISITOR and connection.device not in self.publisher.devices.visits:
            return NOT_ADMITTED
        titles = sorted(titles_for(rulebooks_in_use(house), DUTIES[connection.device_kind]))
        if holds_title(house, person, titles, self.publisher.time.now()):
            return None
        message = f"This page is for {' or '.join(titles) or 'no title of this venue'}."
        return refuse(Code.NOT_AUTHORISED, None, message, titles=tuple(titles))

    def _signed_in(self, connection: Connection, person: PersonId, token: SessionToken) -> None:
        house = self.publisher.run.house
        connection.person, connection.token = person, token
        if connection.device_kind is DeviceKind.DEALER:
            self._bind(connection)
        titles = tuple(house.staff.people[person].titles_at(self.publisher.time.now()))
        connection.send(outbound.SignedIn(person=person, titles=titles, token=token.token, idle_s=IDLE_S))
        _LOG.info("signed_in", device=connection.device, person=person)
        self.publisher.subscribe(connection, self.publisher.tables_at(connection))

    def _bind(self, connection: Connection) -> None:
        """Bind a dealer's console to the table of a visitor, or to none for a dealer."""
        devices, device = self.publisher.devices, connection.device
        devices.bound.pop(device, None)
        if connection.person == VISITOR:
            devices.bound[device] = devices.visits[device]

    def _signed_out(self, connection: Connection, says: str) -> None:
        if connection.person:
            _LOG.info("signed_out", device=connection.device, person=connection.person)
        self.publisher.unsubscribe(connection)
        connection.person, connection.token = PersonId(""), SessionToken("", connection.device)
        connection.send(outbound.SignedOut(says=says))
