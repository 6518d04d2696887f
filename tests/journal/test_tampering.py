"""Tampering is detected: every change to a journal, its files or an export."""

import io
import shutil
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import pytest

from croupier.cli.journal import Audited
from croupier.engine.audit import audit
from croupier.engine.journal_reader import export
from croupier.engine.storage import open_storage
from croupier.house.verification import state_digest
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalCorrupt, JournalFault
from croupier.journal.entry import Page
from croupier.journal.export import export_range
from croupier.journal.keystore import SLOT_BYTES, AnchorFile, AnchorRecord, KeyStore, check_fence, newest_record
from croupier.journal.stores.sqlite import SqliteStore
from croupier.journal.verify import WrongError, verify
from croupier.journal.writer import Writer
from croupier.rulebooks.schema import read_canonical
from tests.support.bundles import ON_BUNDLE, bundle_of, members_of
from tests.support.campaign import many
from tests.support.engine_driver import stand, start
from tests.support.tampering import (
    FENCE_EDITS,
    ON_EITHER,
    ON_KILLED,
    ON_STOPPED,
    Scene,
    Tamper,
    anchor_deleted,
    anchor_flipped,
    anchor_garbage,
    anchor_older,
    checkpoint_deleted,
    checkpoints_swapped,
    damage_page,
    db_cut,
    db_flipped,
    edit_fence,
    edited_and_rechained,
    edited_and_signed_anew,
    page_forged,
    retype_fence,
    rolled_back,
    row_edited,
    row_retyped,
    scene,
    seal_fence,
    shortened_and_signed_anew,
    snapshot_cut,
    snapshot_flipped,
    tail_deleted,
    tail_deleted_with_its_signatures,
)
from tests.support.venue_on_disk import Site

ON_SNAPSHOT: Final[AbstractSet[Tamper]] = {snapshot_flipped, snapshot_cut}
#: What a start finds each time it is done. Of the rest only an audit can be relied on.
FOUND_AT_A_START: Final[AbstractSet[Tamper]] = ON_SNAPSHOT | {
    *ON_KILLED,
    page_forged,
    tail_deleted,
    tail_deleted_with_its_signatures,
    row_retyped,
    checkpoint_deleted,
    checkpoints_swapped,
    edited_and_signed_anew,
    shortened_and_signed_anew,
    rolled_back,
    anchor_deleted,
    anchor_garbage,
}
#: One seed for all: what failed once fails again.
SEED = 20261115


def chance(case: object) -> Random:
    return Random(f"{SEED} {case}")  # noqa: S311 - chance that comes out the same again


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A venue's files at four moments."""
    return scene(tmp_path_factory.mktemp("scene"))


def looked_at(site: Site, *, anchored: bool = True, imprinted: bool = True) -> str:
    """Audit a site; give what was found wrong with it, nothing where it passes without a remark."""
    safe = KeyStore(site.safe)
    try:
        notes = safe.anchor_records() if anchored else None
        newest = None if notes is None else newest_record(notes)
        signer = safe.signer() if imprinted else None
        with closing(SqliteStore(site.journal, writing=False)) as store:
            about = Audited(audit(store, safe.verifier(), read_canonical, newest, signer), notes)
    except JournalFault as fault:
        return str(fault)
    return "; ".join(about.report()["remarks"]) if anchored else ""


class Started(NamedTuple):
    """What a start stood on: how it was read, and the digest of the state that it gave."""

    replayed: int
    ignored: str
    state: str


def started(site: Site) -> Started | str:
    """Start the house on a site; give what it stood on, or why it did not start."""
    try:
        storage = open_storage(site.data, KeyStore(site.safe))
    except JournalFault as fault:
        return str(fault)
    with closing(storage):
        try:
            standing = stand(storage)
            stood_on = Started(standing.replayed, standing.snapshot_rejected, state_digest(standing.house))
            start(storage, standing=standing)
        except JournalFault as fault:
            return str(fault)
    return stood_on


def content(site: Site) -> list[object]:
    """Give all that can be read of a journal."""
    with closing(SqliteStore(site.journal, writing=False)) as store:
        return [*store.pages(), *store.checkpoints()]


def state_of(site: Site) -> str:
    """Replay a journal from its first entry, and digest what it gives."""
    with closing(SqliteStore(site.journal, writing=False)) as store:
        return audit(store, KeyStore(site.safe).verifier(), read_canonical).state


