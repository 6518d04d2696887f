"""The wheel head and the ball of a table: which may be used, inspection and maintenance."""

import pytest
from msgspec.structs import replace

from croupier.house.blockers import blockers
from croupier.house.declare import Decision
from croupier.house.floor.equipment import (
    AssignBall,
    BallAssigned,
    BallMaterial,
    InspectEquipment,
    PairWheelHead,
    RecordMaintenance,
    WheelHeadPaired,
)
from croupier.house.floor.setup import AddTable
from croupier.house.ids import SYSTEM
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import TableSettings, WheelKind
from croupier.house.state.tables import Phase
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import Duty
from croupier.rules.refusal import ClauseId, Refusal
from croupier.words import remedy_text
from tests.support.audited import Audited
from tests.support.house_driver import A2, ADELAIDE, CLEARWATER, MARINA, TABLE, US, sound

INSPECTED = TableSettings(inspects_equipment=True)
ACRYLIC = BallMaterial.ACRYLIC


def refused(answer: Decision, code: str, clause: str | None = None) -> Refusal:
    """Check that a command was refused with a code, under a clause."""
    assert isinstance(answer, Refusal)
    assert (answer.code, answer.clause) == (code, clause)
    return answer


class Floor(Audited):
    """A table, and the staff who look after its wheel."""

    def __init__(self, rulebook_id: str = ADELAIDE, settings: TableSettings = INSPECTED) -> None:
        super().__init__(rulebook_id, settings)
        self.chief = self.enrol(self.rulebook.staff.order[-1], "chief")
        self.technician = self.rulebook.staff.titles_for(Duty.MAINTAIN)[0].lower()
        self.inspector = self.rulebook.staff.titles_for(Duty.INSPECT)[0].lower()
        self.order = self.rulebook.wheel.order

    def done(self, by: str, command: object) -> None:
        assert isinstance(self.by(by, command), tuple)  # type: ignore[arg-type]

    def ready(self) -> None:
        """Have a head and a ball, inspected today."""
        self.done(self.technician, PairWheelHead(TABLE, "W1", self.order))
        self.done(self.inspector, AssignBall(TABLE, "B1", ACRYLIC, 19_000))
        self.done(self.inspector, InspectEquipment(TABLE))


@pytest.mark.clause(ADELAIDE, "5.2(b)")
@pytest.mark.clause(CLEARWATER, "1")
@pytest.mark.parametrize(
    ("rulebook", "other", "clause"), [(ADELAIDE, US, "5.2(b)"), (CLEARWATER, ADELAIDE, "1"), (US, ADELAIDE, None)]
)
def test_head_of_another_wheel_is_refused(rulebook: str, other: str, clause: str | None) -> None:
    """A head with another number of pockets is refused; the wheel of the rules can be paired, from any pocket on."""
    floor, strange = Floor(rulebook), Floor(other).order
    answer = floor.by(floor.technician, PairWheelHead(TABLE, "W1", strange))
    refusal = refused(answer, "wheel_head_differs", clause or floor.rulebook.wheel_clause)
    assert refusal.message == f"The wheel of these rules has {len(floor.order)} pockets, and this head {len(strange)}."

    turned = floor.order[7:] + floor.order[:7]
    paired = floor.by(floor.technician, PairWheelHead(TABLE, " W1 ", turned))
    assert paired == (WheelHeadPaired(TABLE, "W1", ClauseId(clause or floor.rulebook.wheel_clause)),)
    assert floor.table.equipment.head == "W1"
    sound(floor.house)


@pytest.mark.clause(ADELAIDE, "5.2(b)")
def test_head_in_another_order_is_refused() -> None:
    """Two swapped pockets are detected, and so is a pocket of another wheel."""
    floor = Floor()
    first, second, third, *others = floor.order
    swapped = (first, third, second, *others)
    answer = floor.by(floor.technician, PairWheelHead(TABLE, "W1", swapped))
    assert refused(answer, "wheel_head_differs", "5.2(b)").message == "After 0 comes 32, and on this head 15."
    foreign = (first, second, Pocket("00"), *others)
    answer = floor.by(floor.technician, PairWheelHead(TABLE, "W1", foreign))
    message = refused(answer, "wheel_head_differs", "5.2(b)").message
    assert message == "This head has other pockets than the wheel of these rules: 00, 15."


def test_head_serves_one_table() -> None:
    """A head that is paired stays where it is; a random wheel has none, and each has a number."""
    floor = Floor()
    floor.ask(AddTable(A2, floor.rulebook.digest, INSPECTED), SYSTEM)
    floor.ready()
    again = PairWheelHead(TABLE, "W1", floor.order)
    refused(floor.by(floor.technician, again), "already_there", "5.2(b)")
    refused(floor.by(floor.technician, replace(again, table=A2)), "wheel_head_in_use", "5.2(b)")
    refused(floor.by(floor.technician, replace(again, table=A2, head=" ")), "reason_not_listed", "5.2(b)")
    drawn = Floor(settings=replace(INSPECTED, wheel=WheelKind.RANDOM))
    refused(drawn.by(drawn.technician, again), "setting_impossible", "5.2(b)")
    # A random wheel has no equipment that would have to be inspected.
    drawn.open()


