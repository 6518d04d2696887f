"""The page on the wire, written from the messages themselves: ``python -m tests.support.wiredoc --write``."""

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache, reduce
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from types import ModuleType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UnsetType

from croupier.house.declare import COMMANDS, CommandDeclaration
from croupier.house.ids import SECOND
from croupier.house.state.tables import ANY_PHASE, Phase
from croupier.protocol import inbound, live, outbound, queries, staff, terminal
from croupier.protocol.queries import Tagged
from croupier.server import (
    connection,
    exports,
    http,
    journal_queries,
    listener,
    router,
    ticket_desk,
)
from croupier.server import (
    queries as query_handler,
)
from croupier.server.auth import devices
from croupier.server.auth import staff as staff_sign_in
from croupier.server.views import actions, floor, seat, table
from tests.support.wire.samples import PARTS, REPORTED, SAID

#: The modules whose limits a client meets.
LIMITED: Final = (
    *(listener, connection, router, devices, staff_sign_in, http, ticket_desk, query_handler, journal_queries),
    *(exports, floor, actions, seat),
)
PAGE: Final = Path(__file__).parents[2] / "docs" / "wire.md"
#: Classes that others go on from, and that are never sent themselves.
BASES: Final = (outbound.OutboundMessage, terminal.FeltPart, Tagged)
#: A line of an example may be so long before it is broken up.
WIDE: Final = 110

