"""The commands backup, restore, verify and staff."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, assert_never

import click
from rich.console import Group, RenderableType
from rich.text import Text

from croupier.cli import journal
from croupier.cli.control import (
    PATH,
    at_any_venue,
    at_venue,
    faults_reported,
    key_store_of,
    named_config,
    plain,
    require_response,
    send_request,
)
from croupier.cli.group import json_option
from croupier.cli.journal import damage_reported, opened
from croupier.cli.output import accepted, exit_refused, give, plain_table, written
from croupier.config.fields import DRIVERS, InstalledDriver, installed_drivers
from croupier.engine.ports import SystemClock
from croupier.engine.run import RollbackOverride
from croupier.engine.storage import build_id
from croupier.house.ids import DeviceId, DeviceKind, Instant, PersonId
from croupier.journal.disk import StoreLocked
from croupier.journal.keystore import KeyStore
from croupier.operations.backup import ALL_BLOCKS, KEEP, BackupJob, JournalCopy
from croupier.operations.control import (
    BackedUp,
    DeviceFound,
    FindDevice,
    IntegrityFailed,
    IntegrityUnknown,
    IntegrityVerified,
    MakeBackup,
    Verdict,
    VerifySoftware,
)
from croupier.operations.integrity import DirectoryMode, key_store_problems, package_digest, verify
from croupier.operations.restore import Restored, RestoreRequest, restore, restore_drill
from croupier.rules.refusal import Code, Refusal, first_of
from croupier.server.auth.credentials import (
    CredentialError,
    Credentials,
    CredentialStore,
    PasswordOrigin,
    StaffCredential,
    name_objection,
)
from croupier.server.auth.sessions import Argon2Hasher, CredentialVerifier

name_argument = click.argument("name", metavar="NAME")
device_argument = click.argument("device", metavar="ID")


@contextmanager
def _credential_store(data: Path, key_store: Path | None) -> Iterator[CredentialStore]:
    """Open the credential store of a venue; refuse if it cannot be used."""
    keeper = key_store_of(data, key_store)
    try:
        found = DirectoryMode.at(keeper.path)
        if found is None:
            message = f"There is no key store at {keeper.path}: the server creates it at its first start."
            exit_refused(Refusal(Code.NOTHING_THERE, None, message, {"file": str(keeper.path)}))
        # The running server could not read a file that another user writes.
        if objection := first_of(key_store_problems(found, os.geteuid())):
            exit_refused(objection)
        yield CredentialStore.within(keeper)
    except (CredentialError, OSError) as fault:
        exit_refused(
            Refusal(Code.MALFORMED, None, f"{keeper.path} cannot be used: {fault}.", {"file": str(keeper.path)})
        )


@click.group("staff")
@json_option
def staff_group() -> None:
    """Manage staff and devices: one-time codes, locked accounts, device keys.

    Changes take effect at once, also in a running server. Run it as the user of the server.
    """


@staff_group.command("list")
@at_venue
@json_option
def list_command(data: Path, key_store: Path | None) -> None:
    """List staff accounts and enrolled devices."""
    with _credential_store(data, key_store) as credential_store:
        credentials = credential_store.load()
    give(_listed(credentials), lambda: _picture(credentials))


@staff_group.command("code")
@name_argument
@at_venue
@json_option
def code_command(name: str, data: Path, key_store: Path | None) -> None:
    """Issue a one-time code to a person, which replaces the password. It is shown once."""
    with _credential_store(data, key_store) as credential_store:
        issued = accepted(CredentialVerifier(credential_store, Argon2Hasher()).issue_code(PersonId(name)))
    whose = f"{name} has an account." if issued.new else f"The previous password of {name} is no longer valid."
    answer = {"name": name, "code": issued.code, "new": issued.new}
    words = f"{whose} The code is valid once, to choose a password, if {name} is enrolled as staff."
    give(answer, lambda: Group(written((issued.code, "bold")), words), as_written=True)


@staff_group.command("unlock")
@name_argument
@at_venue
@json_option
def unlock_command(name: str, data: Path, key_store: Path | None) -> None:
    """Unlock a person on every device, after too many wrong passwords."""
    with _credential_store(data, key_store) as credential_store:
        accepted(credential_store.unlock(PersonId(name)))
    give({"name": name, "locked": False}, lambda: f"{name} can sign in again.")


@staff_group.command("release")
@name_argument
@at_venue
@json_option
def release_command(name: str, data: Path, key_store: Path | None) -> None:
    """Remove a person's account: the person can no longer sign in."""
    with _credential_store(data, key_store) as credential_store:
        accepted(credential_store.release_person(PersonId(name)))
    give({"name": name, "released": True}, lambda: f"The account of {name} is removed.")


