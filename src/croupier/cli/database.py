"""The commands about journals in PostgreSQL: prepare a database, list its venues, and migrate a journal."""

import asyncio
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec
from rich.console import RenderableType

from croupier.cli.control import at_venue, faults_reported, key_store_of
from croupier.cli.group import json_option
from croupier.cli.journal import damage_reported
from croupier.cli.output import console, exit_refused, give, plain_table
from croupier.engine.accepting import names_of
from croupier.engine.places import JournalPlace
from croupier.journal.disk import JournalFault, StoreLocked
from croupier.operations.restore import migrate, repair
from croupier.rules.money import amount_text
from croupier.rules.refusal import Code, Refusal
from croupier.server.http import url_of
from croupier.server.operator import OperatorServer, read_status


@click.group("database")
@json_option
def database_group() -> None:
    """Prepare a PostgreSQL database for journals.

    It needs the extra `postgresql`.
    """


@database_group.command("prepare")
@click.argument("address", metavar="ADDRESS")
@click.option(
    "--venue",
    "venues",
    multiple=True,
    metavar="NAME[=ROLE]",
    help="A venue, and the role of its house; croupier_NAME by default. May be repeated.",
)
@click.option("--reader", "readers", multiple=True, metavar="ROLE", help="A role that only reads; may be repeated.")
@json_option
def prepare_command(address: str, venues: tuple[str, ...], readers: tuple[str, ...]) -> None:
    """Create the tables of journals, or bring them up to date, and the roles of venues and readers.

    ADDRESS is that of the database, for its owner, who may create roles. A venue has a role of its own, which appends
    pages to its journal, can neither change nor delete one, and has no access to the rows of another venue.
    """
    try:
        from croupier.journal.stores.database import (  # noqa: PLC0415 - an optional extra
            MIGRATIONS,
            is_hardened,
            prepare,
            role_of,
        )

        named = (each.partition("=") for each in venues)
        roles = {name: role or role_of(name) for name, _, role in named}
        before = prepare(address, roles, readers)
        hardened = is_hardened(address)
    except ImportError:
        _refuse_without_driver()
    except JournalFault as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))
    done = "were up to date" if before == len(MIGRATIONS) else f"are now version {len(MIGRATIONS)}"
    said = "".join(f" The role of {venue} is {role}." for venue, role in roles.items())
    open_to_all = "" if hardened else " Any role of this server can stop its houses: run `croupier database harden`."
    report = {"before": before, "version": len(MIGRATIONS), "roles": roles, "hardened": hardened}
    give(report, lambda: f"The tables {done}.{said}{open_to_all}")


@database_group.command("harden")
@click.argument("address", metavar="ADDRESS")
@json_option
def harden_command(address: str) -> None:
    """Keep the other roles of a server from stopping the houses on it.

    ADDRESS is that of the prepared database, for a superuser of the server, which should have journals alone. After it
    only owners and the roles that were named to `prepare` connect, no role takes advisory locks or writes large
    objects, and only the owner of the journals defines anything in their database.
    """
    try:
        from croupier.journal.stores.database import harden  # noqa: PLC0415 - an optional extra

        closed = harden(address)
    except ImportError:
        _refuse_without_driver()
    except JournalFault as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))
    rest = f" Closed to roles without a right of their own: {', '.join(closed)}." if closed else ""
    give({"closed": closed}, lambda: f"The server is hardened.{rest}")


@database_group.command("venues")
@click.argument("address", metavar="ADDRESS")
@json_option
def venues_command(address: str) -> None:
    """List the venues of a database: which server runs each, its journal, its health and its takings.

    Takings are since the first entry of the journal, as the running server gave them last.
    """
    try:
        from croupier.journal.stores.postgresql import list_venues  # noqa: PLC0415 - an optional extra

        found = list_venues(address)
    except ImportError:
        _refuse_without_driver()
    except JournalFault as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))
    listed = [{**each._asdict(), "status": _status(each.status)} for each in found]
    give({"venues": listed}, lambda: _venue_table(listed))


def _status(text: str) -> dict[str, Any] | None:
    """Return the status of a venue; None when it cannot be read."""
    return None if read_status(text) is None else msgspec.json.decode(text)


