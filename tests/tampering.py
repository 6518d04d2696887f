"""Tampering: everything that hands or disks may do to a journal and its files, each by a seeded choice."""

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import apsw
from msgspec.structs import replace

from croupier.journal.checkpoints import Checkpoint, Signer, checkpoint
from croupier.journal.entry import EMPTY_HEAD, Page, chain_digest, decode, page_after
from croupier.journal.keystore import SLOT_BYTES, AnchorFile, AnchorRecord, KeyStore
from tests.venue_on_disk import Site, VenueOnDisk


class Scene(NamedTuple):
    """A venue's files at four moments: what there is to tamper with."""

    #: Stopped in good order, twice.
    early: Site
    later: Site
    #: Killed in a round after that: part of the journal is in the write-ahead log, and stands under no signature.
    killed: Site
    #: Started once more and stopped.
    stopped: Site


def scene(folder: Path, rounds: int = 6) -> Scene:
    """Play a venue over four epochs, and keep copies on the way."""
    venue = VenueOnDisk(folder / "live")
    venue.play(rounds)
    venue.stop()
    early = venue.site.copied(folder / "early")
    venue.begin()
    venue.play(rounds, "20")
    venue.stop()
    later = venue.site.copied(folder / "later")
    venue.begin()
    venue.play(rounds, "00")
    venue.open_round()
    venue.kill()
    killed = venue.site.copied(folder / "killed")
    venue.begin()
    venue.stop()
    return Scene(early, later, killed, venue.site.copied(folder / "stopped"))


#: Changes a site by chance. It must change something that the journal, the snapshot or the anchor says.
Tamper = Callable[[Random, Site, Scene], None]


def _sql(site: Site, *statements: tuple[str, tuple[object, ...]]) -> None:
    with closing(apsw.Connection(str(site.journal))) as connection:
        connection.pragma("ignore_check_constraints", value=True)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        with connection:
            for statement, values in statements:
                connection.execute(statement, values).fetchall()


def _pages(site: Site) -> list[Page]:
    with closing(apsw.Connection(str(site.journal))) as connection:
        rows = connection.execute(
            "SELECT number, epoch, first, last, head, lines, mac FROM page ORDER BY number"
        ).fetchall()
    return [Page(*row) for row in rows]  # type: ignore[arg-type]


def _checkpoints(site: Site) -> list[Checkpoint]:
    with closing(apsw.Connection(str(site.journal))) as connection:
        rows = connection.execute("SELECT body, signature FROM checkpoint ORDER BY number").fetchall()
    return [Checkpoint(*row) for row in rows]  # type: ignore[arg-type]


def flipped(rng: Random, content: bytes) -> bytes:
    """Change one byte into another."""
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ rng.randrange(1, 256)]) + content[at + 1 :]


def _flip_file(rng: Random, path: Path) -> None:
    path.write_bytes(flipped(rng, path.read_bytes()))


