"""The client of the control socket: it asks the system that runs here, and waits for the answer."""

import socket
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from croupier.journal.safe import Safe
from croupier.upkeep.answer import AnyAnswer
from croupier.upkeep.fault import UpkeepFault
from croupier.upkeep.request import AnyRequest, address, named, read_reply, written

#: More than all files of an installation, each of them named as changed.
ANSWER_MOST: Final = 16_000_000


def ask(safe: Safe, request: AnyRequest, data: Path) -> AnyAnswer | None:
    """Ask the system that runs on a safe and this data; None where none runs. A backup takes as long as it takes."""
    try:
        line = _exchanged(str(address(safe)), written(replace(request, data=named(data))))
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except OSError as error:
        raise UpkeepFault(f"the running system cannot be asked: {error.strerror}") from error
    try:
        reply = read_reply(line)
    except ValueError as error:
        raise UpkeepFault("the running system went away without an answer") from error
    if reply.data != named(data):
        raise UpkeepFault(f"the system that runs on {safe.path} has its data in {reply.data}, not in {named(data)}")
    return reply.answer


def _exchanged(where: str, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(where)
        connection.sendall(request)
        with connection.makefile("rb") as answers:
            return answers.readline(ANSWER_MOST)
