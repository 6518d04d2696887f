"""A live table on the stage: its float, its players and their chips, and its dealer at the console."""

from typing import TYPE_CHECKING, Final

from playwright.sync_api import Locator, ViewportSize, expect

from croupier.engine.ports import Request
from croupier.house import AnyCommand, House
from croupier.house.floor.signatures import Approve
from croupier.house.ids import DeviceId, Number, PersonId, PositionId, TableId
from croupier.house.live.floats import ChipCount, OpenFloat
from croupier.house.live.notice import notice_digest
from croupier.house.live.seats_and_colours import AcknowledgeNotice, AllocateColour, BuyChips, SeatPlayer, Tender
from croupier.house.play.chip_bets import PlaceChips
from croupier.house.state.live import LiveTable
from croupier.rules.money import Cents
from croupier.rules.refusal import Refusal
from tests.support.browser.console import Console
from tests.support.browser.harness import BrowserHarness

if TYPE_CHECKING:
    from croupier.house.declare import Event

TABLET: Final = ViewportSize(width=1024, height=768)
UPRIGHT: Final = ViewportSize(width=768, height=1024)

ADELAIDE: Final = """
[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
seats = 2
confirms = true
minimum = 5
maximum = 100
kinds.split = { maximum = 200 }
kinds.street = { maximum = 300 }
kinds.corner = { maximum = 400 }
kinds.six_line = { maximum = 600 }
kinds.column = { maximum = 500 }
kinds.dozen = { maximum = 500 }
kinds.even_money = { maximum = 1_000 }
[tables.seat]
denominations = [1]
chips = [5, 10]
notes = [10, 50]
[tables.live]
emblem = "anchor"
denominations = [1, 5, 25, 100, 500, 1_000]
colours = ["blue", "yellow", "pink", "violet", "orange", "sky", "brown", "lime"]
markers_per_number = 3
"""
SUPERVISED: Final = f'{ADELAIDE}recording = "supervised"\n'
DOUBLE_ZERO: Final = """
[[tables]]
id = "U"
rulebook = "us-double-zero"
confirms = true
[tables.live]
emblem = "star"
denominations = [1, 5, 25, 100]
colours = ["blue", "yellow", "pink", "violet", "orange", "sky"]
"""
STAFF: Final = """
[[staff]]
person = "dealer"
titles = ["Dealer"]
[[staff]]
person = "inspector"
titles = ["{inspector}"]
[[staff]]
person = "boss"
titles = ["{boss}"]
[[consoles]]
id = "pit-first"
role = "pit"
[[consoles]]
id = "pit-second"
role = "pit"
"""
STAFF_OF: Final = {
    "A": STAFF.format(inspector="Inspector", boss="Shift Manager"),
    "U": STAFF.format(inspector="Supervisor", boss="Supervisor"),
}
#: Devices at which people sign without a screen.
FIRST, SECOND = DeviceId("pit-first"), DeviceId("pit-second")


