"""Exports: a range of the journal that anybody can verify with the venue's public key and without this package."""

import hashlib
import io
import json
import os
import runpy
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from croupier.cli.main import run
from croupier.engine.journal_reader import JournalReader, export, prove_entry
from croupier.house.play.betting import BetsChanged
from croupier.journal import verify
from croupier.journal.checkpoints import Signer
from croupier.journal.entry import Cause, Page
from croupier.journal.export import export_range
from croupier.journal.keystore import KeyStore
from croupier.journal.pages import merkle_tree
from croupier.journal.stores.sqlite import SqliteStore
from croupier.journal.verify import WrongError
from croupier.operations.control import Exported
from croupier.operations.maintenance import export_copy, find_part
from tests.conftest import Ask
from tests.support.bundles import bundle_of, members_of
from tests.support.maintenance import StubMaintenance, running
from tests.support.tampering import Scene, damage_page, flipped, scene
from tests.support.venue_on_disk import Site


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A venue's files at four moments, two rounds to an epoch."""
    return scene(tmp_path_factory.mktemp("scene"), rounds=2)


@pytest.fixture
def site(shared_scene: Scene) -> Site:
    """The venue as it was stopped last: to be read only."""
    return shared_scene.stopped


def exported(site: Site, out: Path) -> bytes:
    """Export the whole journal of a site."""
    signer = KeyStore(site.safe).signer()
    with closing(SqliteStore(site.journal, writing=False)) as store, out.open("wb") as file:
        part = export_range(store, signer.verifier, 1, None)
        assert part is not None
        export(store, signer, part, file)
    return out.read_bytes()


