"""The pages' modules without a browser: evaluated in the order of their imports, and called from Python.

There is no document, no clock and no chance here, so a function that a test calls is pure or fails.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import quickjs  # type: ignore[import-untyped]

STATIC: Final = Path(__file__).parents[2] / "src" / "croupier" / "server" / "static"
_IMPORT: Final = re.compile(r'^(import|export) (\* as \w+|\{[^}]*\}) from "(\.[^"]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?(?:const|let|class|function\*?) (\w+))", re.MULTILINE)

#: What an engine has without a browser that a pure function must not use.
_IMPURE: Final = "delete globalThis.Date; delete Math.random;"


class Quick:
    """Modules by their path below `static`; everything they export is at hand when something is asked of them."""

    def __init__(self, *paths: str) -> None:
        self._context = quickjs.Context()
        self._context.eval("const modules = {};")
        self._context.eval(_IMPURE)
        for path in _in_order(paths):
            self._context.eval(_wrapped(path))
        for path in paths:
            self._context.eval(f"Object.assign(globalThis, modules[{json.dumps(path)}]);")

    def ask(self, expression: str, *arguments: object) -> Any:  # noqa: ANN401 - whatever a page would be given
        """Call a function, named or written out, with plain values, and give the plain value that it gives."""
        given = ", ".join(json.dumps(argument) for argument in arguments)
        answer = self._context.eval(f"JSON.stringify(({expression})({given}))")
        return None if answer is None else json.loads(answer)


def _in_order(paths: tuple[str, ...]) -> list[str]:
    found: dict[str, None] = {}

    def visit(path: str) -> None:
        for needed in _imports_of(path):
            visit(needed)
        found.setdefault(path)

    for path in paths:
        visit(path)
    return list(found)


def _imports_of(path: str) -> Iterator[str]:
    for match in _IMPORT.finditer(_source(path)):
        yield _from(path, match[3])


def _source(path: str) -> str:
    return (STATIC / path).read_text("utf-8")


def _from(path: str, relative: str) -> str:
    return ((STATIC / path).parent / relative).resolve().relative_to(STATIC.resolve()).as_posix()


def _wrapped(path: str) -> str:
    """Make a module a function that gives what it exports, so that no name of one is in the way of another's."""
    given: dict[str, str] = {}

    def taken(match: re.Match[str]) -> str:
        kind, names, source = match.groups()
        module = f"modules[{json.dumps(_from(path, source))}]"
        if kind == "export":
            given.update((name, f"{module}.{name}") for name in re.findall(r"\w+", names))
            return ""
        target = names.removeprefix("* as ") if names.startswith("*") else re.sub(r"(\w+) as (\w+)", r"\1: \2", names)
        return f"const {target} = {module};"

    def opened(match: re.Match[str]) -> str:
        given[match[2]] = match[2]
        return match[1]

    # A script, unlike a module, has no address.
    body = _EXPORT.sub(opened, _IMPORT.sub(taken, _source(path))).replace("import.meta.url", '""')
    exports = ", ".join(f"{name}: {value}" for name, value in given.items())
    return f"modules[{json.dumps(path)}] = (() => {{ {body}\nreturn {{ {exports} }}; }})();"
