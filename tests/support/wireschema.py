"""The wire as JSON Schema and AsyncAPI, from the message types: ``python -m tests.support.wireschema --write``."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Union, get_args

import msgspec

from croupier.protocol import inbound, outbound
from croupier.protocol.inbound import WEBSOCKET_PATH

DOCS: Final = Path(__file__).parents[2] / "docs"
SCHEMA: Final = DOCS / "wire.schema.json"
ASYNCAPI: Final = DOCS / "asyncapi.json"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
#: What msgspec generates, as AsyncAPI names a schema format.
SCHEMA_FORMAT: Final = "application/schema+json;version=2020-12"

Json = dict[str, Any]
#: Every message of a client, and every message of the server.
FROM_CLIENT: Final[tuple[type[msgspec.Struct], ...]] = get_args(inbound.Incoming)
FROM_SERVER: Final[tuple[type[msgspec.Struct], ...]] = tuple(outbound.OutboundMessage.__subclasses__())


def schema() -> Json:
    """Write all messages as one JSON Schema, which a message of either side satisfies."""
    unions = (Union[FROM_CLIENT], Union[FROM_SERVER])  # noqa: UP007 - made of a tuple
    (client, server), parts = msgspec.json.schema_components(
        unions, schema_hook=_anything, ref_template="#/$defs/{name}"
    )
    # The server reads a hello of any version, so that it can name both; it accepts its own alone.
    parts["Hello"]["properties"]["protocol"] = {"const": inbound.PROTOCOL}
    parts["Hello"]["required"].append("protocol")
    return {
        "$schema": DIALECT,
        "title": "Croupier wire protocol",
        "description": f"Every message of protocol version {inbound.PROTOCOL}. docs/wire.md says how they are used.",
        "anyOf": [{"$ref": "#/$defs/ClientMessage"}, {"$ref": "#/$defs/ServerMessage"}],
        "$defs": {"ClientMessage": client, "ServerMessage": server, **dict(sorted(parts.items()))},
    }


def _anything(kind: type) -> Json:
    """Let the facts of a refusal be anything: each code has its own."""
    if kind is object:
        return {"description": "Any JSON value."}
    raise NotImplementedError


def asyncapi() -> Json:
    """Write the connection and its messages as an AsyncAPI document; payloads are in the JSON Schema beside it."""
    names = _names()
    said, reported = ({names[each]: each for each in side} for side in (FROM_CLIENT, FROM_SERVER))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Croupier wire protocol",
            "version": f"{inbound.PROTOCOL}.0.0",
            "description": "One WebSocket for terminals, consoles and displays. docs/wire.md says how it is used.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "plain": _server("ws", "The house on its own machine."),
            "secure": _server("wss", "The house under TLS."),
        },
        "channels": {
            "wire": {
                "address": WEBSOCKET_PATH,
                "description": "One JSON object in each text frame, its kind in the field `t`.",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in (*said, *reported)},
            }
        },
        "operations": {
            "fromClient": _operation("receive", "What the server receives from a client.", said),
            "fromServer": _operation("send", "What the server sends to a client.", reported),
        },
        "components": {"messages": {name: _message(name, each) for name, each in (*said.items(), *reported.items())}},
    }


def _names() -> dict[type[msgspec.Struct], str]:
    """Name every message as the schema names it."""
    parts, sides = schema()["$defs"], {"Client": FROM_CLIENT, "Server": FROM_SERVER}
    return {
        each: each.__name__ if each.__name__ in parts else f"{side}{each.__name__}"
        for side, kinds in sides.items()
        for each in kinds
    }


def _server(protocol: str, description: str) -> Json:
    return {
        "host": "{host}:{port}",
        "protocol": protocol,
        "description": description,
        "variables": {"host": {"default": "127.0.0.1"}, "port": {"default": "8080"}},
    }


def _operation(action: str, summary: str, names: Iterable[str]) -> Json:
    messages = [{"$ref": f"#/channels/wire/messages/{name}"} for name in names]
    return {"action": action, "channel": {"$ref": "#/channels/wire"}, "summary": summary, "messages": messages}


def _message(name: str, kind: type[msgspec.Struct]) -> Json:
    return {
        "name": kind.__struct_config__.tag,
        "summary": (kind.__doc__ or "").splitlines()[0],
        "payload": {"schemaFormat": SCHEMA_FORMAT, "schema": {"$ref": f"./{SCHEMA.name}#/$defs/{name}"}},
    }


def written(document: Json) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


#: Both documents, and what writes each.
DOCUMENTS: Final = {SCHEMA: schema, ASYNCAPI: asyncapi}


def main() -> int:
    stale = [path for path, of in DOCUMENTS.items() if not path.exists() or path.read_text("utf-8") != written(of())]
    if "--write" in sys.argv:
        for path in stale:
            path.write_text(written(DOCUMENTS[path]()), "utf-8")
    elif stale:
        print("docs/wire.schema.json or docs/asyncapi.json is out of date: python -m tests.support.wireschema --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