def test_whole_journal_is_exported(site: Site, tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless it is told otherwise an export goes from the first entry to the last signed, and is the same each time."""
    whole = ask("audit", "--data", site.data)[1]
    code, answer = ask("export", "--data", site.data, "--out", tmp_path / "all.zip")

    assert (code, answer["first"], answer["last"]) == (0, 1, whole["signed_to"])
    assert answer["checkpoints"] == whole["checkpoints"]
    assert (tmp_path / "all.zip").read_bytes() == exported(site, tmp_path / "again.zip")
    assert run(["export", "--data", str(site.data), "--out", str(tmp_path / "b.zip")]) == 0
    said = capsys.readouterr().out
    # As wide as the screen, so that a long path may stand on a line of its own.
    assert "".join(said.split()) == f"Entries1to{answer['last']}arein{tmp_path / 'b.zip'},withverify.py."


def test_part_is_made_longer_from_signature_to_signature(
    site: Site, tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    """A part that neither begins after a signature nor ends at one is made longer, and that is said."""
    ends = sorted({each["position"] for each in statements(exported(site, tmp_path / "all.zip"))})
    first, last = ends[1] + 3, ends[2] - 1
    out = tmp_path / "part.zip"
    code, answer = ask("export", "--data", site.data, "--out", out, "--from", first, "--to", last)

    assert (code, answer["first"], answer["last"]) == (0, ends[1] + 1, ends[2])
    out.unlink()
    run(["export", "--data", str(site.data), "--out", str(out), "--from", str(first), "--to", str(last)])
    said = capsys.readouterr().out.replace("\n", " ")
    assert f"Entries {ends[1] + 1} to {ends[2]} (extended from {first} to {last}, from signature to signature)" in said
    assert verify.main([str(out), "--key", str(site.safe / "public.pem")]) == 0
    assert f"entries {ends[1] + 1} to {ends[2]}," in capsys.readouterr().out


def statements(bundle: bytes) -> list[dict[str, Any]]:
    proof = json.loads(members_of(bundle)["proof.json"])
    return [json.loads(each["body"]) for each in proof["checkpoints"]]


def test_what_is_not_signed_is_not_exported(shared_scene: Scene, tmp_path: Path, ask: Ask) -> None:
    """Entries after the last signature cannot be exported yet: the answer says how far it goes."""
    signed_to = ask("audit", "--data", shared_scene.killed.data)[1]["signed_to"]
    for options in (["--to", signed_to + 1], ["--from", signed_to + 1]):
        code, answer = ask("export", "--data", shared_scene.killed.data, "--out", tmp_path / "part.zip", *options)

        assert (code, answer["refusal"]["code"]) == (2, "nothing_there")
        assert answer["refusal"]["facts"] == {"signed_to": signed_to}
    assert list(tmp_path.iterdir()) == []


def test_part_that_ends_before_it_begins_is_refused(site: Site, tmp_path: Path, ask: Ask) -> None:
    """A part must not end before it begins."""
    code, answer = ask("export", "--data", site.data, "--out", tmp_path / "x", "--from", 9, "--to", 8)

    assert (code, answer["refusal"]["says"]) == (2, "Invalid value for '--to': 8 is before 9.")


def test_nothing_is_written_over(site: Site, tmp_path: Path, ask: Ask) -> None:
    """A file that is there is not written over, and one that cannot be written is told of."""
    (tmp_path / "there").write_text("mine")
    code, answer = ask("export", "--data", site.data, "--out", tmp_path / "there")
    assert (code, "File exists" in answer["refusal"]["says"]) == (2, True)
    assert (tmp_path / "there").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    code, answer = ask("export", "--data", site.data, "--out", tmp_path / "none" / "x")
    assert (code, "No such file or directory" in answer["refusal"]["says"]) == (2, True)


class Exporting(StubMaintenance):
    """A maintenance service of a running system, which exports from a copy of its journal."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site

    async def export(self, first: int, last: int | None) -> Exported:
        await super().export(first, last)
        signer = KeyStore(self.site.safe).signer()
        part = find_part(self.site.data, signer.verifier, first, last, lambda _: None)
        return export_copy(self.site.data, self.site.data, signer, part)


def test_running_system_exports(shared_scene: Scene, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a system runs on the journal it makes the export, and the command fetches it to where it was wanted."""
    monkeypatch.chdir(tmp_path)
    site = shared_scene.stopped.copied(tmp_path / "site")
    (tmp_path / "there").write_text("mine")
    with running(KeyStore(site.safe), lambda: Exporting(site)):
        code, answer = ask("export", "--data", site.data, "--out", "part.zip", "--from", 3, "--to", 9)
        refused = ask("export", "--data", site.data, "--out", "there")[1]["refusal"]["says"]

    assert (code, answer["file"], answer["first"] <= 3, answer["last"] >= 9) == (0, "part.zip", True, True)
    found = verify.verify(tmp_path / "part.zip", (site.safe / "public.pem").read_bytes())
    assert found.startswith(f"Whole: entries {answer['first']} to {answer['last']}")
    assert ("File exists" in refused, (tmp_path / "there").read_text()) == (True, "mine")
    assert list((site.data / "exported").iterdir()) == []


def test_running_system_declines_what_it_cannot_export(shared_scene: Scene, tmp_path: Path, ask: Ask) -> None:
    """Entries that are not there, and a copy that is not what was written, are declined, and nothing is left."""
    site = shared_scene.stopped.copied(tmp_path / "site")
    with running(KeyStore(site.safe), lambda: Exporting(site)):
        missing = ask("export", "--data", site.data, "--out", tmp_path / "x", "--from", 100_000)[1]["refusal"]["says"]
        damage_page(site, 3)
        damaged = ask("export", "--data", site.data, "--out", tmp_path / "x")[1]["refusal"]["says"]

    assert missing == "The request failed: the journal has no entry 100000."
    assert damaged.startswith("The request failed: the copy of the journal is not what was written: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site"]


def test_damaged_journal_is_not_exported(shared_scene: Scene, tmp_path: Path, ask: Ask) -> None:
    """A part of a journal that is not what was written is not exported, and no half of it is left."""
    site = shared_scene.stopped.copied(tmp_path / "site")
    first = damage_page(site, 3)
    code, answer = ask("export", "--data", site.data, "--out", tmp_path / "out.zip")

    assert (code, answer["position"]) == (1, first)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


# The verifier


def alone(folder: Path) -> tuple[Path, dict[str, str]]:
    """Make a place where Python finds cryptography and what that leans on, and nothing else."""
    for name in ("cryptography", "cffi", "_cffi_backend", "pycparser"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        source = origin.parent if spec.submodule_search_locations else origin
        (folder / source.name).symlink_to(source)
    code = f"import sys; sys.path[:0] = [{str(folder)!r}]; sys.argv = sys.argv[1:]; "
    code += "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
    (folder / "start.py").write_text(code)
    return folder / "start.py", {"PATH": os.defpath}


def test_bundle_is_verified_without_this_software(site: Site, tmp_path: Path) -> None:
    """The verifier in a bundle runs where there is no Croupier: it passes the bundle, and finds one missing line."""
    bundle = tmp_path / "all.zip"
    members = members_of(exported(site, bundle))
    (tmp_path / "site").mkdir()
    start, environment = alone(tmp_path / "site")
    python = Path(sys.base_prefix) / "bin" / "python3"

    def requested(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(python), "-I", "-S", str(start), *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    (tmp_path / "try.py").write_text("import croupier")
    assert "No module named 'croupier'" in requested(tmp_path / "try.py").stderr
    (tmp_path / "verify.py").write_bytes(members["verify.py"])
    key = site.safe / "public.pem"
    passed = requested(tmp_path / "verify.py", bundle, "--key", key)
    assert (passed.returncode, passed.stderr) == (0, "")
    assert passed.stdout.startswith("Whole: entries 1 to ")
    written = requested(tmp_path / "verify.py", bundle, "--key", key, "--entries", tmp_path / "entries.jsonl")
    assert (written.returncode, written.stderr) == (0, "")
    assert lines_of(tmp_path / "entries.jsonl") == entries_of(site)
    lines = members["pages.txt"].splitlines(keepends=True)
    bundle.write_bytes(bundle_of({**members, "pages.txt": b"".join(lines[:2] + lines[3:])}).getvalue())
    failed = requested(tmp_path / "verify.py", bundle, "--key", key)
    assert (failed.returncode, failed.stderr) == (1, "")
    assert failed.stdout.endswith(": page 3 differs from what was written, or is not in its place\n")
    assert failed.stdout.startswith(f"WRONG: entry {page_of(site, 3).first}: ")


def page_of(site: Site, number: int) -> Page:
    with closing(SqliteStore(site.journal, writing=False)) as store:
        page = store.page(number)
    assert page is not None
    return page


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def entries_of(site: Site) -> list[Any]:
    """Read all signed entries with the package, as JSON has them."""
    with closing(SqliteStore(site.journal, writing=False)) as store:
        read = [each for page in JournalReader(store) for each in page.entries]
    entries: list[Any] = json.loads(
        json.dumps([{**msgspec.to_builtins(each), "cause": each.cause and written(each.cause)} for each in read])
    )
    return entries


def written(cause: Cause) -> list[object]:
    return [[cause.key.epoch, cause.key.number], cause.request_digest.hex()]


def test_key_of_the_bundle_alone_is_warned_about(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a key from the venue the verifier warns that the bundle vouches for itself."""
    exported(site, tmp_path / "all.zip")

    assert verify.main([str(tmp_path / "all.zip")]) == 0
    assert "WARNING: the key is the bundle's own." in capsys.readouterr().out


def test_other_key_in_a_bundle_is_found(site: Site, tmp_path: Path) -> None:
    """A key that somebody put into a bundle did not sign it."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    members["public.pem"] = Signer.new().verifier.pem

    with pytest.raises(WrongError, match="is not the venue's"):
        verify.verify(bundle_of(members))
    with pytest.raises(WrongError, match=r"public\.pem is not what was exported"):
        verify.verify(bundle_of(members), (site.safe / "public.pem").read_bytes())


def test_key_in_other_words_is_the_same_key(site: Site, tmp_path: Path) -> None:
    """The key that is given may be written otherwise than the bundle's: what counts is the key."""
    members = members_of(exported(site, tmp_path / "all.zip"))

    assert verify.verify(bundle_of(members), members["public.pem"].replace(b"\n", b"\r\n")).startswith("Whole")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"public.pem": b"nonsense"}, "the public key cannot be read"),
        ({"public.pem": None}, "the public key is not an Ed25519 key"),
        ({"proof.json": b"{"}, "proof.json cannot be read"),
        ({"proof.json": b"[]"}, "proof.json cannot be read"),
        ({"proof.json": b'{"before": null, "checkpoints": []}'}, "proof.json cannot be read"),
        ({"more": b""}, "the bundle holds README.txt, more, pages.txt, proof.json"),
        ({"README.txt": b""}, "README.txt is not what was exported"),
        ({"verify.py": b""}, "verify.py is not what was exported"),
        ({"pages.txt": b""}, "entry 1: the pages end before checkpoint 1"),
        ({"pages.txt": b"0" * 64 + b" !\n"}, "entry 1: page 1 differs from what was written, or is not in its place"),
        ({"pages.txt": b"nothing\n"}, "entry 1: page 1 differs from what was written, or is not in its place"),
    ],
)
def test_wrong_member_is_reported(site: Site, tmp_path: Path, change: dict[str, bytes | None], says: str) -> None:
    """Each member that is not as it was exported is told of in its own words."""
    other = generate_private_key(SECP256R1()).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    members = members_of(exported(site, tmp_path / "all.zip"))
    members |= {name: other if content is None else content for name, content in change.items()}

    with pytest.raises(WrongError, match=says):
        verify.verify(bundle_of(members))