@staff_group.command("enrol-device")
@device_argument
@click.option(
    "--kind",
    type=click.Choice([each.value for each in DeviceKind]),
    help="The kind of device; by default as the house has it, or a terminal if no server runs.",
)
@at_venue
@json_option
def enrol_device_command(device: str, kind: str | None, data: Path, key_store: Path | None) -> None:
    """Issue a key to a device, which replaces the previous key. It is shown once.

    A running server confirms that the house has the device, and its kind.
    """
    name = DeviceId(device)
    if objection := name_objection(name):
        exit_refused(objection)
    with _credential_store(data, key_store) as credential_store:
        kind = kind_of(key_store_of(data, key_store), data, name, kind)
        key = accepted(credential_store.enrol({name: DeviceKind(kind)}))[name]
    words = f"This is the only key of {device}, as {kind}; the server accepts it if the house has a device of that id."
    give({"device": device, "kind": kind, "key": key}, lambda: Group(written((key, "bold")), words), as_written=True)


@staff_group.command("enrol-devices")
@click.argument("devices", metavar="[ID]...", nargs=-1)
@click.option("--again", is_flag=True, help="Give a new key also to devices that have one, which is then invalid.")
@at_venue
@json_option
def enrol_devices_command(devices: tuple[str, ...], again: bool, data: Path, key_store: Path | None) -> None:  # noqa: FBT001 - click's flag
    """Issue keys to several devices at once. They are shown once, a line for each: id, kind and key.

    Without an ID, to every terminal and console of the configuration that has no key yet.
    """
    config, keeper = named_config(), key_store_of(data, key_store)
    if devices:
        names = [DeviceId(each) for each in devices]
    elif config is not None:
        names = [device for device, _ in config.devices()]
    else:
        raise click.UsageError("Name the devices, or the configuration that lists them, '--config'.")
    if objection := first_of(filter(None, map(name_objection, names))):
        exit_refused(objection)
    with _credential_store(data, key_store) as credential_store:
        enrolled = credential_store.load().devices
        wanted = [device for device in dict.fromkeys(names) if again or device not in enrolled]
        kinds = {device: DeviceKind(kind_of(keeper, data, device, None)) for device in wanted}
        keys = accepted(credential_store.enrol(kinds))
    left = len({*names}) - len(keys)
    rows = [{"device": device, "kind": kinds[device].value, "key": key} for device, key in keys.items()]
    give({"devices": rows, "left": left}, lambda: _keys_text(rows, left), as_written=True)


def _keys_text(rows: list[dict[str, str]], left: int) -> RenderableType:
    lines = [f"{row['device']}  {row['kind']}  {row['key']}" for row in rows]
    had = f" {left} had one already: --again replaces theirs." if left else ""
    words = f"Keys issued: {len(rows)}.{had}"
    return Group(*map(written, lines), words)


def kind_of(key_store: KeyStore, data: Path, device: DeviceId, wanted: str | None) -> str:
    """Find the kind of a device; refuse an unknown device, or one of another kind."""
    found = _found(key_store, data, device)
    if not found.known:
        message = (
            f"The house has no device {device}: add it to the configuration and reload, or add it at the pit console."
        )
        exit_refused(Refusal(Code.UNKNOWN_DEVICE, None, message, {"device": device}))
    if wanted is not None and found.kind not in ("", wanted):
        message = f"{device} is enrolled as {found.kind}, not as {wanted}."
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, message, {"device": device, "kind": found.kind}))
    return wanted or found.kind or DeviceKind.TERMINAL


def _found(key_store: KeyStore, data: Path, device: DeviceId) -> DeviceFound:
    """Look a device up in the running server, or else in the configuration; without either any device is accepted."""
    with faults_reported():
        found = send_request(key_store, FindDevice(device), data)
    if isinstance(found, DeviceFound):
        return found
    config = named_config()
    if config is None:
        return DeviceFound(known=True)
    devices = dict(config.devices())
    return DeviceFound(device in devices, devices.get(device, ""))


@staff_group.command("release-device")
@device_argument
@at_venue
@json_option
def release_device_command(device: str, data: Path, key_store: Path | None) -> None:
    """Remove a device's key: it can no longer connect."""
    with _credential_store(data, key_store) as credential_store:
        accepted(credential_store.release_device(DeviceId(device)))
    give({"device": device, "released": True}, lambda: f"{device} is no longer enrolled.")


