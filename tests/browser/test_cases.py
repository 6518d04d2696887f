"""Grave matters at the pit: numbers corrected, outcomes taken back, rounds replayed and disputed, and the journal."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from croupier.house.floor.disputes import DisputeState
from croupier.house.ids import Number
from croupier.reports.typesetting import bars, widths
from tests.support.browser.cases import (
    BETS,
    CORRECTED,
    HOUSE,
    LOOKED_AT,
    POCKETS,
    TAKEN_BACK,
    Pit,
    begin,
    chips,
    go,
    moment,
    pick,
    preview,
    ran,
    saved,
    sign,
    tab_to,
)
from tests.support.browser.harness import browser_harness
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.seat import cents
from tests.support.bundles import bundle_of, members_of
from tests.support.scanner import scanned

SIZES: Final = ((1280, 800), (1920, 1080), (390, 844))
#: What is opened from a round of a table, or from the floor.
SABOTAGES: Final = ("Replay", "Correct", "Invalidate", "Dispute", "Disputes…")
#: Draws a block of a document in the middle of the page, by the page's own module.
DRAW: Final = """async (block) => {
  const { src } = document.querySelector('script[type="module"]');
  const [{ blockOf }, { render }] = await Promise.all(
    ["console/documents.js", "shared/render.js"].map((path) => import(src.replace("pit.js", path))));
  const paper = Object.assign(document.createElement("dialog"), { className: "dialog", id: "bars" });
  paper.innerHTML = '<div class="paper roll"></div>';
  render(paper.firstChild, blockOf(block));
  document.body.append(paper);
  paper.showModal();
}"""

#: The space before, width and space after the bars that are drawn, and the width of the paper between its paddings.
BARS: Final = """() => {
  const frame = document.querySelector("#bars .barcode").getBoundingClientRect();
  const bars = [...document.querySelectorAll("#bars rect")].map((bar) => bar.getBoundingClientRect());
  const [first, last] = [bars[0], bars.at(-1)];
  const quiet = document.querySelector("#bars svg").getBoundingClientRect().width;
  return [[first.left - frame.left, quiet, frame.right - last.right], frame.width];
}"""
#: The quiet zone on either side in modules, and the width of a module on a screen in pixels.
QUIET, PART_PX = 10, 2


@pytest.fixture(scope="module")
def pit(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """The pit of a house, shared by all tests of this module: each has a round, or a dispute, of its own."""
    with browser_harness(browser, tmp_path_factory.mktemp("cases"), HOUSE) as harness:
        begin(harness)
        yield Pit(harness)


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_number_is_corrected_by_two_people(pit: Pit) -> None:
    """A wrong number takes two people on two devices, who see what it does; every seat's money is right in the end."""
    before = pit.credits()
    boss = pit.opened("Correct", CORRECTED)
    pick(boss, "36")
    assert {seat: row[:4] for seat, row in preview(boss).items()} == {
        "A-1": ["A$15", "A$360", "A$10", "-A$350"],
        "A-2": ["A$35", "A$195", "A$0", "-A$195"],
    }
    pick(boss, "20")
    shown = preview(boss)
    boss.fill("Why it is corrected, in plain words", "The dealer misread the pocket.")
    sign(boss, "Sign: 17 becomes 20")

    again = pit.at("boss", device=2)
    again.press("Review and sign…")
    assert preview(again) == shown
    sign(again, "Sign it too")
    assert "Another person" in again.reply()
    assert pit.credits() == before

    chief = pit.at("chief")
    chief.press("Review and sign…")
    assert preview(chief) == shown
    pit.harness.house.gift("A-1", 500)
    pit.harness.pass_s(4)
    first, shown = shown, preview(chief)
    assert cents(shown["A-1"][5]) == cents(first["A-1"][5]) + 500
    sign(chief, "Sign it too")
    expect(chief.page.locator("dialog[open]")).to_have_count(0)
    assert pit.credits() == {seat: cents(row[5]) for seat, row in shown.items()}
    assert pit.round(CORRECTED).pocket == "20"
    assert pit.by_seat(pit.round(CORRECTED).paid) == {"A-1": 0, "A-2": 72_000 + 18_000 + 1_500}