def proof_of(members: dict[str, bytes]) -> Any:  # noqa: ANN401 - JSON
    return json.loads(members["proof.json"])


def with_proof(members: dict[str, bytes], proof: object) -> io.BytesIO:
    return bundle_of({**members, "proof.json": verify.canonical(proof)})


def test_proof_in_other_words_is_not_the_proof(site: Site, tmp_path: Path) -> None:
    """A proof that says the same otherwise, or 1 as true, is not as it was written."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    proof = proof_of(members)
    for changed in ({**proof, "first": True}, {**proof, "last": 5}, {**proof, "more": 1}, {**proof, "form": "other"}):
        with pytest.raises(WrongError, match="not as it was written"):
            verify.verify(with_proof(members, changed))
    with pytest.raises(WrongError, match="not as it was written"):
        verify.verify(bundle_of({**members, "proof.json": members["proof.json"].replace(b"\n ", b"\n  ", 1)}))


def test_missing_checkpoint_is_missed(site: Site, tmp_path: Path) -> None:
    """The checkpoints of a bundle are counted without gaps."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    proof = proof_of(members)
    del proof["checkpoints"][1]

    with pytest.raises(WrongError, match="a checkpoint is missing"):
        verify.verify(with_proof(members, proof))


def test_signature_in_other_letters_is_not_as_written(site: Site, tmp_path: Path) -> None:
    """A signature is written in one way only."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    proof = proof_of(members)
    proof["checkpoints"][0]["signature"] = proof["checkpoints"][0]["signature"].upper()

    with pytest.raises(WrongError, match="a checkpoint is not as it was written"):
        verify.verify(with_proof(members, proof))


ROW = [0, 0, 0, "system", None, {"type": "x.1"}]


def body_of(number: int, first: int, epoch: int = 2, rows: int = 1) -> bytes:
    """Encode a page that says no more than it has to."""
    return msgspec.msgpack.encode([2, number, epoch, first, 5, [[20261115, "", b""]], [], [ROW] * rows])


def signed_anew(members: dict[str, bytes], signer: Signer, bodies: list[bytes], last: int) -> io.BytesIO:
    """Bind and sign other pages with one's own key, as the house never would."""
    head, heads, bound = bytes(32), [], []
    for body in bodies:
        head = hashlib.sha256(head + body).digest()
        heads.append(head)
        bound.append(head.hex().encode() + b" " + b64encode(body) + b"\n")
    members = {**members, "pages.txt": b"".join(bound), "public.pem": signer.verifier.pem}
    said = {"number": 1, "position": last, "page": len(bodies), "epoch": 2, "head": head.hex()}
    text = json.dumps({**said, "pages": len(bodies), "root": merkle_tree(heads).root.hex(), "at": 0})
    stated = {"body": text, "signature": signer.sign(verify.PREFIX + text.encode()).hex()}
    digests = {name: hashlib.sha256(members[name]).hexdigest() for name in verify.COVERED}
    parts = (verify.FORM, 1, last, None, [stated], digests)
    proof = dict(zip(verify.PARTS, parts, strict=True))
    signature = signer.sign(verify.BUNDLE + verify.canonical(proof)).hex().encode() + b"\n"
    return with_proof({**members, "proof.sig": signature}, proof)


