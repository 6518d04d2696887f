"""What is handed out with a dispute: hostile texts in it harm no reader, and only who may read it gets it."""

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Final

import pytest

from croupier.rules.texts import is_text
from croupier.server.exports import _plain
from tests.support.bundles import members_of
from tests.support.connections import played
from tests.support.query_client import a_round, queried, refusal
from tests.support.server_harness import server_harness
from tests.support.wire.houses import ADELAIDE
from tests.support.wire.runs import connect_actors

#: Markup, a formula of a spreadsheet, an escape of PDF, quotes of SQL and of a `.round` file, and a path.
MARKUP: Final = "<script>alert(1)</script> =1+1 (\\) % \"' # ../../x {words} %s"
#: What cannot be shown as it is.
HIDDEN: Final = ("a\x1b[2J", "a\nb", "\u202e17", "\x00")


def test_texts_of_a_dispute_are_shown_as_texts(tmp_path: Path) -> None:
    """Markup in a dispute stays text: on paper, in the file of its round and in its notation."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            case = {"terminal": pit.one.device, "basis": "not_covered"}
            for text in HIDDEN:
                refused = await pit.boss.asks("OpenDispute", table="A", round=1, **case, words=text)
                assert refused is not None
                assert refused["code"] == "malformed"
            await harness.does(pit.boss, "OpenDispute", table="A", round=1, **case, words=MARKUP)
            await harness.does(pit.boss, "DecideDispute", dispute=1, decision=MARKUP)
            document = {"type": "dispute_evidence", "dispute": 1}
            shown = await queried(pit.boss, "paper", form="screen", document=document)
            assert MARKUP in {block.get("words") for block in shown["blocks"]}
            printed = b64decode((await queried(pit.boss, "paper", form="pdf", document=document))["content"])
            assert printed.startswith(b"%PDF-")
            assert b"/JavaScript" not in printed
            assert b"/Launch" not in printed
            file = await queried(pit.boss, "bundle", table="A", round=1)
            members = members_of(b64decode(file["content"]))
            assert {"pages.txt", "round.json", "round.round"} <= set(members)
            assert all(re.fullmatch(r"[A-Za-z]+\.[a-z]+", name) for name in members)
            assert json.loads(members["round.json"])["pocket"] == "17"
            assert all(is_text(line) for line in members["round.round"].decode().splitlines())

    played(scenario)


def test_dispute_is_handed_out_to_who_may_read_it(tmp_path: Path) -> None:
    """A player's terminal is handed out neither the evidence of a dispute nor the file of a round."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            case = {"terminal": pit.one.device, "basis": "not_covered", "words": "It was 20."}
            await harness.does(pit.boss, "OpenDispute", table="A", round=1, **case)
            document = {"type": "dispute_evidence", "dispute": 1}
            assert await refusal(pit.one, "paper", form="pdf", document=document)
            assert await refusal(pit.one, "bundle", table="A", round=1)
            assert await refusal(pit.one, "disputes")

    played(scenario)


@pytest.mark.parametrize("table", ["../../etc/passwd", 'a"; rm', "C:\\x", "テーブル", "a.b", "CON", ".."])
def test_file_of_a_round_has_a_plain_name(table: str) -> None:
    """Whatever a table is called, the name under which a browser saves its file has letters, figures and dashes."""
    assert re.fullmatch(r"[A-Za-z0-9-]+", _plain(table))
