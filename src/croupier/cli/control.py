"""The commands to a system that runs: how it is doing, and its configuration read again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Group, RenderableType

from croupier.cli.output import at_data_argument, console, damaged, give, json_option, key_store_of, refuse, written
from croupier.house.ids import SECOND
from croupier.journal.keystore import KeyStore
from croupier.operations.control import (
    AnyAnswer,
    AnyRequest,
    BackupCorrupt,
    ControlResponse,
    ControlUnreachable,
    OperationsFault,
    Reloaded,
    ReloadSettings,
    RequestDeclined,
    SystemStatus,
    TableStatus,
    TellStatus,
    ask,
)
from croupier.rules.refusal import Code, Refusal


@contextmanager
def told() -> Iterator[None]:
    """Tell of a backup that is not what was made, with exit code 1; refuse what cannot be done."""
    try:
        yield
    except BackupCorrupt as fault:
        damaged(str(fault))
    except OperationsFault as fault:
        refuse(Refusal(Code.COMMAND_FAILED, None, f"It cannot be done: {fault}."))


def asked(key_store: KeyStore, request: AnyRequest, data: Path) -> AnyAnswer | None:
    """Ask the system that runs on a safe and this data; None where none does, or none can be asked."""
    try:
        answer = ask(key_store, request, data)
    except ControlUnreachable as fault:
        console(stderr=True).print(f"Note: no running system was asked. {fault}.")
        return None
    if isinstance(answer, RequestDeclined):
        refuse(Refusal(Code.COMMAND_FAILED, None, answer.says))
    return answer


def answered(key_store: KeyStore, request: AnyRequest, data: Path) -> AnyAnswer:
    """Ask the system that runs on a safe and this data for what nobody else can answer."""
    with told():
        answer = asked(key_store, request, data)
    if answer is None:
        refuse(Refusal(Code.NOTHING_THERE, None, f"No system answers that runs on {key_store.path}."))
    return answer


def plain(answer: ControlResponse) -> dict[str, Any]:
    """Write an answer as plain data, without what the wire knows it by."""
    return {name: msgspec.to_builtins(getattr(answer, name)) for name in answer.__struct_fields__}


@click.command("status")
@at_data_argument
@json_option
def status_command(data: Path, key_store: Path | None) -> None:
    """Ask the system that runs on a data directory how it is doing: what is open, what is not, and why.

    PATH is a data directory. Exits 2 where no system answers.
    """
    status = answered(key_store_of(data, key_store), TellStatus(), data)
    assert isinstance(status, SystemStatus)
    give(plain(status), lambda: _status_text(status), as_written=True)


def _status_text(status: SystemStatus) -> RenderableType:
    version, _, digest = status.software.partition(" ")
    lines = (
        f"Open for {_span(status.now - status.open_since)}, {status.mode or 'unknown'} money, gaming day {status.day}.",
        f"software {version} {digest}".rstrip(),
        *(line for table in status.tables for line in _table_lines(table)),
        f"Connections: {', '.join(f'{count} {kind}' for kind, count in sorted(status.connections.items())) or 'none'}.",
        _journal_line(status),
        _backup_line(status),
        f"Disk free: {', '.join(f'{_size(free)} ({of})' for of, free in status.disk_free.items()) or 'unknown'}.",
        f"Incidents that wait: {len(status.incidents) + status.incidents_more or 'none'}.",
        *(f"  {line}" for line in status.incidents),
        *((f"  and {status.incidents_more} more.",) if status.incidents_more else ()),
        *(f"Note: {remark}" for remark in status.remarks),
    )
    return written("\n".join(lines))


def _table_lines(table: TableStatus) -> Iterator[str]:
    state = f"round {table.round}, {table.phase.replace('_', ' ')}" if table.running else table.phase
    yield f"Table {table.table} ({table.rulebook}): {state}; rounds {table.round}, terminals {table.terminals}."
    yield from (f"  {each.line}" for each in table.blocked)


def _journal_line(status: SystemStatus) -> str:
    proven = f"proven to its end on {status.proven_on}" if status.proven_on else "not proven to its end yet"
    return (
        f"Journal: epoch {status.epoch}, entry {status.position}, signed to {status.signed}, {proven}."
        f" Snapshot at entry {status.snapshot}."
    )


def _backup_line(status: SystemStatus) -> str:
    if status.backup is None:
        return "Last backup: none is known of."
    age = _span(max(0, status.now - status.backup.made_at))
    return f"Last backup: {age} ago, to entry {status.backup.position}, in {status.backup.path}."


def _span(microseconds: int) -> str:
    """Write a time as people say it, in its two largest units."""
    minutes = microseconds // (60 * SECOND)
    days, hours, minutes = minutes // 1_440, minutes // 60 % 24, minutes % 60
    parts = [f"{count} {unit}" for count, unit in ((days, "d"), (hours, "h"), (minutes, "min")) if count]
    return " ".join(parts[:2]) or "less than a minute"


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"


@click.command("reload")
@at_data_argument
@json_option
def reload_command(data: Path, key_store: Path | None) -> None:
    """Have the system that runs on a data directory read its configuration again, and add what is new in it.

    PATH is a data directory. Nothing is taken away, and what plays is not changed: what differs is said. Exits 2 where
    no system answers, and where the file cannot be used: then nothing was changed.
    """
    reloaded = answered(key_store_of(data, key_store), ReloadSettings(), data)
    assert isinstance(reloaded, Reloaded)
    lines = reloaded.lines or ("There was nothing to add.",)
    give(plain(reloaded), lambda: Group(*map(written, lines)), as_written=True)