HEAD_TEXT: Final = """\
# The wire

The protocol between a client and a running server. This page is generated from the message types by
`python -m tests.support.wiredoc --write`, and a test fails when it is out of date. Every example is a real message.

## What a client must do

- **Connect** to `/wire`, with `wss` where the house has TLS. A browser sends the `Origin` of its page, and only the
  origins that the house allows are accepted: any other is answered 403. A native client may send none: it is
  then accepted with a device key. To enrol itself in a demonstration it sends the origin of the server's own pages, as
  the [Python client](client.md) does.
- **State the protocol version**: `hello` has `"protocol": {protocol}`, and `welcome` has the server's. A client that
  states another version, or none, gets `bye` with the code `protocol_mismatch`, both versions in its `facts`, and the
  close code 1008. Within a version the server may add optional fields and kinds of messages: ignore what you do not
  know. `bye` and its `refusal` keep their form in all versions.
- **Send within {hello} s** of the connection a `hello`, and from then on **at least one frame in {silent} s**. Send
  `ping` every 5 s: that is what the pages do, and it keeps your clock too. A connection that is silent for
  {silent} to {silent_most} s is closed as `silent`. A WebSocket ping frame counts as well. The server sends none.
- **Keep to the pace**: text frames alone, at most `FRAME_BYTES_MAX` bytes each, at most as many a second as the venue
  configures (`limits.commands_per_s`).

**Ordering.** Messages of one connection arrive in the order in which they were sent, both ways. The server takes the
commands of one device in that order, and those of all devices in the order in which they arrive: the order of the
journal. It acknowledges a command only after it is committed. After a commit it sends the `table` frames first, then
each `ack` to a console, then each `seat` frame with the answers to its commands, then the `floor` frames of staff. `v`
rises by one with every frame of a connection that has one, so that a gap shows. `pong`, and refusals of commands that
did not reach the house, are sent at once and may overtake the answers to earlier commands.

## The flow

One WebSocket at `/wire`, one JSON object in each text frame, its kind in the field `t`. Amounts are whole cents, times
are microseconds since 1970 by the house's clock, all numbers are whole, and spots are named in the
[notation](notation.md). Every message is in [wire.schema.json](wire.schema.json) as a JSON Schema (2020-12), and the
connection with its messages in [asyncapi.json](asyncapi.json) as an AsyncAPI 3.0 document: a client in any language can
be generated from them. Both are written by `python -m tests.support.wireschema --write`. Below, `[text, …]` is a
list, and `{name: number, …}` an object with names that vary. Pages have the same as types in
`shared/types/wire.js`, `shared/types/console.js` and `shared/types/commands.js`, written by
`python -m tests.support.wiretypes --write`.

1. **Hello.** The client authenticates its device by the device key. In a demonstration a page without a key sends
   `{"t":"hello","screen":"terminal","protocol":{protocol},"join":"","table":"A"}` on the server's own host, or with
   the join code of this run in `join` from elsewhere. The response is `enrolled`, with an id and a key to store. A
   seat with no credit and no stakes may be given to the next device, which revokes its old key. An unknown `table` is
   ignored.
2. **Welcome and snapshot.** `welcome`, and then `snap` with all that this screen may see. Where `staff` is true a
   person must sign in first: the response to `sign_in` is `signed_in`, or `must_choose` after a one-time code, and
   then `new_secret` sets a password. After a lost connection `resume` continues the session on the same device.
3. **Commands.** A command has an idempotency key: `id`, which only rises on one device and is stored before it is
   sent, and `epoch`, that of the snapshot under which it was first sent. A command that is sent again after a lost
   connection has the same `id` and `epoch`, and is executed once.
4. **Responses.** A terminal gets `seat` frames: every command up to `last_cmd` has its response; those listed in
   `refused` were refused, and all others were done. A command that never reached the house may be refused above
   `last_cmd`. A console gets an `ack` for each command, and `floor` frames with what has changed a few times a
   second. A command that is not a valid message is refused as `malformed` under its `id`; where the `id` cannot be
   read, the response is `refused`. An object that repeats a key is not a valid message.
5. **Deltas.** The first `v` is the snapshot's, and each `seat` or `floor` frame has the next. A client that misses
   one sends `resync` and gets a new snapshot. A field that is missing in a delta has not changed; `stakes` names only
   the changed spots, and `bets` replaces them all. When a table changes to other rules or limits, the server sends
   its terminals a new snapshot.
6. **Tables.** A `table` frame has a table as it is now, the same bytes for every client. Its `tv` only rises: ignore
   a frame that is not newer.
7. **Time.** The response to `ping` is `pong` with the server's time.
8. **Queries.** A message with a `q` changes nothing and has no idempotency key. The response, or `refused`, has the
   same `q`. Each query has the screens and duties that may send it.
9. **Devices.** Two people enrol a device with `EnrolDevice` and a `kind`, or a terminal with `AddTerminal`. With the
   second signature one console receives `enrolled_device` with the key, once: that of the person who proposed it, if
   still signed in there, and otherwise that of the person who approved it. The connections of a released device are
   closed at once.
10. **The end.** `bye` has the reason why a connection is closed. There is no `bye` for a frame that is not accepted
   at all, only a close code: binary or fragmented (1003), longer than `FRAME_BYTES_MAX` (1009), a protocol error
   (1002) or not UTF-8 (1007). When a device opens a second connection, its first is closed as `evicted`. A new
   `epoch` in a snapshot means that the server was restarted: a command without a response counts only as far as the
   snapshot shows it.

A page never shows a chip as placed before the server has acknowledged it, and never computes odds, limits or winnings:
the server sends them. Refusals have a `code`, listed with the [notation](notation.md), and the `clause` of the venue's
rules where there is one.
"""

#: The figures of the text, from where they stand in the code.
FIGURES: Final = {
    "{protocol}": inbound.PROTOCOL,
    "{hello}": connection.HELLO_WAIT_MAX_US // SECOND,
    "{silent}": (connection.MISSED_HEARTBEATS_MAX - 1) * connection.SWEEP_INTERVAL_US // SECOND,
    "{silent_most}": connection.MISSED_HEARTBEATS_MAX * connection.SWEEP_INTERVAL_US // SECOND,
}
HEAD: Final = reduce(lambda text, figure: text.replace(figure[0], str(figure[1])), FIGURES.items(), HEAD_TEXT)

