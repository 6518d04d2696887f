"""The commands to a running server, and the options that name a venue."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from rich.console import Group, RenderableType

from croupier.cli.group import json_option
from croupier.cli.output import accepted, console, damaged, exit_refused, give, written
from croupier.config.reader import read_config
from croupier.config.schema import Config
from croupier.house.ids import SECOND
from croupier.journal.keystore import KeyStore
from croupier.operations.control import (
    AnyRequest,
    AnyResponse,
    BackupCorrupt,
    ChangeDay,
    ControlResponse,
    ControlUnreachable,
    DayChanged,
    GetStatus,
    OperationsFault,
    Reloaded,
    ReloadSettings,
    RequestDeclined,
    StandbyStatus,
    SystemStatus,
    TableStatus,
    ask,
)
from croupier.rules.refusal import Code, Refusal

PATH: Final = click.Path(path_type=Path)
Command = Callable[..., Any]
_CONFIG: Final = "croupier.config"

#: The default path of a venue's configuration.
USUAL: Final = Path("croupier.toml")
_OPTIONS: Final = (
    click.option("--config", type=PATH, metavar="FILE", help=f"The venue's configuration; ./{USUAL} by default."),
    click.option("--data", type=PATH, metavar="DIR", help="Its data directory, if it is not that of a configuration."),
    click.option(
        "--key-store", type=PATH, metavar="DIR", help="Its key store, if it is not as configured or DATA.keys."
    ),
)


def at_venue(command: Command) -> Command:
    """Add the options that name a venue to a command, which needs its data directory."""
    return _placed(command, required=True)


def at_any_venue(command: Command) -> Command:
    """Add the options that name a venue to a command that also does something without one."""
    return _placed(command, required=False)


def _placed(command: Command, *, required: bool) -> Command:
    @wraps(command)
    def located(*, data: Path | None, key_store: Path | None, config: Path | None, **others: Any) -> Any:  # noqa: ANN401 - click's parameters, whatever they are
        if required and data is None and config is None and USUAL.exists():
            config = USUAL
        if config is not None:
            found = accepted(read_config(config))
            click.get_current_context().meta[_CONFIG] = found
            data, key_store = data or found.data, key_store or found.key_store
        if required and data is None:
            raise click.UsageError("Name the venue by its configuration, '--config', or its data directory, '--data'.")
        return command(data=data, key_store=key_store, **others)

    for option in reversed(_OPTIONS):
        located = option(located)
    return located


def named_config() -> Config | None:
    """Return the configuration that the command line names, if any."""
    return click.get_current_context().meta.get(_CONFIG)


def key_store_of(data: Path, key_store: Path | None) -> KeyStore:
    """Find the key store: the one that is named, or the default for the data directory."""
    return KeyStore(key_store) if key_store else KeyStore.default_for(data)


@contextmanager
def faults_reported() -> Iterator[None]:
    """Report a corrupt backup with exit code 1, and refuse what cannot be done."""
    try:
        yield
    except BackupCorrupt as fault:
        damaged(str(fault))
    except OperationsFault as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))


def send_request(key_store: KeyStore, request: AnyRequest, data: Path) -> AnyResponse | None:
    """Send a request to the server that runs on a key store and this data; None if none runs or responds."""
    try:
        answer = ask(key_store, request, data)
    except ControlUnreachable as fault:
        console(stderr=True).print(f"Note: no running server was asked. {fault}.")
        return None
    if isinstance(answer, RequestDeclined):
        exit_refused(Refusal(Code.COMMAND_FAILED, None, answer.message))
    # A standby runs no venue: it has only its own status.
    return None if isinstance(answer, StandbyStatus) and not isinstance(request, GetStatus) else answer


def require_response(key_store: KeyStore, request: AnyRequest, data: Path) -> AnyResponse:
    """Send a request to the running server; refuse if there is none."""
    with faults_reported():
        answer = send_request(key_store, request, data)
    if answer is None:
        message = f"No running server uses {key_store.path}: `croupier status` says whether a standby does."
        exit_refused(Refusal(Code.NOTHING_THERE, None, message))
    return answer


def plain(answer: ControlResponse) -> dict[str, Any]:
    """Convert a response to plain data, without its tag."""
    return {name: msgspec.to_builtins(getattr(answer, name)) for name in answer.__struct_fields__}


@click.command("status")
@at_venue
@json_option
def status_command(data: Path, key_store: Path | None) -> None:
    """Show the status of a running server: tables, connections, journal, backups and incidents.

    A standby says that it is one, which server runs the venue, and how far it has read the journal.

    Exits 2 if no server responds.
    """
    status = require_response(key_store_of(data, key_store), GetStatus(), data)
    if isinstance(status, StandbyStatus):
        give(plain(status), lambda: _standby_text(status), as_written=True)
        return
    assert isinstance(status, SystemStatus)
    give(plain(status), lambda: _status_text(status), as_written=True)


def _standby_text(status: StandbyStatus) -> RenderableType:
    runs = f"{status.leader} runs this venue" if status.leader else "no server runs this venue yet"
    lines = (
        f"Standby: {runs}. This server takes over when the other has ended.",
        f"software {status.software}",
        f"Journal: read and verified to entry {status.position}, epoch {status.epoch}, gaming day {status.day}.",
        *((f"Note: {status.fault}.",) if status.fault else ()),
    )
    return written("\n".join(lines))


def _status_text(status: SystemStatus) -> RenderableType:
    version, _, digest = status.software.partition(" ")
    lines = (
        f"Open for {span(status.now - status.open_since)}, {status.mode or 'unknown'} money, gaming day {status.day}.",
        f"software {version} {digest}".rstrip(),
        *(line for table in status.tables for line in _table_lines(table)),
        f"Connections: {', '.join(f'{count} {kind}' for kind, count in sorted(status.connections.items())) or 'none'}.",
        *_gateway_lines(status),
        _journal_line(status),
        _backup_line(status),
        _disk_line(status),
        f"Open incidents: {len(status.incidents) + status.incidents_more or 'none'}.",
        *(f"  {line}" for line in status.incidents),
        *((f"  and {status.incidents_more} more.",) if status.incidents_more else ()),
        *(f"Note: {remark}" for remark in status.remarks),
    )
    return written("\n".join(lines))


def _table_lines(table: TableStatus) -> Iterator[str]:
    state = f"round {table.round}, {table.phase.replace('_', ' ')}" if table.running else table.phase
    yield f"Table {table.table} ({table.rulebook}): {state}; rounds {table.round}, terminals {table.terminals}."
    yield from (f"  {each.line}" for each in table.blocked)


def _gateway_lines(status: SystemStatus) -> Iterator[str]:
    if status.gateways:
        yield f"Gateways: {', '.join(f'{each.gateway} ({each.connections} connections)' for each in status.gateways)}."


def _journal_line(status: SystemStatus) -> str:
    proven = f"verified to its end on {status.proven_on}" if status.proven_on else "not verified to its end yet"
    return (
        f"Journal: epoch {status.epoch}, entry {status.position}, signed to {status.signed}, {proven}."
        f" Snapshot at entry {status.snapshot}."
    )


def _disk_line(status: SystemStatus) -> str:
    free = (f"{_size(size)} ({place.replace('_', ' ')})" for place, size in status.disk_free.items())
    return f"Disk free: {', '.join(free) or 'unknown'}."


def _backup_line(status: SystemStatus) -> str:
    if status.backup is None:
        return "Last backup: none."
    age = span(max(0, status.now - status.backup.made_at))
    return f"Last backup: {age} ago, to entry {status.backup.position}, in {status.backup.path}."


def span(microseconds: int) -> str:
    """Format a duration in its two largest units."""
    minutes = microseconds // (60 * SECOND)
    days, hours, minutes = minutes // 1_440, minutes // 60 % 24, minutes % 60
    parts = [f"{count} {unit}" for count, unit in ((days, "d"), (hours, "h"), (minutes, "min")) if count]
    return " ".join(parts[:2]) or "less than a minute"


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"


@click.group("day")
@json_option
def day_group() -> None:
    """Open and close all tables of a running server, in the name of a person who may.

    A gaming day itself begins at the time that the configuration names, `day_begins`.
    """


_by_option = click.option(
    "--by", "person", required=True, metavar="PERSON", help="The person in whose name it is done."
)


@day_group.command("open")
@_by_option
@at_venue
@json_option
def day_open_command(person: str, data: Path, key_store: Path | None) -> None:
    """Open all tables that are closed.

    The journal records the person, who needs the duty to manage. Exits 2 after a refusal.
    """
    _change_day(key_store_of(data, key_store), ChangeDay(opens=True, person=person), data)


@day_group.command("close")
@_by_option
@click.option("--because", "words", required=True, metavar="WORDS", help="The reason, which the journal records.")
@at_venue
@json_option
def day_close_command(person: str, words: str, data: Path, key_store: Path | None) -> None:
    """Close all tables, each after its round, and list what is left to do: drawers, floats, credit and incidents.

    The journal records the person, who needs the duty to manage. Exits 2 after a refusal.
    """
    _change_day(key_store_of(data, key_store), ChangeDay(opens=False, person=person, words=words), data)


def _change_day(key_store: KeyStore, request: ChangeDay, data: Path) -> None:
    changed = require_response(key_store, request, data)
    assert isinstance(changed, DayChanged)
    give(plain(changed), lambda: Group(*map(written, _day_lines(changed, opens=request.opens))), as_written=True)
    if changed.refused:
        raise click.exceptions.Exit(2)


def _day_lines(changed: DayChanged, *, opens: bool) -> Iterator[str]:
    for table in changed.tables:
        closed = "closes after its round" if table in changed.running else "is closed"
        yield f"Table {table} {'is open' if opens else closed}."
    yield from (f"Table {table} was refused: {words}" for table, words in changed.refused.items())
    if not changed.tables and not changed.refused:
        yield f"All tables are {'open' if opens else 'closed'} already."
    yield from changed.left


@click.command("reload")
@at_venue
@json_option
def reload_command(data: Path, key_store: Path | None) -> None:
    """Make a running server reload its configuration, and add what is new in it.

    Nothing is removed, and no existing table changes: differences are reported. Exits 2 if no
    server responds or the file is invalid: then nothing was changed.
    """
    reloaded = require_response(key_store_of(data, key_store), ReloadSettings(), data)
    assert isinstance(reloaded, Reloaded)
    lines = reloaded.lines or ("Nothing was added.",)
    give(plain(reloaded), lambda: Group(*map(written, lines)), as_written=True)
