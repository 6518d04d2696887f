"""The code of docs/extending.md, as the page shows it."""

import re
from pathlib import Path
from textwrap import dedent
from typing import Final

PAGE: Final = Path(__file__).parent.parent / "docs" / "extending.md"


def documented(name: str) -> str:
    """Return the Python of the page that defines a class."""
    blocks = re.findall(r"^   ```python\n(.*?)^   ```$", PAGE.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    (found,) = (block for block in blocks if f"class {name}" in block)
    return dedent(found)
