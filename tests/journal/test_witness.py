"""Witnessed heads: what is sent off the host, and a journal that the holder of the keys has rewritten."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier.config.fields import WITNESS
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalCorrupt
from croupier.journal.keystore import KeyStore, check_witnessed, encode_heads, read_heads
from croupier.journal.stores.sqlite import SqliteStore
from croupier.operations.control import OperationsFault
from croupier.operations.maintenance import send
from croupier.rulebooks.schema import SchemaError
from tests.conftest import Ask
from tests.support.connections import VENUE, TestHouse, open_house, played
from tests.support.tampering import Scene, rewrite_with_the_key, scene
from tests.support.venue_on_disk import Site


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return scene(tmp_path_factory.mktemp("scene"), rounds=2)


def heads_of(site: Site) -> bytes:
    """What a witness has of a journal: all that was signed."""
    with closing(SqliteStore(site.journal, writing=False)) as store:
        return encode_heads(reversed(list(store.checkpoints())))


def test_audit_passes_a_journal_that_has_every_head(shared_scene: Scene, tmp_path: Path, ask: Ask) -> None:
    """A journal that goes on from what was witnessed is whole, and how far the witness goes is said."""
    path = tmp_path / "heads.jsonl"
    path.write_bytes(heads_of(shared_scene.later))
    code, answer = ask("audit", "--data", shared_scene.stopped.data, "--witness", path)
    lines = path.read_bytes().splitlines()

    assert (code, answer["witnessed"]["heads"]) == (0, len(lines))
    assert 0 < answer["witnessed"]["to"] < answer["entries"]
    assert ask("audit", "--data", shared_scene.stopped.data)[1]["witnessed"] is None


def test_journal_that_the_holder_of_the_keys_has_rewritten_is_found(
    shared_scene: Scene, tmp_path: Path, ask: Ask
) -> None:
    """A past that was rewritten with the venue's own key passes every check on the host, and not the witness."""
    site = shared_scene.stopped.copied(tmp_path / "site")
    path = tmp_path / "heads.jsonl"
    path.write_bytes(heads_of(shared_scene.later))
    rewrite_with_the_key(site)

    assert ask("audit", "--data", site.data)[0] == 0
    code, answer = ask("audit", "--data", site.data, "--witness", path)
    assert (code, answer["says"].endswith("the past was rewritten")) == (1, True)


def test_older_copy_with_its_safe_is_found(shared_scene: Scene, tmp_path: Path, ask: Ask) -> None:
    """The data and the safe put back together pass on the host; a witness has a later head."""
    path = tmp_path / "heads.jsonl"
    path.write_bytes(heads_of(shared_scene.stopped))

    assert ask("audit", "--data", shared_scene.early.data)[0] == 0
    code, answer = ask("audit", "--data", shared_scene.early.data, "--witness", path)
    assert (code, answer["says"].endswith("and the journal ends before it")) == (1, True)


@pytest.mark.parametrize("line", [b"{", b"{}", b'{"body":"{}","signature":"00"}', b'{"body":"","signature":"x"}'])
def test_line_that_is_no_head_is_reported(shared_scene: Scene, line: bytes) -> None:
    """A file of which a line cannot be read proves nothing, and that is said."""
    with pytest.raises(JournalCorrupt, match="cannot be read"):
        read_heads(heads_of(shared_scene.early) + line, KeyStore(shared_scene.early.safe).verifier())


def test_head_of_another_venue_is_reported(shared_scene: Scene) -> None:
    """Heads count only under the venue's signature."""
    with pytest.raises(JournalCorrupt, match="is not the venue's"):
        read_heads(heads_of(shared_scene.early), Signer.new().verifier)


def test_missing_witness_is_reported(shared_scene: Scene, tmp_path: Path, ask: Ask) -> None:
    """An audit against a file that cannot be read is no audit."""
    code, answer = ask("audit", "--data", shared_scene.early.data, "--witness", tmp_path / "none")

    assert (code, "cannot be read" in answer["says"]) == (1, True)


