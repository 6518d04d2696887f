"""The code of docs/extending.md and docs/devices.md, as the pages show it."""

import re
from pathlib import Path
from textwrap import dedent
from typing import Final

DOCS: Final = Path(__file__).parents[2] / "docs"


def documented(name: str, page: str = "extending.md") -> str:
    """Return the Python of a page that defines a class."""
    text = (DOCS / page).read_text("utf-8")
    blocks = re.findall(r"^   ```python\n(.*?)^   ```$", text, flags=re.MULTILINE | re.DOTALL)
    (found,) = (block for block in blocks if f"class {name}" in block)
    return dedent(found)