COMMANDS_TEXT: Final = """\
## Commands

What `ask` may carry, by its `type`. A person must have one of the duties in the column *Sender* by the rules of the
table, and *terminal* is the terminal itself. *Phases* are those of the round in which a command is accepted. Where
*Signatures* is 2, the command waits as a proposal until another person signs it on another device. A field with `?` may
be left out.
"""

FETCHED: Final = """\
## HTTP

Plain HTTP on the same port: `GET`, `HEAD` and `OPTIONS`; the response to other methods is 405. A request has no body.
Addresses with a hash in them never change and may be cached for ever. Scripts, styles, messages, felts and rules are
sent with brotli, or else gzip, to clients that accept it. A connection is closed after its response.

| Address | What is there |
|---|---|
| `/` | the tables, with a link to every page |
| `/terminal` `/dealer` `/live_table` `/pit` `/cashier` `/auditor` | the pages; `?modules` loads their modules apart |
| `/board` `/notice` | the displays, likewise |
| `/static/VERSION/PATH` | scripts, styles and messages of the pages; VERSION is a hash of them all |
| `/manifest/PAGE.json` `/service-worker.js` | with these a browser installs a page, and starts it without a network |
| `/felt/HASH.json` | a felt: cells, boxes, spots with their texts, wheel order, call bets with their pieces |
| `/rules/RULEBOOK` and `/rules/RULEBOOK.json` | the rules that a table plays by: odds, calls, every clause |
| `/history/TABLE.json` | the numbers of past spins with their rounds, the newest first |
| `/statistics/TABLE.json` | the same counted: every number, the groups, and the band in which chance keeps 95 of 100 |
| `/trainer` | drills for dealers: payouts against the clock |
| `/drill/RULEBOOK/LEVEL/SEED.json` | one drill with its working, the same for the same seed |
| `/limits/TABLE.json` | the limits that a table plays by now, on a spot, by kind of bet and on all bets together |
| `/health` | 200 while the server works, otherwise 503 |
| `/metrics` | metrics for Prometheus: nothing of a single terminal, and no money |
"""

FELT: Final = """\
## Parts of a felt

`/felt/HASH.json` is a `FeltSpec`. Lengths are in quarters of a number's cell. To find the spot that was touched, take
the nearest hit region on the screen: every spot can be reached, and a touch on a chip is a touch on its own spot.
"""

STATISTICS: Final = """\
## Parts of statistics

`/statistics/TABLE.json` is a `NumberStatistics` of published numbers, and is never cached. Neither is
`/limits/TABLE.json`, a `LimitsRow`.
"""


@cache
def page() -> str:
    """Write the whole page."""
    parts = (
        HEAD,
        "## Messages from the client\n",
        *(_message(sample) for sample in SAID),
        "## Messages from the server\n",
        *(_message(sample) for sample in REPORTED),
        "## Parts of messages\n",
        *(_message(sample) for sample in PARTS),
        COMMANDS_TEXT,
        _commands("Commands from a terminal", inbound.TerminalCommand),
        _commands("Commands from staff", inbound.StaffCommand),
        FETCHED,
        FELT,
        *(_part(each) for each in felt_parts()),
        STATISTICS,
        *(_part(each) for each in structs(table)),
        _limits(),
    )
    return "\n".join(parts)


def without_sample() -> set[str]:
    """Name the messages and parts that no sample shows."""
    sampled = {type(sample) for sample in (*SAID, *REPORTED, *PARTS)}
    spoken = {each for each in get_args(inbound.Incoming) if isinstance(each, type)}
    reported = {*structs(outbound), *(each for module in (terminal, staff, live, queries) for each in parts_of(module))}
    return {each.__name__ for each in (spoken | reported) - sampled}


def structs(module: ModuleType) -> Iterator[type[msgspec.Struct]]:
    """Find the messages and parts that a module has of its own, in the order in which it has them."""
    for each in vars(module).values():
        own = isinstance(each, type) and issubclass(each, msgspec.Struct) and each.__module__ == module.__name__
        if own and each not in BASES:
            yield each


