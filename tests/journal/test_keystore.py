"""The key store and the clock: keys are created once and completely, and time never goes back."""

import os
import signal
import time
from pathlib import Path

import pytest

from croupier.engine.ports import SystemClock
from croupier.engine.storage import open_storage
from croupier.house.ids import SECOND, Instant
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault, KeyStoreLocked
from croupier.journal.keystore import KeyStore


def test_safe_is_beside_the_data(tmp_path: Path) -> None:
    """Where nobody says otherwise the safe stands beside the data directory and has its name."""
    assert KeyStore.default_for(tmp_path / "data").path == tmp_path / "data.keys"


@pytest.mark.parametrize("place", [".", "safe", "a/b"])
def test_safe_within_the_data_is_refused(tmp_path: Path, place: str) -> None:
    """A safe in the data directory is refused, and nothing is made: whoever copies the data would copy the keys."""
    data = tmp_path / "data"

    with pytest.raises(JournalFault, match="must not be in the data directory"):
        open_storage(data, KeyStore(data / place))
    assert list(tmp_path.iterdir()) == []


def test_key_store_is_provisioned_once(tmp_path: Path) -> None:
    """The key is made where there is none, for nobody else to read, and never made again."""
    safe = KeyStore(tmp_path / "safe")
    safe.provision()
    pem = safe.signer().pem
    safe.provision()

    assert safe.signer().pem == pem
    assert safe.verifier().accepts(safe.signer().sign(b"words"), b"words")
    assert {path.name for path in safe.path.iterdir()} == {"public.pem", "signing.pem"}
    assert safe.path.stat().st_mode & 0o777 == 0o700
    assert (safe.path / "signing.pem").stat().st_mode & 0o777 == 0o600


def test_safe_is_locked_for_one_house(tmp_path: Path) -> None:
    """A key store serves one house at a time: another gets the id of the owner, until that closes it."""
    first, second = tmp_path / "first", tmp_path / "second"
    safe = KeyStore.default_for(first)
    storage = open_storage(first, safe)
    with pytest.raises(
        KeyStoreLocked, match=f"in use by process {os.getpid()}, with its data in {first}: a key store serves"
    ):
        open_storage(second, safe)
    assert not (second / "journal.db").exists()
    storage.close()
    storage.close()

    open_storage(second, safe).close()


def test_safe_without_a_place_for_its_lock_is_not_opened(tmp_path: Path) -> None:
    """Where a safe cannot be locked, no house is opened on it."""
    with pytest.raises(JournalFault, match="the key store lacks lock: No such file or directory"):
        KeyStore(tmp_path / "none").lock(tmp_path)


def test_lock_ends_with_its_process(tmp_path: Path) -> None:
    """A house that was killed leaves no lock, though its file stays."""
    safe = KeyStore(tmp_path / "safe")
    safe.provision()
    child = os.fork()
    if child == 0:
        safe.lock(tmp_path / "data")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    assert "process" in (safe.path / "lock").read_text()
    safe.lock(tmp_path / "data").close()


def test_safe_takes_a_key_that_is_given(tmp_path: Path) -> None:
    """A key that is given is put into a safe that has none, and never in the place of another."""
    safe, signer = KeyStore(tmp_path / "safe"), Signer.new()
    safe.provision(signer)
    safe.provision(Signer.new())

    assert safe.signer().pem == signer.pem


def test_key_that_was_half_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where making the keys was cut short, at any file, the next try makes a pair that fits together."""
    safe, replace = KeyStore(tmp_path / "safe"), os.replace
    for survives in (0, 1):
        done: list[Path] = []

        def cut(source: Path, target: Path, survives: int = survives, done: list[Path] = done) -> Path:
            if len(done) == survives:
                raise OSError("the power is gone")
            done.append(target)
            replace(source, target)
            return target

        with monkeypatch.context() as within:
            within.setattr(Path, "replace", cut)
            with pytest.raises(OSError, match="the power is gone"):
                safe.provision()
        with pytest.raises(JournalFault, match="the key store lacks signing"):
            safe.signer()

    safe.provision()
    assert safe.verifier().accepts(safe.signer().sign(b"words"), b"words")


def test_empty_safe_lacks_everything(tmp_path: Path) -> None:
    """A safe that is not there has no key and no anchor, and none is made by looking."""
    safe = KeyStore(tmp_path / "safe")

    for look, name in ((safe.signer, "signing.pem"), (safe.verifier, "public.pem"), (safe.anchor, "public.pem")):
        with pytest.raises(JournalFault, match=f"the key store lacks {name}"):
            look()
    assert list(tmp_path.iterdir()) == []


def test_clock_goes_on_from_the_wall() -> None:
    """The clock begins with what the wall says, and goes on without ever going back."""
    before = time.time_ns() // 1_000
    clock = SystemClock(Instant(0))
    readings = [clock.now() for _ in range(1_000)]

    assert before <= readings[0] <= clock.wall() + SECOND
    assert readings == sorted(readings)


def test_clock_never_begins_before_what_was_seen() -> None:
    """A wall clock that was set back a year leaves the house's time where it was, and shows by how much."""
    seen = Instant(time.time_ns() // 1_000 + 365 * 86_400 * SECOND)
    clock = SystemClock(seen)

    assert seen <= clock.now() < seen + 60 * SECOND
    assert clock.wall() < clock.now() - 364 * 86_400 * SECOND
