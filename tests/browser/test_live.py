"""The console of a live table: players, chips by touch, calls, the number, and the payment in the dealer's order."""

import time
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from croupier.house import House
from croupier.house.floor.disputes import DisputeOpened
from croupier.house.floor.signatures import Approve
from croupier.house.ids import PositionId, RoundNumber
from croupier.house.live.payment_walk import LateBetReturned, SegmentPaid
from croupier.house.live.supervised import WinnerRecorded
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.rounds.results import ConfirmResult
from croupier.protocol.outbound import WalkUpdate, encode
from croupier.rules.geometry import Pocket
from croupier.server.views.live import walk_state
from tests.support.browser.harness import BrowserHarness, browser_harness
from tests.support.browser.houses import house_of
from tests.support.browser.live import ADELAIDE, DOUBLE_ZERO, SECOND, STAFF_OF, SUPERVISED, TABLET, UPRIGHT, LiveStage
from tests.support.browser.looks import misplaced, violations
from tests.support.browser.shared_house import Opens

pytestmark = pytest.mark.untraced

FLOAT = ((1000, 5), (500, 20), (100, 100), (25, 100), (5, 100), (1, 100))
US_FLOAT = ((100, 20), (25, 40), (5, 100), (1, 200))
ADELAIDE_HOUSE = house_of(ADELAIDE, STAFF_OF["A"])
SUPERVISED_HOUSE = house_of(SUPERVISED, STAFF_OF["A"])
US_HOUSE = house_of(DOUBLE_ZERO, STAFF_OF["U"])
CHIEF = '[[staff]]\nperson = "chief"\ntitles = ["Shift Manager"]\n'
CORRECTED_HOUSE = house_of(ADELAIDE, STAFF_OF["A"] + CHIEF)
#: The float has chips of 5 and 25 alone, and players bet chips of 1.
FIVES = DOUBLE_ZERO.replace("denominations = [1, 5, 25, 100]", "denominations = [5, 25]\ncirculating = [1]")
FIVES_HOUSE = house_of(FIVES, STAFF_OF["U"] + CHIEF.replace("Shift Manager", "Supervisor"))
#: Seconds of CPU for computing the payment of a full layout, and for everything that the page does until it is painted.
FULL_MOST = 0.1
SIZES = ((1024, 768), (768, 1024), (1280, 800))
PHONE = (390, 844)


def adelaide(harness: BrowserHarness) -> tuple[LiveStage, dict[str, PositionId]]:
    """Five players with mixed chips at Adelaide, and the dealer at the console."""
    live = LiveStage(harness, "A")
    live.prepare(*FLOAT)
    players = {
        "blue": live.player("Seat 1", 300, "blue"),
        "pink": live.player("Seat 3", 500, "pink", 10),
        "violet": live.player("Seat 4", 2500, "violet", 25),
        "value": live.player("Seat 6", 250),
        "sky": live.player("Seat 7", 300, "sky"),
    }
    live.open()
    return live, players


@pytest.mark.clause("skycity-adelaide-2003", "9(e)")
@pytest.mark.clause("skycity-adelaide-2003", "12(e) second")
@pytest.mark.clause("skycity-adelaide-2003", "12(f)")
@pytest.mark.clause("skycity-adelaide-2003", "6(j)")
def test_round_at_adelaide(opens: Opens) -> None:
    """Five players bet by touch: one over the maximum, one under the minimum twice, one under a marker that hits."""
    live, players = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("17/20", "17/20", "17/20", "8")
    live.select("Violet")
    live.touch(*["17"] * 5)
    live.select("Value")
    live.chip("$1")
    live.touch("17/18", "17/18", "17/18")
    assert (live.pieces("17/20"), live.pieces("17"), live.pieces("17/18")) == (
        {"blue": "3"},
        {"violet": "5"},
        {"$1": "3"},
    )
    expect(live.advice).to_have_count(2)
    expect(live.advice.first).to_contain_text("Over the maximum: settled up to $100")
    expect(live.advice.last).to_contain_text("Under the minimum: counts once")
    live.select("Sky")
    live.marker("25", 10)
    live.lay(players["pink"], "pink", ("dozen 2", 5), ("23", 2))
    live.close()
    live.rest("17")
    live.dolly("17")
    live.says("17 black, collect")
    live.at.press("Dispute")
    live.at.dialog.locator("select").select_option(label="Blue, Seat 1")
    live.at.dialog.get_by_label("What the player says").fill("I had four chips on the split.")
    live.at.press("Send to the pit")
    live.pass_s(1)
    [disputed] = [event for event in live.events if isinstance(event, DisputeOpened)]
    assert (disputed.position, disputed.player, disputed.round) == (players["blue"], "Seat 1", 1)
    expect(live.walk).to_contain_text("Sky hits: 2 of 10 to 17, collect 8")
    assert live.pay_all() == ["$100", "$255", "$3,500", "$51", "$350"]
    live.says("17 black, all paid")
    assert live.out("blue") == 300 // 5 + 3 * 17 - 1
    assert live.figures()["Violet"][:2] == ["$0", "$3,500"]

    # The player was advised: a second bet under the minimum goes back at the close.
    live.go.click()
    live.pass_s(1)
    live.select("Value")
    live.chip("$1")
    live.touch("1", "1")
    expect(live.advice.filter(has_text="Under the minimum again")).to_have_count(2)
    live.close()
    assert live.lies(players["value"]) == {}
    assert "17/20" in live.lies(players["blue"])


