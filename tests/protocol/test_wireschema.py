"""The JSON Schema and the AsyncAPI document of the wire are true: real messages satisfy them, and others do not."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from croupier.protocol import inbound, outbound
from tests.support.connections import Client, Said, open_house, played
from tests.support.wire.samples import REPORTED, SAID
from tests.support.wiredoc import example
from tests.support.wireschema import ASYNCAPI, DOCUMENTS, FROM_CLIENT, FROM_SERVER, SCHEMA, written

DOCUMENT = json.loads(SCHEMA.read_text("utf-8"))
API = json.loads(ASYNCAPI.read_text("utf-8"))


def errors(message: object, side: str) -> list[str]:
    """What a message of the client or of the server has against the schema."""
    schema = {"$schema": DOCUMENT["$schema"], "$ref": f"#/$defs/{side}Message", "$defs": DOCUMENT["$defs"]}
    return [each.message for each in Draft202012Validator(schema).iter_errors(message)]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_document_is_current(path: Path) -> None:
    """The document is what the types give today; `python -m tests.support.wireschema --write` makes it so."""
    assert path.read_text("utf-8") == written(DOCUMENTS[path]())


@pytest.mark.untraced
def test_schema_is_a_schema() -> None:
    """The document is a valid JSON Schema of its dialect."""
    Draft202012Validator.check_schema(DOCUMENT)


@pytest.mark.parametrize("sample", SAID, ids=lambda sample: type(sample).__name__)
def test_client_message_satisfies_the_schema(sample: msgspec.Struct) -> None:
    """Every example of what a client says satisfies the schema."""
    assert errors(json.loads(example(sample)), "Client") == []


@pytest.mark.parametrize("sample", REPORTED, ids=lambda sample: type(sample).__name__)
def test_server_message_satisfies_the_schema(sample: msgspec.Struct) -> None:
    """Every example of what the server sends satisfies the schema."""
    assert errors(json.loads(example(sample)), "Server") == []


HELLO = {"t": "hello", "screen": "terminal", "protocol": inbound.PROTOCOL}
ASK = {"t": "ask", "id": 1, "epoch": 1, "command": {"type": "ClearBets", "terminal": "A-1", "table": "A", "round": 1}}


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"t": "nothing"},
        {**HELLO, "protocol": inbound.PROTOCOL + 1},
        {"t": "hello", "screen": "terminal"},
        {**HELLO, "screen": "periscope"},
        {**HELLO, "colour": "mauve"},
        {**HELLO, "key": "k" * 129},
        {"t": "ping"},
        {"t": "ping", "c": 1.5},
        {"t": "ping", "c": -1},
        {"t": "ping", "c": 2**53},
        {**ASK, "id": 0},
        {**ASK, "command": {"type": "CreateHouse"}},
        {**ASK, "command": {**ASK["command"], "terminal": 7}},  # type: ignore[dict-item]
    ],
    ids=json.dumps,
)
def test_what_is_no_message_does_not_satisfy_the_schema(message: Said) -> None:
    """What the server refuses as malformed or incompatible, the schema refuses too."""
    assert errors(message, "Client") != []


def test_frames_of_a_played_round_satisfy_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every frame that a terminal and a console get from a running server satisfies the schema."""
    frames: list[Said] = []

    class Noting(Client):
        """A client that notes all that it receives."""

        def received(self, text: bytes) -> None:
            frames.append(json.loads(text))
            super().received(text)

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            dealer = await house.signed_in("dealer", "dealer", house.codes["dealer"])
            manager = await house.signed_in("manager", "pit", house.codes["manager"])
            assert await dealer.acked("OpenBets", table="A") == "done"
            await player.answered(player.bet("17", 500, 1))
            await player.answered(player.bet("nowhere", 500, 1))
            player.say("games")
            await player.hear("games")
            assert await manager.refused("journal", before=0) == "malformed"
            manager.say("staff")
            await manager.hear("staff")
            await house.pass_s(1)

    monkeypatch.setattr("tests.support.connections.Client", Noting)
    played(scenario)

    kinds = {frame["t"] for frame in frames}
    assert kinds >= {
        "enrolled",
        "welcome",
        "snap",
        "seat",
        "table",
        "ack",
        "floor",
        "pong",
        "games",
        "staff",
        "refused",
    }
    assert [(frame, found) for frame in frames if (found := errors(frame, "Server"))] == []


# AsyncAPI


def resolved(reference: str) -> Any:  # noqa: ANN401 - JSON may be anything
    """Follow a reference within the document, or into the schema beside it."""
    file, _, pointer = reference.partition("#/")
    found = API if not file else json.loads((ASYNCAPI.parent / file).read_text("utf-8"))
    for part in pointer.split("/"):
        found = found[part]
    return found


def references(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [each for part in value.values() for each in references(part)]
    return [each for part in value for each in references(part)] if isinstance(value, list) else []


def test_asyncapi_has_its_required_parts() -> None:
    """The document has what AsyncAPI 3.0 requires, and states the protocol version and the address of the wire."""
    assert (API["asyncapi"], API["info"]["version"]) == ("3.0.0", f"{inbound.PROTOCOL}.0.0")
    assert API["info"]["title"]
    assert [channel["address"] for channel in API["channels"].values()] == ["/wire"]
    assert {(server["protocol"], server["host"]) for server in API["servers"].values()} == {
        ("ws", "{host}:{port}"),
        ("wss", "{host}:{port}"),
    }
    assert {name: each["action"] for name, each in API["operations"].items()} == {
        "fromClient": "receive",
        "fromServer": "send",
    }


def test_asyncapi_references_lead_somewhere() -> None:
    """Every reference leads to a part of the document or the schema, and every operation to messages of its channel."""
    assert all(resolved(reference) for reference in references(API))
    for operation in API["operations"].values():
        channel = resolved(operation["channel"]["$ref"])
        assert {each["$ref"].rpartition("/")[2] for each in operation["messages"]} <= set(channel["messages"])


@pytest.mark.parametrize(("operation", "kinds"), [("fromClient", FROM_CLIENT), ("fromServer", FROM_SERVER)])
def test_asyncapi_has_every_message(operation: str, kinds: tuple[type[msgspec.Struct], ...]) -> None:
    """Each side's operation has every message of that side, with a payload whose kind is its name."""
    references = [each["$ref"] for each in API["operations"][operation]["messages"]]
    messages = [resolved(resolved(each)["$ref"]) for each in references]
    payloads = [resolved(each["payload"]["schema"]["$ref"]) for each in messages]

    assert [each["name"] for each in messages] == [kind.__struct_config__.tag for kind in kinds]
    assert [each["properties"]["t"]["enum"] for each in payloads] == [[each["name"]] for each in messages]


def test_every_message_of_the_server_is_known() -> None:
    """The messages that are generated from are all that the server has."""
    reported = {
        each
        for each in vars(outbound).values()
        if isinstance(each, type) and issubclass(each, outbound.OutboundMessage)
    }

    assert set(FROM_SERVER) == reported - {outbound.OutboundMessage}
