"""What is fetched: every address gives what it should, safely, and no other address gives anything."""

import gzip
import json
import re
from dataclasses import replace

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.engine.metrics import Vitals
from croupier.house.blockers import Blocker
from croupier.house.floor.settings import channel_of
from croupier.house.ids import DeviceKind, TableId
from croupier.house.settings import LimitBounds, LimitSettings, Mode, effective_limits
from croupier.rules.drills import Level, make_drill
from croupier.rules.money import Cents
from croupier.rules.rulebook import PayoutTable
from croupier.server.gateways.gateway import GatewayPages
from croupier.server.http import FOR_EVER, NO_STORE, SAFE, HttpResponse, metrics_response, read_target
from croupier.server.views.felt import felt_data
from tests.conftest import venue
from tests.support.site import TABLE, Fetched

VENUE = Fetched()
CONNECTIONS = [connection.value for connection in DeviceKind]
#: An address of each kind, which must be there.
ADDRESSES = [
    "/",
    *(f"/{connection}" for connection in CONNECTIONS),
    VENUE.static("shared/store.js"),
    VENUE.static("plain.css"),
    "/service-worker.js",
    "/trainer",
    "/trainer?modules",
    "/drill/skycity-adelaide-2003/picture/0.json",
    "/drill/us-double-zero/stacks/2147483647.json",
    "/manifest/terminal.json",
    f"/felt/{felt_data(VENUE.book).hash}.json",
    "/rules/marina-bay-sands-2020",
    "/rules/marina-bay-sands-2020.json",
    "/history/A.json",
    "/statistics/A.json",
    "/limits/A.json",
    "/health",
    "/metrics",
]


#: How a body in each coding is read.
DECOMPRESS = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}


def header(response: HttpResponse, name: str) -> str:
    """The one header of a name."""
    (value,) = [value for each, value in response.headers if each == name]
    return value


@pytest.mark.parametrize("address", ADDRESSES)
def test_address_leads_somewhere(address: str) -> None:
    """Every address of the site has something of a stated type, and is as safe as all others."""
    response = VENUE.get(address)

    assert response.status == 200
    assert response.body
    assert header(response, "Content-Type")
    # The policy of a terminal also allows the script in its document.
    own = {"Content-Security-Policy"} if address == "/terminal" else set()
    assert {each for each in SAFE if each[0] not in own} <= set(response.headers)


@pytest.mark.parametrize("address", [each for each in ADDRESSES if each.endswith(".json") or "rules" in each])
def test_what_changes_is_not_kept(address: str) -> None:
    """What may be another thing in a moment is kept by no browser; the felt and the manifests are not such things."""
    lasting = "/felt/" in address or "/manifest/" in address

    assert (header(VENUE.get(address), "Cache-Control") == NO_STORE) != lasting


@pytest.mark.parametrize("address", ["/terminal", "/pit", "/trainer", "/service-worker.js"])
def test_page_is_stored_and_revalidated(address: str) -> None:
    """A browser keeps a page, and asks each time whether it is still the same."""
    response = VENUE.get(address)

    assert header(response, "Cache-Control") == "no-cache"
    again = VENUE.get(address, If_None_Match=header(response, "ETag"))
    assert (again.status, again.body) == (304, b"")
    assert VENUE.get(address, If_None_Match='"another"').status == 200


def test_policy_lets_nothing_in_from_elsewhere() -> None:
    """A page loads, connects and shows only what is of its own origin, and nobody puts it into a frame."""
    policy = header(VENUE.get("/terminal"), "Content-Security-Policy")

    assert "default-src 'self'" in policy
    assert re.search(r"script-src 'self' 'sha256-[\w+/]{43}=';", policy)
    assert "script-src" not in header(VENUE.get("/pit"), "Content-Security-Policy")
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "target",
    [
        "",
        "*",
        "http://elsewhere/",
        "terminal",
        "/%00",
        "/static/%00",
        "/felt/%ff",
        "/?%ff",
        "/" + "a" * 8_192,
        "/?" + "&".join(f"a{number}=1" for number in range(40)),
    ],
)
def test_what_is_no_address_is_refused(target: str) -> None:
    """A target that is none is answered with a calm page, and nothing of it is repeated there."""
    response = VENUE.get(target)

    assert response.status == 400
    assert b"not a valid URL path" in response.body
    assert set(SAFE) <= set(response.headers)