@pytest.mark.clause("skycity-adelaide-2003", "12(b)i")
def test_outcome_is_taken_back(pit: Pit) -> None:
    """After a fire two people take the outcome back: what that does is seen first, and every stake goes back."""
    before = pit.credits()
    boss = pit.opened("Invalidate", TAKEN_BACK)
    boss.choose("Reason", "Fire")
    shown = preview(boss)
    boss.fill("What happened, in plain words", "The kitchen burned.")
    sign(boss, "Invalidate the outcome")
    chief = pit.at("chief")
    chief.press("Review and sign…")
    sign(chief, "Sign it too")

    staked = {terminal: sum(bets.values()) for terminal, bets in BETS.items()}
    assert pit.credits() == {terminal: before[terminal] + staked[terminal] for terminal in BETS}
    assert pit.credits() == {seat: cents(row[5]) for seat, row in shown.items()}


def test_round_is_replayed_step_by_step(pit: Pit) -> None:
    """Chips come in the order in which they were laid, and lie as they were sealed; winners are shown and paid."""
    sealed = pit.round(LOOKED_AT).layouts
    assert sealed
    boss = pit.opened("Replay", LOOKED_AT)

    assert moment(boss) == "Betting opened for round 1."
    assert chips(boss) == {}
    seen: dict[str, int] = {}
    for terminal, bets in BETS.items():
        for spot, stake in bets.items():
            boss.key("ArrowRight")
            seen[spot] = stake
            assert moment(boss).startswith(f"{terminal}: Chips")
            assert chips(boss) == seen
    go(boss, "were sealed")
    assert chips(boss) == {spot: stake for bets in sealed.values() for spot, stake in bets.items()}
    boss.choose("Whose chips", "A-2")
    assert chips(boss) == pit.by_seat(sealed)["A-2"]
    assert "no more bets" in boss.dialog.locator(".timing").inner_text()

    boss.key("End")
    boss.choose("Whose chips", "All seats")
    assert moment(boss).startswith("Round 1 was settled")
    won = boss.dialog.locator('.stack[data-way="won"]').evaluate_all("(all) => all.map((one) => one.dataset.spot)")
    assert set(won) == {"17", "17/20", "dozen 2"}
    paid = {row["SEAT"]: cents(row["CAME BACK"]) for row in boss.grid("The seats at this moment")}
    assert paid == pit.by_seat(pit.round(LOOKED_AT).paid)


def test_replay_plays_at_speed_and_by_keys(pit: Pit) -> None:
    """A replay goes as fast as it is told to, stops and goes on by keys, and every clause leads to the rules."""
    boss, harness = pit.opened("Replay", LOOKED_AT), pit.harness
    boss.key("Home", "+", " ")
    expect(boss.button("Speed 16 times")).to_have_attribute("aria-pressed", "true")
    expect(boss.button("Pause")).to_be_visible()
    harness.pass_s(1)
    assert boss.dialog.locator(".timing").inner_text().startswith("16.0 s")
    boss.key(" ")
    harness.pass_s(1)
    assert boss.dialog.locator(".timing").inner_text().startswith("16.0 s")
    boss.key(" ")
    harness.pass_s(4)
    assert moment(boss).startswith("Round 1 was settled")
    expect(boss.button("Play")).to_be_visible()
    boss.key("ArrowLeft")
    assert moment(boss).startswith("The number is 17")

    link = boss.dialog.locator(".replay-steps a.clause").first
    address = str(link.evaluate("(one) => one.href"))
    with boss.page.context.expect_page() as page:
        link.click()
    expect(page.value.locator("dt:target")).to_be_visible()
    assert address.endswith(f"#{page.value.locator('dt:target').inner_text()}")
    # What is behind another page is not drawn.
    page.value.close()