def felt_parts() -> list[type[msgspec.Struct]]:
    """Find what a felt is made of, which is fetched and not sent."""
    return [each for each in structs(terminal) if issubclass(each, terminal.FeltPart)]


def parts_of(module: ModuleType) -> list[type[msgspec.Struct]]:
    """Find the parts of messages that a module has, without those of a felt."""
    return [each for each in structs(module) if not issubclass(each, terminal.FeltPart)]


def _message(sample: msgspec.Struct) -> str:
    kind = type(sample)
    lines = [f"### {_name(kind)}\n", f"{inspect.getdoc(kind)}\n", *_fields(kind), "```json", example(sample), "```\n"]
    return "\n".join(lines)


def _part(kind: type[msgspec.Struct]) -> str:
    return "\n".join([f"### {_name(kind)}\n", f"{inspect.getdoc(kind)}\n", *_fields(kind)])


def _name(kind: type[msgspec.Struct]) -> str:
    """Name a message by its kind, and a part by what it is."""
    config = kind.__struct_config__
    return f"`{config.tag}`" if config.tag_field == "t" else kind.__name__


def _fields(kind: type[msgspec.Struct]) -> Iterator[str]:
    fields = msgspec.structs.fields(kind)
    if not fields:
        return
    hints, remarks = get_type_hints(kind, include_extras=True), _remarks(kind)
    yield "| Field | What it is |"
    yield "|---|---|"
    for field in fields:
        left_out = "" if field.required else "; may be left out"
        remark = f". {remarks[field.name]}" if field.name in remarks else ""
        yield f"| `{field.encode_name}` | {_shape(hints[field.name])}{left_out}{remark} |"
    yield ""


def _remarks(kind: type) -> dict[str, str]:
    """Find what the source says above each field, of this class and of those it goes on from."""
    bases = [base for base in reversed(kind.__mro__) if base.__module__ == kind.__module__]
    source = "\n".join(map(inspect.getsource, bases))
    found = re.findall(r"^((?:    #: .+\n)+)    (\w+):", source, flags=re.MULTILINE)
    return {name: " ".join(line.removeprefix("    #: ") for line in lines.splitlines()) for lines, name in found}


