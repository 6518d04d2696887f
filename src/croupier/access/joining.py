"""Joining: the code by which a phone sits down at a table of a demonstration, drawn for a camera to read."""

import hmac
import io
import secrets
from typing import Final

import segno

_CODE_BYTES: Final = 16
#: The clear margin that readers are promised, in modules.
QUIET_ZONE: Final = 4


class JoinCode:
    """A code of this run: it is kept nowhere, so it ends with the run, and the next one has another."""

    def __init__(self) -> None:
        self.text = secrets.token_urlsafe(_CODE_BYTES)

    def admits(self, shown: str) -> bool:
        """Compare in a time that tells nothing of where the two differ."""
        return hmac.compare_digest(self.text.encode(), shown.encode("utf-8", "surrogatepass"))


def qr_text(url: str) -> str:
    """Draw an address for a terminal with light letters on a dark ground, two rows of modules in a line of text."""
    drawn = io.StringIO()
    # Of middling redundancy: a screen is photographed at an angle, and is neither torn nor stained.
    segno.make_qr(url, error="m").terminal(drawn, border=QUIET_ZONE, compact=True)
    return drawn.getvalue()