def _listed(credentials: Credentials) -> dict[str, Any]:
    return {
        "people": [
            {
                "name": person,
                "locked": each.locked,
                "failures": each.failures,
                "secret": each.origin,
                "throttled": {device: tries.failures for device, tries in each.tries.items() if tries.until},
            }
            for person, each in credentials.accounts.items()
        ],
        "devices": [{"device": device, "kind": each.kind} for device, each in credentials.devices.items()],
        "turned_away": credentials.turned_away,
    }


_SECRETS: Final = {
    PasswordOrigin.CHOSEN: "has chosen a password",
    PasswordOrigin.CODE: "has a one-time code",
    PasswordOrigin.CONFIGURED: "has the password of the configuration",
}


def _throttled(account: StaffCredential) -> Text:
    """Return the devices on which a person is locked after wrong passwords."""
    devices = ", ".join(device for device, tries in account.tries.items() if tries.until)
    return Text(f"locked on {devices}" if devices else "", "bold red")


def _picture(credentials: Credentials) -> RenderableType:
    people, devices = plain_table("", "", ""), plain_table("", "")
    for person, account in credentials.accounts.items():
        people.add_row(person, _SECRETS[account.origin], _throttled(account))
    for device, enrolled in credentials.devices.items():
        devices.add_row(device, enrolled.kind)
    counted = f"People: {len(credentials.accounts)}. Devices: {len(credentials.devices)}."
    return Group(people, devices, f"{counted} Attempts under unknown names: {credentials.turned_away}.")


#: The word and the exit code of each verdict on the installed software.
VERDICTS: Final[dict[type[Verdict], tuple[str, int]]] = {
    IntegrityVerified: ("verified", 0),
    IntegrityFailed: ("differs", 1),
    IntegrityUnknown: ("unverified", 3),
}
#: The number of people who must accept the loss of entries.
PEOPLE = 2


def _now() -> Instant:
    return SystemClock(Instant(0)).wall()


@click.command("backup")
@at_venue
@click.option("--to", "backup_directory", type=PATH, metavar="DIR", required=True, help="The backup directory.")
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of backups to keep; as configured, or 14 if no server runs.",
)
@json_option
def backup_command(data: Path, backup_directory: Path, keep: int | None, key_store: Path | None) -> None:
    """Back up a journal: copy it, verify the copy and sign it. A running server makes the copy while it serves.

    Each backup is a directory in DIR, and holds nothing of the key store. Exits 1 if the
    journal or the copy is damaged: then there is no new backup, and no old one was removed.
    """
    with faults_reported():
        request = MakeBackup(str(backup_directory.absolute()), keep)
        made = send_request(key_store_of(data, key_store), request, data) or _made(
            data, key_store, backup_directory, keep or KEEP
        )
    assert isinstance(made, BackedUp)
    give(plain(made), lambda: _backup_text(made), as_written=True)


def _made(data: Path, key_store: Path | None, backup_directory: Path, keep: int) -> BackedUp:
    """Back up a journal that no server uses."""
    with opened(data, key_store) as journal:
        if journal.signer is None:
            message = "The key store has no signing key, which a backup needs."
            exit_refused(Refusal(Code.NOTHING_THERE, None, message))
        with BackupJob(data, backup_directory, _now()) as draft:
            with closing(JournalCopy(journal.store, data, draft.folder)) as copying:
                copying.step(ALL_BLOCKS)
            return draft.finish(journal.signer, build_id(), keep)


def _backup_text(made: BackedUp) -> RenderableType:
    removed = [written(f"Removed {name}.") for name in made.removed]
    if made.crowded:
        removed.append(written(made.crowded))
    return Group(written(f"Backed up to entry {made.position}, epoch {made.epoch}, in {made.path}."), *removed)


@click.command("restore")
@click.argument("backup", metavar="BACKUP", type=PATH)
@at_venue
@click.option("--replace", is_flag=True, help="Move an existing journal aside, into DIR/replaced-….")
@click.option("--drill", "only_try", is_flag=True, help="Recover on a temporary copy, and change nothing.")
@click.option(
    "--by", "people", multiple=True, metavar="PERSON", help="One of the two managers who accept the loss of entries."
)
@click.option("--because", "words", metavar="WORDS", help="The reason for accepting the loss.")
@json_option
def restore_command(  # noqa: PLR0913 - each of click's options comes by itself
    *,
    backup: Path,
    data: Path,
    key_store: Path | None,
    replace: bool,
    only_try: bool,
    people: tuple[str, ...],
    words: str,
) -> None:
    """Restore a backup: verify it, move it into place, and recover on it as `croupier recover` does.

    BACKUP is a backup, or a directory with several: then the last. If the key store records later entries, two managers
    must accept their loss, with --by, --by and --because. Exits 1 if the backup is damaged, and 2 if these two may not
    accept the loss: then nothing was changed.
    """
    order = RestoreRequest(backup, data, key_store_of(data, key_store), replace, _override(people, words))
    if not order.key_store.holds_key:
        exit_refused(Refusal(Code.NOTHING_THERE, None, f"There is no signing key in {order.key_store.path}."))
    with faults_reported(), damage_reported():
        restored = restore_drill(order) if only_try else accepted(_restored(order))
    about = journal.Recovered(restored.run)
    report = {"backup": str(restored.backup.path), "drill": only_try, "remarks": _remarks(restored), **about.report()}
    report["aside"] = None if restored.aside is None else str(restored.aside)
    report["recordings"] = restored.recordings
    give(report, lambda: Group(_restored_text(restored, drill=only_try), about.picture(whole=False)), as_written=True)