@pytest.mark.clause("skycity-adelaide-2003", "6(j)")
@pytest.mark.clause("skycity-adelaide-2003", "12(a)")
def test_marker_bet_of_two_kinds_of_chips(opens: Opens) -> None:
    """The form of a marker bet takes chips of several kinds as one bet, says its fifth, and fits every size."""
    live, players = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.at.press("Add a marker bet")
    form = live.at.dialog
    form.locator(".pad input[value='0']").check(force=True)
    form.get_by_role("button", name="$5", exact=True).click()
    for chip, pieces in (("Blue", 3), ("$5", 2)):
        row = form.get_by_role("group", name=chip, exact=True)
        for _ in range(5 - pieces):
            row.get_by_role("button", name="Take one off").click()
    expect(form).to_contain_text("5 pieces, $5 on each number: $25. The least is $25.")
    for size in (*SIZES, PHONE):
        live.page.set_viewport_size({"width": size[0], "height": size[1]})
        live.at.settle()
        assert misplaced(live.at.screen) == []
    live.page.set_viewport_size(TABLET)
    assert violations(live.at.screen) == []
    form.get_by_role("button", name="Put $25 on the block").click()
    live.pass_s(1)
    assert live.at.refusals() == []
    assert live.lies(players["blue"]) == {"neighbours 0": {"blue": 3, "v500": 2}}
    # One bet is one button on the block.
    expect(live.page.get_by_role("button", name="Marker 0, Blue, $25")).to_have_count(1)
    expect(live.page.locator(".marker-key")).to_contain_text("Blue, $5 each")
    # A kind that is taken off has no pieces: without any there is nothing to put on the block.
    live.at.press("Marker 0, Blue, $25")
    form.get_by_role("button", name="Blue", exact=True).click()
    expect(form.locator(".main")).to_be_disabled()


@pytest.mark.clause("skycity-adelaide-2003", "10(e)")
@pytest.mark.clause("skycity-adelaide-2003", "6(i)")
def test_late_bet_and_no_spin(opens: Opens) -> None:
    """A late bet goes back while the spin stands; after a no spin the chips lie where they lay, and can be changed."""
    live, players = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("8", "8")
    live.close()
    live.touch("20")
    assert live.lies(players["blue"]) == {"8": {"blue": 2}}
    live.at.press("Late bet: touch where it lies")
    live.touch("20")
    live.pass_s(1)
    [late] = [event for event in live.events if isinstance(event, LateBetReturned)]
    assert (late.position, late.bets, late.clause) == (players["blue"], (("20", 1),), "6(i)")
    assert live.lies(players["blue"]) == {"8": {"blue": 2}}
    live.no_spin("The ball left the wheel")
    live.call("reset")
    live.touch("9")
    assert live.lies(players["blue"]) == {"8": {"blue": 2}, "9": {"blue": 1}}
    live.at.press("Undo")
    live.pass_s(1)
    assert live.pieces("9") == {}