def test_round_leaves_as_notation_and_as_a_bundle(pit: Pit, tmp_path: Path) -> None:
    """What is saved of a round is played again by the command line, and verified by it."""
    boss = pit.opened("Replay", LOOKED_AT)
    notation = saved(boss, "Save as notation", tmp_path)
    bundle = saved(boss, "Save the signed bundle", tmp_path)

    assert ran("-m", "croupier", "round", str(notation)) == 0
    assert ran("-m", "croupier.journal.verify", str(bundle)) == 0
    members = members_of(bundle.read_bytes())
    _, page = members["pages.txt"].splitlines(keepends=True)[-1].split(b" ")
    edited = members["pages.txt"].replace(page, page[:99] + page[100:101] + page[99:100] + page[101:])
    assert edited != members["pages.txt"]
    bundle.write_bytes(bundle_of({**members, "pages.txt": edited}).getvalue())
    assert ran("-m", "croupier.journal.verify", str(bundle)) != 0


@pytest.mark.clause("skycity-adelaide-2003", "12(i)")
@pytest.mark.clause("skycity-adelaide-2003", "12(k)")
def test_dispute_goes_from_opening_to_review(pit: Pit) -> None:
    """A dispute freezes its round, is decided, reviewed by whoever may, advised on and closed, each in its turn."""
    boss, reviewer = pit.opened("Dispute", LOOKED_AT), pit.at("reviewer")
    boss.choose("Terminal that it is about", "A-2")
    boss.choose("What it stands on", "It arises from a rule")
    boss.choose("The rule in question", re.compile(r"^12\(j\)"))
    boss.fill("What is disputed, in plain words", "The chip lay on 20.")
    pit.do(boss, "Open the dispute")
    card = boss.dialog.get_by_role("article", name="Dispute 1")
    expect(card).to_contain_text("A$20 on 20")
    expect(card.locator(".evidence code")).to_have_text(re.compile("^[0-9a-f]{64}$"))
    boss.press("Replay the round")
    assert moment(boss) == "Betting opened for round 1."
    boss.leave()

    pit.do(boss, "Decide it", "The house's decision", "The record stands.")
    expect(card).to_contain_text("Decided: The record stands.")
    pit.do(boss, "Ask for a review")
    expect(card.get_by_role("button", name="Record the review")).to_be_disabled()
    reviewer.press("Evidence…")
    pit.do(reviewer, "Record the review", "The reviewer's outcome", "So it does.")
    expect(card).to_contain_text("Reviewed: So it does.")
    pit.do(boss, "The complainant was advised")
    boss.button("Close: not resolved").evaluate("(key) => (key.click(), key.click())")
    pit.harness.pass_s(1)
    expect(boss.dialog.locator(".reply")).to_be_hidden()
    expect(card).to_contain_text("Closed: not resolved")
    state = pit.harness.house.read(lambda house: house.disputes[Number(1)].state)
    assert state is DisputeState.CLOSED


def test_journal_is_live_and_picked_out(pit: Pit) -> None:
    """What is written comes up within a second, and filters leave what they name."""
    boss, harness = pit.at("boss"), pit.harness
    boss.press("Journal…")
    boss.choose("About", "everything")
    harness.pass_s(1)
    rows = boss.page.locator(".journal tbody tr")
    expect(rows.filter(has_text="Round 3 was settled").first).to_be_visible()
    harness.house.gift("A-3", 500)
    harness.pass_s(1)
    expect(rows.first).to_contain_text("Play money was granted")
    boss.choose("About", "bets")
    harness.pass_s(1)
    expect(rows.filter(has_text="were sealed").first).to_be_visible()
    expect(rows.filter(has_text="Betting opened")).to_have_count(0)
    boss.choose("Terminal", "A-2")
    harness.pass_s(1)
    expect(rows.first).to_contain_text("A-2")
    assert {place.split(" · ")[-1] for place in rows.locator(".where").all_inner_texts()} == {"A-2"}
    boss.choose("Terminal", "all terminals")
    boss.choose("About", "everything")
    boss.choose("Kind", "round settled")
    harness.pass_s(1)
    expect(rows).to_have_count(len(POCKETS))
    boss.choose("Kind", "all kinds")
    boss.leave()


