"""Permissions to query: every query, at every kind of connection, signed out and with every title."""

from pathlib import Path
from typing import get_args

import pytest

from croupier.house.ids import DeviceKind
from croupier.protocol import inbound, queries
from croupier.server.queries import RIGHTS
from tests.server.auth.test_matrix import STAFF_CONNECTIONS, floor_of, signed_in, titles_at
from tests.support.connections import Client, played
from tests.support.house_driver import TABLE
from tests.support.sample_commands import ADELAIDE, CLEARWATER, MARINA, ORDER, US

#: What can be asked to be told, with nothing wrong but perhaps who asks and where.
QUERIES: dict[str, dict[str, object]] = {
    "preview": {"table": TABLE, "round": 1, "pocket": "17"},
    "replay": {"table": TABLE, "round": 1},
    "bundle": {"table": TABLE, "round": 1},
    "export": {},
    "verify": {},
    "disputes": {},
    "journal": {},
    "look_up": {"number": "x" * 18},
    "meters": {"terminal": "T1"},
    "staff": {},
    "paper slip": {"document": {"type": "slip", "sequence": 1, "number": "1" * 18}},
    "paper ticket_receipt": {"document": {"type": "ticket_receipt", "sequence": 1}},
    "paper hold_receipt": {"document": {"type": "hold_receipt", "hold": 1}},
    "paper buy_in_receipt": {"document": {"type": "buy_in_receipt", "drawer": "D1"}},
    "paper payment_slip": {"document": {"type": "payment_slip", "terminal": "T1", "session": 0}},
    "paper tax_form": {"document": {"type": "tax_form", "hold": 1}},
    "paper shift_report": {"document": {"type": "shift_report", "drawer": "D1"}},
    "paper table_report": {"document": {"type": "table_report", "table": TABLE, "day": 20261115}},
    "paper day_report": {"document": {"type": "day_report", "day": 20261115}},
    "paper dispute_evidence": {"document": {"type": "dispute_evidence", "dispute": 1}},
    "paper rules_copy": {"document": {"type": "rules_copy", "table": TABLE}},
}
#: Who may query what: the connections, and the lowest title in the order of the pit; then titles beside it.
PIT, BOTH = ("pit",), ("pit", "auditor")
MANAGERS = {MARINA: "Gaming Shift Manager", ADELAIDE: "Shift Manager", CLEARWATER: "Shift Manager", US: "Supervisor"}
INSPECTORS = {MARINA: "Pit Supervisor", ADELAIDE: "Inspector", CLEARWATER: "Attendant", US: "Supervisor"}
READERS = ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate")
OFFICES = ((*BOTH, "cashier"), MANAGERS, (*READERS, "Cashier"))
REPORTED: dict[str, tuple[tuple[str, ...], dict[str, str], tuple[str, ...]]] = {
    "preview": (PIT, {MARINA: "Pit Manager", ADELAIDE: "Pit Boss", CLEARWATER: "Supervisor", US: "Supervisor"}, ()),
    "replay": (
        BOTH,
        {MARINA: "Pit Supervisor", ADELAIDE: "Inspector", CLEARWATER: "Attendant", US: "Supervisor"},
        ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate"),
    ),
    "bundle": (
        BOTH,
        {MARINA: "Gaming Shift Manager", ADELAIDE: "Shift Manager", CLEARWATER: "Shift Manager", US: "Supervisor"},
        ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate"),
    ),
    "export": (("auditor",), {}, ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate")),
    "verify": (
        BOTH,
        {MARINA: "Gaming Shift Manager", ADELAIDE: "Shift Manager", CLEARWATER: "Shift Manager", US: "Supervisor"},
        ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate"),
    ),
    "disputes": (
        BOTH,
        {MARINA: "Pit Supervisor", ADELAIDE: "Inspector", CLEARWATER: "Attendant", US: "Supervisor"},
        ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate"),
    ),
    "journal": (
        BOTH,
        {MARINA: "Gaming Shift Manager", ADELAIDE: "Shift Manager", CLEARWATER: "Shift Manager", US: "Supervisor"},
        ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate"),
    ),
    "look_up": (("cashier",), {}, ("Cashier",)),
    "meters": (
        BOTH,
        {MARINA: "Gaming Shift Manager", ADELAIDE: "Shift Manager", CLEARWATER: "Shift Manager", US: "Supervisor"},
        ("Auditor", "Authorised Officer", "Manager Government Casino Inspectorate", "Technician"),
    ),
    "staff": (PIT, {MARINA: "Pit Supervisor", ADELAIDE: "Inspector", CLEARWATER: "Attendant", US: "Supervisor"}, ()),
    "paper dispute_evidence": (BOTH, INSPECTORS, READERS),
    **dict.fromkeys(("paper slip", "paper rules_copy"), (("pit", "cashier"), INSPECTORS, ("Cashier",))),
    **dict.fromkeys((f"paper {each}" for each in ("ticket_receipt", "hold_receipt", "buy_in_receipt")), OFFICES),
    **dict.fromkeys(("paper payment_slip", "paper tax_form"), (("pit", "cashier"), MANAGERS, ("Cashier",))),
    **dict.fromkeys(("paper shift_report", "paper day_report"), OFFICES),
    "paper table_report": (BOTH, MANAGERS, READERS),
}


def is_permitted(rulebook_id: str, query: str, title: str, connection: str) -> bool:
    """Whether a title may send a query on a connection."""
    connections, lowest, beside = REPORTED[query]
    order = ORDER[rulebook_id]
    from_ = order.index(lowest[rulebook_id]) if rulebook_id in lowest else len(order)
    return connection in connections and title in (*order[from_:], *beside)


async def enquires(client: Client) -> dict[str, str]:
    """Ask to be told everything, one after the other; tell what was answered to each."""
    answers_: dict[str, str] = {}
    for query, fields in QUERIES.items():
        client.drain()
        kind, *document = query.split()
        client.say(kind, q=1, **fields, **({"form": "screen"} if document else {}))
        said = await client.hear_any("refused", "looked_up", "file", "verified", "paper", *QUERIES)
        assert said["q"] == 1
        answers_[query] = said["refusal"]["code"] if said["t"] == "refused" else "told"
    return answers_


@pytest.mark.parametrize(
    "rulebook_id", [each if each == US else pytest.param(each, marks=pytest.mark.untraced) for each in ORDER]
)
def test_nobody_without_the_permission_gets_an_answer(tmp_path: Path, rulebook_id: str) -> None:
    """Each query is answered on the connections and to the titles that it is for, and to nobody else."""

    async def scenario() -> list[str]:
        found: list[str] = []
        async with floor_of(tmp_path, rulebook_id) as house:
            codes = house.codes
            for title in titles_at(rulebook_id):
                for connection in STAFF_CONNECTIONS:
                    console = await signed_in(house, title.lower(), connection, codes.pop(title.lower(), None))
                    if console is None:
                        continue
                    for query, answer in (await enquires(console)).items():
                        may = is_permitted(rulebook_id, query, title, connection)
                        if (answer == "not_authorised") is may:
                            found.append(f"{title} at {connection}: {query} is answered {answer}")
        return found

    assert played(scenario) == []


def test_nothing_is_sent_where_nobody_is_signed_in(tmp_path: Path) -> None:
    """At a console that nobody signed in at, a display and a terminal no query is answered."""

    async def scenario() -> None:
        async with floor_of(tmp_path, ADELAIDE) as house:
            for kind in (*STAFF_CONNECTIONS, DeviceKind.BOARD):
                reported = await enquires(await house.console(kind))
                here = {query for query, answer in reported.items() if answer == "signed_out"}
                assert here == {query for query, (connections, _, _) in REPORTED.items() if kind in connections}
                assert {reported[query] for query in reported.keys() - here} <= {"not_authorised"}
            terminal = await house.client()
            terminal.say("hello", screen="terminal", join="", device="T1")
            await terminal.admitted()
            reported = await enquires(terminal)
            # A terminal prints a slip that it holds the number of: this one is misread.
            assert reported.pop("paper slip") == "ticket_misread"
            assert set(reported.values()) == {"not_authorised"}

    played(scenario)


def test_every_query_is_tried() -> None:
    """There is no query that these tests leave out, and none without a line in the table of who is told."""
    kinds = [each for each in get_args(inbound.Incoming) if issubclass(each, inbound.Query)]

    documents = get_args(queries.Document)
    papers = {f"paper {each.__struct_config__.tag}" for each in documents}
    names = {str(each.__struct_config__.tag) for each in kinds} - {"paper"}

    assert names | papers == QUERIES.keys() == REPORTED.keys()
    assert RIGHTS.keys() == {*kinds, *documents} - {inbound.QueryDocument}