def test_felt_does_not_move_under_a_refusal(opens: Opens) -> None:
    """A refusal lies over the header: the felt stays where it is, and a touch that follows is on the number touched."""
    live = LiveStage(opens(US_HOUSE), "U")
    live.prepare(*US_FLOAT)
    live.player("Seat 1", 40, "blue")
    live.open()
    live.call("open")
    live.select("Blue")
    live.touch("17", "17", "17", "17")
    live.pass_s(1)
    for size in SIZES:
        live.page.set_viewport_size({"width": size[0], "height": size[1]})
        live.at.settle()
        before = live.page.locator(".cloth-frame .cloth").bounding_box()
        live.touch("17")
        live.pass_s(1)
        assert live.at.refusals()[0].startswith("Straight up 17: $5 is over the maximum")
        refusals = live.page.locator(".refusals").bounding_box()

        assert before is not None
        assert live.page.locator(".cloth-frame .cloth").bounding_box() == before
        assert refusals is not None
        assert refusals["y"] + refusals["height"] <= before["y"]
        live.at.press("Dismiss")


@pytest.mark.clause("us-double-zero", "Placement 5")
@pytest.mark.clause("us-double-zero", "Irregularities (4)")
def test_round_at_a_us_table(opens: Opens) -> None:
    """At a US table a fifth chip on a spot is refused, a late bet goes back, and every player is paid in colour."""
    harness = opens(US_HOUSE)
    live = LiveStage(harness, "U", size=UPRIGHT)
    live.prepare(*US_FLOAT)
    colours = ("blue", "yellow", "pink", "violet")
    players = {colour: live.player(f"Seat {place}", 40, colour) for place, colour in enumerate(colours, 1)}
    players["value"] = live.player("Seat 5", 40)
    live.open()
    live.call("open")
    live.select("Blue")
    live.touch("17", "17", "17", "17")
    # Touches of one frame are one request: the fifth comes by itself.
    live.touch("17")
    live.pass_s(1)
    assert live.at.refusals() == ["Straight up 17: $5 is over the maximum of $4. [Placement 5]"]
    live.at.press("Dismiss")
    assert live.pieces("17") == {"blue": "4"}
    live.lay(players["yellow"], "yellow", ("red", 4))
    live.lay(players["pink"], "pink", ("17/20", 2))
    live.lay(players["violet"], "violet", ("0/00", 2), ("courtesy-line", 2))
    live.lay(players["value"], "v100", ("black", 1))
    live.call("spin")
    live.no_spin("Too few revolutions")
    # The chips lie where they lay, and the ball is spun again.
    assert live.lies(players["yellow"]) == {"red": {"yellow": 4}}
    live.call("spin")
    live.call("close")
    live.select("Yellow")
    live.at.press("Late bet: touch where it lies")
    live.touch("20")
    assert live.lies(players["yellow"]) == {"red": {"yellow": 4}}
    live.rest("17")
    live.dolly("17")
    assert live.pay_all() == ["$1", "$140", "$34"]
    assert live.out("blue") == 40 + 140


@pytest.mark.clause("skycity-adelaide-2003", "7(a)")
@pytest.mark.clause("skycity-adelaide-2003", "9(f)")
def test_mixed_table(opens: Opens) -> None:
    """Two terminals at the wheel of a live table are paid at once, while the dealer still pays the chips."""
    harness = opens(ADELAIDE_HOUSE)
    live, _ = adelaide(harness)
    seats = [harness.house.run(harness.house.open.seated("A", 100_000)) for _ in range(2)]
    live.call("open")
    live.select("Blue")
    live.touch("17")
    for seat, spot in zip(seats, ("17", "18"), strict=True):
        harness.house.lay(seat.device, "A", [(spot, 1_000)])
    live.close()
    live.rest("17")
    live.dolly("17")
    assert harness.house.phase("A") == "paying"
    assert [live.worth(seat.device) for seat in seats] == [100_000 + 35_000, 100_000 - 1_000]
    # No frame that a terminal received has a chip position or a label.
    received = [frame for seat in seats for frame in seat.drain()]
    assert received
    assert not any(word in str(frame) for frame in received for word in ("Seat 1", "blue", "walk"))
    assert live.pay_all() == ["$175"]


def pair(harness: BrowserHarness) -> tuple[LiveStage, dict[str, PositionId]]:
    """Two players with colours, and a shift manager at the console, who has the duties of all others."""
    live = LiveStage(harness, "A")
    live.prepare(*FLOAT)
    players = {"blue": live.player("Seat 1", 300, "blue"), "sky": live.player("Seat 7", 300, "sky")}
    live.open("boss")
    return live, players


