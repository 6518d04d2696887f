"""The pages and what they are made of: honest, safe, and of one version."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

import pytest

from croupier.house.ids import DeviceKind
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.calls import every_call
from croupier.rules.rulebook import Rulebook, expand
from croupier.server.assets import FONT, Assets, compress, own_assets
from croupier.server.pages import (
    PageContext,
    TableLink,
    index_page,
    plain_page,
    rules_data,
    rules_page,
    screen_page,
    trainer_page,
)
from croupier.server.views.felt import felt_data, felts_of, spot_label
from tests.conftest import DOCUMENTS, OUTSIDE, venue

STATIC = Path(__file__).parents[2] / "src" / "croupier" / "server" / "static"
MODULES = sorted(STATIC.rglob("*.js"))
NASTY = "</script><script>alert('&\"')</script>"
FRAME = PageContext(NASTY, demo=True, version="0123456789abcdef", timezone="Asia/Singapore")
TABLES = (TableLink(NASTY, NASTY, "some/rules?x#y", NASTY, "abc", live=False),)


class Seen(HTMLParser):
    """Every element of a page with its attributes, and the words in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


PAGES = {
    **{connection.value: screen_page(FRAME, connection, TABLES) for connection in DeviceKind},
    "trainer": trainer_page(FRAME, map(venue, DOCUMENTS)),
    "index": index_page(FRAME, TABLES),
    "plain": plain_page(FRAME, NASTY, NASTY),
}


@pytest.mark.parametrize("name", PAGES)
def test_page_is_marked_as_a_demonstration(name: str) -> None:
    """In a demonstration every page says so in its title and at its top."""
    seen = Seen(PAGES[name])

    assert re.search(r"<title>DEMO · ", PAGES[name])
    assert "DEMO: play money only" in seen.words
    assert seen.of("html") == [{"lang": "en"}]


@pytest.mark.parametrize("name", PAGES)
def test_page_carries_no_script_of_its_own(name: str) -> None:
    """Whatever a venue or a table is called, a page runs only files of the site: its own words are data.

    The document of a terminal contains one of these files.
    """
    own = [script for script in Seen(PAGES[name]).of("script") if not (script.get("type") or "src" in script)]
    early = own_assets().find("early_connection.js")

    assert early is not None
    assert len(own) == (name == DeviceKind.TERMINAL)
    assert PAGES[name].count(f"<script>{early.body.decode()}</script>") == len(own)
    assert [
        name for name, given in Seen(PAGES[name]).found for key in given if key.startswith("on") or key == "style"
    ] == []


@pytest.mark.parametrize("connection", DeviceKind)
def test_page_gives_its_script_its_place(connection: DeviceKind) -> None:
    """A page's own data has its kind, venue, mode, tables and timezone, as they are."""
    data = re.search(r'<script type="application/json" id="place">(.*?)</script>', PAGES[connection], flags=re.DOTALL)

    assert data is not None
    assert json.loads(data[1]) == {
        "screen": connection.value,
        "venue": NASTY,
        "timezone": "Asia/Singapore",
        "mode": "demo",
        "tables": [
            {"table": NASTY, "venue": NASTY, "rulebook": "some/rules?x#y", "title": NASTY, "felt": "abc", "live": False}
        ],
    }


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("connection", DeviceKind)
def test_files_of_a_page_are_there(connection: DeviceKind, *, apart: bool) -> None:
    """Each page loads one script and one style sheet, joined or apart, and has its icon and messages."""
    seen = Seen(screen_page(FRAME._replace(apart=apart), connection, TABLES))
    links = {str(link["rel"]): str(link["href"]) for link in seen.of("link")}
    wanted = [links["stylesheet"], *(str(each["src"]) for each in seen.of("script") if "src" in each)]
    paths = [address.removeprefix(f"static/{FRAME.version}/") for address in wanted]

    assert len(paths) == 2
    assert [path for path in paths if own_assets().find(path) is None] == []
    assert [path.count("/") for path in paths] == ([1, 1] if apart else [0, 0])
    assert {each["id"] for each in seen.of("script") if "id" in each} == {"place", "messages"}
    assert links["icon"].startswith("data:image/svg+xml,%3Csvg")


def test_trainer_lists_the_rules_that_pay_chips() -> None:
    """The trainer's own data has the rulebooks that have drills, each with its currency and its levels."""
    data = re.search(r'<script type="application/json" id="place">(.*?)</script>', PAGES["trainer"], flags=re.DOTALL)

    assert data is not None
    place = json.loads(data[1])
    offers = {offer["rulebook"]: (offer["currency"], offer["levels"]) for offer in place["drills"]}
    assert (place["screen"], place["venue"]) == ("trainer", NASTY)
    assert offers == {
        "skycity-adelaide-2003": ("AUD", ["singles", "picture", "neighbours", "stacks", "amount"]),
        "us-double-zero": ("USD", ["singles", "picture", "stacks", "amount"]),
    }