def _override(people: tuple[str, ...], words: str | None) -> RollbackOverride | None:
    if not people and words is None:
        return None
    if len(people) != PEOPLE or not words:
        raise click.UsageError("Two people and a reason are required: --by PERSON --by PERSON --because WORDS.")
    return RollbackOverride((PersonId(people[0]), PersonId(people[1])), words)


def _restored(order: RestoreRequest) -> Restored | Refusal:
    """Restore if no server uses the key store: it would continue to write, and the journals would diverge."""
    busy = Refusal(Code.BUSY, None, f"A server is running on {order.key_store.path}: stop it first.")
    try:
        return restore(order, _now())
    except StoreLocked:
        return busy


def _remarks(restored: Restored) -> list[str]:
    remarks = [restored.taken_back] if restored.taken_back else []
    if restored.anchored.head.position < restored.backup.manifest.position:
        remarks.append("the anchor is older than the backup, so entries after the backup cannot be excluded.")
    if restored.recordings_fault:
        remarks.append(f"the recordings of devices were not restored: {restored.recordings_fault}.")
    return remarks


def _restored_text(restored: Restored, *, drill: bool) -> RenderableType:
    position = restored.backup.manifest.position
    done = "The server starts from" if drill else "Restored"
    lines = [f"{done} {restored.backup.path}, which ends with entry {position}."]
    if restored.aside is not None:
        lines.append(f"The previous journal is in {restored.aside}.")
    if restored.recordings:
        lines.append(f"Recordings of devices were restored: {', '.join(restored.recordings)}.")
    return written("\n".join([*lines, *(f"Note: {each}" for each in _remarks(restored))]))


@click.command("verify")
@at_any_venue
@json_option
def verify_command(data: Path | None, key_store: Path | None) -> None:
    """Verify the installed software and its dependencies against the records of their installation.

    Every file is compared with its digest, and files that no record lists are named. Exits 0 if all files are as
    installed, 1 if a file differs, and 3 if there is no record, as in a source checkout. Installed drivers of wheels,
    note acceptors and printers are verified too, and listed with their packages and the digests of these.
    """
    verdict = verify() if data is None else require_response(key_store_of(data, key_store), VerifySoftware(), data)
    assert isinstance(verdict, Verdict)
    word, code = VERDICTS[type(verdict)]
    name = None if data else build_id()
    drivers = {} if data else {kind: installed_drivers(group) for group, kind in DRIVERS.items()}
    listed = {
        f"{kind}_drivers": [{**each._asdict(), "digest": package_digest(each.package)} for each in found]
        for kind, found in drivers.items()
    }
    report = {"verdict": word, "software": name, **listed}
    give({**report, **plain(verdict)}, lambda: _verdict_text(verdict, name, drivers), as_written=True)
    raise click.exceptions.Exit(code)


def _digested(driver: InstalledDriver) -> str:
    digest = package_digest(driver.package)
    return f"SHA-256 {digest}" if digest else "no record of its files"


def _verdict_text(verdict: Verdict, name: str | None, drivers: dict[str, list[InstalledDriver]]) -> RenderableType:
    match verdict:
        case IntegrityVerified(distributions=distributions, files=files):
            said = Text(f"Verified: {files} files of {distributions} distributions are as they were installed.")
        case IntegrityUnknown(why=why):
            said = Text(f"Unverified: {why}.")
        case IntegrityFailed(files=differences):
            lines = (f"{each.how:<8} {each.file}  ({each.distribution})" for each in differences)
            said = written("\n".join(("Differs from what was installed:", *lines)))
        case _:
            assert_never(verdict)
    found = [
        f"{kind} driver {each.name} ({each.package} {each.version}, {_digested(each)})"
        for kind, named in drivers.items()
        for each in named
    ]
    return Group(said, *([] if name is None else [written(f"software {name}")]), *map(written, found))
