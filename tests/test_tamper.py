"""Tampering is found: whatever is done to a journal, its files or an export, somebody is told of it."""

import io
import shutil
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from croupier.cli.evidence import Audited
from croupier.engine.archive import open_archive
from croupier.engine.audit import audit
from croupier.engine.handover import Handover, read_back
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.house.fingerprint import fingerprint
from croupier.journal.anchor import AnchorFile, newest_of
from croupier.journal.export import enclosing, export
from croupier.journal.fault import Damaged, JournalFault
from croupier.journal.page import Page
from croupier.journal.safe import Safe
from croupier.journal.sqlite import SqliteStore
from croupier.journal.verify import WrongError, verify
from croupier.rulebooks.canonical import read_canonical
from tests.bundles import ON_BUNDLE, bundle_of, members_of
from tests.campaign import many
from tests.tampering import (
    ON_EITHER,
    ON_KILLED,
    ON_STOPPED,
    Scene,
    Tamper,
    db_flipped,
    edited_and_rechained,
    edited_and_signed_anew,
    lower_fence,
    rolled_back,
    scene,
    snapshot_cut,
    snapshot_flipped,
)
from tests.venue_on_disk import SOFTWARE, HandClock, Nobody, Site

#: One seed for all: what failed once fails again.
SEED = 20261115


def chance(case: object) -> Random:
    return Random(f"{SEED} {case}")  # noqa: S311 - chance that comes out the same again


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A venue's files at four moments."""
    return scene(tmp_path_factory.mktemp("scene"))


def looked_at(site: Site, *, anchored: bool = True) -> str:
    """Audit a site; give what was found wrong with it, nothing where it passes without a remark."""
    safe = Safe(site.safe)
    try:
        notes = safe.anchored() if anchored else None
        newest = None if notes is None else newest_of(notes)
        with closing(SqliteStore(site.journal, writing=False)) as store:
            about = Audited(audit(store, safe.verifier(), read_canonical, newest, safe.signer()), notes)
    except JournalFault as fault:
        return str(fault)
    return "; ".join(about.report()["remarks"]) if anchored else ""


def started(site: Site) -> Handover | str:
    """Start the house on a site; give what stands, or why it did not start."""
    try:
        archive = open_archive(site.data, Safe(site.safe))
    except JournalFault as fault:
        return str(fault)
    assert isinstance(archive.anchor, AnchorFile)
    with closing(archive.store), closing(archive.anchor):
        try:
            handover = read_back(archive, read_canonical, SOFTWARE)
            stood = fingerprint(handover.house)
            Run(archive, handover, Ports(HandClock(handover.house.now), Nobody()), SOFTWARE)
        except JournalFault as fault:
            return str(fault)
    handover.ignored = handover.ignored and f"{handover.ignored} {stood}"
    return handover


def content(site: Site) -> list[object]:
    """Give all that can be read of a journal."""
    with closing(SqliteStore(site.journal, writing=False)) as store:
        return [*store.pages(), *store.checkpoints()]


def found(site: Site, state: str) -> bool:
    """Tell whether an audit or a start tells of what was done; a snapshot must be left aside for the true state."""
    if looked_at(site):
        return True
    handover = started(site)
    return isinstance(handover, str) or (bool(handover.ignored) and handover.ignored.endswith(state))


def state_of(site: Site) -> str:
    """Replay a journal from its first entry, and digest what it gives."""
    with closing(SqliteStore(site.journal, writing=False)) as store:
        return audit(store, Safe(site.safe).verifier(), read_canonical).state


def test_whole_journals_pass(kept: Scene) -> None:
    """Untouched, each of these journals passes without a remark: what is found below was done to it."""
    assert [looked_at(site) for site in kept] == ["", "", "", ""]


@pytest.mark.campaign
def test_tampering_with_files_is_found(kept: Scene, tmp_path: Path) -> None:
    """Every edit, deletion, reorder, forgery and rollback is found, but for bytes of the file that nothing reads."""
    states = {site: state_of(site) for site in (kept.killed, kept.stopped)}
    whole = content(kept.stopped)
    cases: list[tuple[Tamper, Site]] = [
        *((tamper, kept.killed) for tamper in (*ON_KILLED, *ON_EITHER)),
        *((tamper, kept.stopped) for tamper in (*ON_STOPPED, *ON_EITHER)),
    ]
    total = many(day=850, night=9_000)
    told: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    for number in range(total):
        tamper, victim = cases[number % len(cases)]
        site = victim.copied(tmp_path / "copy")
        tamper(chance(number), site, kept)
        same = tamper is db_flipped and not looked_at(site) and content(site) == whole
        if found(site, states[victim]):
            told[tamper.__name__] += 1
        else:
            assert same, f"case {number}: {tamper.__name__} went unseen"
            harmless[tamper.__name__] += 1
        shutil.rmtree(tmp_path / "copy")

    print(f"found {dict(told)}, harmless {dict(harmless)}")
    assert told.total() + harmless.total() == total
    assert set(harmless) <= {"db_flipped"}
    assert set(told) == {tamper.__name__ for tamper, _ in cases}


