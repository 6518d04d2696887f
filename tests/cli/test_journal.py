"""The command line about a journal on disk: audited, exported, a round of it written down, recovered."""

import hashlib
import shutil
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.engine.storage import open_storage
from croupier.house.ids import PersonId
from croupier.journal.keystore import KeyStore
from tests.conftest import Ask
from tests.support.tampering import damage_page, scene
from tests.support.venue_on_disk import DEALER, MANAGERS, TABLE, Site, VenueOnDisk


def files_of(folder: Path) -> dict[str, tuple[str, int]]:
    """Digest every file of a folder but a safe's lock, with the time at which it was last changed."""
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if path.name != "lock"
    }


# audit


def test_audit_says_what_it_found(site: Site, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """A whole journal is told in figures: entries, pages, epochs, signatures, what is unsigned, and two digests."""
    code, answer = ask("audit", "--data", site.data)

    assert (code, answer["whole"], answer["remarks"]) == (0, True, [])
    assert (answer["entries"], answer["pages"], answer["epochs"]) == (68, 51, 2)
    assert (answer["checkpoints"], answer["signed_to"], answer["unsigned"], answer["anchored_to"]) == (2, 43, 25, 68)
    assert (len(answer["head"]), len(answer["state"])) == (64, 64)
    assert run(["audit", "--data", str(site.data)]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "Valid: every digest, signature, account and meter is correct.",
        "entries    68 on 51 pages, by 2 epochs",
        "signed to  entry 43, by 2 checkpoints",
        "unsigned   25 entries after that",
        "anchor     entry 68",
        f"head       {answer['head']}",
        f"state      {answer['state']}",
    ]


@pytest.mark.parametrize("stopped", [False, True])
def test_audit_changes_nothing(built: Site, tmp_path: Path, ask: Ask, *, stopped: bool) -> None:
    """Neither the data nor the safe is changed by a byte, with a write-ahead log left over or without one."""
    site = scene(tmp_path).stopped if stopped else built.copied(tmp_path)
    before = [files_of(each) for each in site]

    assert ask("audit", "--data", site.data)[0] == 0
    assert [files_of(each) for each in site] == before


def test_audit_with_the_key_alone_holds_no_anchor(site: Site, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """With only the public key a journal can be proven, though not that it is the last: that is said."""
    key = shutil.move(site.safe / "public.pem", site.data.parent / "public.pem")
    shutil.rmtree(site.safe)
    code, answer = ask("audit", "--data", site.data, "--key", key)

    assert (code, answer["anchored_to"]) == (0, None)
    assert answer["remarks"] == [
        "without the venue's signing key, entries that are not signed yet cannot be verified.",
        "no anchor was checked, so an older copy of this journal would pass.",
    ]
    run(["audit", "--data", str(site.data), "--key", str(key)])
    said = capsys.readouterr().out
    assert "anchor     not checked" in said
    assert "Note: no anchor was checked, so an older copy of this journal would pass." in said


def test_audit_with_key_and_safe_holds_the_anchor(site: Site, ask: Ask) -> None:
    """A key that was brought along takes the place of the safe's own, and the anchor is held all the same."""
    moved = site.safe.rename(site.data.parent / "elsewhere")
    code, answer = ask("audit", "--data", site.data, "--key-store", moved, "--key", moved / "public.pem")

    assert (code, answer["anchored_to"]) == (0, 68)


def test_damage_is_reported_by_its_first_entry(tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """The first entry that is wrong is named, with exit code 1."""
    venue = VenueOnDisk(tmp_path)
    venue.play()
    venue.stop()
    first = damage_page(venue.site, 5)
    code, answer = ask("audit", "--data", venue.site.data)

    assert (code, answer["whole"], answer["position"]) == (1, False, first)
    assert answer["says"] == "page 5 differs from what was written, or is not in its place"
    assert run(["audit", "--data", str(venue.site.data)]) == 1
    assert capsys.readouterr().out == f"Damaged at entry {first}: {answer['says']}.\n"


def test_damage_without_a_place_is_reported(site: Site, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the anchor is garbage no entry can be named, and it is damage all the same."""
    site.anchor.write_bytes(b"garbage")
    code, answer = ask("audit", "--data", site.data)

    assert (code, answer["position"]) == (1, None)
    run(["audit", "--data", str(site.data)])
    assert capsys.readouterr().out.startswith("Damaged: the anchor cannot be read")


def test_anchor_that_lags_is_remarked_on(tmp_path: Path, ask: Ask) -> None:
    """An anchor that lags as after a power cut is told of, an older one is damage, and a note cannot be read."""
    kept = scene(tmp_path, rounds=1)
    content = kept.stopped.anchor.read_bytes()
    shutil.copy(kept.later.anchor, kept.killed.anchor)
    code, answer = ask("audit", "--data", kept.killed.data)

    assert code == 0
    assert [remark[:26] for remark in answer["remarks"]] == ["the anchor stops at entry "]
    shutil.copy(kept.early.anchor, kept.stopped.anchor)
    code, answer = ask("audit", "--data", kept.stopped.data)
    assert (code, answer["says"].endswith("it is an older copy")) == (1, True)
    kept.stopped.anchor.write_bytes(content[: len(content) // 2] + bytes(len(content) // 2))
    assert "one of the anchor's records cannot be read." in ask("audit", "--data", kept.stopped.data)[1]["remarks"]


def test_journal_in_use_is_refused(tmp_path: Path, ask: Ask) -> None:
    """While a system runs on a journal nobody else looks at it, and that is said."""
    venue = VenueOnDisk(tmp_path)
    for command in ("audit", "recover"):
        code, answer = ask(command, "--data", venue.site.data)

        assert (code, answer["refusal"]["code"]) == (2, "busy")
        assert "is in use by a running server" in answer["refusal"]["says"]
    venue.stop()
    assert ask("audit", "--data", venue.site.data)[0] == 0


@pytest.mark.parametrize(
    "command",
    [["audit"], ["export", "--out", "x"], ["replay", "--round", "1"], ["recover"]],
    ids=lambda words: words[0],
)
def test_missing_journal_is_refused_and_not_made(tmp_path: Path, ask: Ask, command: list[str]) -> None:
    """A data directory that is not there, or holds no journal, is refused, and nothing is made."""
    code, answer = ask(*command, "--data", tmp_path / "none")

    assert (code, answer["refusal"]["code"]) == (2, "nothing_there")
    assert answer["refusal"]["says"] == f"There is no journal in {tmp_path / 'none'}."
    assert list(tmp_path.iterdir()) == []


def test_file_that_is_no_journal_is_refused(site: Site, ask: Ask) -> None:
    """Something else under the journal's name is refused."""
    site.wal.unlink()
    site.journal.write_bytes(b"not a journal at all, though long enough to be one. " * 20)
    code, answer = ask("audit", "--data", site.data)

    assert (code, answer["refusal"]["code"]) == (2, "malformed")
    assert "cannot be opened" in answer["refusal"]["says"]


def test_missing_key_is_refused(site: Site, ask: Ask) -> None:
    """Without the venue's key nothing can be proven."""
    code, answer = ask("audit", "--data", site.data, "--key", site.data / "none.pem")

    assert code == 2
    assert "none.pem cannot be read: No such file or directory" in answer["refusal"]["says"]
    shutil.rmtree(site.safe)
    assert "the key store lacks public.pem" in ask("audit", "--data", site.data)[1]["refusal"]["says"]


# replay


def test_replay_prints_a_round_that_holds(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A round is printed as a .round file: names mapped, credits as they were, and it holds when it is played."""
    assert run(["replay", "--data", str(site.data), "--round", "2"]) == 0
    said = capsys.readouterr().out

    assert said == (
        "rulebook  marina-bay-sands-2020  # round 2 of roulette 7\n"
        "venue     day 2026-11-15\n"
        "table\n"
        "seat 1    credit 1345  # terminal 71\n"
        "seat 2    credit 980  # terminal 72\n"
        "\n"
        "18:00:14  dealer   opens bets\n"
        "18:00:15  seat 1   5 on 17; 10 on 17/20\n"
        "18:00:16  seat 2   3 on black\n"
        "18:00:17  seat 2   clear\n"
        "18:00:18  seat 2   20 on red\n"
        "18:00:19  dealer   no more bets\n"
        "18:00:20  dealer   spins\n"
        "18:00:21  wheel    17 after 5 revolutions\n"
        "\n"
        "pays      seat 1   360  credit 1690\n"
        "pays      seat 2   0  credit 960\n"
        "house     -325\n"
    )
    written = tmp_path / "again.round"
    written.write_text(said)
    assert run(["round", str(written)]) == 0


def test_replay_reports_to_programs_whether_it_holds(site: Site, ask: Ask) -> None:
    """For programs the text comes with its table, its round, and whether it holds."""
    code, answer = ask("replay", "--data", site.data, "--round", 5, "--table", TABLE)

    assert (code, answer["table"], answer["round"], answer["holds"]) == (0, TABLE, 5, True)
    assert answer["text"].startswith("rulebook  marina-bay-sands-2020")


def test_replay_of_an_unknown_round_is_refused(site: Site, ask: Ask) -> None:
    """A round or a table that there was not is refused."""
    code, answer = ask("replay", "--data", site.data, "--round", 7)
    assert (code, answer["refusal"]["says"]) == (2, f"There was no round 7 at {TABLE}.")
    code, answer = ask("replay", "--data", site.data, "--round", 1, "--table", "roulette 8")
    assert (code, answer["refusal"]["says"]) == (2, f"Name one of the tables: {TABLE}.")


def test_replay_before_there_is_a_table_is_refused(tmp_path: Path, ask: Ask) -> None:
    """Where no table stands yet, there is none to name."""
    site = Site.in_(tmp_path)
    open_storage(site.data, KeyStore(site.safe)).close()
    code, answer = ask("replay", "--data", site.data, "--round", 1, "--key-store", site.safe)

    assert (code, answer["refusal"]["says"]) == (2, "Name one of the tables: there are none.")


# recover


def test_recover_decides_the_round_that_was_running(site: Site, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """The round in which the system was killed is decided by its clause, in a new epoch, and the run ends well."""
    assert run(["recover", "--data", str(site.data)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Epoch 3. The journal had 68 entries, and 26 were replayed.",
        "The snapshot at entry 42 held the earlier state.",
        "roulette 7, round 6, under marina-bay-sands-2020: the round is void, and every stake went back [5.13.1]",
    ]
    code, answer = ask("audit", "--data", site.data)
    assert (code, answer["unsigned"], answer["epochs"], answer["remarks"]) == (0, 0, 3, [])


def test_recover_explains_itself(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """With --explain each table has a block: how it was found, what was done, and the clause."""
    assert run(["recover", "--data", str(site.data), "--explain", "--key-store", str(site.safe)]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "",
        "roulette 7, round 6, under marina-bay-sands-2020",
        "  found   bets were not sealed yet (phase open)",
        "  done    the round is void, and every stake went back",
        "  clause  5.13.1",
    ]


def test_recover_answers_programs(site: Site, ask: Ask) -> None:
    """For programs: the epoch, what was read, from which snapshot, and each table as it was found."""
    code, answer = ask("recover", "--data", site.data)

    assert code == 0
    assert {key: answer[key] for key in ("epoch", "entries", "replayed", "snapshot", "ignored", "recorded")} == {
        "epoch": 3,
        "entries": 68,
        "replayed": 26,
        "snapshot": 42,
        "ignored": None,
        "recorded": 3,
    }
    assert [(each["table"], each["round"], each["state"], each["clause"]) for each in answer["tables"]] == [
        (TABLE, 6, "open", "5.13.1")
    ]
    assert len(answer["explanation"]) == 1


def test_recover_twice_loads_the_snapshot_the_second_time(site: Site, ask: Ask) -> None:
    """What one recovery wrote the next one loads, on every version of Python: nothing is replayed or rejected."""
    site.snapshot.unlink()
    _, first = ask("recover", "--data", site.data)
    code, second = ask("recover", "--data", site.data)

    assert (first["snapshot"], first["replayed"]) == (None, 68)
    assert (code, second["snapshot"], second["replayed"]) == (0, second["entries"], 0)
    assert second["ignored"] is None


def test_recover_says_why_a_snapshot_was_left_aside(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the snapshot is damaged the whole journal is carried out, and that is said."""
    site.snapshot.write_bytes(b"nothing")
    assert run(["recover", "--data", str(site.data)]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "Epoch 3. The journal had 68 entries, and 68 were replayed.",
        "Snapshot rejected (its signature is not the venue's); state rebuilt from the journal.",
    ]


def test_recover_of_a_house_that_was_never_founded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is nothing to recover, that is said."""
    site = Site.in_(tmp_path)
    open_storage(site.data, KeyStore(site.safe)).close()
    assert run(["recover", "--data", str(site.data)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Epoch 1. The journal had 0 entries, and 0 were replayed.",
        "The journal is empty: nothing was done.",
    ]


def test_damaged_journal_is_not_recovered(site: Site, ask: Ask) -> None:
    """Nothing is started on a journal that is not what was written: exit code 1, and the entry."""
    site.wal.unlink()
    code, answer = ask("recover", "--data", site.data)

    assert (code, answer["position"]) == (1, 43)
    assert "had been written" in answer["says"]


def test_older_copy_is_accepted_only_by_two_who_may(site: Site, ask: Ask) -> None:
    """Two people may have the house go on from an older copy; if they may not, it says who may and starts nothing."""
    site.wal.unlink()
    before = files_of(site.data)
    code, answer = ask("recover", "--data", site.data, "--accept-older", DEALER, PersonId("nobody"), "the disk broke")

    assert (code, answer["refusal"]["code"]) == (2, "unknown_person")
    assert answer["refusal"]["facts"]["may"] == [*MANAGERS]
    assert files_of(site.data)["journal.db"][0] == before["journal.db"][0]
    code, answer = ask("recover", "--data", site.data, "--accept-older", *MANAGERS, "the disk broke")
    assert (code, answer["epoch"], answer["entries"]) == (0, 3, 42)
    assert ask("audit", "--data", site.data)[0] == 0
