"""The commands about venues that share tickets: show this venue's key, and pin and list those of the others."""

from pathlib import Path

import click
import msgspec

from croupier.cli.control import PATH, at_venue, key_store_of, named_config
from croupier.cli.group import json_option, wants_json
from croupier.cli.output import exit_refused, give, written
from croupier.engine.places import place_of
from croupier.journal.checkpoints import Verifier
from croupier.journal.disk import JournalFault, write_atomic
from croupier.rules.refusal import Code, Refusal
from croupier.rules.texts import NAME_FORM, is_name


class PartnerCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a venue gives to another that shall accept its tickets."""

    venue: str
    #: Its public key, in hexadecimal digits.
    key: str


@click.group("partner")
@json_option
def partner_group() -> None:
    """Exchange keys with venues of the same operator, which pay each other's tickets."""


@partner_group.command("show")
@click.option("--venue", metavar="NAME", help="This venue's name, if neither data nor configuration has it.")
@click.option("--out", type=PATH, metavar="FILE", help="Write the public key to FILE, for the other venue.")
@at_venue
@json_option
def show_command(venue: str | None, out: Path | None, data: Path, key_store: Path | None) -> None:
    """Show this venue's public key and its fingerprint. A new venue gets its keys by this.

    Give FILE to the other venue in any way, and read the fingerprint to it over another one.
    """
    try:
        keeper = key_store_of(data, key_store)
        name = _name(data, venue)
        keeper.provision()
        verifier = keeper.verifier()
        card = PartnerCard(name, verifier.text)
        if out is not None:
            write_atomic(out, msgspec.json.format(msgspec.json.encode(card)) + b"\n")
    except (JournalFault, OSError) as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))
    report = {"venue": card.venue, "key": card.key, "fingerprint": verifier.key_digest}
    give(report, lambda: written(_line(card.venue, verifier)), as_written=True)


def _name(data: Path, venue: str | None) -> str:
    config, place = named_config(), place_of(data)
    name = venue or (None if config is None else config.venue) or (None if place is None else place.venue)
    if name is None:
        raise click.UsageError("Name this venue, '--venue', or its configuration, '--config'.")
    return name


def _line(venue: str, verifier: Verifier) -> str:
    return f"{venue}: {verifier.key_digest}"


@partner_group.command("pin")
@click.argument("file", metavar="FILE", type=PATH)
@click.option("--fingerprint", metavar="TEXT", help="The fingerprint that the other venue has read to you.")
@click.option("--replace", is_flag=True, help="Replace another key of the same venue.")
@at_venue
@json_option
def pin_command(file: Path, fingerprint: str | None, replace: bool, data: Path, key_store: Path | None) -> None:  # noqa: FBT001 - click's flag
    """Pin the key in FILE, which `partner show` has written at another venue: its tickets are accepted with it.

    Without --fingerprint the command shows the fingerprint and asks whether it is the one that the other venue sees. A
    server uses the key from its next start.
    """
    keys = key_store_of(data, key_store)
    try:
        card = msgspec.json.decode(file.read_bytes(), type=PartnerCard)
        verifier, pinned = Verifier.of_text(card.key), keys.partners()
        if keys.verifier().text == verifier.text:
            exit_refused(
                Refusal(Code.SETTING_IMPOSSIBLE, None, "This is the key of this venue itself.", {"file": str(file)})
            )
    except (JournalFault, OSError, ValueError, RecursionError) as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))
    if not is_name(card.venue):
        message = f"The file names no venue: a name has {NAME_FORM}."
        exit_refused(Refusal(Code.MALFORMED, None, message, {"file": str(file)}))
    if not replace and pinned.get(card.venue, verifier.text) != verifier.text:
        message = f"Another key of {card.venue} is pinned: --replace replaces it."
        exit_refused(Refusal(Code.ALREADY_THERE, None, message, {"venue": card.venue}))
    if fingerprint is None and wants_json():
        raise click.UsageError("Name the fingerprint, '--fingerprint'.")
    if fingerprint is None:
        click.echo(_line(card.venue, verifier))
        click.confirm(f"Does {card.venue} see this fingerprint?", abort=True)
    elif "".join(fingerprint.split()).lower() != "".join(verifier.key_digest.split()):
        message = f"The key in {file} has another fingerprint: {verifier.key_digest}."
        exit_refused(
            Refusal(Code.NOT_AUTHORISED, None, message, {"venue": card.venue, "fingerprint": verifier.key_digest})
        )
    try:
        keys.pin(card.venue, verifier)
    except JournalFault as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))
    report = {"venue": card.venue, "key": card.key, "fingerprint": verifier.key_digest}
    give(report, lambda: f"The key of {card.venue} is pinned, from the next start on.")


@partner_group.command("list")
@at_venue
@json_option
def list_command(data: Path, key_store: Path | None) -> None:
    """List the pinned keys of other venues by their fingerprints."""
    try:
        found = {venue: Verifier.of_text(key) for venue, key in key_store_of(data, key_store).partners().items()}
    except JournalFault as fault:
        exit_refused(Refusal(Code.COMMAND_FAILED, None, f"Cannot do it: {fault}."))
    rows = [{"venue": venue, "key": key.text, "fingerprint": key.key_digest} for venue, key in found.items()]
    lines = "\n".join(_line(venue, key) for venue, key in found.items())
    give({"partners": rows}, lambda: written(lines or "No key of another venue is pinned."), as_written=True)