@database_group.command("repair")
@at_venue
@click.option("--owner", required=True, metavar="ADDRESS", help="The address of the database for its owner.")
@json_option
def repair_command(data: Path, key_store: Path | None, owner: str) -> None:
    """Move rows that a venue has not written out of its journal in a database.

    No server may use the venue. Rows without the venue's MAC or signature go to the table `quarantine`. Nothing is
    changed unless the rest is the whole journal, up to the anchor.
    """
    with faults_reported(), damage_reported():
        try:
            found = repair(data, key_store_of(data, key_store), owner)
        except StoreLocked as fault:
            exit_refused(Refusal(Code.BUSY, None, f"{str(fault).capitalize()}.", {"file": str(data)}))
    rows = f"{len(found.pages)} pages and {len(found.checkpoints)} checkpoints went to the quarantine"
    fence = ", and the fence was replaced" if found.fence else ""
    left = f"The journal has {found.entries} entries, head {found.head}."
    give(msgspec.to_builtins(found), lambda: f"{rows}{fence}. {left}")


def _refuse_without_driver() -> NoReturn:
    exit_refused(
        Refusal(Code.COMMAND_FAILED, None, "This needs the extra postgresql: pip install 'croupier[postgresql]'.")
    )


def _venue_table(listed: list[dict[str, Any]]) -> RenderableType:
    counted = ("epoch", "entries", "connections", "blocked")
    table = plain_table("venue", "run by", *counted, "turnover", "won", right=counted)
    for each in listed:
        status = each["status"] or {"connections": "unreadable"}
        counts = (str(status.get(name, "")) for name in ("connections", "blocked"))
        sums = (_amounts(status.get(name, {})) for name in ("turnover", "won"))
        table.add_row(each["venue"], each["holder"] or "none", str(each["epoch"]), str(each["entries"]), *counts, *sums)
    return table


def _amounts(cents: dict[str, int]) -> str:
    return ", ".join(f"{amount_text(amount)} {currency}" for currency, amount in cents.items())


@click.command("operator")
@click.argument("address", metavar="ADDRESS")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8070, show_default=True, type=click.IntRange(0, 65_535), help="The port to listen on.")
@click.option("--name", "names", multiple=True, help="A name by which browsers reach the page; may be repeated.")
def operator_command(address: str, host: str, port: int, names: tuple[str, ...]) -> None:
    """Serve a page that lists the venues of a database with their health and takings, until it is stopped.

    ADDRESS is that of the database, for a role that only reads. The page has no sign-in: leave it on this machine, or
    put a proxy with one before it.
    """
    try:
        from croupier.journal.stores.postgresql import list_venues  # noqa: PLC0415 - an optional extra
    except ImportError:
        _refuse_without_driver()
    # A command ends when its pipe is closed; a server continues when a browser closes its connection.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    server = OperatorServer(partial(list_venues, address), frozenset(names) | names_of(host))
    asyncio.run(_serve_operator(server, host, port))


async def _serve_operator(server: OperatorServer, host: str, port: int) -> None:
    try:
        port = await server.http.open(host, port)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        exit_refused(Refusal(Code.SETTING_IMPOSSIBLE, None, f"Cannot listen on {host}:{port}: {why}."))
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    console().print(f"The operator's page is open: {url_of(host, port, secure=False)}", soft_wrap=True)
    await server.run(stopped)
    server.http.close()


@click.command("migrate")
@at_venue
@click.option("--to", "address", metavar="ADDRESS", help="The database to move the journal to.")
@click.option("--venue", metavar="NAME", help="The venue's name in the database, as the configuration has it.")
@click.option("--to-sqlite", is_flag=True, help="Move the journal into the data directory.")
@click.option(
    "--replace",
    "owner",
    metavar="OWNER",
    help="Replace the pages that the venue has there, which go to the quarantine. OWNER is the address for the owner.",
)
@json_option
def migrate_command(  # noqa: PLR0913, PLR0917 - the options
    data: Path,
    key_store: Path | None,
    address: str | None,
    venue: str | None,
    to_sqlite: bool,  # noqa: FBT001 - click's flag
    owner: str | None,
) -> None:
    """Move a journal from SQLite to PostgreSQL, or back, with an equal head.

    No server may use the venue. Every page is copied byte by byte, and the copy is verified before it becomes the
    journal of the data directory. A journal in SQLite is renamed, and the pages in a database stay there.
    """
    if to_sqlite == (address is not None) or (address is None) != (venue is None):
        raise click.UsageError("Name '--to' with '--venue', or '--to-sqlite'.")
    to = None if address is None or venue is None else JournalPlace(address, venue)
    if owner is not None and to is None:
        raise click.UsageError("'--replace' goes with '--to'.")
    with faults_reported(), damage_reported():
        try:
            head = migrate(data, key_store_of(data, key_store), to, owner)
        except StoreLocked as fault:
            exit_refused(Refusal(Code.BUSY, None, f"{str(fault).capitalize()}.", {"file": str(data)}))
    where = data if to is None else to
    report = {"to": str(where), "entries": head.position, "pages": head.page, "head": head.digest.hex()}
    give(report, lambda: f"The journal is now in {where}: {head.position} entries, head {head.digest.hex()}.")
