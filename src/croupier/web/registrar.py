"""The registrar: gives devices their keys once two have signed for them, and takes them away again."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field

import structlog

from croupier.access.fault import AccessFault
from croupier.access.record import name_objection
from croupier.access.register import Register
from croupier.house.answer import refuse
from croupier.house.command.any import AnyCommand
from croupier.house.command.venue import AddTerminal, EnrolDevice, EnrolPerson
from croupier.house.device import DeviceKind
from croupier.house.event.base import Event
from croupier.house.event.venue import (
    AccountUnlocked,
    DeviceEnrolled,
    DeviceReleased,
    ProposalApproved,
    TerminalAdded,
)
from croupier.house.name import DeviceId, PersonId
from croupier.rules.refusal import Code, Refusal
from croupier.web import outgoing
from croupier.web.door import Door
from croupier.web.hub import Hub
from croupier.web.lobby import NOT_KNOWN
from croupier.web.signing import Signing

_UNWRITTEN = refuse(Code.COMMAND_FAILED, None, "The device is enrolled without a key: release it, and enrol it again.")
_LOG = structlog.get_logger()


@dataclass(slots=True)
class Registrar:
    """Carries into the register what the house has taken: the journal says who signed, and never a key.

    A key is told once, to whoever asked for the device if they are still signed in where they did, and otherwise to
    whoever gave the second signature. Where neither is there it is told to nobody, and the device is enrolled anew.
    """

    hub: Hub
    signing: Signing
    register: Register
    #: The two signatures, of which what they are under is heard next.
    _signed: ProposalApproved | None = None
    #: One after the other, in the order of the journal: the file is locked and written on another thread.
    _order: asyncio.Lock = field(default_factory=asyncio.Lock)
    _under_way: set["asyncio.Task[None]"] = field(default_factory=set)

    def begin(self) -> None:
        """Take away the keys of devices that were released before the register could be written."""
        try:
            for device in self.hub.run.house.released_devices & set(self.register.held().devices):
                self.register.release_device(device)
        except AccessFault as fault:
            _LOG.error("register_unwritten", device="", words=str(fault))

    def heed(self, event: Event) -> None:
        signed, self._signed = self._signed, None
        match event:
            case ProposalApproved():
                self._signed = event
            case DeviceReleased():
                self._turn_out(event.device)
                self._begin(self._release(event.device))
            case AccountUnlocked():
                self._begin(self._unlock(event.person))
            case TerminalAdded() if signed is not None:
                self._begin(self._enrol(DeviceId(event.terminal), DeviceKind.TERMINAL, signed))
            case DeviceEnrolled(kind=DeviceKind() as kind) if signed is not None:
                self._begin(self._enrol(event.device, kind, signed))

    async def stop(self) -> None:
        """Wait for what is being written."""
        await asyncio.gather(*self._under_way)

    def _begin(self, chore: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(chore)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def _turn_out(self, device: DeviceId) -> None:
        """End at once what is open at a device, whether the register can be written or not."""
        self.signing.revoke_device(device)
        door = self.hub.inside.get(device)
        if door is not None:
            door.shut(NOT_KNOWN)

    async def _release(self, device: DeviceId) -> None:
        """Take its key away; the house lets it in with none, so that a register that cannot be written does no harm."""
        async with self._order:
            try:
                await asyncio.to_thread(self.register.release_device, device)
            except AccessFault as fault:
                self._distrust(device, fault)

    async def _unlock(self, person: PersonId) -> None:
        """Forget the wrong passwords of a person whom two colleagues unlocked; where there are none nothing changes."""
        async with self._order:
            try:
                await asyncio.to_thread(self.register.unlock, person)
            except AccessFault as fault:
                _LOG.error("register_unwritten", device="", words=str(fault))

    def _distrust(self, device: DeviceId, fault: AccessFault) -> None:
        """Let no key in that the register still holds: it may be one of before."""
        self.register.distrust(device)
        _LOG.error("register_unwritten", device=device, words=str(fault))

    async def _enrol(self, device: DeviceId, kind: DeviceKind, signed: ProposalApproved) -> None:
        async with self._order:
            answer = await self._given(device, kind)
        door = self._told_at(signed)
        if door is not None:
            door.send(answer)

    async def _given(self, device: DeviceId, kind: DeviceKind) -> outgoing.EnrolledDevice | outgoing.Refused:
        """Give a device its key, or say why it has none."""
        try:
            keys = await asyncio.to_thread(self.register.enrol, {device: kind})
        except AccessFault as fault:
            self._distrust(device, fault)
            keys = _UNWRITTEN
        if isinstance(keys, Refusal):
            return outgoing.Refused(refusal=outgoing.no(keys))
        return outgoing.EnrolledDevice(device=device, kind=kind, key=keys[device])

    def _told_at(self, signed: ProposalApproved) -> Door | None:
        """Find the console where a key is told: who asked comes first, and nobody else who is there by now.

        One that is behind with reading would never hear of it.
        """
        places = ((signed.proposer_device, signed.proposer), (signed.approver_device, signed.approver))
        doors = ((self.hub.consoles.get(device), person) for device, person in places)
        return next((door for door, person in doors if door is not None and _hears(door, person)), None)


def _hears(door: Door, person: PersonId) -> bool:
    return door.person == person and door.behind_since is None


def unnameable(command: AnyCommand) -> Refusal | None:
    """Refuse what would put somebody or something on the list under a name that the register does not take."""
    match command:
        case EnrolDevice(device=name) | AddTerminal(terminal=name) | EnrolPerson(person=name):
            return name_objection(name)
    return None