def test_whole_journals_pass(shared_scene: Scene) -> None:
    """Untouched, each of these journals passes without a remark: what is found below was done to it."""
    assert [looked_at(site) for site in shared_scene] == ["", "", "", ""]


class Case(NamedTuple):
    """Something that was done to a copy of a site."""

    tamper: Tamper
    victim: Site
    site: Site
    #: Which case it is: the same number does the same again.
    number: int


def cases(shared_scene: Scene, folder: Path, total: int) -> Iterator[Case]:
    """Do everything that can be done to files, in turn and by chance, each to a copy of its own."""
    kinds: list[tuple[Tamper, Site]] = [
        *((tamper, shared_scene.killed) for tamper in (*ON_KILLED, *ON_EITHER)),
        *((tamper, shared_scene.stopped) for tamper in (*ON_STOPPED, *ON_EITHER)),
    ]
    for number in range(total):
        tamper, victim = kinds[number % len(kinds)]
        site = victim.copied(folder / "copy")
        tamper(chance(number), site, shared_scene)
        yield Case(tamper, victim, site, number)
        shutil.rmtree(folder / "copy")


@pytest.mark.campaign
def test_audit_finds_all_that_is_done_to_a_journal(shared_scene: Scene, tmp_path: Path) -> None:
    """An audit alone finds every edit, deletion, reorder, forgery and rollback, but for bytes that nothing reads."""
    whole = content(shared_scene.stopped)
    reported, missed = set[Tamper](), set[Tamper]()
    for case in cases(shared_scene, tmp_path, many(day=450, night=9_000)):
        seen = bool(looked_at(case.site))
        (reported if seen else missed).add(case.tamper)
        assert seen or case.tamper in {db_flipped, *ON_SNAPSHOT}, f"case {case.number}: {case.tamper.__name__}"
        assert seen or case.tamper is not db_flipped or content(case.site) == whole, f"case {case.number}"

    assert reported == {*ON_KILLED, *ON_STOPPED, *ON_EITHER} - ON_SNAPSHOT
    # A snapshot is no part of the journal, and an audit reads none: it is for a start to find.
    assert missed - {db_flipped} == ON_SNAPSHOT <= FOUND_AT_A_START


@pytest.mark.campaign
def test_start_finds_what_it_would_go_on_from(shared_scene: Scene, tmp_path: Path) -> None:
    """A start alone finds what is done to a journal's end, its snapshot or its whole anchor, and no state is false."""
    states = {site: state_of(site) for site in (shared_scene.killed, shared_scene.stopped)}
    done, reported = Counter[Tamper](), Counter[Tamper]()
    for case in cases(shared_scene, tmp_path, many(day=200, night=9_000)):
        stood_on = started(case.site)
        done[case.tamper] += 1
        if isinstance(stood_on, str) or stood_on.ignored:
            reported[case.tamper] += 1
        assert isinstance(stood_on, str) or stood_on.state == states[case.victim], f"case {case.number}"

    # What else there is stands under a signature, or is one note of the anchor's: a start does not look at all of that.
    always = {tamper for tamper in done if reported[tamper] == done[tamper]}
    assert always >= FOUND_AT_A_START
    # A file that was cut in its last page, which is seldom, still has as many pages as it says.
    assert always - FOUND_AT_A_START <= {db_cut}


@pytest.mark.parametrize("tamper", [row_edited, anchor_flipped])
def test_only_an_audit_finds_what_a_start_passes_over(shared_scene: Scene, tmp_path: Path, tamper: Tamper) -> None:
    """A start passes over a signed entry or one of the anchor's notes, and stands as before; an audit finds either."""
    site = shared_scene.stopped.copied(tmp_path)
    tamper(chance(1), site, shared_scene)

    assert looked_at(site)
    stood_on = started(site)
    assert isinstance(stood_on, Started)
    assert (stood_on.ignored, stood_on.state) == ("", state_of(shared_scene.stopped))


@pytest.fixture(scope="module")
def bundles(shared_scene: Scene) -> list[bytes]:
    """The whole journal as an export, and a part from its middle."""
    made = []
    with closing(SqliteStore(shared_scene.stopped.journal, writing=False)) as store:
        signer = KeyStore(shared_scene.stopped.safe).signer()
        for first, last in ((1, None), (70, 100)):
            part, out = export_range(store, signer.verifier, first, last), io.BytesIO()
            assert part is not None
            export(store, signer, part, out)
            made.append(out.getvalue())
    return made