def test_correction_takes_no_mouse(pit: Pit) -> None:
    """A number is chosen, reckoned and signed for with the keyboard alone."""
    boss = pit.opened("Correct", LOOKED_AT)
    tab_to(boss, ".pad input")
    boss.key("ArrowRight")
    chosen = boss.dialog.locator(".pad input:checked").get_attribute("value")
    expect(boss.dialog.locator(".swap")).to_contain_text(str(chosen))
    tab_to(boss, "textarea")
    boss.page.keyboard.type("The dealer misread it.")
    tab_to(boss, ".foot .main")
    expect(boss.button(f"Sign: 17 becomes {chosen}")).to_be_focused()
    boss.key("Escape")
    expect(boss.page.locator('dialog[data-dialog="correction"]')).to_have_count(0)


def test_document_is_shown_and_printed(pit: Pit, tmp_path: Path) -> None:
    """A report stands on the screen as on paper, and leaves as PDF and as bytes for a thermal printer."""
    boss = pit.at("boss")
    boss.page.locator(".floor button.name").first.click()
    boss.press("Day report…")
    paper = boss.dialog.locator(".paper")
    expect(paper).to_contain_text("TABLE REPORT")
    expect(paper.get_by_role("row", name="Total")).to_contain_text("150.00")
    assert saved(boss, "Save for a thermal printer", tmp_path).read_bytes().startswith(b"\x1b")
    assert [*misplaced(boss.screen), *violations(boss.screen)] == []


def test_bars_on_a_screen_can_be_read(pit: Pit, tmp_path: Path) -> None:
    """A barcode on the screen is read by a scanner that shares nothing with what draws it."""
    boss = pit.at("boss")
    digits = "123456789012345678"
    block = {"type": "barcode", "digits": digits, "width": sum(widths(digits)), "bars": list(bars(digits))}
    boss.screen.ask(DRAW, block)
    boss.page.locator("#bars").screenshot(path=tmp_path / "bars.png")
    [start, wide, end], paper = boss.screen.ask(BARS)
    boss.screen.ask("document.querySelector('#bars').remove()")

    assert scanned([tmp_path / "bars.png"]) == [f"I2/5:{digits}"]
    assert start == pytest.approx(end, abs=1), "the bars stand in the middle of the paper"
    assert wide == pytest.approx(min(paper, (sum(widths(digits)) + 2 * QUIET) * PART_PX), abs=1)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("action", SABOTAGES)
def test_sheets_have_their_place(pit: Pit, action: str, size: tuple[int, int]) -> None:
    """On a desk and on a phone nothing in these sheets is outside, clipped, over another or too small."""
    _look_at(pit, action)
    boss = pit.at("boss", closed=False)
    boss.page.set_viewport_size({"width": size[0], "height": size[1]})
    boss.settle()

    assert misplaced(boss.screen) == []


@pytest.mark.parametrize("action", SABOTAGES)
def test_sheets_are_for_everybody(pit: Pit, action: str) -> None:
    """No sheet breaks a rule of WCAG 2.2 AA that a program can find."""
    _look_at(pit, action)

    assert violations(pit.at("boss", closed=False).screen) == []


def _look_at(pit: Pit, action: str) -> None:
    """Open a sheet about a round on a desk, with as much in it as there can be."""
    pit.at("boss").page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    if action == "Disputes…":
        pit.at("boss").press(action)
        return
    boss = pit.opened(action, LOOKED_AT)
    if action == "Correct":
        pick(boss, "20")
    elif action == "Invalidate":
        boss.choose("Reason", "Fire")
        preview(boss)
    elif action == "Replay":
        boss.key("End")