def test_index_links_to_every_page_and_to_the_rules() -> None:
    """The first page has a link for each role, and one to the rules of each table."""
    presence = [link["href"] for link in Seen(PAGES["index"]).of("a")]

    assert presence[0] == "rules/some%2Frules%3Fx%23y"
    assert {*(connection.value for connection in DeviceKind), "trainer"} <= set(presence)


@pytest.mark.parametrize(
    ("connection", "message"),
    [
        (DeviceKind.DEALER, "reason.ball_out_of_wheel"),
        (DeviceKind.LIVE_TABLE, "reason.ball_out_of_wheel"),
        (DeviceKind.LIVE_TABLE, "live-note.capped"),
        (DeviceKind.NOTICE, "posted-rule.under"),
    ],
)
def test_page_has_messages_whose_ids_it_puts_together(connection: DeviceKind, message: str) -> None:
    """A page has every message that begins as its script says, whether the rest follows in a template or as a value."""
    assert f'"{message}":' in screen_page(FRAME, connection, TABLES)


@pytest.mark.parametrize("coding", ["gzip", "brotli"])
@pytest.mark.parametrize("connection", DeviceKind)
def test_page_weighs_little(connection: DeviceKind, coding: Literal["gzip", "brotli"]) -> None:
    """A page and its parts, with the largest felt, take less than 130 KB with brotli, and 140 KB with gzip."""
    page, assets = PAGES[connection], own_assets()
    links = re.findall(rf'(?:href|src)="static/{FRAME.version}/([^"]+)"', page)
    felts = [getattr(compress(felt.body), coding) for book in ALL for felt in felts_of(venue(book))]
    sent = [
        len(getattr(compress(page.encode()), coding)),
        max(map(len, felts)),
        # A font is compressed in itself.
        *(
            len(getattr(asset.compressed, coding) or asset.body)
            for path in links
            if (asset := assets.find(path)) is not None
        ),
    ]

    assert len(sent) == 5
    assert sum(sent) < {"brotli": 130_000, "gzip": 140_000}[coding]


def test_service_worker_stores_every_screen() -> None:
    """Every screen of a device starts without a network once it was opened."""
    worker = own_assets().find("shared/service_worker.js")
    assert worker is not None
    stored = re.search(r"const PAGE = /\^\(\?:([\w|]+)\)\$/;", worker.body.decode())

    assert stored is not None
    assert set(stored[1].split("|")) == set(map(str, DeviceKind))


ALL = ("marina-bay-sands-2020", "skycity-adelaide-2003", "clearwater-etg", "us-double-zero")


def test_version_changes_with_any_file(tmp_path: Path) -> None:
    """A file that differs makes another version of them all; a file of another kind is not served at all."""
    (tmp_path / "a.js").write_text("export const a = 1;\n", "utf-8")
    (tmp_path / "b.txt").write_text("a note", "utf-8")
    before = Assets(tmp_path)
    (tmp_path / "a.js").write_text("export const a = 2;\n", "utf-8")

    assert before.version != Assets(tmp_path).version
    assert list(before) == ["a.js", FONT, f"theme/{FONT}"]


