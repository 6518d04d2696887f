"""The operator's page: venues of a database with their health and takings, in several languages."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from croupier.cli.main import run
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.journal.stores.database import connect, prepare
from croupier.journal.stores.postgresql import ListedVenue, PostgresStore, list_venues
from croupier.server.operator import LANGUAGES, OperatorServer, VenueRow, preferred, words_of
from tests.journal.test_store_postgresql import as_role, role  # noqa: F401 - a fixture, which tests name
from tests.support.connections import played
from tests.support.database import new_venue

REAL = (
    '{"mode":"real","day":20261117,"connections":12,"blocked":1,"incidents":2,"turnover":{"AUD":200000},'
    '"won":{"AUD":5000}}'
)
DEMO = '{"mode":"demo","day":20261117,"connections":3,"turnover":{"EUR":100,"USD":200},"won":{"EUR":-50,"USD":10}}'
VENUES = (
    ListedVenue("Adelaide <one>", 3, "process 7 on host", 5, 1234, REAL),
    ListedVenue("Practice", 1, "process 8 on host", 5, 10, DEMO),
    ListedVenue("Starting", 1, "process 9 on host", 0, 0, "{}"),
    ListedVenue("Stopped", 2, None, 1, 9, REAL.replace("AUD", "SGD")),
)
NAMES = frozenset({"localhost"})


def server_of(rows: Iterable[VenueRow] = VENUES) -> OperatorServer:
    server = OperatorServer(lambda: rows, NAMES)
    server.refresh()
    return server


def page(server: OperatorServer, target: str = "/") -> str:
    response = server.site.respond(target)
    assert response.status == 200
    return response.body.decode()


def test_page_lists_venues_with_health_and_takings() -> None:
    """Every venue has its state, what needs attention and its takings; totals leave out demonstrations."""
    text = page(server_of())

    assert "3 of 4 venues are running." in text
    assert "Adelaide &lt;one&gt;" in text
    assert '<span class="state good">running</span><small>process 7 on host</small>' in text
    assert '<span class="state alert">starting</span>' in text
    assert '<span class="state alert">not running</span>' in text
    assert '<td class="number alert" data-label="Open incidents">2</td>' in text
    assert '<td class="number none" data-label="Open incidents">0</td>' in text
    assert '<td class="number" data-label="Turnover"><span>AUD 2,000.00</span></td>' in text
    assert '<td class="number" data-label="Hold"><span>2.50 %</span></td>' in text
    # The venue in order comes last, and the summary adds up all.
    assert text.index("Practice") > max(text.index(each) for each in ("Adelaide", "Starting", "Stopped"))
    assert '<dt>running</dt><dd class="alert"><bdi dir="ltr">3 / 4</bdi></dd>' in text
    assert '<dt>Connections</dt><dd><bdi dir="ltr">27</bdi></dd>' in text
    assert '<dt>Open incidents</dt><dd class="alert"><bdi dir="ltr">4</bdi></dd>' in text
    assert "demonstration" in text
    total = text[text.index("<tfoot>") :]
    assert "AUD" in total
    assert "SGD" in total
    assert "EUR" not in total
    assert '<meta http-equiv="refresh" content="5">' in text


#: What somebody who may write the rows of one venue can put there.
UNREADABLE = (
    *("", "nothing", "[]", "null", '{"mode":1}', '{"connections":-1}', '{"day":1e30}', '{"turnover":{"AUD":"1"}}'),
    *('{"turnover":{"<script>":1}}', '{"won":{"AUD":1' + "0" * 400 + "}}", '{"currency":"\\u202eAUD"}', "[" * 3_000),
    *('{"x":' * 3_000 + "1" + "}" * 3_000, '{"mode":"' + "x" * 70_000 + '"}', '{"mode":"real"', '{"mode":"\ud800"}'),
)


@pytest.mark.parametrize("status", UNREADABLE, ids=range(len(UNREADABLE)))
def test_unreadable_status_concerns_its_own_venue_alone(status: str) -> None:
    """A venue whose status cannot be read is shown as that, and all others as before."""
    rows = (*VENUES, ListedVenue("Damaged", 3, "process 10 on host", 5, 77, status))
    server = server_of(rows)
    text = page(server)

    assert '<span class="state alert">status unreadable</span><small>process 10 on host</small>' in text
    assert '<span class="state good">running</span><small>process 7 on host</small>' in text
    assert "4 of 5 venues are running." in text
    venues = json.loads(server.site.respond("/venues.json").body)["venues"]
    assert [each["readable"] for each in venues] == [True, True, True, True, False]
    assert server.site.respond("/health").status == 200


def test_page_without_venues_says_so() -> None:
    """An empty database is no fault."""
    assert "The database has no venue yet." in page(server_of(()))
    assert "<tfoot>" not in page(server_of(VENUES[1:3]))


def test_every_language_has_every_text() -> None:
    """The page is there in every language, each with all texts and their facts, and Arabic from right to left."""
    english, server = words_of("en"), server_of()
    for language in LANGUAGES:
        words = words_of(language)
        assert words.keys() == english.keys()
        assert {name for name in words if words[name].count("{") != english[name].count("{")} == set()
        direction = "rtl" if language == "ar" else "ltr"
        assert f'<html lang="{language}" dir="{direction}">' in page(server, f"/?lang={language}")
    assert server.site.respond("/?lang=tlh").status == 404
    assert server.site.respond("/elsewhere").status == 404


@pytest.mark.parametrize(
    ("header", "language"),
    [("", "en"), ("fr-CH, fr;q=0.9", "fr"), ("de, es;q=0.5", "es"), ("zh-CN", "zh-Hans"), ("tlh", "en")],
)
def test_language_of_the_browser_is_chosen(header: str, language: str) -> None:
    """The first language of the browser that the page has is chosen, and English otherwise."""
    assert preferred(header) == language


def test_database_that_cannot_be_read_is_shown() -> None:
    """What was read last stays on the page beside the fault, and the health says that it is old."""
    answers: list[tuple[ListedVenue, ...]] = [VENUES]

    def read() -> tuple[ListedVenue, ...]:
        if not answers:
            raise JournalFault("the connection was lost")
        return answers.pop()

    server = OperatorServer(read, NAMES)
    server.refresh()
    assert json.loads(server.site.respond("/health").body) == {"ok": True}
    server.refresh()

    text = page(server)
    assert 'role="alert">The database cannot be read since' in text
    assert "the connection was lost" in text
    assert "Adelaide" in text
    assert server.site.respond("/health").status == 503


def fetched(port: int, target: str, **headers: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", target, headers={"Host": f"localhost:{port}", **headers})
    response = connection.getresponse()
    return response.status, response.read().decode()


def test_server_reads_again_and_answers_by_its_own_name_alone() -> None:
    """The server reads until it is stopped, chooses the language, and turns away a request for another name."""
    reads = 0

    async def serving() -> list[tuple[int, str]]:
        nonlocal reads
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()

        def read() -> tuple[ListedVenue, ...]:
            nonlocal reads
            reads += 1
            loop.call_soon_threadsafe(stopped.set)
            return VENUES

        server = OperatorServer(read, NAMES)
        server.http.close()
        port = await server.http.open("127.0.0.1", 0)
        await server.run(stopped)
        french = await asyncio.to_thread(fetched, port, "/", **{"Accept-Language": "fr"})
        other = await asyncio.to_thread(fetched, port, "/", Host="evil.example")
        data = await asyncio.to_thread(fetched, port, "/venues.json")
        sheet = await asyncio.to_thread(fetched, port, f"/static/{server.site.assets.version}/operator.css")
        server.http.close()
        return [french, other, data, sheet]

    french, other, data, sheet = played(serving)
    assert reads == 1
    assert (french[0], "Établissements" in french[1]) == (200, True)
    assert other[0] == 421
    venues: dict[str, Any] = json.loads(data[1])
    assert [each["venue"] for each in venues["venues"]] == [each.venue for each in VENUES]
    assert (sheet[0], ".operator" in sheet[1]) == (200, True)


def test_command_serves_the_page_for_a_role_that_only_reads(
    database: str,
    role: str,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    """`croupier operator` serves the venues of a real database with a reader's rights, and ends by a signal."""
    name = new_venue()
    prepare(database, readers=[role])
    PostgresStore(database, name).close()
    assert name in [each.venue for each in list_venues(as_role(database, role))]
    command = [sys.executable, "-m", "croupier", "operator", as_role(database, role), "--port", "0"]
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(":")[2].strip().rstrip("/"))
        while name not in (text := fetched(port, "/")[1]):
            assert "cannot be read" not in text
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    with connect(database, "test") as connection:
        writes = "SELECT has_table_privilege(%s, 'croupier.page', 'INSERT')"
        assert connection.execute(writes, (role,)).fetchone() == (False,)