class LiveStage:
    """A live table, prepared by its staff without a screen, and its dealer at the console."""

    def __init__(self, harness: BrowserHarness, table: str, *, size: ViewportSize = TABLET) -> None:
        self.harness, self.house, self.table = harness, harness.house, TableId(table)
        self.size = size
        #: Every committed event but bets of terminals.
        self.events: list[Event] = []
        harness.house.open.venue.publisher.events.subscribe(self.events.append)

    # Preparation, without a screen.

    def ask(self, person: str, command: AnyCommand, device: DeviceId = FIRST) -> None:
        """Have a person do something that must be accepted."""

        async def asking() -> object:
            return await self.house.open.venue.commit_loop.ask(Request(command, device, PersonId(person)))

        outcome = self.house.run(asking())
        assert not isinstance(outcome, Refusal), outcome

    def prepare(self, *chips: tuple[int, int]) -> None:
        """Open the float with chips by value, and check the notice."""
        float_: ChipCount = tuple((Cents(value * 100), count) for value, count in chips)
        self.ask("inspector", OpenFloat(self.table, float_, "S1"))
        self.ask("boss", Approve(Number(1)), SECOND)
        digest = self.house.read(self._digest)
        self.ask("inspector", AcknowledgeNotice(self.table, digest))

    def _digest(self, house: House) -> str:
        return notice_digest(house, house.tables[self.table])

    def player(self, label: str, amount: int, colour: str | None = None, value: int | None = None) -> PositionId:
        """Seat a player, who buys chips for cash: of a colour, or value chips."""
        position = self.house.read(lambda house: PositionId(house.positions_added + 1))
        self.ask("dealer", SeatPlayer(self.table, label))
        if colour is not None:
            worth = None if value is None else Cents(value * 100)
            self.ask("dealer", AllocateColour(self.table, position, colour, worth))
        self.ask("dealer", BuyChips(self.table, position, Tender.CASH, Cents(amount * 100), colour))
        return position

    def lay(self, position: PositionId, chip: str, *bets: tuple[str, int]) -> None:
        """Record chips without a touch."""
        self.ask("dealer", PlaceChips(self.table, position, bets, chip))

    # The dealer at the console.

    def open(self, person: str = "dealer") -> Console:
        """Have the dealer, or another person, sign in at the console."""
        self.at = self.harness.staff("live_table", person, f"#table={self.table}", viewport=self.size)
        self.page = self.at.page
        return self.at

    def call(self, step: str) -> None:
        """Make a call of the round by its button."""
        self.page.locator(f".call[data-step={step}]").click()
        self.pass_s(1)

    def pass_s(self, seconds: float) -> None:
        self.harness.pass_s(seconds)

    def player_form(self) -> Locator:
        """Open the sheet of the selected player."""
        self.page.get_by_role("button", name="Player…").click()
        return self.at.dialog

    def select(self, player: str) -> None:
        """Touch the tile of a player."""
        self.page.get_by_role("radio", name=player).click()
        self.at.settle()

    def touch(self, *spots: str) -> None:
        """Touch spots of the felt, each once."""
        places = self.page.locator(".cloth-frame [role=option]").evaluate_all(_PLACES)
        for spot in spots:
            self.page.mouse.click(*places[spot])
        self.at.settle()

    def pieces(self, spot: str) -> dict[str, str]:
        """What lies on a spot as the felt shows it: the text of each chip, by its colour or value."""
        found = self.page.locator(f'.cloth-frame .piece[data-spot="{spot}"]').all()
        return {str(each.get_attribute("data-hue")): (each.text_content() or "") for each in found}

    def chip(self, name: str) -> None:
        """Choose a chip of the selected player."""
        self.page.locator(".chip-choice").get_by_role("button", name=name, exact=True).click()
        self.at.settle()

    def marker(self, number: str, pieces: int) -> None:
        """Put a marker bet of the selected player on the block."""
        self.at.press("Add a marker bet")
        self.at.dialog.locator(f".pad input[value='{number}']").check(force=True)
        self.at.press(str(pieces))
        self.at.dialog.locator(".main").click()
        self.pass_s(1)

    def close(self) -> None:
        """Warn, let the house close betting, and spin the ball."""
        self.call("warn")
        self.pass_s(6)
        self.call("spin")

    def no_spin(self, reason: str) -> None:
        """Call no spin; a round that would go on is held first, and then the form asks for the reason."""
        self.at.press("No spin…")
        self.pass_s(1)
        expect(self.page.locator("dialog[data-dialog=no-spin]")).to_be_visible()
        self.at.tick(reason)
        self.at.press("Call no spin")
        self.pass_s(1)

    def rest(self, pocket: str) -> None:
        """Have the wheel report where the ball lies."""
        self.harness.land(self.table, pocket)
        self.pass_s(1)

    def dolly(self, pocket: str) -> None:
        """Place the dolly on the number."""
        self.page.get_by_role("button", name=f"Place the dolly on {pocket}").click()
        self.pass_s(1)

    def pay_all(self) -> list[str]:
        """Collect, and make one payment after another; give the amounts in their order."""
        expect(self.go).to_be_enabled()
        if self.go.inner_text().startswith("Collected"):
            self.go.click()
            self.pass_s(0.5)
        paid = []
        while (said := self.go.inner_text().strip()).startswith("Paid"):
            paid.append(said.split()[1].rstrip(":"))
            self.go.click()
            self.pass_s(0.5)
        return paid

    # What is seen, and what is on record.

    def out(self, colour: str) -> int | None:
        return self.house.read(lambda house: self._live(house).colours[colour].out)

    def lies(self, position: PositionId) -> dict[str, dict[str, int]]:
        """What lies on the layout for a player, by the records."""
        return self.house.read(
            lambda house: {k: dict(v) for k, v in self._live(house).players[position].pieces.items()}
        )

    def worth(self, terminal: str) -> int:
        """What a terminal has on its meter and on the felt."""
        return self.house.credit(terminal) + sum(self.house.bets(terminal, self.table).values())

    def _live(self, house: House) -> LiveTable:
        live = house.tables[self.table].live
        assert live is not None
        return live

    def figures(self) -> dict[str, list[str]]:
        """The round in figures, by player."""
        rows = self.page.locator(".figures tbody tr").all()
        return {each.locator("b").last.inner_text(): each.locator("td").all_inner_texts() for each in rows}

    @property
    def walk(self) -> Locator:
        return self.page.locator(".walk")

    @property
    def advice(self) -> Locator:
        return self.page.locator(".advice-card")

    @property
    def go(self) -> Locator:
        """The main button of the payment."""
        return self.page.locator(".walk-bar .main")

    def says(self, words: str) -> None:
        expect(self.page.locator(".live-header .phase")).to_contain_text(words)


#: Where the anchor of every spot is on the screen.
_PLACES: Final = """(options) => Object.fromEntries(options.map((el) => {
  const { left, top, width, height } = el.getBoundingClientRect();
  return [el.dataset.spot, [left + width / 2, top + height / 2]];
}))"""