def _cut_file(rng: Random, path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


# Rows


def line_edited(rng: Random, site: Site, _: Scene) -> None:
    page = rng.choice(_pages(site))
    _sql(site, ("UPDATE page SET lines = ? WHERE number = ?", (flipped(rng, page.lines), page.number)))


def line_dropped(rng: Random, site: Site, _: Scene) -> None:
    page = rng.choice(_pages(site))
    lines = page.lines.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    _sql(site, ("UPDATE page SET lines = ? WHERE number = ?", (b"".join(lines), page.number)))


def line_doubled(rng: Random, site: Site, _: Scene) -> None:
    page = rng.choice(_pages(site))
    lines = page.lines.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    _sql(site, ("UPDATE page SET lines = ? WHERE number = ?", (b"".join(lines), page.number)))


def head_edited(rng: Random, site: Site, _: Scene) -> None:
    page = rng.choice(_pages(site))
    _sql(site, ("UPDATE page SET head = ? WHERE number = ?", (flipped(rng, page.head), page.number)))


def figure_edited(rng: Random, site: Site, _: Scene) -> None:
    page, column = rng.choice(_pages(site)), rng.choice(("first", "last", "epoch"))
    by = rng.choice((-2, -1, 1, 2, 1_000))
    statement = f"UPDATE page SET {column} = {column} + ? WHERE number = ?"  # noqa: S608 - one of the three above
    _sql(site, (statement, (by, page.number)))


def page_deleted(rng: Random, site: Site, _: Scene) -> None:
    _sql(site, ("DELETE FROM page WHERE number = ?", (rng.choice(_pages(site)).number,)))


def tail_deleted(rng: Random, site: Site, _: Scene) -> None:
    after = rng.choice(_pages(site)).number
    _sql(site, ("DELETE FROM page WHERE number >= ?", (after,)))


def tail_deleted_with_its_signatures(rng: Random, site: Site, scene: Scene) -> None:
    tail_deleted(rng, site, scene)
    left = len(_pages(site))
    numbers = [each.statement().number for each in _checkpoints(site) if each.statement().page > left]
    _sql(site, *(("DELETE FROM checkpoint WHERE number = ?", (number,)) for number in numbers))


def lines_swapped(rng: Random, site: Site, _: Scene) -> None:
    one, other = rng.sample(_pages(site), 2)
    update = "UPDATE page SET lines = ? WHERE number = ?"
    _sql(site, (update, (one.lines, other.number)), (update, (other.lines, one.number)))


def pages_swapped(rng: Random, site: Site, _: Scene) -> None:
    one, other = rng.sample(_pages(site), 2)
    renumber = "UPDATE page SET number = ? WHERE number = ?"
    _sql(site, (renumber, (-1, one.number)), (renumber, (one.number, other.number)), (renumber, (other.number, -1)))


def row_retyped(rng: Random, site: Site, _: Scene) -> None:
    """Turn bytes into text of the same letters, where the table was told to mind that no more."""
    _sql(
        site,
        ("PRAGMA writable_schema = 1", ()),
        ("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')')", ()),
    )
    page = rng.choice(_pages(site)).number
    of_pages = ("UPDATE page SET lines = CAST(lines AS TEXT) WHERE number = ?", (page,))
    of_signatures = ("UPDATE checkpoint SET body = CAST(body AS TEXT) WHERE number = ?", (1,))
    _sql(site, rng.choice((of_pages, of_signatures)))


#: Every way to edit the fence of a site, by what is done.
FENCE_EDITS: Final = {
    "lowered by one": "UPDATE fence SET epoch = epoch - 1",
    "lowered to none": "UPDATE fence SET epoch = 0, mac = x''",
    "negative": "UPDATE fence SET epoch = -1",
    "raised by one": "UPDATE fence SET epoch = epoch + 1",
    "raised by two": "UPDATE fence SET epoch = epoch + 2",
    "raised by a thousand": "UPDATE fence SET epoch = epoch + 1000",
    "at 2^52 and one more": "UPDATE fence SET epoch = 4503599627370497",
    "near 2^53": "UPDATE fence SET epoch = 9007199254740990",
    "at 2^53": "UPDATE fence SET epoch = 9007199254740992",
    "at 2^63 - 1": "UPDATE fence SET epoch = 9223372036854775807",
    "without its MAC": "UPDATE fence SET mac = x''",
    "with another MAC": "UPDATE fence SET mac = zeroblob(32)",
    "removed": "DELETE FROM fence",
    "duplicated": "INSERT INTO fence SELECT 2, epoch, mac FROM fence",
    "renumbered": "UPDATE fence SET only_one = 2",
    "its table dropped": "DROP TABLE fence",
}


def edit_fence(site: Site, edit: str) -> None:
    _sql(site, (FENCE_EDITS[edit], ()))


def retype_fence(site: Site) -> None:
    """Turn the epoch into text, where the table was told to mind that no more."""
    _sql(
        site,
        ("PRAGMA writable_schema = 1", ()),
        ("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')')", ()),
    )
    _sql(site, ("UPDATE fence SET epoch = 'many'", ()))


def seal_fence(site: Site, epoch: int) -> None:
    """Set the fence to an epoch with the venue's own key."""
    mac = KeyStore(site.safe).signer().fence_mac(epoch)
    _sql(site, ("UPDATE fence SET epoch = ?, mac = ?", (epoch, mac)))


# Signatures


def checkpoint_deleted(rng: Random, site: Site, _: Scene) -> None:
    _sql(site, ("DELETE FROM checkpoint WHERE number = ?", (rng.randrange(len(_checkpoints(site))) + 1,)))


def checkpoint_altered(rng: Random, site: Site, _: Scene) -> None:
    at, column = rng.randrange(len(_checkpoints(site))), rng.choice(("body", "signature"))
    altered = flipped(rng, getattr(_checkpoints(site)[at], column))
    statement = f"UPDATE checkpoint SET {column} = ? WHERE number = ?"  # noqa: S608 - one of the two above
    _sql(site, (statement, (altered, at + 1)))


def checkpoints_swapped(rng: Random, site: Site, _: Scene) -> None:
    kept = _checkpoints(site)
    one, other = rng.sample(range(len(kept)), 2)
    update = "UPDATE checkpoint SET body = ?, signature = ? WHERE number = ?"
    _sql(
        site,
        (update, (kept[one].body, kept[one].signature, other + 1)),
        (update, (kept[other].body, kept[other].signature, one + 1)),
    )


# Forgeries: the chain and the signatures made anew, by somebody who has not the venue's key


def rechained(pages: list[Page]) -> list[Page]:
    """Bind the entries of pages anew."""
    mark, bound_anew = EMPTY_HEAD, []
    for page in pages:
        head, lines = mark.digest, []
        for line in page.lines.splitlines():
            head = chain_digest(head, line[65:])
            lines.append(head.hex().encode() + b" " + line[65:] + b"\n")
        bound_anew.append(page._replace(head=head, lines=b"".join(lines)))
        mark = bound_anew[-1].journal_head
    return bound_anew


def _edited(rng: Random, pages: list[Page], first: int) -> list[Page]:
    """Change a digit of an amount or a time in one of the pages from a number on."""
    at = rng.randrange(first, len(pages))
    places = [each.start() for each in re.finditer(rb"[0-9](?=[,}\]])", pages[at].lines)]
    place = rng.choice([each for each in places if pages[at].lines.rfind(b"\n", 0, each) + 65 < each])
    digit = b"%d" % ((pages[at].lines[place] - 48 + rng.randrange(1, 10)) % 10)
    edited = pages[at].lines[:place] + digit + pages[at].lines[place + 1 :]
    return [*pages[:at], pages[at]._replace(lines=edited), *pages[at + 1 :]]


def _forge(site: Site, pages: list[Page]) -> None:
    forger, marks = Signer.new(), {page.number: page.journal_head for page in pages}
    said = [each.statement() for each in _checkpoints(site)]
    forged = [checkpoint(forger, each.number, marks[each.page], each.at) for each in said if each.page in marks]
    _overwrite(site, pages)
    _sql(site, ("DELETE FROM checkpoint", ()))
    rows = [(number, each.statement().epoch, each.body, each.signature) for number, each in enumerate(forged, start=1)]
    _sql(site, *(("INSERT INTO checkpoint VALUES (?, ?, ?, ?)", row) for row in rows))


def _overwrite(site: Site, pages: list[Page]) -> None:
    _sql(
        site,
        ("DELETE FROM page", ()),
        *(("INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)", tuple(each)) for each in pages),
    )


def edited_and_signed_anew(rng: Random, site: Site, _: Scene) -> None:
    _forge(site, rechained(_edited(rng, _pages(site), 0)))


def shortened_and_signed_anew(rng: Random, site: Site, _: Scene) -> None:
    pages = _pages(site)
    _forge(site, pages[: rng.randrange(1, len(pages))])


def edited_and_rechained(rng: Random, site: Site, _: Scene) -> None:
    """The last signature is left as it is, and what comes after is written anew."""
    signed = _checkpoints(site)[-1].statement().page
    pages = _pages(site)
    _overwrite(site, rechained(_edited(rng, pages, min(signed, len(pages) - 1))))


def page_forged(rng: Random, site: Site, _: Scene) -> None:
    """One page more, bound to the last as it should be, by somebody who has not the venue's key."""
    last = _pages(site)[-1]
    entry = decode(rng.choice(last.lines.splitlines())[65:])
    forged = page_after(last.journal_head, last.epoch, [replace(entry, position=last.last + 1)])
    _overwrite(site, [*_pages(site), forged._replace(mac=rng.choice((b"", last.mac, Signer.new().mac(b""))))])


def rewrite_with_the_key(site: Site) -> None:
    """Write the past anew as the holder of the venue's key can: the chain, the MACs, the signatures and the anchor."""
    signer, pages = KeyStore(site.safe).signer(), _pages(site)
    at = next(at for at, page in enumerate(pages) if re.search(rb'"cause":\[\[1,', page.lines))
    digest = re.search(rb'"([0-9a-f]{64})"\],"event"', pages[at].lines)
    assert digest is not None
    edited = pages[at].lines.replace(digest[1], bytes(64).replace(b"\0", b"0"))
    anew = rechained([*pages[:at], pages[at]._replace(lines=edited), *pages[at + 1 :]])
    anew = [page._replace(mac=signer.mac(page.mac_message)) for page in anew]
    said = [each.statement() for each in _checkpoints(site)]
    signed = [checkpoint(signer, each.number, anew[each.page - 1].journal_head, each.at) for each in said]
    _overwrite(site, anew)
    rows = [(each.body, each.signature, number) for number, each in enumerate(signed, start=1)]
    _sql(site, *(("UPDATE checkpoint SET body = ?, signature = ? WHERE number = ?", row) for row in rows))
    site.anchor.unlink()
    with AnchorFile(site.anchor, signer) as anchor:
        anchor.read()
        anchor.write(AnchorRecord(anew[-1].journal_head, len(signed)))


# Files


def db_flipped(rng: Random, site: Site, scene: Scene) -> None:
    shutil.copy(scene.stopped.journal, site.journal)
    _flip_file(rng, site.journal)


def db_cut(rng: Random, site: Site, _: Scene) -> None:
    _cut_file(rng, site.journal)


def wal_flipped(rng: Random, site: Site, _: Scene) -> None:
    _flip_file(rng, site.wal)


def wal_cut(rng: Random, site: Site, _: Scene) -> None:
    _cut_file(rng, site.wal)


def wal_deleted(_: Random, site: Site, __: Scene) -> None:
    site.wal.unlink()


def rolled_back(rng: Random, site: Site, scene: Scene) -> None:
    shutil.rmtree(site.data)
    shutil.copytree(rng.choice((scene.early, scene.later)).data, site.data)


def anchor_deleted(_: Random, site: Site, __: Scene) -> None:
    site.anchor.unlink()


def anchor_older(rng: Random, site: Site, scene: Scene) -> None:
    shutil.copy(rng.choice((scene.early, scene.later)).anchor, site.anchor)


def anchor_flipped(rng: Random, site: Site, _: Scene) -> None:
    _flip_file(rng, site.anchor)


def anchor_garbage(rng: Random, site: Site, _: Scene) -> None:
    site.anchor.write_bytes(rng.randbytes(rng.randrange(1, 2 * SLOT_BYTES)))


def snapshot_flipped(rng: Random, site: Site, _: Scene) -> None:
    _flip_file(rng, site.snapshot)


def snapshot_cut(rng: Random, site: Site, _: Scene) -> None:
    _cut_file(rng, site.snapshot)


ON_KILLED: Final[tuple[Tamper, ...]] = (wal_flipped, wal_cut, wal_deleted, edited_and_rechained)
ON_EITHER: Final[tuple[Tamper, ...]] = (
    page_forged,
    line_edited,
    line_dropped,
    line_doubled,
    head_edited,
    figure_edited,
    page_deleted,
    tail_deleted,
    tail_deleted_with_its_signatures,
    lines_swapped,
    pages_swapped,
    row_retyped,
    checkpoint_deleted,
    checkpoint_altered,
    checkpoints_swapped,
    edited_and_signed_anew,
    shortened_and_signed_anew,
    rolled_back,
    anchor_deleted,
    anchor_older,
    anchor_flipped,
    anchor_garbage,
    snapshot_flipped,
    snapshot_cut,
)
#: The file as a whole: where no write-ahead log stands beside it.
ON_STOPPED: Final[tuple[Tamper, ...]] = (db_cut, *[db_flipped] * 6)