def test_figures_of_the_float_stand_beside_their_names(opens: Opens) -> None:
    """The sheet of the float has a line for each figure: its name, and the figure at the end of the line."""
    live, _ = pair(opens(ADELAIDE_HOUSE))
    live.page.get_by_role("button", name="Chips", exact=True).click()
    live.at.dialog.get_by_role("tab", name="Float").click()
    live.at.settle()
    places = live.at.dialog.locator(".facts").evaluate(
        """(list) => [...list.children].map((one) => {
          const { left, top } = one.getBoundingClientRect();
          return [one.textContent, left, top];
        })"""
    )
    names, figures = places[::2], places[1::2]

    assert [name for name, *_ in names] == ["Opened with", "Fills", "Credits", "Last count"]
    assert [top for *_, top in names] == [top for *_, top in figures] == sorted({top for *_, top in names})
    assert len({left for _, left, _ in names}) == 1


@pytest.mark.clause("skycity-adelaide-2003", "8(a)")
@pytest.mark.clause("skycity-adelaide-2003", "8(a)i")
def test_arrangement_with_a_player(opens: Opens) -> None:
    """An arrangement is made at the console after notice and before the first bet; it changes the notice, and ends."""
    live, _ = pair(opens(ADELAIDE_HOUSE))
    live.select("Sky")
    form = live.player_form()
    live.at.press("Record an arrangement")
    live.at.dialog.get_by_label("Who signed it, and when").fill("Ms Grey, today")
    live.at.press("Record an arrangement")
    expect(live.at.dialog).to_contain_text("must be notified of an arrangement first")
    live.at.leave()
    live.at.press("Inspectorate notified")
    live.at.dialog.get_by_label("Whom, and when").fill("Mr Brown, at noon")
    live.at.press("Inspectorate notified")
    live.pass_s(1)
    live.at.press("Record an arrangement")
    live.at.dialog.get_by_label("Who signed it, and when").fill("Ms Grey, today")
    live.at.press("Record an arrangement")
    live.pass_s(1)
    expect(form).to_contain_text("Arrangement 1: straight up bets only.")
    assert violations(live.at.screen) == []
    live.at.leave()
    live.at.press("It is shown")
    live.pass_s(1)
    live.call("open")
    live.touch("red")
    live.pass_s(1)
    assert live.at.refusals() == ["By arrangement you bet straight up only. [8(a)i]"]
    live.at.press("Dismiss")
    live.player_form()
    live.at.press("End the arrangement")
    live.at.dialog.get_by_label("Reason").fill("As agreed")
    live.at.press("End the arrangement")
    live.pass_s(1)
    expect(form).to_contain_text("The limits and odds of the table apply.")