def _shape(hint: Any, *, brief: bool = False) -> str:  # noqa: ANN401 - a type may be anything
    """Put a type as a reader knows it: lists in brackets, objects in braces."""
    hint = getattr(hint, "__supertype__", hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _shape(arguments[0], brief=brief) + ("" if brief else _bounds(arguments[1]))
    if origin in (Union, UnionType):
        shapes = (_shape(each, brief=brief) for each in arguments if each is not UnsetType)
        return " or ".join(dict.fromkeys(shapes))
    if origin is tuple:
        return f"[{', '.join('…' if each is Ellipsis else _shape(each, brief=brief) for each in arguments)}]"
    if origin is not None and issubclass(origin, Mapping):
        return f"{{name: {_shape(arguments[1], brief=brief)}, …}}"
    return _leaf(hint, brief=brief)


def _leaf(hint: type, *, brief: bool) -> str:
    if issubclass(hint, StrEnum):
        return "word" if brief else "one of " + ", ".join(f"`{each.value}`" for each in hint)
    if issubclass(hint, msgspec.Struct):
        tagged = hint.__struct_config__.tag is not None and not issubclass(hint, Tagged)
        return "object" if brief else "command" if tagged else f"[{hint.__name__}](#{hint.__name__.lower()})"
    return {int: "number", float: "number", str: "text", bool: "boolean", type(None): "null"}.get(hint, "anything")


def _bounds(meta: object) -> str:
    if not isinstance(meta, msgspec.Meta):
        return ""
    if meta.max_length is not None:
        return f" of at most {meta.max_length} letters"
    least, most = _power(meta.ge), _power(meta.le)
    return f" from {least} to {most}"


def _power(number: float | None) -> str:
    return {2**53 - 1: "2^53 - 1", -(2**53) + 1: "-2^53 + 1"}.get(int(number or 0), f"{int(number or 0):,}")


def example(sample: msgspec.Struct) -> str:
    """Write a sample as it goes over the wire; a client omits optional fields with default values."""
    value = msgspec.json.decode(outbound.encode(sample))
    if isinstance(sample, inbound.InboundMessage):
        value = {name: each for name, each in value.items() if each not in (None, "")}
    return _laid_out(value, 0)


def _laid_out(value: Any, depth: int) -> str:  # noqa: ANN401 - JSON may be anything
    """Write JSON on one line where it fits, and otherwise one item to a line."""
    written = json.dumps(value, ensure_ascii=False)
    if len(written) + 2 * depth <= WIDE or not value or not isinstance(value, dict | list):
        return written
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {_laid_out(each, depth + 1)}" for name, each in value.items()]
    else:
        items = [_laid_out(each, depth + 1) for each in value]
    inner, (opening, closing) = "  " * (depth + 1), "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(f"{inner}{item}" for item in items) + "\n" + "  " * depth + closing


def _commands(heading: str, union: Any) -> str:  # noqa: ANN401 - a union is no type
    columns = ("Type", "What it does", "Sender", "Phases", "Signatures", "Fields")
    lines = [f"### {heading}\n", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for kind in get_args(union):
        hints = get_type_hints(kind, include_extras=True)
        fields = [
            f"`{field.encode_name}` {_shape(hints[field.name], brief=True)}{'' if field.required else '?'}"
            for field in msgspec.structs.fields(kind)
        ]
        cells = (f"`{kind.__name__}`", summary(kind), *_declared(COMMANDS[kind]), ", ".join(fields))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def summary(kind: type[msgspec.Struct]) -> str:
    """Put the docstring of a command on one line, as a cell of a table must be."""
    return " ".join((inspect.getdoc(kind) or "").split())


def _declared(command: CommandDeclaration) -> tuple[str, str, str]:
    """Put who may send a command, in which phases, and how many sign it."""
    permission = command.permission
    senders = (*sorted(permission.machines), *permission.duties)
    phases = "any" if permission.phases == ANY_PHASE else ", ".join(p for p in Phase if p in permission.phases)
    return ", ".join(senders), phases.replace("_", " "), str(command.signatures)


def _limits() -> str:
    """List the limits with what is said of them where they stand."""
    lines = [
        "## Limits\n",
        "Every queue and every message has one.\n",
        "| Name | Value | What it bounds |",
        "|---|---|---|",
    ]
    for remark, figures in groupby(chain.from_iterable(map(_figures, LIMITED)), key=itemgetter(2)):
        names, values, _ = zip(*figures, strict=True)
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {', '.join(values)} | {remark} |")
    return "\n".join([*lines, ""])


def _figures(module: ModuleType) -> Iterator[tuple[str, str, str]]:
    remark, before = "", ""
    for line in inspect.getsource(module).splitlines():
        if line.startswith("#: "):
            # What is said of a figure may go on over lines.
            words = line.removeprefix("#: ")
            remark = f"{remark} {words}" if before.startswith("#: ") else words
        elif match := re.match(r"([A-Z]\w+): Final = (.+)", line):
            value = getattr(module, match[1])
            if not isinstance(value, int | float):
                continue
            names = {node.id for node in ast.walk(ast.parse(match[2])) if isinstance(node, ast.Name)}
            yield match[1], f"{value / SECOND:g} s" if "SECOND" in names else f"{value:,}", remark
        before = line


def main() -> int:
    wanted = page()
    if "--write" in sys.argv:
        PAGE.write_text(wanted, "utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != wanted:
        print("docs/wire.md is out of date: python -m tests.support.wiredoc --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