@pytest.mark.campaign
def test_tampering_with_an_export_is_found(shared_scene: Scene, bundles: list[bytes]) -> None:
    """Whatever is changed, dropped, added or put elsewhere in a bundle's members, the verifier tells of it."""
    total, key = many(day=150, night=1_000), KeyStore(shared_scene.stopped.safe).verifier().pem
    reported = 0
    for number in range(total):
        rng = chance(number)
        members = members_of(bundles[number % 2])
        ON_BUNDLE[number % len(ON_BUNDLE)](rng, members)
        with pytest.raises(WrongError):
            verify(bundle_of(members), key if number % 3 else None)
        reported += 1

    assert reported == total


def test_untouched_export_passes(shared_scene: Scene, bundles: list[bytes]) -> None:
    """The same bundles pass as they are."""
    key = KeyStore(shared_scene.stopped.safe).verifier().pem

    assert [verify(bundle_of(members_of(each)), key).startswith("Whole") for each in bundles] == [True, True]


def test_forger_without_the_key_is_found_without_the_anchor(shared_scene: Scene, tmp_path: Path) -> None:
    """A journal that was edited, bound anew and signed with another key is found by its signatures alone."""
    site = shared_scene.stopped.copied(tmp_path)
    edited_and_signed_anew(chance(1), site, shared_scene)

    assert "is not the venue's" in looked_at(site, anchored=False)


def test_entries_without_a_signature_need_the_anchor_or_the_page_mac(shared_scene: Scene, tmp_path: Path) -> None:
    """Entries after the last signature, bound anew, are found by the anchor and by their page MAC: by either alone."""
    site = shared_scene.killed.copied(tmp_path)
    edited_and_rechained(chance(1), site, shared_scene)

    assert "is not the one that had been written" in looked_at(site, imprinted=False)
    assert "was not written with the venue's key" in looked_at(site, anchored=False)
    assert looked_at(site, anchored=False, imprinted=False) == ""


def test_older_copy_needs_the_anchor(shared_scene: Scene, tmp_path: Path) -> None:
    """An older copy is whole in itself: only the anchor tells that it is not the last."""
    site = shared_scene.stopped.copied(tmp_path)
    rolled_back(chance(1), site, shared_scene)

    assert looked_at(site, anchored=False) == ""
    assert "had been written" in looked_at(site)


def test_older_snapshot_gives_the_same_state(shared_scene: Scene, tmp_path: Path) -> None:
    """An older snapshot of the same journal is no damage: the entries since then are carried out."""
    site = shared_scene.stopped.copied(tmp_path)
    shutil.copy(shared_scene.early.snapshot, site.snapshot)
    stood_on = started(site)

    assert isinstance(stood_on, Started)
    assert stood_on.replayed > 0
    assert not stood_on.ignored
    assert stood_on.state == state_of(shared_scene.stopped)


@pytest.mark.parametrize("tamper", [snapshot_flipped, snapshot_cut])
def test_damaged_snapshot_is_left_aside_with_a_reason(shared_scene: Scene, tmp_path: Path, tamper: Tamper) -> None:
    """The house starts without a snapshot that is damaged, says why, and stands as the whole journal gives it."""
    site = shared_scene.killed.copied(tmp_path)
    tamper(chance(1), site, shared_scene)
    stood_on = started(site)

    assert isinstance(stood_on, Started)
    assert stood_on.ignored == "its signature is not the venue's"
    assert stood_on.state == state_of(shared_scene.killed)


# the fence


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("edit", FENCE_EDITS)
def test_edit_of_the_fence_is_found(shared_scene: Scene, tmp_path: Path, edit: str, *, killed: bool) -> None:
    """Whatever is done to the fence, an audit and a start find it, and the start writes nothing."""
    site = (shared_scene.killed if killed else shared_scene.stopped).copied(tmp_path)
    edit_fence(site, edit)
    before = {path.name: path.read_bytes() for path in site.safe.iterdir() if path.name != "lock"}

    assert "fence" in looked_at(site) or "tables of the journal were changed" in looked_at(site)
    assert isinstance(started(site), str)
    assert {name: (site.safe / name).read_bytes() for name in before} == before


def test_fence_that_was_turned_into_text_is_found(shared_scene: Scene, tmp_path: Path) -> None:
    """A fence that is no number any more is found by an audit and by a start."""
    site = shared_scene.stopped.copied(tmp_path)
    retype_fence(site)

    assert "the tables of the journal were changed" in looked_at(site)
    assert isinstance(started(site), str)