@pytest.mark.parametrize(
    "target",
    [
        "//",
        "/terminal/",
        "/terminal/more",
        "/Terminal",
        "/wire",
        "/static",
        "/static/",
        "/static/..",
        "/static/../http.py",
        "/static/%2e%2e/http.py",
        "/static/..%2fhttp.py",
        "/static/shared/store.js",
        "/static/0123456789ab/shared/store.js",
        VENUE.static(""),
        VENUE.static("/shared/store.js"),
        VENUE.static("../shared/store.js"),
        VENUE.static("shared"),
        VENUE.static("shared/store"),
        VENUE.static("SHARED/store.js"),
        "/trainer/",
        "/drill",
        "/drill/skycity-adelaide-2003/picture/0",
        "/drill/skycity-adelaide-2003/picture/.json",
        "/drill/skycity-adelaide-2003/picture/-1.json",
        "/drill/skycity-adelaide-2003/picture/2147483648.json",
        "/drill/skycity-adelaide-2003/easy/0.json",
        "/drill/us-double-zero/neighbours/0.json",
        "/drill/marina-bay-sands-2020/picture/0.json",
        "/drill/none/picture/0.json",
        "/manifest/",
        "/manifest/terminal",
        "/manifest/none.json",
        "/felt/",
        "/felt/" + "0" * 64 + ".json",
        f"/felt/{felt_data(VENUE.book).hash}",
        "/rules/",
        "/rules/none",
        "/rules/clearwater-etg",
        "/history/A",
        "/history/B.json",
        "/statistics/A",
        "/statistics/B.json",
        "/limits/B.json",
        "/limits/A",
        "/history/",
        "/health/x",
        "/metrics.json",
        "/\N{GAME DIE}",
        "/\udcff",
        "/a/b/c/d/e/f",
    ],
)
def test_elsewhere_there_is_nothing(target: str) -> None:
    """An address that leads nowhere says so, and has a way back that works at its depth."""
    response = VENUE.get(target)

    assert response.status == 404
    assert b"Not found" in response.body
    assert set(SAFE) <= set(response.headers)


def test_way_back_is_right_at_any_depth() -> None:
    """The page that says that there is nothing finds its style and the way back from wherever it stands."""
    page = VENUE.get("/a/b/c").body.decode()

    assert 'href="../../"' in page
    assert 'href="../../static/' in page


@given(st.text(max_size=200))
@pytest.mark.property
def test_no_target_raises(target: str) -> None:
    """Every request gets a response."""
    for requested in (target, f"/{target}", f"/static/{target}", f"/felt/{target}.json", f"/?{target}"):
        assert VENUE.get(requested).status in (200, 400, 404)


@given(st.lists(st.text("abcXYZ019-_.~", min_size=1, max_size=20), min_size=1, max_size=10))
@pytest.mark.property
def test_plain_path_is_read_as_it_stands(parts: list[str]) -> None:
    """A path without anything special in it is its parts."""
    assert read_target("/" + "/".join(parts)) == (tuple(parts), {})


def test_slash_within_a_name_is_part_of_it() -> None:
    """What is written as %2F does not part a path, so a table may have a slash in its name."""
    venue = Fetched(table=TableId("A/1"))

    assert json.loads(venue.get("/history/A%2F1.json").body)["table"] == "A/1"


def test_file_is_kept_for_ever_under_its_version() -> None:
    """A file is addressed by the content of all files, and so never changes."""
    assert header(VENUE.get(VENUE.static("shared/store.js")), "Cache-Control") == FOR_EVER


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br", "br"),
        ("br;q=1.0, GZIP;q=0.5", "br"),
        ("br", "br"),
        ("BR;q=0.1", "br"),
        ("gzip, deflate", "gzip"),
        ("gzip;q=0.01", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("", None),
        ("gzip;q=0", None),
        ("br; q=0.0, gzip; q=0.000", None),
        ("x-gzip", None),
        ("brotli", None),
    ],
)
@pytest.mark.parametrize(
    "address",
    [VENUE.static("terminal.js"), f"/felt/{felt_data(VENUE.book).hash}.json", "/rules/marina-bay-sands-2020.json"],
)
def test_file_is_compressed_for_those_who_accept_it(address: str, accepted: str, coding: str | None) -> None:
    """A client gets the same content in fewer bytes by brotli or else gzip, and the response has a Vary header."""
    plain, response = VENUE.get(address), VENUE.get(address, Accept_Encoding=accepted)

    assert dict(response.headers).get("Content-Encoding") == coding
    assert ("Vary", "Accept-Encoding") in response.headers
    assert DECOMPRESS[coding](response.body) == plain.body
    assert coding is None or len(response.body) < len(plain.body)