@pytest.fixture(scope="module")
def bundles(kept: Scene) -> list[bytes]:
    """The whole journal as an export, and a part from its middle."""
    made = []
    with closing(SqliteStore(kept.stopped.journal, writing=False)) as store:
        verifier = Safe(kept.stopped.safe).verifier()
        for first, last in ((1, None), (70, 100)):
            part, out = enclosing(store, verifier, first, last), io.BytesIO()
            assert part is not None
            export(store, verifier, part, out)
            made.append(out.getvalue())
    return made


@pytest.mark.campaign
def test_tampering_with_an_export_is_found(kept: Scene, bundles: list[bytes]) -> None:
    """Whatever is changed, dropped, added or put elsewhere in a bundle's members, the verifier tells of it."""
    total, key = many(day=150, night=1_000), Safe(kept.stopped.safe).verifier().pem
    told = 0
    for number in range(total):
        rng = chance(number)
        members = members_of(bundles[number % 2])
        ON_BUNDLE[number % len(ON_BUNDLE)](rng, members)
        with pytest.raises(WrongError):
            verify(bundle_of(members), key if number % 3 else None)
        told += 1

    assert told == total


def test_untouched_export_passes(kept: Scene, bundles: list[bytes]) -> None:
    """The same bundles pass as they are."""
    key = Safe(kept.stopped.safe).verifier().pem

    assert [verify(bundle_of(members_of(each)), key).startswith("Whole") for each in bundles] == [True, True]


def test_forger_without_the_key_is_found_without_the_anchor(kept: Scene, tmp_path: Path) -> None:
    """A journal that was edited, bound anew and signed with another key is found by its signatures alone."""
    site = kept.stopped.copied(tmp_path)
    edited_and_signed_anew(chance(1), site, kept)

    assert "is not the venue's" in looked_at(site, anchored=False)


def test_what_stands_under_no_signature_needs_the_anchor(kept: Scene, tmp_path: Path) -> None:
    """Entries after the last signature, bound anew, are found by the anchor and by nothing else."""
    site = kept.killed.copied(tmp_path)
    edited_and_rechained(chance(1), site, kept)

    assert "is not the one that had been written" in looked_at(site)


def test_older_copy_needs_the_anchor(kept: Scene, tmp_path: Path) -> None:
    """An older copy is whole in itself: only the anchor tells that it is not the last."""
    site = kept.stopped.copied(tmp_path)
    rolled_back(chance(1), site, kept)

    assert looked_at(site, anchored=False) == ""
    assert "had been written" in looked_at(site)


def test_older_snapshot_gives_the_same_state(kept: Scene, tmp_path: Path) -> None:
    """An older snapshot of the same journal is no damage: the entries since then are carried out."""
    site = kept.stopped.copied(tmp_path)
    shutil.copy(kept.early.snapshot, site.snapshot)
    handover = started(site)

    assert isinstance(handover, Handover)
    assert handover.replayed > 0
    assert not handover.ignored


@pytest.mark.parametrize("tamper", [snapshot_flipped, snapshot_cut])
def test_damaged_snapshot_is_left_aside_with_a_reason(kept: Scene, tmp_path: Path, tamper: Tamper) -> None:
    """The house starts without a snapshot that is damaged, says why, and stands as the whole journal gives it."""
    site = kept.killed.copied(tmp_path)
    tamper(chance(1), site, kept)
    handover = started(site)

    assert isinstance(handover, Handover)
    assert handover.ignored == f"its signature is not the venue's {state_of(kept.killed)}"


def test_lowered_fence_shuts_nobody_in(kept: Scene, tmp_path: Path) -> None:
    """A fence that was lowered is raised above every epoch that has written: nobody writes in a past one."""
    site = kept.stopped.copied(tmp_path)
    lower_fence(site)
    handover = started(site)

    assert isinstance(handover, Handover)
    assert [page.epoch for page in content(site) if isinstance(page, Page)][-1] == 5
    assert looked_at(site) == ""


def test_first_wrong_entry_is_named(kept: Scene, tmp_path: Path) -> None:
    """An audit names the first entry that is wrong, though a later one is wrong as well."""
    site = kept.stopped.copied(tmp_path)
    content_before = site.journal.read_bytes()
    for position in (90, 41):
        words = b'"position":%d,' % position
        assert content_before.count(words) == 1
        site.journal.write_bytes(site.journal.read_bytes().replace(words, words.replace(b"position", b"Position")))

    with (
        closing(SqliteStore(site.journal, writing=False)) as store,
        pytest.raises(Damaged, match=r"^entry 41: ") as fault,
    ):
        audit(store, Safe(site.safe).verifier(), read_canonical)

    assert fault.value.position == 41
