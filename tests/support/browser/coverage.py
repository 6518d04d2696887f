"""Coverage of the browser modules by the browser tests: `python -m tests.support.browser.coverage FOLDER`."""

import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from playwright.sync_api import CDPSession, Page

#: The folder that the figures of each page are written to; without it nothing is measured.
FOLDER: Final = "CROUPIER_BROWSER_COVERAGE"


def watched(page: Page) -> CDPSession | None:
    """Measure which functions of a page run, where that is wanted."""
    if not os.environ.get(FOLDER):
        return None
    session = page.context.new_cdp_session(page)
    session.send("Profiler.enable")
    session.send("Profiler.startPreciseCoverage", {"callCount": False, "detailed": False})
    return session


def write(session: CDPSession | None) -> None:
    """Write which functions of a page ran."""
    if session is None:
        return
    result: list[dict[str, Any]] = session.send("Profiler.takePreciseCoverage")["result"]
    scripts = {
        urlsplit(script["url"]).path.rpartition("/")[2]: [
            (function["functionName"], *(function["ranges"][0][key] for key in ("startOffset", "endOffset", "count")))
            for function in script["functions"]
        ]
        for script in result
        if script["url"].endswith(".js")
    }
    (Path(os.environ[FOLDER]) / f"{uuid4()}.json").write_text(json.dumps(scripts), "utf-8")


def main() -> None:
    """Print, for each script, how many of its functions ran on any page."""
    seen: dict[str, dict[tuple[str, int, int], bool]] = defaultdict(dict)
    for path in Path(sys.argv[1]).glob("*.json"):
        for script, functions in json.loads(path.read_text("utf-8")).items():
            for name, start, end, count in functions:
                key = (name, start, end)
                seen[script][key] = seen[script].get(key, False) or count > 0
    for script, functions in sorted(seen.items()):
        ran = sum(functions.values())
        print(f"{script}: {ran} of {len(functions)} functions, {ran / len(functions):.0%}")
    every = [ran for functions in seen.values() for ran in functions.values()]
    print(f"all: {sum(every)} of {len(every)} functions, {sum(every) / max(1, len(every)):.0%}")


if __name__ == "__main__":
    main()
