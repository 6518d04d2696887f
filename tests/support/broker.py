"""A real NATS server for the tests of a process: started when the first of them needs it, stopped with the process."""

import atexit
import json
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from shutil import which
from time import monotonic, sleep
from typing import Final

from croupier.server.gateways.broker_files import PAYLOAD_BYTES_MAX

#: How long a server may take to start.
START_S: Final = 20


class BrokerProcess:
    """One NATS server, on a port that it chooses."""

    def __init__(self, configuration: Path | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="croupier-nats-"))
        if configuration is None:
            configuration = self._folder / "nats.conf"
            configuration.write_text(f"max_payload: {PAYLOAD_BYTES_MAX}\n")
        self._configuration = configuration
        self.port = -1
        self.start()

    def start(self) -> None:
        """Start it, on the port that it had before."""
        program = which("nats-server")
        assert program is not None, "nats-server is not installed"
        self.process = subprocess.Popen(
            [
                *(program, "--config", str(self._configuration)),
                *("--addr", "127.0.0.1", "--port", str(self.port), "--ports_file_dir", str(self._folder)),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        ports = self._folder / f"nats-server_{self.process.pid}.ports"
        end = monotonic() + START_S
        while not (ports.exists() and ports.read_text()):
            assert self.process.poll() is None, "nats-server has ended"
            assert monotonic() < end, "nats-server does not start"
            sleep(0.01)
        self.port = int(json.loads(ports.read_text())["nats"][0].rpartition(":")[2])

    @property
    def address(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Kill it: its clients lose their connections."""
        self.process.kill()
        self.process.wait()
        for path in self._folder.glob("*.ports"):
            path.unlink()


@cache
def broker() -> str:
    """Start the server that the tests of this process share, and return its address."""
    process = BrokerProcess()
    atexit.register(process.stop)
    return process.address