@pytest.mark.parametrize(
    ("bodies", "says"),
    [
        ([body_of(1, 1), body_of(2, 3)], "entry 2: page 2 says that it is page 2 of epoch 2, which ends with entry 3"),
        ([body_of(1, 1), body_of(3, 2)], "entry 2: page 2 says that it is page 3 of epoch 2"),
        ([body_of(1, 1), body_of(2, 2, 1)], "entry 2: page 2 says that it is page 2 of epoch 1"),
        ([body_of(1, 1, 1)], "entry 1: checkpoint 1 was signed over another journal"),
        ([body_of(1, 1, rows=0)], "entry 1: page 1 cannot be read"),
        ([msgspec.msgpack.encode([3, 1, 2, 1, 5, [], [], []])], "entry 1: page 1 has a format that this program"),
        ([msgspec.msgpack.encode([2, "1", 2, 1, 5, [[1, "", b""]], [], [ROW]])], "entry 1: page 1 cannot be read"),
        ([msgspec.msgpack.encode([2, 1, 2, 1, 5, [], [], [ROW]])], "entry 1: page 1 cannot be read: IndexError"),
        ([msgspec.msgpack.encode([2])], "entry 1: page 1 cannot be read: ValueError"),
        ([body_of(1, 1) + b"\0"], "entry 1: page 1 cannot be read: ValueError: there are bytes after the end"),
        ([body_of(1, 1)[:-1]], "entry 1: page 1 cannot be read: ValueError: it ends too early"),
        ([b"\xc1"], "entry 1: page 1 cannot be read: ValueError: no page has a value that begins with 0xc1"),
        ([b"\x92" * 3_000], "entry 1: page 1 cannot be read: RecursionError"),
    ],
)
def test_signed_pages_must_make_sense(site: Site, tmp_path: Path, bodies: list[bytes], says: str) -> None:
    """Even under a good signature pages are read and counted, and their epochs never go back."""
    members = members_of(exported(site, tmp_path / "all.zip"))

    with pytest.raises(WrongError, match=says):
        verify.verify(signed_anew(members, Signer.new(), bodies, len(bodies)))