#: What an audit with the public key alone cannot tell from a start that was cut short, or has no key to check.
_NEEDS_THE_KEY = {"raised by one", "without its MAC", "with another MAC"}


@pytest.mark.parametrize("edit", FENCE_EDITS)
def test_edit_of_the_fence_is_found_with_the_public_key_alone(shared_scene: Scene, tmp_path: Path, edit: str) -> None:
    """Without the signing key and the anchor, every edit is found but those that only the key tells."""
    site = shared_scene.stopped.copied(tmp_path)
    edit_fence(site, edit)

    assert (looked_at(site, anchored=False, imprinted=False) == "") == (edit in _NEEDS_THE_KEY)


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (-1, "the fence is at epoch 3, and the last page is of epoch 4"),
        (2, "the fence is at epoch 6, and the last that is known is epoch 4"),
        (2**53 - 1 - 4, "which no system has reached"),
    ],
)
def test_fence_that_the_key_vouches_for_must_fit_the_pages(
    shared_scene: Scene, tmp_path: Path, by: int, words: str
) -> None:
    """A fence with a right MAC is refused all the same where it is below the last page, or ahead of it by a gap."""
    site = shared_scene.stopped.copied(tmp_path)
    seal_fence(site, 4 + by)

    assert words in looked_at(site)
    assert words in str(started(site))


def test_start_that_was_cut_short_leaves_no_gap(shared_scene: Scene, tmp_path: Path) -> None:
    """However often a start ends after it has begun its epoch, the next one begins the same, and all of it is whole."""
    site = shared_scene.stopped.copied(tmp_path)
    for _ in range(3):
        with closing(open_storage(site.data, KeyStore(site.safe))) as storage:
            check_fence(storage.store, storage.anchor.read(), storage.signer)
            mark = storage.anchor.read().head
            assert Writer(storage.store, AnchorRecord(mark), storage.anchor, storage.signer).epoch == 5

    assert looked_at(site) == ""
    assert isinstance(started(site), Started)
    assert [page.epoch for page in content(site) if isinstance(page, Page)][-1] == 5


# the anchor


def note(anchored: AnchorRecord, signer: Signer) -> bytes:
    """Write a note as its holder of a key would."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "anchor"
        with AnchorFile(path, signer) as anchor:
            anchor.read()
            anchor.write(anchored)
        return path.read_bytes()[:SLOT_BYTES]


@pytest.mark.parametrize("slots", [(0,), (1,), (0, 1)], ids=["first", "second", "both"])
@pytest.mark.parametrize("lower", [True, False], ids=["lower", "same"])
def test_anchor_that_was_forged_is_found(
    shared_scene: Scene, tmp_path: Path, slots: tuple[int, ...], *, lower: bool
) -> None:
    """A note that is whole and was not made with the venue's key is found, whichever slot it is in."""
    site = shared_scene.stopped.copied(tmp_path)
    newest = newest_record(KeyStore(site.safe).anchor_records())
    forged = AnchorRecord(newest.head._replace(position=1, page=1), 0) if lower else newest
    content_ = bytearray(site.anchor.read_bytes())
    for slot in slots:
        content_[slot * SLOT_BYTES : (slot + 1) * SLOT_BYTES] = note(forged, Signer.new())
    site.anchor.write_bytes(content_)

    assert "the anchor was not written with the venue's key" in looked_at(site)
    assert "the anchor was not written with the venue's key" in str(started(site))


def test_older_anchor_is_found(shared_scene: Scene, tmp_path: Path) -> None:
    """An anchor from an earlier run is found by a start too: its checkpoints are too few for a power cut."""
    site = shared_scene.stopped.copied(tmp_path)
    anchor_older(chance(1), site, shared_scene)

    assert "it is an older copy" in looked_at(site)
    assert "it is an older copy" in str(started(site))


def test_first_wrong_entry_is_named(shared_scene: Scene, tmp_path: Path) -> None:
    """An audit names the first entry that is wrong, though a later one is wrong as well."""
    site = shared_scene.stopped.copied(tmp_path)
    damage_page(site, 40)
    first = damage_page(site, 20)

    with (
        closing(SqliteStore(site.journal, writing=False)) as store,
        pytest.raises(JournalCorrupt, match=rf"^entry {first}: page 20 ") as fault,
    ):
        audit(store, KeyStore(site.safe).verifier(), read_canonical)

    assert fault.value.position == first