def test_command_lists_a_venue_whose_status_is_unreadable(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`database venues` lists every venue, and says of which one the status cannot be read."""
    names = [new_venue(), new_venue()]
    prepare(database)
    for name, status in zip(names, ("[[", '{"mode":"demo"}'), strict=True):
        with closing(PostgresStore(database, name)) as store:
            store.fence(0, Signer.new().fence_mac)
            store.renew(status)
    assert run(["database", "venues", database, "--json"]) == 0
    listed = {each["venue"]: each["status"] for each in json.loads(capsys.readouterr().out)["venues"]}
    assert [listed[name] for name in names] == [None, {"mode": "demo"}]
    assert run(["database", "venues", database]) == 0
    assert "unreadable" in capsys.readouterr().out


def test_address_in_use_is_refused(database: str) -> None:
    """An address on which it cannot listen is refused with the reason."""
    assert run(["operator", database, "--host", "192.0.2.1"]) == 2


def test_page_lists_debts_between_venues() -> None:
    """The page lists tickets that venues pay for each other: all, those on the way, and what is owed on balance."""
    statuses = {
        "Harbour": '{"mode": "real", "currency": "USD", "sent":{"Lake":5000,"Far":100},"received":{"Lake":2000}}',
        "Lake": '{"mode": "real", "currency": "USD", "sent": {"Harbour": 2000}, "received": {"Harbour": 4500}}',
    }
    server = server_of([ListedVenue(name, 1, "host", 1, 1, status) for name, status in statuses.items()])
    text = page(server)

    assert "Tickets between venues" in text
    rows = re.findall(r'<tr><th scope="row">(.+?)</th><td data-label="Paid by">(.+?)</td>(.+?)</tr>', text)
    assert [(issuer, payer, *re.findall(r"<span>(.+?)</span>", amounts)) for issuer, payer, amounts in rows] == [
        ("Harbour", "Far", "USD 1.00", "USD 1.00", "USD 1.00"),
        ("Harbour", "Lake", "USD 50.00", "USD 5.00", "USD 30.00"),
        ("Lake", "Harbour", "USD 20.00", "USD 0.00", "USD 0.00"),
    ]
    assert '<td class="number alert" data-label="On the way"><span>USD 5.00</span></td>' in text
    assert '<td class="number" data-label="On the way"><span>USD 0.00</span></td>' in text
    assert "Tickets between venues" not in page(server_of())