def test_other_tree_is_found(site: Site, tmp_path: Path) -> None:
    """A checkpoint whose tree is not that of the pages is wrong, though the digest of the chain is right."""
    members, signer = members_of(exported(site, tmp_path / "all.zip")), Signer.new()
    good = members_of(signed_anew(members, signer, [body_of(1, 1)], 1).getvalue())
    said = statements(bundle_of(good).getvalue())[0]
    for otherwise in ({"pages": 2}, {"root": "00" * 32}):
        body = json.dumps({**said, **otherwise})
        proof = proof_of(good)
        proof["checkpoints"] = [{"body": body, "signature": signer.sign(verify.PREFIX + body.encode()).hex()}]

        with pytest.raises(WrongError, match="entry 1: checkpoint 1 was signed over another journal"):
            verify.verify(with_proof(good, proof))


def test_pages_after_the_last_signature_are_not_vouched_for(site: Site, tmp_path: Path) -> None:
    """A page more than the signatures cover is found, though it is well bound."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    signer = Signer.new()
    good = signed_anew(members, signer, [body_of(1, 1)], 1)
    assert verify.verify(good).startswith("Whole: entries 1 to 1, signed to the last by 1 checkpoint.")
    bound = members_of(good.getvalue())
    head = bytes.fromhex(bound["pages.txt"][:64].decode())
    body = body_of(2, 2)
    bound["pages.txt"] += hashlib.sha256(head + body).hexdigest().encode() + b" " + b64encode(body) + b"\n"

    with pytest.raises(WrongError, match="entry 2: no signature covers it"):
        verify.verify(bundle_of(bound))


def test_given_key_must_be_the_bundles(site: Site, tmp_path: Path) -> None:
    """A key that is given and is not the bundle's own is told of, where the signatures are by the given one."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    signer = Signer.new()
    made = members_of(signed_anew(members, signer, [body_of(1, 1)], 1).getvalue())
    other = Signer.new().verifier.pem
    proof = proof_of(made)
    proof["digests"]["public.pem"] = hashlib.sha256(other).hexdigest()

    with pytest.raises(WrongError, match="the bundle's key is not the one that was given"):
        verify.verify(with_proof({**made, "public.pem": other}, proof), signer.verifier.pem)


