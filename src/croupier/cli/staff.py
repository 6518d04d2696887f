"""The commands about staff and devices on the host: codes, locks and keys, while the house runs or not."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from croupier.access.fault import AccessFault
from croupier.access.premises import Directory, safe_objections
from croupier.access.reception import Reception
from croupier.access.record import Account, Held, Origin, name_objection
from croupier.access.register import Register
from croupier.access.secret import Hasher
from croupier.cli.answer import accepted, give, json_option, refuse, written
from croupier.cli.place import at_data_option, named_config, safe_of
from croupier.cli.running import asked, told
from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId, PersonId
from croupier.journal.safe import Safe
from croupier.rules.refusal import Code, Refusal, first_of
from croupier.upkeep.answer import DeviceFound
from croupier.upkeep.request import FindDevice


def _venue_options(command: Callable[..., Any]) -> Callable[..., Any]:
    return at_data_option(json_option(command))


name_argument = click.argument("name", metavar="NAME")
device_argument = click.argument("device", metavar="ID")


@contextmanager
def _register(data: Path, safe: Path | None) -> Iterator[Register]:
    """Open the register in the safe of a house; whatever is wrong with either is refused."""
    keeper = safe_of(data, safe)
    try:
        found = Directory.at(keeper.path)
        if found is None:
            says = f"There is no safe at {keeper.path}: the house makes one at its first start."
            refuse(Refusal(Code.NOTHING_THERE, None, says, {"file": str(keeper.path)}))
        # What another user writes here the running house could not read.
        if objection := first_of(safe_objections(found, os.geteuid())):
            refuse(objection)
        yield Register.within(keeper)
    except (AccessFault, OSError) as fault:
        refuse(Refusal(Code.MALFORMED, None, f"{keeper.path} cannot be used: {fault}.", {"file": str(keeper.path)}))


@click.group("staff")
@json_option
def staff_group() -> None:
    """Staff and devices of a house: one-time codes, locked accounts, device keys.

    What is done here holds at once, for a house that is running too. Run it as the user that the house runs as.
    """


@staff_group.command("list")
@_venue_options
def list_command(data: Path, safe: Path | None) -> None:
    """List who has an account and which devices are enrolled."""
    with _register(data, safe) as register:
        held = register.held()
    give(_listed(held), lambda: _picture(held))


@staff_group.command("code")
@name_argument
@_venue_options
def code_command(name: str, data: Path, safe: Path | None) -> None:
    """Give a person a one-time code, in the place of any secret they had. It is shown this once."""
    with _register(data, safe) as register:
        issued = accepted(Reception(register, Hasher()).issue_code(PersonId(name)))
    whose = f"{name} has an account now." if issued.new else f"What {name} signed in with before is worthless now."
    answer = {"name": name, "code": issued.code, "new": issued.new}
    words = f"{whose} The code is good once, to choose a secret with, where {name} is on the staff of the house."
    give(answer, lambda: Group(written((issued.code, "bold")), words), as_written=True)


@staff_group.command("unlock")
@name_argument
@_venue_options
def unlock_command(name: str, data: Path, safe: Path | None) -> None:
    """Let a person sign in again on every device, after too many wrong passwords."""
    with _register(data, safe) as register:
        accepted(register.unlock(PersonId(name)))
    give({"name": name, "locked": False}, lambda: f"{name} may sign in again.")


@staff_group.command("release")
@name_argument
@_venue_options
def release_command(name: str, data: Path, safe: Path | None) -> None:
    """Take a person's account away: whoever has left does not come back in."""
    with _register(data, safe) as register:
        accepted(register.release_person(PersonId(name)))
    give({"name": name, "released": True}, lambda: f"{name} has no account any more.")


@staff_group.command("enrol-device")
@device_argument
@click.option(
    "--kind",
    type=click.Choice([each.value for each in DeviceKind]),
    help="What the device is there for: as the house has it, or a terminal where no house runs.",
)
@_venue_options
def enrol_device_command(device: str, kind: str | None, data: Path, safe: Path | None) -> None:
    """Give a device its key, in the place of any that it had. It is shown this once.

    A running house is asked whether it has the device, and of which kind it is.
    """
    name = DeviceId(device)
    if objection := name_objection(name):
        refuse(objection)
    with _register(data, safe) as register:
        kind = kind_of(safe_of(data, safe), data, name, kind)
        key = accepted(register.enrol({name: DeviceKind(kind)}))[name]
    words = f"{device} is known by this key alone, as {kind}; it is let in where the house has a device of that name."
    give({"device": device, "kind": kind, "key": key}, lambda: Group(written((key, "bold")), words), as_written=True)


def kind_of(safe: Safe, data: Path, device: DeviceId, wanted: str | None) -> str:
    """Find what a device is there for; refuse one that the house does not have, or has for something else."""
    found = _found(safe, data, device)
    if not found.known:
        says = f"The house has no device {device}: name it in the configuration and reload it, or add it at the pit."
        refuse(Refusal(Code.UNKNOWN_DEVICE, None, says, {"device": device}))
    if wanted is not None and found.kind not in ("", wanted):
        says = f"{device} is there as {found.kind}, not as {wanted}."
        refuse(Refusal(Code.SETTING_IMPOSSIBLE, None, says, {"device": device, "kind": found.kind}))
    return wanted or found.kind or DeviceKind.TERMINAL


def _found(safe: Safe, data: Path, device: DeviceId) -> DeviceFound:
    """Ask the house that runs for a device, or else the configuration; where there is neither, any device is known."""
    with told():
        found = asked(safe, FindDevice(device), data)
    if isinstance(found, DeviceFound):
        return found
    config = named_config()
    if config is None:
        return DeviceFound(known=True)
    devices = dict(config.devices())
    return DeviceFound(device in devices, devices.get(device, ""))


@staff_group.command("release-device")
@device_argument
@_venue_options
def release_device_command(device: str, data: Path, safe: Path | None) -> None:
    """Take a device's key away: it is a stranger from now on."""
    with _register(data, safe) as register:
        accepted(register.release_device(DeviceId(device)))
    give({"device": device, "released": True}, lambda: f"{device} is not enrolled any more.")


def _listed(held: Held) -> dict[str, Any]:
    return {
        "people": [
            {
                "name": person,
                "locked": each.locked,
                "failures": each.failures,
                "secret": each.origin,
                "throttled": {device: tries.failures for device, tries in each.tries.items() if tries.until},
            }
            for person, each in held.accounts.items()
        ],
        "devices": [{"device": device, "kind": each.kind} for device, each in held.devices.items()],
        "turned_away": held.turned_away,
    }


_SECRETS: Final = {
    Origin.CHOSEN: "has chosen a secret",
    Origin.CODE: "has a one-time code",
    Origin.CONFIGURED: "has the secret of the configuration",
}


def _throttled(account: Account) -> Text:
    """Name the devices on which wrong passwords have throttled a person."""
    devices = ", ".join(device for device, tries in account.tries.items() if tries.until)
    return Text(f"locked on {devices}" if devices else "", "bold red")


def _picture(held: Held) -> RenderableType:
    people, devices = Table.grid(padding=(0, 2)), Table.grid(padding=(0, 2))
    for person, account in held.accounts.items():
        people.add_row(person, _SECRETS[account.origin], _throttled(account))
    for device, enrolled in held.devices.items():
        devices.add_row(device, enrolled.kind)
    counted = f"People: {len(held.accounts)}. Devices: {len(held.devices)}."
    return Group(people, devices, f"{counted} Attempts under names that nobody has: {held.turned_away}.")