@pytest.mark.parametrize("address", ["/", "/terminal", "/health", "/nothing", VENUE.static("terminal.js")])
def test_head_is_a_get_without_its_body(address: str) -> None:
    """A HEAD tells the status, the headers and the length that a GET would have, and sends nothing else."""
    whole, head = VENUE.get(address), VENUE.get(address, method="HEAD")

    assert (head.status, head.body) == (whole.status, b"")
    assert set(head.headers) == {*whole.headers, ("Content-Length", str(len(whole.body)))}


def test_head_of_what_is_there_already_has_no_length() -> None:
    """A HEAD for what has not changed says just that."""
    tag = header(VENUE.get("/terminal"), "ETag")

    assert VENUE.get("/terminal", method="HEAD", If_None_Match=tag) == VENUE.get("/terminal", If_None_Match=tag)


@pytest.mark.parametrize("address", ["/", "*", "/nothing", "/wire"])
def test_options_list_the_methods(address: str) -> None:
    """OPTIONS lists the allowed methods for every path."""
    response = VENUE.get(address, method="OPTIONS")

    assert (response.status, response.body) == (204, b"")
    assert header(response, "Allow") == "GET, HEAD, OPTIONS"
    assert set(SAFE) <= set(response.headers)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_other_methods_are_not_allowed(method: str) -> None:
    """A page cannot be written to, and the answer says which methods there are."""
    response = VENUE.get("/", method=method)

    assert response.status == 405
    assert header(response, "Allow") == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    ("screen", "display"), [("terminal", "fullscreen"), ("board", "fullscreen"), ("pit", "standalone")]
)
def test_screen_may_be_installed(screen: str, display: str) -> None:
    """The manifest of a screen leads back to it, and names an icon that exists; a player's takes the whole screen."""
    manifest = json.loads(VENUE.get(f"/manifest/{screen}.json").body)

    assert (manifest["start_url"], manifest["display"]) == (f"../{screen}", display)
    assert VENUE.get("/" + manifest["icons"][0]["src"].removeprefix("../")).status == 200


@pytest.mark.parametrize(
    ("path", "type_"),
    [
        ("shared/store.js", "text/javascript; charset=utf-8"),
        ("plain.css", "text/css; charset=utf-8"),
        ("theme/icon.svg", "image/svg+xml"),
        ("words/en.json", "application/json"),
    ],
)
def test_file_has_its_type(path: str, type_: str) -> None:
    """A file is served as what it is, as no browser may guess."""
    assert header(VENUE.get(VENUE.static(path)), "Content-Type") == type_


def test_felt_is_served_by_its_hash() -> None:
    """The felt that a table names is found under that name, and is kept for ever."""
    felt = felt_data(VENUE.run.house.tables[TABLE].rulebook)
    response = VENUE.get(f"/felt/{felt.hash}.json")

    assert response.body == felt.body
    assert header(response, "Cache-Control") == FOR_EVER


