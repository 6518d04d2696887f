"""A new rulebook from one that there is: a copy whose statements are marked until they are the venue's own."""

import re
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, NamedTuple

from croupier.rulebooks.loader import CLAUSES, KINDS, LAYOUTS, RULEBOOK, WHEELS
from croupier.rules.texts import is_id

#: At the end of a line that still says what the template says.
MARK: Final = "# template"
#: The files of a rulebook that a new one begins with. Tests and rounds are of the template's own clauses.
FILES: Final = (RULEBOOK, CLAUSES, WHEELS, LAYOUTS, KINDS)
#: The lines of each file that state something about the venue, or cite its document.
_STATES: Final = {
    RULEBOOK: re.compile(r"(venue|title|version|effective|currency|example) =|.*(clause|texts|label|pays|figure) = "),
    CLAUSES: re.compile(r"(says|does) ="),
}
_ID: Final = re.compile(r"^id = .*$", re.MULTILINE)


class MarkedLine(NamedTuple):
    """A line that still says what the template says."""

    file: str
    line: int
    text: str


def write_new(folder: Path, name: str, template: Traversable, template_id: str) -> list[Path]:
    """Write a rulebook into a new folder: that of the template under another id, with marks. Raises OSError."""
    assert is_id(name)
    folder.mkdir(parents=True)
    written = []
    for file in FILES:
        source = template.joinpath(file)
        if source.is_file():
            path = folder.joinpath(file)
            path.write_text(_marked(file, source.read_text("utf-8"), name, template_id), "utf-8")
            written.append(path)
    return written


def _marked(file: str, text: str, name: str, template_id: str) -> str:
    head = f"# Begun from {template_id}. A line that ends with '{MARK}' still says what that says: change it,\n"
    head += "# or keep it, and remove the mark. croupier check lists the lines that are left.\n\n"
    text = _ID.sub(lambda _: f'id = "{name}"', text, count=1) if file == RULEBOOK else text
    states = _STATES.get(file)
    lines = (f"{line}  {MARK}" if states and states.match(line) else line for line in text.splitlines())
    return head + "\n".join(lines) + "\n"


def marked_lines(folder: Path) -> Iterator[MarkedLine]:
    """List the lines of a rulebook that still say what its template says."""
    for file in FILES:
        path = folder.joinpath(file)
        text = path.read_text("utf-8-sig") if path.is_file() else ""
        for number, line in enumerate(text.splitlines(), 1):
            if line.endswith(f"  {MARK}"):
                yield MarkedLine(file, number, line.removesuffix(MARK).strip())
