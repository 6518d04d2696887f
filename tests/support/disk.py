"""A disk in memory: SQLite writes to it, all that it does there is noted, and it fails where it is told to."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from itertools import count
from types import TracebackType
from typing import Final, NamedTuple

import apsw

SECTOR: Final = 512
_NUMBERS = count(1)


class Kind(StrEnum):
    """What was done to a file."""

    CREATE = "create"
    WRITE = "write"
    TRUNCATE = "truncate"
    SYNC = "sync"
    #: A sync that failed: what was to be synced is never tried again, as an operating system has it.
    SPOILT = "spoilt"
    DELETE = "delete"


class Op(NamedTuple):
    """One thing that was done."""

    kind: Kind
    file: str
    #: Where a write begins, or what a file is cut to.
    offset: int = 0
    data: bytes = b""


Files = dict[str, bytearray]
#: Looks at an operation before it is done, and gives the error that it meets with.
Trouble = Callable[[Op], apsw.Error | None]


class ShortWrite(apsw.IOError):
    """A write of which only the first half arrived."""


def no_trouble(_op: Op) -> None:
    """Nothing goes wrong."""


def apply(files: Files, op: Op) -> None:
    """Do one thing to files; what concerns a file that is not there does nothing."""
    if op.kind is Kind.CREATE:
        files.setdefault(op.file, bytearray())
    elif op.kind is Kind.DELETE:
        files.pop(op.file, None)
    elif op.file in files:
        _change(files[op.file], op)


def _change(content: bytearray, op: Op) -> None:
    if op.kind is Kind.WRITE:
        content.extend(bytes(max(0, op.offset - len(content))))
        content[op.offset : op.offset + len(op.data)] = op.data
    elif op.kind is Kind.TRUNCATE:
        del content[op.offset :]


class Disk(apsw.VFS):
    """Files in memory, for one process after another: whoever had it before a crash has it no more."""

    def __init__(self, files: Mapping[str, bytes | bytearray] | None = None, ops: list[Op] | None = None) -> None:
        self.name = f"disk {next(_NUMBERS)}"
        super().__init__(self.name, base="")
        self.files: Files = {name: bytearray(content) for name, content in (files or {}).items()}
        self.ops = [] if ops is None else ops
        self.trouble: Trouble = no_trouble
        #: How many bytes fit on it; None where that does not matter.
        self.room: int | None = None
        #: What SQLite could do without, and so did not raise.
        self.passed_over: list[BaseException | None] = []

    def crash(self) -> "Disk":
        """Kill the process that has it: what it wrote is there for the next, and what it still does is nowhere."""
        after = Disk(self.files, self.ops)
        after.room = self.room
        self.ops, self.room, self.trouble = [], None, no_trouble
        return after

    @property
    def used(self) -> int:
        return sum(map(len, self.files.values()))

    def do(self, op: Op) -> None:
        error = self.trouble(op) or self._full(op)
        if error is None:
            self._done(op)
        else:
            self._failed(op, error)
            raise error

    def _done(self, op: Op) -> None:
        self.ops.append(op)
        apply(self.files, op)

    def _failed(self, op: Op, error: apsw.Error) -> None:
        if isinstance(error, ShortWrite) and op.kind is Kind.WRITE:
            self._done(op._replace(data=op.data[: len(op.data) // 2]))
        elif op.kind is Kind.SYNC:
            self._done(op._replace(kind=Kind.SPOILT))

    def _full(self, op: Op) -> apsw.Error | None:
        grows = op.kind is Kind.WRITE and op.offset + len(op.data) - len(self.files[op.file])
        over = self.room is not None and grows and grows > 0 and self.used + grows > self.room
        return apsw.FullError("the disk is full") if over else None

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "apsw.VFSFile":  # noqa: N802
        assert name is not None
        path = name if isinstance(name, str) else name.filename()
        if path not in self.files:
            if not flags[0] & apsw.SQLITE_OPEN_CREATE:
                raise apsw.CantOpenError(path)
            self.do(Op(Kind.CREATE, path))
        flags[1] = flags[0]
        return DiskFile(self, path)  # type: ignore[return-value] # SQLite asks for no more than this

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802, FBT001, ARG002 - as SQLite calls it
        self.do(Op(Kind.DELETE, filename))

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802, ARG002
        return pathname in self.files

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        return name

    def excepthook(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        self.passed_over.append(error)
        return True


class DiskFile:
    """One open file. There is one connection at a time, so locks lock nobody out."""

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk, self._path = disk, path

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        return bytes(self._disk.files[self._path][offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.do(Op(Kind.WRITE, self._path, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.do(Op(Kind.TRUNCATE, self._path, newsize))

    def xSync(self, _flags: int) -> None:  # noqa: N802
        self._disk.do(Op(Kind.SYNC, self._path))

    def xFileSize(self) -> int:  # noqa: N802
        return len(self._disk.files[self._path])

    def xSectorSize(self) -> int:  # noqa: N802
        return SECTOR

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        # As on a real disk: what is written changes nothing beside it.
        return apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE

    def xFileControl(self, _op: int, _pointer: int) -> bool:  # noqa: N802
        return False

    def xLock(self, level: int) -> None:  # noqa: N802
        """Nobody else is there."""

    def xUnlock(self, level: int) -> None:  # noqa: N802
        """Nobody else was."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xClose(self) -> None:  # noqa: N802
        """What is on the disk stays there."""

    def excepthook(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        self._disk.passed_over.append(error)
        return True