@pytest.mark.clause(ADELAIDE, "9(a)")
@pytest.mark.parametrize(
    ("material", "diameter", "taken"),
    [
        (ACRYLIC, 16_900, False),
        (ACRYLIC, 16_999, False),
        (ACRYLIC, 17_000, True),
        (BallMaterial.CERAMIC, 22_000, True),
        (BallMaterial.IVORY, 22_100, False),
        (BallMaterial.STEEL, 19_000, False),
        (BallMaterial.OTHER_METAL, 19_000, False),
        (BallMaterial.PTFE, 20_500, True),
    ],
)
def test_ball_is_non_metallic_and_in_range(material: BallMaterial, diameter: int, taken: bool) -> None:  # noqa: FBT001 - a column
    """9(a): a ball is wholly non-metallic and measures 17 to 22 mm; any other is refused."""
    floor = Floor()
    answer = floor.by(floor.inspector, AssignBall(TABLE, "B1", material, diameter))
    if taken:
        assert answer == (BallAssigned(TABLE, "B1", material, diameter, ClauseId("9(a)")),)
    else:
        refused(answer, "ball_not_allowed", "9(a)")


def test_words_name_the_diameter() -> None:
    """The refusal of a ball names its diameter as it was measured, and the range."""
    floor = Floor()
    for diameter, words in ((16_900, "16.9 mm"), (16_999, "16.999 mm")):
        answer = floor.by(floor.inspector, AssignBall(TABLE, "B1", ACRYLIC, diameter))
        message = refused(answer, "ball_not_allowed", "9(a)").message
        assert message == f"A ball measures 17.0 to 22.0 mm, and this one {words}."
    refused(floor.by(floor.inspector, AssignBall(TABLE, " ", ACRYLIC, 19_000)), "malformed")
    refused(floor.by(floor.inspector, AssignBall(TABLE, "B1", ACRYLIC, 0)), "malformed")


@pytest.mark.parametrize("rulebook", [CLEARWATER, MARINA])
def test_rules_without_a_ball_take_any(rulebook: str) -> None:
    """Where the document says nothing of the ball, it is recorded and not judged."""
    floor = Floor(rulebook)
    floor.done(floor.technician, AssignBall(TABLE, "B1", BallMaterial.STEEL, 30_000))
    floor.done(floor.technician, PairWheelHead(TABLE, "W1", floor.order))
    floor.done(floor.chief, InspectEquipment(TABLE))
    assert floor.table.equipment.ball == "B1"


@pytest.mark.clause(ADELAIDE, "9(a)")
@pytest.mark.clause(ADELAIDE, "5.2(b)")
def test_table_opens_on_inspected_equipment() -> None:
    """A table that requires it opens only after head and ball were inspected today, and again tomorrow."""
    floor = Floor()
    refused(floor.ask(OpenBets(TABLE)), "equipment_not_inspected", "5.2(b)")
    head, ball = (each for each in blockers(floor.house) if each.reason == "equipment_not_inspected")
    assert (head.clause, ball.clause) == ("5.2(b)", "9(a)")
    assert remedy_text(head) == remedy_text(ball)
    assert "record that both were inspected" in remedy_text(head)
    refused(floor.by(floor.inspector, InspectEquipment(TABLE)), "unknown_record", "5.2(b)")
    floor.done(floor.technician, PairWheelHead(TABLE, "W1", floor.order))
    refused(floor.by(floor.inspector, InspectEquipment(TABLE)), "unknown_record", "9(a)")
    floor.done(floor.inspector, AssignBall(TABLE, "B1", ACRYLIC, 19_000))
    refused(floor.ask(OpenBets(TABLE)), "equipment_not_inspected", "5.2(b)")
    floor.done(floor.inspector, InspectEquipment(TABLE, "both in order"))
    floor.open()
    assert floor.table.phase is Phase.OPEN
    sound(floor.house)


@pytest.mark.clause(ADELAIDE, "9(a)")
def test_new_ball_is_inspected_first() -> None:
    """A ball that replaces another awaits its inspection."""
    floor = Floor()
    floor.ready()
    floor.done(floor.inspector, AssignBall(TABLE, "B2", ACRYLIC, 20_000))
    answer = refused(floor.ask(OpenBets(TABLE)), "equipment_not_inspected", "9(a)")
    assert answer.message == "The ball was not inspected today."


def test_maintenance_asks_for_an_inspection() -> None:
    """Work on a head is on record with its time, and the head is inspected again before the next round."""
    floor = Floor()
    refused(floor.by(floor.technician, RecordMaintenance(TABLE, "bearing")), "unknown_record", "5.2(b)")
    floor.ready()
    refused(floor.by(floor.technician, RecordMaintenance(TABLE, " ")), "reason_not_listed", "5.2(b)")
    floor.done(floor.technician, RecordMaintenance(TABLE, "bearing replaced"))
    assert floor.table.equipment.maintained_at == floor.house.now
    refused(floor.ask(OpenBets(TABLE)), "equipment_not_inspected", "5.2(b)")
    floor.done(floor.inspector, InspectEquipment(TABLE))
    floor.open()


def test_other_tables_need_no_inspection() -> None:
    """A table that does not require it opens without equipment on record, and a missing ball is named as such."""
    Floor(settings=TableSettings()).open()
    floor = Floor()
    floor.done(floor.technician, PairWheelHead(TABLE, "W1", floor.order))
    floor.table.equipment.head_inspected = floor.house.day
    assert refused(floor.ask(OpenBets(TABLE)), "equipment_not_inspected", "9(a)").message == "No ball is assigned."
