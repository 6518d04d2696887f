"""The snapshot process, which follows the journal and writes the snapshots; and the server's side of it.

It has no key: it verifies with the public key, and the server signs the digest of each snapshot. It is started by the
server, and ends with it. Without it a server serves on, and its next start takes longer.
"""

import asyncio
import gc
import os
import select
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec
import structlog

from croupier.engine.follower import Follower, StateDiffersError
from croupier.engine.places import follow_store
from croupier.engine.run import Run
from croupier.engine.storage import SNAPSHOT
from croupier.house.floor.incidents import IncidentFacts, IncidentKind, RaiseAlarm
from croupier.journal.checkpoints import SnapshotError, SnapshotFile, Verifier
from croupier.journal.disk import JournalFault
from croupier.rulebooks.schema import read_canonical

#: How often the process looks for pages and for messages of the server, in seconds.
POLL_S: Final = 0.5
#: How long the server waits before it starts the process again; each time twice as long.
PAUSE_MIN_S, PAUSE_MAX_S = 1.0, 60.0
#: How long a server that stops waits for the last snapshot.
FINISH_S: Final = 10.0
#: The server comes first.
NICE: Final = 19
#: The message by which the server asks for the last snapshot.
FINISH: Final = b"finish"
_LOG = structlog.get_logger()


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of the process: exactly one of its fields is set."""

    #: The digest of a snapshot, to be signed: the signature is the answer.
    sign: str = ""
    #: The last entry in the snapshot that was written.
    saved: int = 0
    #: Why a snapshot could not be written: the next one is tried.
    failed: str = ""
    #: The books differ after this entry: the process ends.
    differs: int = 0


class SnapshotProcess:
    """Starts the process, starts it again when it has ended, and signs its snapshots."""

    def __init__(self, run: Run, data: Path, alarm: Callable[[RaiseAlarm], object]) -> None:
        self._run, self._data, self._alarm = run, data, alarm
        self.process: Process | None = None
        self._task: asyncio.Task[None] | None = None
        #: Why no snapshot is made now; empty while the process works. It was told to staff once.
        self.fault = ""
        #: How often the process was started.
        self.starts = 0
        self._finishing = self._differs = False
        self._pause = PAUSE_MIN_S

    @property
    def begun(self) -> bool:
        return self._task is not None

    @property
    def is_up(self) -> bool:
        return self.process is not None and not self.fault

    def begin(self) -> None:
        """Start the process, and watch it from now on."""
        self._task = asyncio.get_running_loop().create_task(self._watch())

    async def finish(self) -> None:
        """Let the process write the last snapshot, and end it; a server that stops does not wait for long."""
        self._finishing = True
        if self._task is None:
            return
        with suppress(OSError):
            self._say(FINISH)
        await asyncio.wait((self._task,), timeout=FINISH_S)
        self._task.cancel()
        await asyncio.wait((self._task,))

    async def _watch(self) -> None:
        while not self._differs:
            try:
                words = await self._attend()
            except OSError as error:
                words = f"the snapshot process cannot run: {error.strerror}"
            if self._finishing:
                return
            if not self._differs:
                self._failed(words)
                await asyncio.sleep(self._pause)
                self._pause = min(2 * self._pause, PAUSE_MAX_S)

    async def _attend(self) -> str:
        """Run the process once, and answer it until it ends; return how it ended."""
        key = self._run.storage.signer.verifier.text
        # No modules of the current directory, or of the home of the account, which may be that of the data.
        command = (sys.executable, "-P", "-s", "-m", __name__, str(self._data), key)
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        self.process, self.starts = process, self.starts + 1
        assert process.stdout is not None
        try:
            if self._finishing:
                self._say(FINISH)
            while line := await process.stdout.readline():
                self._hear(msgspec.json.decode(line, type=Report))
            return f"the snapshot process has ended with {await process.wait()}"
        except (ValueError, ConnectionError) as error:
            return f"the snapshot process sent what is no message: {error}"
        finally:
            self.process = None
            if process.returncode is None:
                process.kill()
                await process.wait()

    def _hear(self, report: Report) -> None:
        if report.sign:
            self._say(self._run.storage.signer.sign_snapshot(bytes.fromhex(report.sign)).hex().encode())
        elif report.saved:
            self._run.snapshot_position, self.fault, self._pause = report.saved, "", PAUSE_MIN_S
        elif report.differs:
            self._differs = True
            self.fault = f"the books after entry {report.differs} are not those that the journal gives"
            _LOG.error("books_differ", position=report.differs)
            self._alarm(RaiseAlarm(IncidentKind.BOOKS_DIFFER, "system", IncidentFacts(self.fault)))
        else:
            self._failed(report.failed)

    def _failed(self, words: str) -> None:
        """Tell staff once, until a snapshot is written again."""
        _LOG.error("snapshot_failed", words=words)
        if not self.fault:
            self._alarm(RaiseAlarm(IncidentKind.SNAPSHOT_FAILED, "system", IncidentFacts(words)))
        self.fault = words

    def _say(self, line: bytes) -> None:
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.write(line + b"\n")


class Parent:
    """The server, as its snapshot process sees it: lines on standard input and output."""

    def __init__(self, lines: int = 0, reports: int = 1) -> None:
        self._lines, self._reports, self._read = lines, reports, b""
        #: The server stops: the snapshot of the last checkpoint is the last.
        self.is_finishing = False

    def say(self, report: Report) -> None:
        os.write(self._reports, msgspec.json.encode(report) + b"\n")

    def sign(self, digest: bytes) -> bytes:
        """Have the digest of a snapshot signed."""
        self.say(Report(sign=digest.hex()))
        while (line := self._next_line()) == FINISH:
            self.is_finishing = True
        return bytes.fromhex(line.decode())

    def look(self, seconds: float = 0) -> None:
        """Read a message of the server, if there is one or one comes in time; SystemExit when the server has ended."""
        if self._read or select.select([self._lines], [], [], seconds)[0]:
            self.is_finishing = self._next_line() == FINISH

    def _next_line(self) -> bytes:
        while b"\n" not in self._read:
            read = os.read(self._lines, 4_096)
            if not read:
                raise SystemExit(0)
            self._read += read
        line, _, self._read = self._read.partition(b"\n")
        return line


def follow(data: Path, verifier: Verifier, parent: Parent) -> None:
    """Follow the journal of a data directory until the server ends."""
    with closing(follow_store(data)) as store:
        follower = Follower.of_journal(store, SnapshotFile(data.joinpath(SNAPSHOT)), verifier, read_canonical)
        saved = follower.saved
        while True:
            # What it was told before this look is in the journal.
            finishing = parent.is_finishing
            try:
                follower.follow(parent.sign, parent.look)
            except SnapshotError as error:
                parent.say(Report(failed=str(error)))
            except StateDiffersError as error:
                parent.say(Report(differs=error.position))
                return
            if follower.saved != saved:
                saved = follower.saved
                parent.say(Report(saved=saved))
            if finishing:
                return
            parent.look(0 if parent.is_finishing else POLL_S)


def main(data: str, key: str) -> None:
    """Run as the snapshot process of the server that has started it."""
    # The server says when to end: a signal to both must not keep the last snapshot from being written.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    # A service may forbid it: the snapshots are made all the same.
    with suppress(PermissionError):
        os.nice(NICE)
    # Standard output is the server's.
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    # A replay makes no garbage in cycles.
    gc.disable()
    try:
        follow(Path(data), Verifier.of_text(key), Parent())
    except JournalFault as fault:
        _LOG.error("journal_not_followed", words=str(fault))
        raise SystemExit(1) from fault


if __name__ == "__main__":
    main(*sys.argv[1:])