@pytest.mark.clause("skycity-adelaide-2003", "12(d)")
@pytest.mark.clause("skycity-adelaide-2003", "12(e) first")
@pytest.mark.clause("skycity-adelaide-2003", "12(l)")
def test_partners_and_conduct(opens: Opens) -> None:
    """Partners have one maximum, and bets of a player who used a device are refused until the player is admitted."""
    live, players = pair(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Sky")
    form = live.player_form()
    live.at.press("Link with Blue · Seat 1")
    live.pass_s(1)
    expect(form).to_contain_text("One maximum together with Blue · Seat 1.")
    live.at.leave()
    expect(live.page.get_by_role("radio", name="Sky")).to_contain_text("Partners 1")
    live.lay(players["blue"], "blue", ("17", 18))
    live.touch("17")
    live.touch("17")
    live.touch("17")
    live.pass_s(1)
    assert live.at.refusals() == ["Straight up 17: partners together have $0 left. [12(e) first]"]
    live.at.press("Dismiss")
    live.player_form()
    for count in (1, 2):
        live.at.press("Touched a bet too early 12(d)")
        live.pass_s(1)
        expect(form).to_contain_text(f"{count} of 3 infringements")
    live.at.press("Used a device 12(l)")
    live.pass_s(1)
    expect(form).to_contain_text("are refused under 12(l)")
    assert misplaced(live.at.screen) == []
    live.at.leave()
    expect(live.page.get_by_role("radio", name="Sky")).to_contain_text("Bets refused")
    live.touch("1")
    live.pass_s(1)
    assert live.lies(players["sky"]) == {"17": {"sky": 2}}
    live.at.press("Dismiss")
    live.player_form()
    live.at.press("Take bets again")
    live.pass_s(1)
    live.at.leave()
    live.touch("1")
    live.pass_s(1)
    assert live.lies(players["sky"]) == {"17": {"sky": 2}, "1": {"sky": 1}}


def test_gap_in_the_record(opens: Opens) -> None:
    """Play that went unrecorded is declared at the console, and closed by a count that two people sign."""
    live, players = pair(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("17", "17")
    live.pass_s(1)
    live.page.locator(".live-header").get_by_role("button", name="Menu").click()
    live.at.press("Play went unrecorded")
    live.at.dialog.get_by_label("What was played without a record").fill("Two spins")
    live.at.press("Play went unrecorded")
    live.pass_s(1)
    expect(live.advice).to_contain_text("Play is missing in the record")
    assert live.lies(players["blue"]) == {}
    live.at.press("Count and close the gap")
    live.at.dialog.get_by_label("Blue in the rack").fill("200")
    live.at.dialog.get_by_label("Sky in the rack").fill("240")
    live.at.dialog.get_by_label("Chips of $1,000").fill("17")
    live.at.dialog.get_by_label("Numbers of the unrecorded spins").fill("5, 0")
    live.at.dialog.get_by_label("How it is known").fill("Both counted")
    assert violations(live.at.screen) == []
    live.at.press("Count and close the gap")
    live.pass_s(1)
    live.at.sign_again()
    live.pass_s(1)
    second_signature(live)
    expect(live.advice).to_have_count(0)
    assert (live.out("blue"), live.out("sky")) == (100, 60)
    live.touch("17")
    live.pass_s(1)
    assert live.lies(players["blue"]) == {"17": {"blue": 1}}


def test_seal_is_amended_and_chips_are_adjusted(opens: Opens) -> None:
    """At the console of the table one person signs what lies on a spot, or an adjustment; another signs it too."""
    live, players = pair(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("17", "17")
    live.close()
    live.player_form()
    live.at.press("Amend the seal…")
    live.at.choose("Spot", "Straight up 17")
    live.at.choose("Chip", "Blue")
    live.at.fill("Pieces that lie there", "3")
    live.at.fill("Reason", "Both saw three.")
    live.at.press("Sign it")
    live.at.sign_again()
    second_signature(live)
    assert live.lies(players["blue"]) == {"17": {"blue": 3}}

    live.at.press("Adjust chips…")
    live.at.choose("Direction", "Pay to the player")
    live.at.fill("Amount", "0")
    live.at.fill("Reason", "A stack was short.")
    assert violations(live.at.screen) == []
    live.at.press("Sign it")
    assert live.at.reply() != ""


def second_signature(live: LiveStage) -> None:
    """Have the inspector sign the newest proposal on another device."""
    live.pass_s(1)
    number = live.house.read(lambda house: max(house.proposals.all))
    live.ask("inspector", Approve(number), SECOND)
    live.pass_s(1)


def test_supervised_table(opens: Opens) -> None:
    """Where only buy-ins, numbers and payments are recorded, the dealer touches what won and pays it."""
    live = LiveStage(opens(SUPERVISED_HOUSE), "A")
    live.prepare(*FLOAT)
    players = {"blue": live.player("Seat 1", 300, "blue"), "value": live.player("Seat 6", 250)}
    live.open()
    expect(live.page.get_by_role("radio", name="Blue")).to_contain_text("Out \N{EN DASH}")
    live.call("open")
    live.select("Blue")
    live.close()
    live.rest("17")
    live.dolly("17")
    expect(live.walk).to_contain_text("Losing bets are not recorded at this table")
    live.go.click()
    live.pass_s(1)
    assert misplaced(live.at.screen) == []
    live.touch("17", "17/20")
    live.pass_s(1)
    live.select("Value")
    live.touch("black")
    live.pass_s(1)
    won = [(each.position, each.bets) for each in live.events if isinstance(each, WinnerRecorded)]
    assert [*won] == [
        (players["blue"], (("17", 1),)),
        (players["blue"], (("17/20", 1),)),
        (players["value"], (("black", 1),)),
    ]
    assert violations(live.at.screen) == []
    assert live.pay_all() == ["$260", "$5"]
    live.at.press("Every winner is paid")
    live.pass_s(1)
    live.says("17 black, all paid")
    assert live.out("blue") is None


FULL: Final = 40


def test_full_layout_is_paid_without_delay(opens: Opens) -> None:
    """With twenty players on forty spots each, the payment is computed and painted in little time."""
    live = LiveStage(opens(ADELAIDE_HOUSE), "A")
    live.prepare((1000, 900), (500, 20), (100, 100), (25, 100), (5, 100), (1, 100))
    players = [live.player(f"Seat {place}", 5_000) for place in range(1, 21)]
    live.open()
    live.call("open")
    spots = live.house.read(lambda house: list(house.tables[live.table].rulebook.spots))
    for place, player in enumerate(players):
        live.lay(player, "v500", *((spots[(7 * place + each) % len(spots)], 1) for each in range(FULL)))
    live.close()
    live.rest("17")
    cdp = live.page.context.new_cdp_session(live.page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        """Give the CPU time of the page's main thread: scripts, style, layout, and painting."""
        metrics = {each["name"]: each["value"] for each in cdp.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"]) - float(metrics["DevToolsCommandDuration"])

    # The dealer confirms at another device, so that the page draws what arrives, and handles no touch.
    begun = spent()
    live.ask("dealer", ConfirmResult(live.table, Pocket("17"), Pocket("17")))
    live.at.settle()
    drawn = spent() - begun
    expect(live.walk).to_contain_text("First: collect what lost")

    def timed(house: House) -> float:
        begun = time.thread_time()
        encode(WalkUpdate(state=walk_state(house, live.table)))
        return time.thread_time() - begun

    computed = live.house.read(timed)
    assert computed + drawn < FULL_MOST, (computed, drawn)


def correct(live: LiveStage, pocket: str, number: int = 1) -> None:
    """Have two people replace the number of a round, on other devices."""
    live.ask("boss", CorrectResult(live.table, RoundNumber(number), Pocket(pocket), "The recording shows it."))
    proposal = live.house.read(lambda house: max(house.proposals.all))
    live.ask("chief", Approve(proposal), SECOND)
    live.pass_s(1)


def in_place(live: LiveStage) -> bool:
    """Whether everything has its place on tablets and a phone, and no rule of WCAG is broken."""
    for size in SIZES:
        live.page.set_viewport_size({"width": size[0], "height": size[1]})
        live.at.settle()
        assert misplaced(live.at.screen) == []
    live.page.set_viewport_size(TABLET)
    return violations(live.at.screen) == []


@pytest.mark.clause("skycity-adelaide-2003", "11(e)")
def test_chips_that_a_correction_moves_are_listed(opens: Opens) -> None:
    """A correction lists the chips to lift and to put back, player by player, until the dealer has gone on."""
    live, players = adelaide(opens(CORRECTED_HOUSE))
    live.call("open")
    live.lay(players["blue"], "blue", ("17", 2), ("black", 1))
    live.lay(players["sky"], "sky", ("20", 3), ("red", 1))
    live.lay(players["value"], "v500", ("17/20", 1))
    live.close()
    live.rest("17")
    live.dolly("17")
    live.go.click()
    live.pass_s(1)
    correct(live, "20")
    moves = live.page.locator(".walk .moves")
    expect(moves).to_contain_text("Corrected to 20: move chips")
    expect(moves.locator("li")).to_have_text(
        ["2Blue · Seat 1 Lift 2 from Straight up 17", "3Sky · Seat 7 Put 3 back on Straight up 20"]
    )
    expect(live.walk).not_to_contain_text("First: collect what lost")
    assert in_place(live)
    live.dolly("20")
    expect(live.go).to_have_text("Chips moved: start paying")
    live.go.click()
    live.pass_s(1)
    expect(moves).to_have_count(0)

    # While chips are paid, the list stands beside the next payment, and goes with it.
    live.go.click()
    live.pass_s(1)
    correct(live, "17")
    expect(moves.locator("li")).to_have_text(
        ["2Blue · Seat 1 Put 2 back on Straight up 17", "3Sky · Seat 7 Lift 3 from Straight up 20"]
    )
    assert in_place(live)
    # What is due is shown in the chips of the house, once.
    expect(live.walk.locator(".levels button")).to_have_text(["In value chips"])
    expect(live.walk.locator(".pay")).not_to_contain_text("or $")
    live.dolly("17")
    live.go.click()
    live.pass_s(1)
    expect(moves).to_have_count(0)
    live.pay_all()
    live.says("17 black, all paid")

    # After the walk it stands until the next round is opened; and while bets are open, among the advice.
    correct(live, "20")
    expect(moves.locator("li")).to_have_count(2)
    assert in_place(live)
    live.dolly("20")
    live.go.click()
    live.pass_s(1)
    expect(live.advice).to_have_count(0)
    correct(live, "17")
    expect(live.advice.locator(".title")).to_have_text(["Corrected to 17: move chips"])
    expect(live.advice.locator(".words")).to_have_text(["Sky · Seat 7: Lift 3 from Straight up 20"])
    assert in_place(live)
    live.close()
    expect(live.advice).to_have_count(0)


CHOICES = pytest.mark.parametrize(("way", "amount"), [("The lower amount", 30), ("The higher amount", 35)])


def fives(harness: BrowserHarness, *layouts: tuple[str, int]) -> tuple[LiveStage, list[PositionId]]:
    """Players with chips of 1 at a table whose float has chips of 5 and 25, and a supervisor at the console."""
    live = LiveStage(harness, "U", size=UPRIGHT)
    live.prepare((5, 200), (25, 100))
    players = [live.player(f"Seat {seat}", 100) for seat, _ in enumerate(layouts, 1)]
    live.open("boss")
    live.call("open")
    for player, layout in zip(players, layouts, strict=True):
        live.lay(player, "v100", layout)
    return live, players


def collected(live: LiveStage, pocket: str) -> None:
    """Close betting, and collect by a number."""
    live.call("spin")
    live.call("close")
    live.rest(pocket)
    live.dolly(pocket)
    live.go.click()
    live.pass_s(1)


def last_paid(live: LiveStage) -> int:
    """The value of what was handed over last, in cents."""
    return [each for each in live.events if isinstance(each, SegmentPaid)][-1].payments[0].value


@pytest.mark.clause("us-double-zero", "Rotation (4)")
@CHOICES
def test_supervisor_chooses_what_chips_do_not_make(opens: Opens, way: str, amount: int) -> None:
    """Of 33 from chips of 5 a supervisor pays the lower or the higher amount, by the plan and by a correction."""
    live, _ = fives(opens(FIVES_HOUSE), ("1/2/3", 3), ("16/17/18", 3), ("17", 1))
    collected(live, "17")
    for corrected in (False, True):
        if corrected:
            correct(live, "2")
            live.dolly("2")
        expect(live.walk).to_contain_text("Chips do not make $33. A supervisor decides what is paid.")
        expect(live.walk.locator(".levels button")).to_have_text(["The lower amount", "The higher amount"])
        live.walk.get_by_role("button", name=way).click()
        live.at.settle()
        assert misplaced(live.at.screen) == []
        expect(live.go).to_contain_text(f"Paid ${amount}")
        live.go.click()
        live.pass_s(1)
        assert last_paid(live) == amount * 100
    live.says("2 black, all paid")


@pytest.mark.clause("us-double-zero", "Rotation (4)")
@CHOICES
def test_supervisor_chooses_after_the_walk(opens: Opens, way: str, amount: int) -> None:
    """What a correction adds to a round whose payments had ended is chosen on the sheet of the player."""
    live, _ = fives(opens(FIVES_HOUSE), ("1/2/3", 3))
    collected(live, "0")
    correct(live, "2")
    live.dolly("2")
    live.go.click()
    live.pass_s(1)
    live.select("Value")
    form = live.player_form()
    expect(form).to_contain_text("Chips do not make $33. A supervisor decides what is paid.")
    pays = form.get_by_role("button", name="Pay $")
    expect(pays).to_have_text(["Pay $30", "Pay $35"])
    assert violations(live.at.screen) == []
    pays.nth(["The lower amount", "The higher amount"].index(way)).click()
    live.pass_s(1)
    assert last_paid(live) == amount * 100
    expect(pays).to_have_count(0)


def test_players_buy_in_and_leave(opens: Opens) -> None:
    """A seat buys a colour at a value of its own, with a marker, and hands back all that is not on the felt."""
    harness = opens(ADELAIDE_HOUSE)
    live = LiveStage(harness, "A")
    live.prepare(*FLOAT)
    live.open()
    live.page.get_by_role("button", name="Buy in").click()
    live.at.press("Seat 2")
    live.at.dialog.get_by_role("button", name="Lime").click()
    live.at.press("$25")
    # Without an amount no player is seated.
    expect(live.at.dialog.get_by_role("button", name="Hand out")).to_be_disabled()
    live.at.press("+ $500")
    expect(live.at.dialog).to_contain_text("$500 ÷ $25 = 20")
    expect(live.at.dialog).to_contain_text("Put the $25 marker on Lime")
    live.at.press("Hand out 20 pieces, $500")
    live.pass_s(1)
    tile = live.page.get_by_role("radio", name="Lime")
    expect(tile).to_contain_text("Out 20")
    expect(tile).to_contain_text("$25")
    tile.click()
    live.call("open")
    live.touch("17", "17/20")
    live.at.press("Chips")
    live.at.dialog.get_by_role("tab", name="Redeem").click()
    expect(live.at.dialog).to_contain_text("2 chips are on the felt")
    live.at.press("All 18")
    live.at.press("Redeem: pay $450")
    live.pass_s(1)
    expect(tile).to_contain_text("Out 2")


#: The longer side of a cell, and what of the frame of the felt is free on each side of its spots, in px.
_BANDS: Final = """() => {
  const frame = document.querySelector(".cloth-frame").getBoundingClientRect();
  const spots = [...document.querySelectorAll(".cloth-frame [role=option]")].map((one) => one.getBoundingClientRect());
  const at = (name) => spots.map((one) => one[name]);
  const straight = (key) => document.querySelector(`.cloth-frame [data-spot="${key}"]`).getBoundingClientRect();
  const apart = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);
  return [
    Math.max(apart(straight("17"), straight("18")), apart(straight("17"), straight("20"))),
    Math.min(...at("left")) - frame.left, frame.right - Math.max(...at("right")),
    Math.min(...at("top")) - frame.top, frame.bottom - Math.max(...at("bottom")),
  ];
}"""


@pytest.fixture(scope="module")
def watched(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveStage]:
    """A console with chips on the felt that is only looked at."""
    with browser_harness(browser, tmp_path_factory.mktemp("live"), ADELAIDE_HOUSE) as harness:
        live, players = adelaide(harness)
        live.call("open")
        live.lay(players["violet"], "violet", ("17", 5), ("black", 12))
        live.lay(players["value"], "v100", ("17/18", 3))
        live.lay(players["sky"], "sky", ("2", 2), ("neighbours 25", 10))
        live.select("Blue")
        live.pass_s(1)
        yield live


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_layout(watched: LiveStage, size: tuple[int, int]) -> None:
    """At every size everything of the console has its place."""
    watched.page.set_viewport_size({"width": size[0], "height": size[1]})
    watched.at.settle()
    assert misplaced(watched.at.screen) == []
    # No band beside the spots is wider than a cell: the layout fills its frame, upright too.
    cell, *bands = watched.page.evaluate(_BANDS)
    assert max(bands) < cell, bands


@pytest.mark.parametrize("opens_", ["", "Chips", "Menu", "Limits"])
def test_everybody_can_use_it(watched: LiveStage, opens_: str) -> None:
    """No rule of WCAG 2.2 AA that a program can check is broken, on the page or in its sheets."""
    watched.page.set_viewport_size(TABLET)
    if opens_:
        watched.page.locator(".live-header").get_by_role("button", name=opens_).click()
    try:
        assert violations(watched.at.screen) == []
    finally:
        if opens_:
            watched.at.leave()


def test_payment_is_made_in_the_way_chosen_last(opens: Opens) -> None:
    """A payment pressed in the same moment as its way is made that way, although nothing was drawn between the two."""
    live, _ = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("17")
    live.close()
    live.rest("17")
    live.dolly("17")
    way = live.walk.get_by_role("button", name="In value chips")
    live.page.evaluate("([way, go]) => { way.click(); go.click(); }", [way.element_handle(), live.go.element_handle()])
    live.pass_s(1)

    (paid,) = [event for event in live.events if isinstance(event, SegmentPaid)]
    assert {chip[0] for payment in paid.payments for chip, _ in payment.chips} == {"v"}


def test_payment_is_accessible(opens: Opens) -> None:
    """While bets are collected and paid, everything has its place at both tablets, and no rule of WCAG is broken."""
    live, _ = adelaide(opens(ADELAIDE_HOUSE))
    live.call("open")
    live.select("Blue")
    live.touch("17", "17/20", "1")
    live.close()
    live.rest("17")
    live.dolly("17")
    for _ in range(3):
        for size in (*SIZES[:2], PHONE):
            live.page.set_viewport_size({"width": size[0], "height": size[1]})
            live.at.settle()
            # On a phone the page scrolls below the calls.
            scrolled = "overlap" if size == PHONE else "none"
            assert [one for one in misplaced(live.at.screen) if not one.startswith(scrolled)] == []
        assert violations(live.at.screen) == []
        live.go.click()
        live.pass_s(1)
