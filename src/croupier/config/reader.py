"""The reader: a configuration from its file, or a refusal with all that is wrong, by file and key."""

import tomllib
from decimal import Decimal
from pathlib import Path

from croupier.config.complaints import Complaints
from croupier.config.draft import drafted
from croupier.config.keys import CONFIG
from croupier.config.proof import prove
from croupier.config.section import Reading
from croupier.config.shape import Config
from croupier.rules.refusal import Code, Refusal


def read_config(path: Path) -> Config | Refusal:
    """Read a configuration from its file."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        return _unreadable(path, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        return _unreadable(path, f"is not UTF-8 text: byte {error.start}")
    return parse_config(text, where=path)


def parse_config(text: str, *, where: Path) -> Config | Refusal:
    """Read a configuration from its text, as if it stood in the file that is named."""
    try:
        # A decimal is taken as it was written: money is never a float.
        tables = tomllib.loads(text, parse_float=Decimal)
    except ArithmeticError:
        return _unreadable(where, "has a figure that is beyond what can be counted")
    except (ValueError, RecursionError) as error:  # TOML's own error, a figure or a nesting without end
        return _unreadable(where, f"is not TOML: {error}")
    complaints, folder = Complaints(where), where.absolute().parent
    draft = drafted(Reading(folder, complaints).read(CONFIG, tables), folder)
    prove(draft, complaints)
    return complaints.refusal() or draft.config


def _unreadable(where: Path, says: str) -> Refusal:
    complaints = Complaints(where)
    complaints.add("", says, Code.MALFORMED)
    refusal = complaints.refusal()
    assert refusal is not None
    return refusal
