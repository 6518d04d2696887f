"""The types of the wire for the pages, written from the messages: ``python -m tests.support.wiretypes --write``."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from textwrap import wrap
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, UnsetType

from croupier.protocol import inbound, live, outbound, queries, staff, terminal
from croupier.server.views import table
from tests.support.wiredoc import felt_parts, parts_of, structs

TYPES: Final = Path(__file__).parents[2] / "src" / "croupier" / "server" / "static" / "shared" / "types"
WIDE: Final = 118

#: The head of each file, by its name.
HEADS: Final = {
    "wire.js": "The types of the wire: every message, and the felt spec. Pure.",
    "console.js": "The types of staff views: the floor, the steps of a round, queries and their results. Pure.",
    "commands.js": "The types of commands. Pure.",
}
_WRITTEN: Final = (
    "Written from the Python classes by `python -m tests.support.wiretypes --write`; a test fails when they differ."
)


#: What only staff are notified is in a file of its own; two of its types go by their names in the other too.
STAFF: Final = (staff, queries)
ALIASED: Final = (staff.FloorState, staff.FloorTable)
ANSWERS: Final = (
    outbound.PreviewResult,
    outbound.ReplayResult,
    outbound.File,
    outbound.VerificationResult,
    outbound.DisputesResult,
    outbound.JournalResult,
    outbound.TicketResult,
    outbound.MetersResult,
    outbound.DocumentResult,
    outbound.StaffResult,
    outbound.PayoutInstruction,
)


class Scribe:
    """Writes types down into one file, and remembers which lists of words they speak of."""

    def __init__(self, page: str) -> None:
        self._page, self.enums = page, dict[str, type[StrEnum]]()

    def struct(self, kind: type[msgspec.Struct], name: str = "") -> str:
        """Write one message, part or command; what a command asks for stands in the page on the wire."""
        doc = "" if kind.__struct_config__.tag_field == "type" else (kind.__doc__ or "").splitlines()[0]
        hints = get_type_hints(kind, include_extras=True)
        fields = msgspec.structs.fields(kind)
        if kind.__struct_config__.array_like:
            shape = f"[{', '.join(f'{field.name}: {self.of(hints[field.name])}' for field in fields)}]"
        else:
            pairs = [
                f"{field.encode_name}{_field_suffix(kind, field)}: {self.of(hints[field.name])}" for field in fields
            ]
            shape = f"{{{', '.join([*_tag(kind), *pairs])}}}"
        return _block(doc, shape, name or kind.__name__)

    def union(self, doc: str, names: Iterable[str], name: str) -> str:
        return _block(doc, " | ".join(names), name)

    def words(self) -> Iterator[str]:
        """Write the lists of words that were spoken of."""
        for name, kind in sorted(self.enums.items()):
            doc = (kind.__doc__ or "").splitlines()[0]
            yield _block(doc, " | ".join(f'"{each.value}"' for each in kind), name)

    def of(self, hint: Any) -> str:  # noqa: ANN401 - a type may be anything
        """Put a type as TypeScript has it."""
        hint = getattr(hint, "__supertype__", hint)
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.of(arguments[0])
        if origin in (Union, UnionType):
            return " | ".join(dict.fromkeys(self.of(each) for each in arguments if each is not UnsetType))
        if origin is tuple:
            return self._list(arguments)
        if origin is not None and issubclass(origin, Mapping):
            return f"Record<string, {self.of(arguments[1])}>"
        return self._leaf(hint)

    def _list(self, arguments: tuple[Any, ...]) -> str:
        if arguments[1:] != (Ellipsis,):
            return f"[{', '.join(map(self.of, arguments))}]"
        inner = self.of(arguments[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"

    def _leaf(self, hint: type) -> str:
        if issubclass(hint, StrEnum):
            self.enums[hint.__name__] = hint
            return hint.__name__
        if issubclass(hint, msgspec.Struct):
            page = _page_of(hint)
            return hint.__name__ if page in ("", self._page) else f'import("./{page}").{hint.__name__}'
        known = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}
        return known.get(hint, "unknown")


def _field_suffix(kind: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> str:
    """Mark what may be missing: what somebody may leave out, and what is left out where it says nothing."""
    has_default = field.default is not NODEFAULT or field.default_factory is not NODEFAULT
    spoken = kind.__module__ not in {each.__name__ for each in (outbound, terminal, staff, live, queries)}
    return "?" if has_default and (spoken or kind.__struct_config__.omit_defaults) else ""


def _tag(kind: type[msgspec.Struct]) -> list[str]:
    config = kind.__struct_config__
    return [] if config.tag is None else [f'{config.tag_field}: "{config.tag}"']


def _page_of(kind: type[msgspec.Struct]) -> str:
    """Name the file that a part stands in; commands stand in one of their own, in which they speak of nothing else."""
    if kind in ANSWERS or issubclass(kind, inbound.Query) or kind.__module__ in {each.__name__ for each in STAFF}:
        return "console.js"
    messages = (inbound, outbound, terminal, live, table)
    return "wire.js" if kind.__module__ in {each.__name__ for each in messages} else ""


def _block(doc: str, shape: str, name: str) -> str:
    """Write a type as a comment, on as many lines as it takes; its tag begins a line, or it would be none."""
    line = f"/** @typedef {{{shape}}} {name} {doc}".rstrip() + " */"
    if len(line) <= WIDE:
        return line
    lines = wrap(f"@typedef {{{shape}}} {name}", WIDE - 5, break_long_words=False, break_on_hyphens=False)
    if not doc:
        return "\n".join([f"/** {lines[0]}", *(f" *   {each}" for each in lines[1:])]) + " */"
    return "\n".join(["/**", f" * {doc}", f" * {lines[0]}", *(f" *   {each}" for each in lines[1:]), " */"])


def _page(name: str, scribe: Scribe, blocks: Iterable[str]) -> str:
    body = list(blocks)
    return "\n".join([f"// {HEADS[name]}", f"// {_WRITTEN}", "", *scribe.words(), *body, "", "export {};", ""])


def _messages() -> str:
    scribe, commands = Scribe("wire.js"), 'import("./commands.js")'
    reported = [each for each in structs(outbound) if issubclass(each, outbound.OutboundMessage)]
    said = [each for each in get_args(inbound.Incoming) if isinstance(each, type)]
    parts = [
        each for each in structs(outbound) if not issubclass(each, outbound.OutboundMessage) and each not in ANSWERS
    ]
    parts += (*parts_of(terminal), *structs(live), *felt_parts(), *structs(table))
    blocks = [
        *(scribe.struct(each) for each in parts),
        *(_block("", scribe.of(each), each.__name__) for each in ALIASED),
        *(scribe.struct(each) for each in reported if each not in ANSWERS),
        scribe.union("Every message from the server.", map(scribe.of, reported), "OutboundMessage"),
        *(scribe.struct(each) for each in _spoken(said)),
        _block(
            "Sends a command.",
            f'{{t: "ask", id: number, epoch: number, command: {commands}.TerminalCommand | {commands}.StaffCommand}}',
            "SendCommand",
        ),
        scribe.union("Every message to the server.", map(scribe.of, said), "InboundMessage"),
    ]
    return _page("wire.js", scribe, blocks)


def _consoles() -> str:
    scribe = Scribe("console.js")
    parts = [each for module in STAFF for each in structs(module)]
    requested = [each for each in get_args(inbound.Incoming) if issubclass(each, inbound.Query)]
    blocks = [
        *(scribe.struct(each) for each in (*parts, *ANSWERS, *requested)),
        scribe.union(
            "Every document that may be asked for.", (each.__name__ for each in get_args(queries.Document)), "Document"
        ),
        scribe.union("What a document is made of.", (each.__name__ for each in get_args(queries.AnyBlock)), "AnyBlock"),
    ]
    return _page("console.js", scribe, blocks)


def _spoken(said: Iterable[type[msgspec.Struct]]) -> Iterator[type[msgspec.Struct]]:
    """Leave out what is written elsewhere: asking, which carries commands, and queries."""
    return (each for each in said if each is not inbound.SendCommand and not issubclass(each, inbound.Query))


def _commands() -> str:
    scribe = Scribe("commands.js")
    players, staff = get_args(inbound.TerminalCommand), get_args(inbound.StaffCommand)
    parts: dict[type[msgspec.Struct], None] = {}
    for command in (*players, *staff):
        parts.update(dict.fromkeys(_parts(command)))
    blocks = [
        *(scribe.struct(each) for each in (*parts, *players, *staff)),
        scribe.union("What a terminal asks for.", (each.__name__ for each in players), "TerminalCommand"),
        scribe.union("What staff ask for.", (each.__name__ for each in staff), "StaffCommand"),
    ]
    return _page("commands.js", scribe, blocks)


def _parts(kind: Any) -> Iterator[type[msgspec.Struct]]:  # noqa: ANN401 - a type may be anything
    """Find what a command is made of, the innermost first."""
    hints = get_type_hints(kind).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else ()
    for hint in (*hints, *get_args(kind)):
        yield from _parts(hint)
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            yield hint


def pages() -> dict[Path, str]:
    """Write every file, by its path."""
    return {TYPES / "wire.js": _messages(), TYPES / "console.js": _consoles(), TYPES / "commands.js": _commands()}


def main() -> int:
    if "--write" in sys.argv:
        for path, text in pages().items():
            path.write_text(text, "utf-8")
        return 0
    late = [path.name for path, text in pages().items() if not path.exists() or path.read_text("utf-8") != text]
    if late:
        print(f"{', '.join(late)} out of date: python -m tests.support.wiretypes --write")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
