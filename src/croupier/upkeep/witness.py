"""The witness: heads of the journal sent off the host, to a file or to an HTTPS address."""

import os
import urllib.request
from typing import Final
from urllib.parse import unquote, urlsplit

from croupier.upkeep.fault import UpkeepFault, translated

#: How long an address may take to answer.
PATIENCE_S: Final = 10
_TYPE: Final = "application/x-ndjson"


def send(witness: str, lines: bytes) -> None:
    """Send heads to a witness, and return when it has them; UpkeepFault where it has not, and then send them again."""
    where = urlsplit(witness)
    if where.scheme == "file":
        _append(unquote(where.path), lines)
    else:
        _post(witness, lines)


def _append(path: str, lines: bytes) -> None:
    with translated():
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.write(descriptor, lines) != len(lines):
                raise UpkeepFault(f"{path} took only a part of the heads")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _post(address: str, lines: bytes) -> None:
    request = urllib.request.Request(address, lines, {"Content-Type": _TYPE}, method="POST")  # noqa: S310 - configured
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S):  # noqa: S310 - as above
            pass
    # A proxy that answers nonsense is a ValueError; everything of the network is an OSError.
    except (OSError, ValueError) as error:
        raise UpkeepFault(f"{address} did not take the heads: {error}") from error
