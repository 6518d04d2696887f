"""The commands to a system that runs: how it is doing, and its configuration read again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Group, RenderableType

from croupier.cli.answer import console, give, json_option, refuse, written
from croupier.cli.evidence import damaged
from croupier.cli.place import at_data_argument, safe_of
from croupier.journal.safe import Safe
from croupier.rules.refusal import Code, Refusal
from croupier.upkeep.answer import Answer, AnyAnswer, Declined, Reloaded, Status
from croupier.upkeep.client import ask
from croupier.upkeep.fault import Spoilt, Unreachable, UpkeepFault
from croupier.upkeep.request import AnyRequest, ReloadSettings, TellStatus


@contextmanager
def told() -> Iterator[None]:
    """Tell of a backup that is not what was made, with exit code 1; refuse what cannot be done."""
    try:
        yield
    except Spoilt as fault:
        damaged(str(fault))
    except UpkeepFault as fault:
        refuse(Refusal(Code.COMMAND_FAILED, None, f"It cannot be done: {fault}."))


def asked(safe: Safe, request: AnyRequest, data: Path) -> AnyAnswer | None:
    """Ask the system that runs on a safe and this data; None where none does, or none can be asked."""
    try:
        answer = ask(safe, request, data)
    except Unreachable as fault:
        console(stderr=True).print(f"Note: no running system was asked. {fault}.")
        return None
    if isinstance(answer, Declined):
        refuse(Refusal(Code.COMMAND_FAILED, None, answer.says))
    return answer


def answered(safe: Safe, request: AnyRequest, data: Path) -> AnyAnswer:
    """Ask the system that runs on a safe and this data for what nobody else can answer."""
    with told():
        answer = asked(safe, request, data)
    if answer is None:
        refuse(Refusal(Code.NOTHING_THERE, None, f"No system answers that runs on {safe.path}."))
    return answer


def plain(answer: Answer) -> dict[str, Any]:
    """Write an answer as plain data, without what the wire knows it by."""
    return {name: msgspec.to_builtins(getattr(answer, name)) for name in answer.__struct_fields__}


@click.command("status")
@at_data_argument
@json_option
def status_command(data: Path, safe: Path | None) -> None:
    """Ask the system that runs on a data directory how it is doing.

    PATH is a data directory. Exits 2 where no system answers.
    """
    status = answered(safe_of(data, safe), TellStatus(), data)
    assert isinstance(status, Status)
    give(plain(status), lambda: _status_text(status), as_written=True)


def _status_text(status: Status) -> RenderableType:
    lines = (
        f"software {status.software}",
        f"Epoch {status.epoch}, entry {status.position}, gaming day {status.day}.",
        *(f"Note: {remark}" for remark in status.remarks),
    )
    return written("\n".join(lines))


@click.command("reload")
@at_data_argument
@json_option
def reload_command(data: Path, safe: Path | None) -> None:
    """Have the system that runs on a data directory read its configuration again, and add what is new in it.

    PATH is a data directory. Nothing is taken away, and what plays is not changed: what differs is said. Exits 2 where
    no system answers, and where the file cannot be used: then nothing was changed.
    """
    reloaded = answered(safe_of(data, safe), ReloadSettings(), data)
    assert isinstance(reloaded, Reloaded)
    lines = reloaded.lines or ("There was nothing to add.",)
    give(plain(reloaded), lambda: Group(*map(written, lines)), as_written=True)
