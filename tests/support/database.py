"""A PostgreSQL of the tests: a real server in a temporary directory, which only this user's socket reaches."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

#: Where Debian has the programs of the server, which are not on the path.
_DEBIAN: Final = Path("/usr/lib/postgresql")
#: The settings of a small server that keeps what it commits.
_SETTINGS: Final = {
    "listen_addresses": "''",
    "shared_buffers": "16MB",
    # At night a hundred venues run at once, with two connections each.
    "max_connections": "250",
    "max_wal_senders": "4",
    "wal_level": "replica",
    "log_min_messages": "warning",
    "autovacuum": "off",
}
_VENUES: Final = count(1)


def programs() -> Path | None:
    """Find the directory of the newest server's programs."""
    found = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parent.parent.name))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def need_postgresql() -> Path:
    """Find the programs, or skip the test; where they are required it fails."""
    found = programs()
    if found is None:
        assert "CROUPIER_REQUIRE_POSTGRESQL" not in os.environ
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    return found


def _account() -> dict[str, Any]:
    """The account of the server: a server does not run as root."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam("nobody")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


class Server:
    """One server, with its own directory."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._programs = folder, need_postgresql()

    @classmethod
    def create(cls, folder: Path) -> "Server":
        """Create a new server in an empty directory that its account can reach."""
        server = cls(folder)
        server.run("initdb", "--data-checksums", "--no-locale", "-E", "UTF8", "--no-sync", "-A", "trust", "-U", "owner")
        server.configure(_SETTINGS | {"unix_socket_directories": f"'{folder}'"})
        return server

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def configure(self, settings: dict[str, str]) -> None:
        """Add settings to the server's file; the last of each name counts."""
        with self.data.joinpath("postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of the server on its data directory."""
        self.program(program, "-D", str(self.data), *arguments)

    def program(self, program: str, *arguments: str) -> None:
        """Run a program as the server's account."""
        found = self._programs / program
        command = [str(found) if found.exists() else program, *arguments]
        done = subprocess.run(command, capture_output=True, cwd=self.folder, check=False, **_account())
        assert done.returncode == 0, (command, done.stderr.decode(), self._log())

    def _log(self) -> str:
        log = self.folder / "log"
        return log.read_text("utf-8", "replace")[-2_000:] if log.exists() else ""

    def start(self) -> None:
        # Its output goes to a file, or the program would wait for the server to close its pipe.
        self.run("pg_ctl", "start", "-w", "-s", "-l", str(self.folder / "log"))

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "stop", "-w", "-s", "-m", mode)

    def address(self, *, user: str = "owner", database: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"


@contextmanager
def server_folder() -> Iterator[Path]:
    """A short directory that the server's account owns: the path of a socket has a hundred characters at most."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    try:
        if account := _account():
            os.chown(folder, account["user"], account["group"])
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that runs until it is no longer needed."""
    need_postgresql()
    with server_folder() as folder:
        server = Server.create(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")


def new_venue() -> str:
    """A name that no other test uses."""
    return f"venue {os.getpid()}-{next(_VENUES)}"