# where they are sent


def test_heads_are_appended_to_a_file(tmp_path: Path) -> None:
    """A file takes heads one after the other, for its owner alone; where it cannot, that is a fault."""
    path = tmp_path / "the heads.jsonl"
    witness = path.as_uri()
    send(witness, b"one\n")
    send(witness, b"two\n")

    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"one\ntwo\n", 0o600)
    with pytest.raises(OperationsFault, match="cannot be used"):
        send((tmp_path / "none" / "heads").as_uri(), b"one\n")
    with pytest.raises(OperationsFault, match="took only a part"):
        _short(path)


def _short(path: Path) -> None:
    """Append where the disk takes a part alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.write", lambda *_: 1)
        send(path.as_uri(), b"three\n")


@contextmanager
def answering(status: int) -> Iterator[tuple[str, list[bytes]]]:
    """A witness on this machine, that answers with a status; what it was sent."""
    taken: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/heads", taken
        finally:
            server.shutdown()
            thread.join()


def test_heads_are_posted_to_an_address() -> None:
    """An address is sent the heads as they are; one that does not take them, or is not there, is a fault."""
    with answering(204) as (address, taken):
        send(address, b"one\n")
    assert taken == [b"one\n"]
    with pytest.raises(OperationsFault, match="did not take the heads"):
        send(address, b"one\n")
    with answering(500) as (address, _), pytest.raises(OperationsFault, match="500"):
        send(address, b"one\n")


@pytest.mark.parametrize(
    "address", ["file:///mnt/heads.jsonl", "https://witness.example", "https://w.example:8443/a?b=c"]
)
def test_address_of_a_witness_is_taken(tmp_path: Path, address: str) -> None:
    """A file by its whole path and an address under TLS are witnesses."""
    assert WITNESS.read(address, tmp_path) == address


@pytest.mark.parametrize("address", ["heads.jsonl", "file://heads", "http://witness.example/", "https://a b", "", 7])
def test_address_that_is_no_witness_is_refused(tmp_path: Path, address: object) -> None:
    """Heads are sent nowhere in plain text, and to nothing that is no address."""
    with pytest.raises(SchemaError):
        WITNESS.read(address, tmp_path)


# a house that is open


async def passed(house: TestHouse, seconds: int) -> None:
    """Let time go by, and what the house has begun by itself come to its end."""
    await house.leap(seconds)
    await house.rest()
    while house.venue.maintenance.under_way:
        await house.rest()
        await asyncio.sleep(0)


def test_house_sends_its_heads_and_tries_again(tmp_path: Path) -> None:
    """A house sends what it has signed; while its witness is away it plays on, and later sends what was missed."""
    folder = tmp_path / "witness"
    path = folder / "heads.jsonl"

    async def scenario() -> None:
        async with open_house(tmp_path, f'witness = "{path.as_uri()}"\n{VENUE}') as house:
            maintenance, run = house.venue.maintenance, house.venue.run
            with capture_logs() as logs:
                await passed(house, 11)
            assert [each["retry_s"] for each in logs if each["event"] == "not_witnessed"] == [10]
            assert maintenance.witnessed == run.writer.checkpoints - 1
            folder.mkdir()
            await passed(house, 21)
            assert maintenance.witnessed == run.writer.checkpoints
            first = path.read_bytes()
            # A gaming day later the journal is signed for the witness, however little was written.
            await passed(house, 24 * 3600)
            await passed(house, 11)
            heads = read_heads(path.read_bytes(), run.storage.signer.verifier)
            assert path.read_bytes().startswith(first)
            assert [head.number for head in heads] == list(range(heads[0].number, maintenance.witnessed + 1))
            check_witnessed(run.storage.store, heads)
            assert heads[-1].position > heads[0].position

    played(scenario)