def test_drill_has_its_picture_and_its_working() -> None:
    """A drill is what its seed makes of the rulebook: the felt around the number, all lines and sums, the chips."""
    rules = "skycity-adelaide-2003"
    felt = PayoutTable(venue(rules))
    drill = make_drill(felt, Level.NEIGHBOURS, 2)
    data = json.loads(VENUE.get(f"/drill/{rules}/neighbours/2.json").body)

    assert (data["rulebook"], data["level"], data["seed"]) == (rules, "neighbours", 2)
    assert (data["pocket"], data["chip"], data["value"]) == (drill.pocket, drill.chip, drill.value)
    assert (data["question"], data["answer"]) == ("pieces", list(drill.answer))
    assert (drill.pocket, drill.pieces) == (
        "17",
        {"17": 3, "16/17/18/19/20/21": 2, "neighbours 6": 10, "neighbours 2": 5},
    )
    assert [(line["label"], line["placed"], line["counts"], line["odds"], line["out"]) for line in data["lines"]] == [
        ("Straight up 17", 3, 3, 35, 105),
        ("Six line 16/17/18/19/20/21", 2, 2, 5, 10),
        ("Neighbours 6", 10, 2, 35, 70),
        ("Neighbours 2", 5, 1, 35, 35),
    ]
    assert data["lines"][2]["numbers"] == ["17", "34", "6", "27", "13"]
    assert (data["lines"][0]["along"], data["lines"][0]["across"]) == (22, 6)
    assert data["sums"] == [{"counts": 6, "odds": 35, "out": 210}, {"counts": 2, "odds": 5, "out": 10}]
    assert (data["pieces"], data["stacks"], data["amount"]) == (220, [11, 0], 220 * drill.value)
    assert sum(value * count for value, count in data["cash"]) == data["amount"]
    assert sorted(int(cell["pocket"]) for cell in data["cells"]) == list(range(13, 22))
    assert data["cells"][0] == {"pocket": "13", "colour": "black", "along": [16, 20], "across": [0, 4]}
    assert [box["bet"] for box in data["boxes"]] == ["dozen 2"]


def test_house_trains_its_own_rules() -> None:
    """A house's own edition of a rulebook replaces the one that comes with Croupier in its drills."""
    rules = "us-double-zero"
    own = Fetched(rules)
    generous = replace(own.book, limits=None)
    own.run.house.tables[own.table].rulebook = generous
    own.run.house.rulebooks.clear()
    values = {json.loads(own.get(f"/drill/{rules}/picture/{seed}.json").body)["value"] for seed in range(20)}

    assert len(values) > 1
    assert {json.loads(VENUE.get(f"/drill/{rules}/picture/{seed}.json").body)["value"] for seed in range(20)} == {100}


def test_gateway_trains_while_the_house_is_away() -> None:
    """A gateway serves the trainer and the drills of Croupier's own rulebooks without a house."""
    gateway = GatewayPages()
    address = "/drill/skycity-adelaide-2003/picture/0.json"

    assert gateway.respond("/").status == 503
    assert b'"screen":"trainer"' in gateway.respond("/trainer").body
    assert gateway.respond(address).body == VENUE.get(address).body


def test_history_has_the_newest_number_first() -> None:
    """The numbers of past spins are listed with their rounds and colours, the newest first."""
    venue = Fetched()
    venue.spin("17")
    venue.spin("00")

    assert json.loads(venue.get("/history/A.json").body) == {
        "table": "A",
        "spins": [
            {"round": 2, "pocket": "00", "colour": "green"},
            {"round": 1, "pocket": "17", "colour": "black"},
        ],
    }


def test_health_says_how_far_the_house_has_come() -> None:
    """The health check returns mode, epoch, position and connections; and 503 where the house is unhealthy."""
    venue = Fetched()

    assert venue.get("/health").status == 200
    assert json.loads(venue.get("/health").body) == {
        "ok": True,
        "mode": "demo",
        "epoch": 1,
        "position": venue.run.writer.head.position,
        "connections": 3,
        "blocked": [],
    }
    venue.ok = False
    assert venue.get("/health").status == 503