#: Addresses of elsewhere, but for the name of how drawings are written; and all that makes a page or code of text.
WORLD = re.compile(
    r"https?://(?!www\.w3\.org/2000/svg)|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_module_reaches_nothing_of_the_world(path: Path) -> None:
    """No module has an address of elsewhere, writes HTML as text, or makes code of text."""
    text = path.read_text("utf-8")

    assert WORLD.search(text) is None
    assert text.startswith("// ")
    assert len(text.splitlines()) <= 700


def test_felt_has_every_spot_with_its_words(rulebook: Rulebook) -> None:
    """A felt has all spots of the layout, each where its chip lies and with its odds in words."""
    felt = json.loads(felt_data(rulebook).body)

    assert [spot["key"] for spot in felt["spots"]] == list(rulebook.spots)
    assert {spot["key"]: tuple(spot["covers"]) for spot in felt["spots"]} == {
        key: spot.numbers for key, spot in rulebook.spots.items()
    }
    assert len({tuple(spot["anchor"]) for spot in felt["spots"]}) == len(rulebook.spots)
    for spot in felt["spots"]:
        assert spot["label"].endswith(f" · {rulebook.paytable.prices[rulebook.spots[spot['key']].kind].pays} to 1")


def test_felt_has_the_wheel_and_what_is_printed(rulebook: Rulebook) -> None:
    """A felt has the wheel's order with its colours, every cell and box, and the words that the rules fix."""
    felt = json.loads(felt_data(rulebook).body)

    assert [each["pocket"] for each in felt["wheel"]] == list(rulebook.wheel.order)
    assert all(each["colour"] == venue(felt["rulebook"]).wheel.colour(each["pocket"]) for each in felt["wheel"])
    assert len(felt["cells"]) == len(rulebook.wheel.order)
    assert {box["bet"] for box in felt["boxes"]} == set(OUTSIDE)
    assert felt["messages"] == {name.value: list(message.texts) for name, message in rulebook.messages.items()}
    assert [alias["spot"] for alias in felt["aliases"]] == [alias.spot for alias in rulebook.aliases]
    assert felt["currency"] == rulebook.currency
    assert felt["line_lost"]["clause"] == rulebook.procedure.terminal_loss.clause


@pytest.mark.parametrize(
    ("venue_id", "spot", "label"),
    [
        ("marina-bay-sands-2020", "17/20", "Split 17 / 20 · 17 to 1"),
        ("skycity-adelaide-2003", "17", "Straight up 17 · 35 to 1"),
        ("clearwater-etg", "column 2", "Column 2 · 2 to 1"),
        ("us-double-zero", "0/00/1/2/3", "First Five Numbers 0 / 00 / 1 / 2 / 3 · 6 to 1"),
        ("us-double-zero", "low", "1 to 18 · 1 to 1"),
    ],
)
def test_spot_has_a_label(venue_id: str, spot: str, label: str) -> None:
    """A spot is named by its kind in the venue's word, its numbers and its odds."""
    book = venue(venue_id)

    assert spot_label(book, {str(key): each for key, each in book.spots.items()}[spot]) == label


def test_calls_are_laid_as_the_rules_lay_them(rulebook: Rulebook) -> None:
    """A call of a felt shows the pieces that placing it lays, in every way that it can be said."""
    felt = json.loads(felt_data(rulebook).body)
    for call in felt["calls"]:
        said = list(every_call(rulebook.call_names[call["name"]], rulebook.wheel))
        assert [way["said"] for way in call["ways"]] == [str(each) for each in said]
        for way, each in zip(call["ways"], said, strict=True):
            laid = expand(rulebook, each, None, None)
            assert way["chips"] == laid.chips == sum(chips for _, chips in way["pieces"])
            assert Counter(dict(way["pieces"])) == Counter({bet.spot.key: bet.stake // 100 for bet in laid.bets})


def test_felt_offers_what_the_terminal_does() -> None:
    """A terminal model has its own calls under its own names, and an Adelaide terminal has none."""
    marina, adelaide = venue("marina-bay-sands-2020"), venue("skycity-adelaide-2003")
    (model,) = marina.profiles
    offered = json.loads(felt_data(marina, model).body)["calls"]

    assert {call["name"]: call["label"] for call in offered} == dict(model.calls)
    assert len(json.loads(felt_data(marina).body)["calls"]) == len(marina.calls)
    assert json.loads(felt_data(adelaide).body)["calls"] == []


def test_felt_is_the_same_from_file_and_journal(rulebook: Rulebook) -> None:
    """A felt goes by the rules as played: read back from a journal they have the same felts, by the same hashes."""
    journal = read_canonical(canonical(rulebook))

    assert felts_of(journal) == felts_of(rulebook)


def test_rules_page_has_every_clause_and_price(rulebook: Rulebook) -> None:
    """The page of the rules has each clause with what the software does, each bet with its odds, and each call."""
    rules = rules_data(rulebook, rulebook.clauses)
    words = " ".join(" ".join(Seen(rules_page(FRAME, rules)).words).split())

    assert [clause["clause"] for clause in rules["clauses"]] == [clause.clause for clause in rulebook.clauses]
    assert rules["authority"] in [clause["clause"] for clause in rules["clauses"]]
    for clause in rulebook.clauses:
        assert " ".join(clause.paraphrase.split()) in words
        assert " ".join(clause.behaviour.split()) in words
    for price in rulebook.paytable.prices.values():
        assert f"{price.pays} to 1" in words
    for call in rulebook.calls:
        assert call.label in words


def test_rules_state_what_the_house_stores() -> None:
    """The edge is told exactly and as a share of a hundred: 1/37 of one zero, 1/19 of two, 3/38 of the first five."""
    one, two = venue("skycity-adelaide-2003"), venue("us-double-zero")

    assert "1/37 (2.70 %)" in rules_page(FRAME, rules_data(one, ()))
    assert "1/19 (5.26 %)" in rules_page(FRAME, rules_data(two, ()))
    assert "3/38 (7.89 %)" in rules_page(FRAME, rules_data(two, ()))
