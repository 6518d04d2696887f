"""Looks: what can be said of a screen without a picture of it: its layout, and whether everybody can use it."""

from pathlib import Path
from typing import Any, Final

import axe_playwright_python  # type: ignore[import-untyped]

from tests.support.browser.screen import Screen

LAYOUT: Final = Path(__file__).with_name("layout.js").read_text("utf-8")
_AXE: Final = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
_TAGS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
#: The least that a finger can be asked to hit, in px.
FINGER: Final = 44


def misplaced(screen: Screen) -> list[str]:
    """Tell everything that lies wrongly on a screen."""
    found: list[str] = screen.ask(LAYOUT, {"least": FINGER})
    return found


def violations(screen: Screen) -> list[str]:
    """Tell every rule of WCAG 2.2 AA that a screen breaks, as far as a program can find it."""
    if not screen.ask("() => 'axe' in window"):
        screen.ask(_AXE)
    options = {"runOnly": {"type": "tag", "values": _TAGS}, "resultTypes": ["violations"]}
    found: dict[str, Any] = screen.ask("(options) => stage.really(() => axe.run(document, options))", options)
    return [
        f"{each['id']}: {node['html'][:160]} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