def test_figures_are_reported_as_they_stand() -> None:
    """The metrics contain the current counts, and nothing of a single terminal."""
    venue = Fetched()
    figures = venue.figures
    figures.connections["terminal"] += 2
    figures.closed["evicted"] += 1
    figures.refusals["bets_closed"] += 3
    figures.commands, figures.frames, figures.queued = 5, 7, 1
    figures.committed(4, 250_000)
    figures.committed(2, 500_000)
    figures.paused(12_000)
    figures.paused(3_000)
    venue.spin("17")
    reported = dict(line.rsplit(" ", 1) for line in venue.get("/metrics").body.decode().splitlines() if line[0] != "#")
    own = {name: value for name, value in reported.items() if name.startswith("croupier_")}
    buckets = {name: own.pop(name) for name in tuple(own) if "_bucket{" in name}

    assert own == {
        'croupier_connections{kind="terminal"}': "2.0",
        'croupier_connections_closed_total{code="evicted"}': "1.0",
        'croupier_refusals_total{code="bets_closed"}': "3.0",
        "croupier_commands_total": "5.0",
        "croupier_frames_sent_total": "7.0",
        "croupier_commands_queued": "1.0",
        "croupier_batch_entries_count": "2.0",
        "croupier_batch_entries_sum": "6.0",
        "croupier_commit_seconds_count": "2.0",
        "croupier_commit_seconds_sum": "0.75",
        "croupier_loop_pause_seconds_count": "2.0",
        "croupier_loop_pause_seconds_sum": "0.015",
        "croupier_loop_pause_longest_seconds": "0.012",
        'croupier_rounds_total{table="A"}': "1.0",
        "croupier_incidents_open": "0.0",
        'croupier_build_info{digest="",version=""}': "1.0",
        "croupier_epoch": "0.0",
        "croupier_journal_position": "0.0",
        "croupier_journal_signed_position": "0.0",
        "croupier_snapshot_position": "0.0",
        "croupier_snapshot_process_starts_total": "0.0",
        "croupier_snapshot_process_up": "0.0",
    }
    assert buckets['croupier_commit_seconds_bucket{le="0.1"}'] == "0.0"
    assert buckets['croupier_commit_seconds_bucket{le="0.25"}'] == "1.0"
    assert buckets['croupier_commit_seconds_bucket{le="0.5"}'] == "2.0"
    assert buckets['croupier_commit_seconds_bucket{le="+Inf"}'] == "2.0"
    assert buckets['croupier_batch_entries_bucket{le="2.0"}'] == "1.0"
    assert {"process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"} <= set(reported)


def test_vitals_are_reported() -> None:
    """The build, the journal, the disk and the last backup are gauges; blocked tables are counted by reason."""
    venue = Fetched()
    venue.report.vitals = lambda: Vitals("0.1 ab", 3, 70, 60, 50, {"data": 2**30, "key_store": 7}, 1_500_000)
    venue.report.blocked = lambda: (Blocker(TableId("A"), "no_terminals", None),)
    text = venue.get("/metrics").body.decode()

    for line in (
        'croupier_build_info{digest="ab",version="0.1"} 1.0',
        "croupier_epoch 3.0",
        "croupier_journal_position 70.0",
        "croupier_journal_signed_position 60.0",
        "croupier_snapshot_position 50.0",
        'croupier_disk_free_bytes{of="data"} 1.073741824e+09',
        "croupier_last_backup_timestamp_seconds 1.5",
        'croupier_table_blocked{reason="no_terminals",table="A"} 1.0',
    ):
        assert line in text.splitlines()


def test_metrics_are_distinct() -> None:
    """Where the metrics have an address of their own, the house's own port has none of them."""
    site = replace(VENUE.site, report=None)

    assert site.respond("/metrics").status == 404
    assert b"croupier_epoch" in metrics_response(VENUE.report).body


def test_rules_without_commentary_say_so() -> None:
    """Rules of an edition without a commentary are served without it."""
    site = replace(VENUE.site, loaded=())

    assert b"another edition" in site.respond("/rules/marina-bay-sands-2020").body
    assert json.loads(site.respond("/rules/marina-bay-sands-2020.json").body)["clauses"] == []


def test_limits_and_statistics_are_those_that_were_published() -> None:
    """While a batch is being committed, limits and statistics are still those from before it."""
    house = Fetched("skycity-adelaide-2003")
    limits, statistics = (house.get(f"/{each}/A.json").body for each in ("limits", "statistics"))
    table, other = house.run.house.tables[house.table], venue("marina-bay-sands-2020")
    table.rulebook = other
    table.effective_limits = effective_limits(
        other, channel_of(other), LimitSettings(spot=LimitBounds(Cents(700), Cents(900)))
    )

    assert [house.get(f"/{each}/A.json").body for each in ("limits", "statistics")] == [limits, statistics]
    house.publish()
    assert json.loads(house.get("/limits/A.json").body)["spot_least"] == 700
    assert "00" in json.loads(house.get("/statistics/A.json").body)["pockets"]


def test_real_house_is_not_marked_as_a_demonstration() -> None:
    """Where money is real no page speaks of a demonstration."""
    venue = Fetched(mode=Mode.REAL)

    page = venue.get("/terminal").body

    assert b"<title>DEMO" not in page
    assert b'<p class="demo">' not in page
    assert b'"mode":"demo"' not in venue.get("/").body
    assert b'<p class="demo">' not in venue.get("/").body
