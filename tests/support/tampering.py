"""Tampering: everything that hands or disks may do to a journal and its files, each by a seeded choice."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import apsw
import msgspec
from msgspec.structs import replace

from croupier.journal.checkpoints import Checkpoint, Signer, Statement, Verifier, checkpoint
from croupier.journal.entry import EMPTY_HEAD, Page
from croupier.journal.keystore import SLOT_BYTES, AnchorFile, AnchorRecord, KeyStore
from croupier.journal.pages import VerifiedPage, chain_digest, decode_body, merkle_tree, page_after
from croupier.journal.stores.sqlite import SqliteStore
from tests.support.venue_on_disk import Site, VenueOnDisk


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
            "SELECT number, epoch, first, last, head, body, mac FROM page ORDER BY number"
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


def fields_of(page: Page) -> list[Any]:
    """Take the body of a page apart: its header, and last its rows."""
    fields: list[Any] = msgspec.msgpack.decode(page.body)
    return fields


def with_fields(page: Page, fields: list[Any]) -> Page:
    """Put the body of a page together again."""
    return page._replace(body=msgspec.msgpack.encode(fields))


def _put_body(site: Site, page: Page) -> None:
    _sql(site, ("UPDATE page SET body = ? WHERE number = ?", (page.body, page.number)))


def damage_page(site: Site, number: int) -> int:
    """Change one byte of a page in the journal's file; return its first entry."""
    with closing(SqliteStore(site.journal, writing=False)) as store:
        page = store.page(number)
    assert page is not None
    damage_file(site.journal, page)
    return page.first


def damage_file(journal: Path, page: Page) -> None:
    """Change one byte in the header of a page in a journal's file."""
    header, content = page.body[:12], journal.read_bytes()
    assert header in content
    journal.write_bytes(content.replace(header, flipped(Random(page.number), header)))  # noqa: S311 - the same again


def row_edited(rng: Random, site: Site, _: Scene) -> None:
    page = rng.choice(_pages(site))
    _put_body(site, page._replace(body=flipped(rng, page.body)))


def row_dropped(rng: Random, site: Site, _: Scene) -> None:
    page = rng.choice(_pages(site))
    fields = fields_of(page)
    del fields[-1][rng.randrange(len(fields[-1]))]
    _put_body(site, with_fields(page, fields))


def row_doubled(rng: Random, site: Site, _: Scene) -> None:
    page = rng.choice(_pages(site))
    fields = fields_of(page)
    fields[-1].insert(rng.randrange(len(fields[-1])), rng.choice(fields[-1]))
    _put_body(site, with_fields(page, fields))


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


def bodies_swapped(rng: Random, site: Site, _: Scene) -> None:
    one, other = rng.sample(_pages(site), 2)
    _put_body(site, one._replace(body=other.body))
    _put_body(site, other._replace(body=one.body))


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
    of_pages = ("UPDATE page SET body = CAST(body AS TEXT) WHERE number = ?", (page,))
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
    """Bind pages anew."""
    digest, bound_anew = EMPTY_HEAD.digest, []
    for page in pages:
        digest = chain_digest(digest, page.body)
        bound_anew.append(page._replace(head=digest))
    return bound_anew


def _edited(rng: Random, pages: list[Page], first: int) -> list[Page]:
    """Change what one of the pages from an index on says of a request: nothing in the house depends on that."""
    requests = [
        (at, place)
        for at in range(first, len(pages))
        for place, row in enumerate(fields_of(pages[at])[-1])
        if row[4] is not None
    ]
    at, place = rng.choice(requests)
    fields = fields_of(pages[at])
    number, digest = fields[-1][place][4]
    fields[-1][place][4] = [number, flipped(rng, digest)]
    return [*pages[:at], with_fields(pages[at], fields), *pages[at + 1 :]]


def signed_over(signer: Signer, pages: list[Page], said: list[Statement]) -> list[Checkpoint]:
    """Sign pages with some key where the venue had signed."""
    signed, since = [], 0
    for each in said:
        tree = merkle_tree(page.head for page in pages[since : each.page])
        signed.append(checkpoint(signer, each.number, pages[each.page - 1].journal_head, tree, each.at))
        since = each.page
    return signed


def _forge(site: Site, pages: list[Page]) -> None:
    said = [each.statement() for each in _checkpoints(site)]
    forged = signed_over(Signer.new(), pages, [each for each in said if each.page <= len(pages)])
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
    entry = rng.choice(VerifiedPage(last, decode_body(last)).entries)
    forged = page_after(last.journal_head, last.epoch, [replace(entry, position=last.last + 1)])
    _overwrite(site, [*_pages(site), forged._replace(mac=rng.choice((b"", last.mac, Signer.new().mac(b""))))])


def rewrite_with_the_key(site: Site) -> None:
    """Write the past anew as the holder of the venue's key can: the chain, the MACs, the signatures and the anchor."""
    signer, pages = KeyStore(site.safe).signer(), _pages(site)
    anew = [page._replace(mac=signer.mac(page.mac_message)) for page in rechained(_edited(Random(1), pages, 0))]  # noqa: S311
    signed = signed_over(signer, anew, [each.statement() for each in _checkpoints(site)])
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
    row_edited,
    row_dropped,
    row_doubled,
    head_edited,
    figure_edited,
    page_deleted,
    tail_deleted,
    tail_deleted_with_its_signatures,
    bodies_swapped,
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


class CountingVerifier(Verifier):
    """A verifier that counts the signatures it verifies."""

    def __init__(self, verifier: Verifier) -> None:
        self.verifier, self.requested = verifier, 0

    def accepts(self, signature: bytes, message: bytes) -> bool:
        self.requested += 1
        return self.verifier.accepts(signature, message)