@pytest.mark.parametrize("signature", [b"", b"00\n", b"zz\n", b"\xff", bytes(64)])
def test_proof_must_be_signed_by_the_venue(site: Site, tmp_path: Path, signature: bytes) -> None:
    """A bundle whose proof is not under the venue's signature is wrong, whatever is in the signature's place."""
    members = members_of(exported(site, tmp_path / "all.zip"))

    with pytest.raises(WrongError, match=r"proof\.json is not signed by the venue"):
        verify.verify(bundle_of({**members, "proof.sig": signature}))


@pytest.mark.parametrize("change", [bytes.upper, bytes.strip, lambda text: b" " + text])
def test_signature_has_one_form(site: Site, tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    """The same signature written otherwise is not what was exported."""
    members = members_of(exported(site, tmp_path / "all.zip"))

    with pytest.raises(WrongError, match=r"proof\.sig is not as it was written"):
        verify.verify(bundle_of({**members, "proof.sig": change(members["proof.sig"])}))


@pytest.mark.parametrize(
    "said", [{"head": "00"}, {"position": "1"}, {"epoch": None}, {"number": 1.0}, {"root": ""}, {"pages": True}]
)
def test_checkpoint_must_say_something(site: Site, tmp_path: Path, said: dict[str, object]) -> None:
    """A checkpoint that names no numbers and no digest is wrong before anything is held against it."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    proof = proof_of(members)
    stated = json.loads(proof["checkpoints"][-1]["body"]) | said
    proof["checkpoints"][-1]["body"] = json.dumps(stated)

    with pytest.raises(WrongError, match="states nothing that can be verified against pages"):
        verify.verify(with_proof(members, proof))


def test_member_that_is_far_too_large_is_not_read(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What would fill the memory of whoever verifies is refused before it is read."""
    bundle = exported(site, tmp_path / "all.zip")
    monkeypatch.setattr(verify, "BYTES_MAX", 100)

    with pytest.raises(WrongError, match="is larger than it ever is"):
        verify.verify(io.BytesIO(bundle))


def test_page_that_is_far_too_long_is_not_read(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of pages is read up to the limit, however long it is: a small bundle may hold one of many gigabytes."""
    members = members_of(exported(site, tmp_path / "all.zip"))
    most = max(len(content) for name, content in members.items() if name != verify.PAGES)
    monkeypatch.setattr(verify, "BYTES_MAX", most)
    members[verify.PAGES] = b"0" * (most + 1)

    with pytest.raises(WrongError, match=f"has a line of more than {most} bytes"):
        verify.verify(with_proof(members, proof_of(members)))


def test_what_is_no_bundle_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is no bundle is wrong, and one that is not there cannot be read."""
    (tmp_path / "x").write_bytes(b"no bundle")

    assert verify.main([str(tmp_path / "x")]) == 1
    assert verify.main([str(tmp_path / "none")]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "WRONG: the bundle cannot be read: File is not a zip file",
        f"{tmp_path / 'none'} cannot be read or written: No such file or directory.",
    ]


def test_verifier_runs_as_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started as a program it leaves with its exit code."""
    monkeypatch.setattr(sys, "argv", ["verify.py", str(tmp_path / "none")])

    with pytest.raises(SystemExit) as left:
        runpy.run_path(str(Path(verify.__file__)), run_name="__main__")
    assert left.value.code == 2


# MessagePack

NUMBERS = [number + more for number in (0, *(1 << bit for bit in range(64))) for more in (-1, 0, 1)]
VALUES = [
    *(number for number in NUMBERS if number < 2**64),
    *(-number for number in NUMBERS if number <= 2**63),
    *("é" * size for size in (0, 1, 15, 16, 127, 128, 40_000)),
    *(bytes(size) for size in (0, 1, 255, 256, 65_535, 65_536)),
    *([None] * size for size in (0, 15, 16, 65_535, 65_536)),
    *({str(key): key for key in range(size)} for size in (0, 15, 16, 70_000)),
    [True, False, None, {"a": [b"", {}]}],
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__} {str(value)[:20]}")
def test_every_value_is_unpacked(value: object) -> None:
    """The verifier's own reader reads what the journal's encoder writes, at every border between two forms."""
    unpacked = verify.unpack(msgspec.msgpack.encode(value))

    assert unpacked == value
    assert type(unpacked) is type(value)


@pytest.mark.parametrize(
    "body",
    [
        b"\xcc\x7f",
        b"\xcd\x00\xff",
        b"\xce\x00\x00\xff\xff",
        b"\xcf" + bytes(4) + b"\xff" * 4,
        b"\xd0\xe0",
        b"\xd0\x01",
        b"\xd1\xff\x80",
        b"\xd2\xff\xff\x80\x00",
        b"\xd3" + b"\xff" * 4 + b"\x80\x00\x00\x00",
        b"\xd9\x01a",
        b"\xda\x00\x01a",
        b"\xc5\x00\x01a",
        b"\xdc\x00\x00",
        b"\xde\x00\x00",
        b"\x82\xa1a\x01\xa1a\x02",
        b"\xa1\xff",
        b"\xcb" + bytes(8),
        b"\xd4\x00\x00",
        b"",
        b"\x00\x00",
    ],
)
def test_other_forms_are_not_unpacked(body: bytes) -> None:
    """A value in a longer form, a key twice, text that is none, and kinds that no page has are refused."""
    with pytest.raises(ValueError, match=r".+"):
        verify.unpack(body)


def test_row_of_bets_has_the_type_of_its_event() -> None:
    """The verifier gives a row of bets the type that the journal's own events have."""
    assert BetsChanged.__struct_config__.tag == verify.BETS_CHANGED


# The proof of one entry


@pytest.fixture(scope="module")
def proofs(shared_scene: Scene) -> dict[int, bytes]:
    """The proof of every signed entry."""
    verifier = KeyStore(shared_scene.stopped.safe).verifier()
    with closing(SqliteStore(shared_scene.stopped.journal, writing=False)) as store:
        last = store.last()
        assert last is not None
        made = {position: prove_entry(store, verifier, position) for position in range(1, last.last + 1)}
        assert prove_entry(store, verifier, last.last + 1) is None
    assert None not in made.values()
    return {position: proof for position, proof in made.items() if proof is not None}


def test_every_entry_is_proven_by_itself(site: Site, proofs: dict[int, bytes]) -> None:
    """Each signed entry has a proof of its own, with a path that is as short as the tree is high."""
    key, entries = (site.safe / "public.pem").read_bytes(), entries_of(site)
    for position, proof in proofs.items():
        found = verify.verify_entry(proof, key)
        assert found.startswith(f"Whole: entry {position} on page ")
        assert json.loads(found.partition("\n")[2]) == entries[position - 1]
        pages = json.loads(json.loads(proof)["checkpoint"]["body"])["pages"]
        assert len(json.loads(proof)["path"]) <= (pages - 1).bit_length()
    assert any(len(json.loads(proof)["path"]) > 2 for proof in proofs.values())


def test_proof_of_an_entry_cannot_be_changed(site: Site, proofs: dict[int, bytes]) -> None:
    """A proof with any part changed, of another entry, or under another key proves nothing."""
    key, chance = (site.safe / "public.pem").read_bytes(), Random(1)  # noqa: S311 - the same again
    proof = proofs[30]
    for _ in range(300):
        with pytest.raises(WrongError):
            verify.verify_entry(flipped(chance, proof), key)
    read, other = json.loads(proof), json.loads(proofs[max(proofs)])
    for part in ("position", "before", "page", "path", "checkpoint"):
        with pytest.raises(WrongError):
            verify.verify_entry(verify.canonical({**read, part: other[part]}), key)
    for path in (read["path"][:-1], [*read["path"], "00" * 32], read["path"][::-1]):
        with pytest.raises(WrongError, match="it is not what checkpoint"):
            verify.verify_entry(verify.canonical({**read, "path": path}), key)
    with pytest.raises(WrongError, match="is not the venue's"):
        verify.verify_entry(proof, Signer.new().verifier.pem)
    with pytest.raises(WrongError, match="has no key of its own"):
        verify.verify_entry(proof, None)
    with pytest.raises(WrongError, match="the proof is not as it was written"):
        verify.verify_entry(proof.replace(b"\n ", b"\n  ", 1), key)
    for nonsense in (b"{", b"{}", b"[]"):
        with pytest.raises(WrongError, match="the proof cannot be read"):
            verify.verify_entry(nonsense, key)


def test_entry_is_exported_and_verified(
    site: Site, tmp_path: Path, ask: Ask, proofs: dict[int, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """The command writes the proof of one entry, which the verifier reads as a file."""
    out = tmp_path / "entry.json"
    code, answer = ask("export", "--data", site.data, "--entry", 30, "--out", out)

    assert (code, answer) == (0, {"file": str(out), "entry": 30})
    assert out.read_bytes() == proofs[30]
    assert verify.main([str(out), "--key", str(site.safe / "public.pem")]) == 0
    assert capsys.readouterr().out.startswith("Whole: entry 30 on page ")
    assert verify.main([str(out)]) == 1
    assert "use --key" in capsys.readouterr().out
    out.unlink()
    assert run(["export", "--data", str(site.data), "--entry", "30", "--out", str(out)]) == 0
    assert "The proof of entry 30 is in" in capsys.readouterr().out


def test_entry_that_is_not_signed_is_not_proven(shared_scene: Scene, tmp_path: Path, ask: Ask) -> None:
    """An entry after the last signature has no proof yet, and one option does not go with the other."""
    signed_to = ask("audit", "--data", shared_scene.killed.data)[1]["signed_to"]
    code, answer = ask("export", "--data", shared_scene.killed.data, "--out", tmp_path / "x", "--entry", signed_to + 1)
    assert (code, answer["refusal"]["facts"]) == (2, {"signed_to": signed_to})
    code, answer = ask("export", "--data", shared_scene.killed.data, "--out", tmp_path / "x", "--entry", 1, "--to", 3)
    assert (code, "'--entry'" in answer["refusal"]["says"]) == (2, True)
    (tmp_path / "there").write_text("mine")
    code, answer = ask("export", "--data", shared_scene.killed.data, "--out", tmp_path / "there", "--entry", 1)
    assert (code, "File exists" in answer["refusal"]["says"]) == (2, True)


def test_entries_are_not_written_over(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file for the entries must not be there yet."""
    exported(site, tmp_path / "all.zip")
    (tmp_path / "there").write_text("mine")

    assert verify.main([str(tmp_path / "all.zip"), "--entries", str(tmp_path / "new")]) == 0
    assert lines_of(tmp_path / "new") == entries_of(site)
    assert verify.main([str(tmp_path / "all.zip"), "--entries", str(tmp_path / "there")]) == 2
    assert "there cannot be read or written: File exists." in capsys.readouterr().out
    assert (tmp_path / "there").read_text() == "mine"
