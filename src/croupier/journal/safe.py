"""The safe: the venue's signing key and the journal's anchor, in a directory apart from the data."""

import fcntl
import os
from pathlib import Path
from typing import Final

from croupier.journal.anchor import CLOSED, Anchored, AnchorFile, notes
from croupier.journal.fault import JournalFault, SafeInUse
from croupier.journal.file import put, sync_directory
from croupier.journal.signature import Signer, Verifier

_SIGNING: Final = "signing.pem"
_PUBLIC: Final = "public.pem"
_ANCHOR: Final = "anchor"
#: Locked while a house runs; it says which.
_LOCK: Final = "lock"
#: The longest path, and some words.
_HOLDER_BYTES: Final = 8_192


class SafeLock:
    """An exclusive lock on a safe. It ends with `close`, and with the process however that ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Unlock the safe; doing so twice is no harm."""
        descriptor, self._descriptor = self._descriptor, CLOSED
        if descriptor != CLOSED:
            os.close(descriptor)


class Safe:
    """One venue's safe."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def beside(cls, data: Path) -> "Safe":
        """Find the safe that goes with a data directory, where nobody says otherwise: beside it, never in it."""
        return cls(data.resolve().with_name(f"{data.resolve().name}.safe"))

    def furnish(self, signer: Signer | None = None) -> None:
        """Make the safe, and put a key into it where there is none: the one that is given, or a new one."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.holds_key:
            return
        signer = signer or Signer.new()
        # Whole or not at all: a key that is lost is lost with all it has signed.
        put(self.path.joinpath(_PUBLIC), signer.verifier.pem)
        put(self.path.joinpath(_SIGNING), signer.pem)
        sync_directory(self.path.parent)

    def lock(self, data: Path) -> SafeLock:
        """Lock the safe for the house with this data; SafeInUse names the process that has it locked."""
        path = self.path.joinpath(_LOCK)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise JournalFault(f"the safe lacks {_LOCK}: {error.strerror}: {error.filename}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, _HOLDER_BYTES, 0).decode(errors="replace").strip()
            os.close(descriptor)
            words = f"the safe {self.path} is in use by {holder or 'another process'}"
            raise SafeInUse(f"{words}: one safe serves one house at a time") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}, with its data in {data.resolve()}\n".encode(), 0)
        return SafeLock(descriptor)

    @property
    def holds_key(self) -> bool:
        """Whether the signing key is here: whoever only audits may have a copy without it."""
        return self.path.joinpath(_SIGNING).exists()

    def signer(self) -> Signer:
        return Signer.read(self._content(_SIGNING))

    def verifier(self) -> Verifier:
        return Verifier.read(self._content(_PUBLIC))

    def anchor(self) -> AnchorFile:
        self._content(_PUBLIC)
        return AnchorFile(self.path.joinpath(_ANCHOR), self.signer())

    def anchored(self) -> list[Anchored | None]:
        """Read what the anchor holds, as `notes` does; nothing is made where there is none."""
        if not self.path.joinpath(_ANCHOR).exists():
            return []
        return notes(self._content(_ANCHOR), self.signer() if self.holds_key else None)

    def _content(self, name: str) -> bytes:
        try:
            return self.path.joinpath(name).read_bytes()
        except OSError as error:
            raise JournalFault(f"the safe lacks {name}: {error.strerror}: {error.filename}") from error
