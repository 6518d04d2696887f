"""Enrolment: which consoles, desks and terminals take part, until they are released."""

from croupier.house.answer import Deciders, Decision, Evolvers, refuse
from croupier.house.authority import no_terminal
from croupier.house.command.venue import EnrolDevice, ReleaseDevice
from croupier.house.device import DeviceKind
from croupier.house.event.venue import DeviceEnrolled, DeviceReleased
from croupier.house.name import TableId, TerminalId
from croupier.house.service import blocked
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.house.terminal import Terminal
from croupier.house.vetting import name_objections
from croupier.rules.matter import Matter
from croupier.rules.money import amount_text
from croupier.rules.refusal import Code, Refusal, first_of


def enrol_device(house: House, command: EnrolDevice, _stamp: Stamp) -> Decision:
    """Enrol what goes by a new name; a terminal is added at a table, and only enrolled again once it was released."""
    enrolled = (DeviceEnrolled(command.device, command.kind),)
    terminal = TerminalId(command.device)
    if command.kind is not DeviceKind.TERMINAL or command.device in house.devices:
        return first_of(name_objections(house, command.device)) or enrolled
    return enrolled if terminal in house.terminals else no_terminal(house, terminal)


def device_enrolled(house: House, event: DeviceEnrolled, _stamp: Stamp) -> None:
    house.devices.add(event.device)
    house.released_devices.discard(event.device)


def release_device(house: House, command: ReleaseDevice, _stamp: Stamp) -> Decision:
    """Release a device; a terminal only once it is closed and nothing of anybody's is on it."""
    if command.device not in house.devices or TableId(command.device) in house.tables:
        says = f"No device {command.device} is enrolled here."
        return refuse(Code.UNKNOWN_RECORD, None, says, device=command.device)
    terminal = house.terminals.get(TerminalId(command.device))
    in_use = None if terminal is None else _in_use(house, terminal)
    return in_use or (DeviceReleased(command.device),)


def device_released(house: House, event: DeviceReleased, _stamp: Stamp) -> None:
    house.devices.discard(event.device)
    house.released_devices.add(event.device)
    terminal = house.terminals.get(TerminalId(event.device))
    if terminal is not None:
        # Its link is not gone: it has none any more, and nobody waits for it.
        terminal.lost_at = None
        house.dark.discard(terminal.id)


def _in_use(house: House, terminal: Terminal) -> Refusal | None:
    """Say what is still to be done at a terminal before it goes."""
    rulebook, on_it = house.rulebook_at(terminal), terminal.credit + terminal.in_play + terminal.held
    if (malfunction := blocked(house, terminal)) is not None:
        return malfunction
    if on_it:
        says = f"Terminal {terminal.id} has {amount_text(on_it)} {rulebook.currency} on it: that is paid out first."
        money = {"credit": terminal.credit, "in_play": terminal.in_play, "held": terminal.held}
        return refuse(Code.OUT_OF_TURN, rulebook.cites[Matter.CREDIT_OUT], says, **money)
    if not terminal.closed:
        # 12(h) at Adelaide: nothing is shut down past the notice that closing it takes.
        return refuse(Code.OUT_OF_TURN, rulebook.cites[Matter.CLOSING_DOWN], f"Terminal {terminal.id} is closed first.")
    return None


DECIDERS: Deciders = {EnrolDevice: enrol_device, ReleaseDevice: release_device}
EVOLVERS: Evolvers = {DeviceEnrolled: device_enrolled, DeviceReleased: device_released}
