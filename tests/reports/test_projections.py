"""The projections: replaying the journal gives the house, and the projections add up to the meters."""

from dataclasses import replace
from pathlib import Path

import pytest

from croupier.house import House
from croupier.house.floor.signatures import Approve
from croupier.house.ids import Number, RoundNumber
from croupier.house.rounds.corrections import CorrectResult
from croupier.house.settings import TableSettings
from croupier.house.verification import state_digest
from croupier.reports.day_projection import Projections, day_report, table_report
from croupier.reports.slips import TaxForm, TaxReversal
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from croupier.rules.procedure import TaxBasis
from croupier.rules.refusal import Code
from tests.support.engine_driver import raised_code
from tests.support.house_driver import CLEARWATER, DRAWER, T1, TABLE, CashierDriver
from tests.support.sample_documents import on_roll
from tests.support.transcript_runs import ROUNDS, entries_of, read_on

ONE, TWO = Number(1), Number(2)


def won(stake: int = 35) -> CashierDriver:
    """Find T1 with a win on 17 that is held, a minute after the start, and the cashier with a drawer of 5000."""
    play = CashierDriver(CLEARWATER)
    play.seats(T1=1_000)
    play.drawer(500_000)
    play.passes(60)
    play.round("17", T1=f"{stake} on 17")
    return play


@pytest.mark.untraced
@pytest.mark.parametrize("path", ROUNDS, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_ledger_adds_up_whatever_happened(path: Path) -> None:
    """After every shipped round the ledger is the same house, and its rounds are what the meters have counted."""
    ledger = Projections(read_canonical)
    for entry in entries_of(path):
        ledger.apply(entry)

    house = ledger.house
    assert state_digest(house) == state_digest(read_on(House.new(read_canonical), entries_of(path)))
    for name, table in house.tables.items():
        report = table_report(ledger, name, house.day, house.now)
        if table.round is None or table.round.over:
            counted = report.totals
            assert sum(each.staked for each in report.rounds) == counted.turnover
            assert sum(each.back for each in report.rounds) == counted.returned + counted.refunded
    for currency in {table.rulebook.currency for table in house.tables.values()}:
        assert day_report(ledger, house.day, currency, house.now).day == house.day


@pytest.mark.clause("clearwater-etg", "22")
def test_form_of_a_held_win_is_on_paper_once_it_is_recorded() -> None:
    """35 on 17 bring 1260, of which 1225 are net of the winning stake: that is on the record of the form."""
    play = won()
    assert raised_code(play.ledger.wins.form, play.house, ONE, play.now) is Code.FORM_MISSING
    won_at = play.now
    play.passes(120)
    play.record()
    paper = play.ledger.wins.form(play.house, ONE, play.now)

    assert (paper.amount, paper.currency, paper.tax.form, paper.tax.threshold) == (126_000, "USD", "W2-G", 120_000)
    assert paper.bases == {
        TaxBasis.NET_OF_WINNING_STAKES: 122_500,
        TaxBasis.NET_OF_TOTAL_BET: 122_500,
        TaxBasis.GROSS: 126_000,
    }
    assert (paper.patron, paper.form_number, paper.recorded_by) == ("Pat Patron", "W2-G 4711", "cashier")
    assert (paper.won_at, paper.recorded_at, paper.table, paper.round) == (won_at, play.now, TABLE, 1)
    assert paper.duplicate == 0


@pytest.mark.clause("clearwater-etg", "22")
def test_win_below_the_threshold_has_no_form() -> None:
    """34 on 17 win 1190 net: nothing is held, and there is no record of a form."""
    play = won(34)

    assert raised_code(play.ledger.wins.form, play.house, ONE, play.now) is Code.UNKNOWN_RECORD
    assert raised_code(play.ledger.wins.receipt, play.house, ONE, play.now) is Code.UNKNOWN_RECORD


def form_of(play: CashierDriver, number: Number = ONE) -> TaxForm:
    return play.ledger.wins.form(play.house, number, play.now)


def corrected(play: CashierDriver, pocket: str) -> None:
    """Two supervisors put another number in the place of the first round's."""
    correct = CorrectResult(TABLE, RoundNumber(1), Pocket(pocket), "Misread.")
    assert isinstance(play.by("supervisor", correct), tuple)
    assert isinstance(play.by("second", Approve(Number(play.house.proposals.made))), tuple)


@pytest.mark.clause("clearwater-etg", "22")
def test_record_of_a_form_does_not_change_with_rules_and_settings() -> None:
    """What a win was held by is on its record, whatever the house goes by later."""
    play = won()
    play.record()
    ledger = play.ledger
    table = ledger.house.tables[TABLE]
    before = ledger.wins.form(ledger.house, ONE, play.now)
    table.rulebook = replace(table.rulebook, tax=None)
    table.settings = TableSettings(tax_basis=TaxBasis.GROSS)

    assert ledger.wins.form(ledger.house, ONE, play.now) == before


@pytest.mark.clause("clearwater-etg", "22")
@pytest.mark.parametrize("then", ["held", "paid"])
def test_win_that_is_taken_back_is_on_its_record_still(then: str) -> None:
    """A correction leaves the record of a form as it was; what it took back is a line of its own."""
    play = won()
    play.enrol("Supervisor", "second")
    play.record()
    before = form_of(play)
    if then == "paid":
        play.pay_by_hand()
    play.passes(10)
    corrected(play, "20")
    after = form_of(play)

    assert before.reversal is None
    assert after.reversal == TaxReversal(play.now, Cents(126_000))
    assert replace(after, reversal=None) == before
    assert "Taken back 1970-01-01 00:01:10 USD 1,260.00" in on_roll(after.layout())


@pytest.mark.clause("clearwater-etg", "22")
def test_win_that_comes_again_has_a_record_of_its_own() -> None:
    """What a second correction gives is another win; of the first no more is taken back than it came to."""
    play = won()
    play.enrol("Supervisor", "second")
    play.record()
    for pocket in ("20", "17", "20"):
        corrected(play, pocket)

    assert form_of(play).reversal == TaxReversal(play.now, Cents(126_000))
    assert raised_code(play.ledger.wins.form, play.house, TWO, play.now) is Code.FORM_MISSING


def test_win_that_was_taken_back_in_part_is_recorded_as_it_is() -> None:
    """A form that is recorded again after a correction is for what the win is then: nothing was taken back since."""
    play = CashierDriver(CLEARWATER)
    play.seats(T1=1_000)
    play.enrol("Supervisor", "second")
    play.round("17", T1="40 on 17; 35 on 20")
    play.record()
    corrected(play, "20")
    was = form_of(play)
    play.record()
    now = form_of(play)

    assert (was.amount, was.reversal) == (144_000, TaxReversal(play.now, Cents(18_000)))
    assert (now.amount, now.reversal) == (126_000, None)
    assert now.bases[TaxBasis.NET_OF_WINNING_STAKES] == 122_500


@pytest.mark.clause("clearwater-etg", "22")
def test_hand_pay_has_a_receipt_also_once_the_win_is_gone() -> None:
    """A held win that was paid by hand is gone from its terminal; its receipt tells of it all the same."""
    play = won()
    assert raised_code(play.ledger.wins.receipt, play.house, ONE, play.now) is Code.OUT_OF_TURN
    play.record()
    play.passes(30)
    play.pay_by_hand()
    paper = play.ledger.wins.receipt(play.house, ONE, play.now)

    assert not play.house.terminals[T1].holds
    assert (paper.amount, paper.drawer, paper.cashier, paper.at, paper.duplicate) == (
        126_000,
        DRAWER,
        "cashier",
        play.now,
        0,
    )
    assert "Held win 1 Tax form W2-G 4711 Terminal T1 Table and round table 1, 1" in on_roll(paper.layout())


def test_second_held_win_has_a_record_of_its_own() -> None:
    """Wins are told apart by their numbers, also where one is paid before the next is won."""
    play = won()
    play.record()
    play.pay_by_hand()
    play.round("17", T1="40 on 17")
    play.record(2, "W2-G 4712")
    ledger = play.ledger
    first, second = (ledger.wins.form(play.house, each, play.now) for each in (ONE, TWO))

    assert (first.amount, first.form_number, first.round) == (126_000, "W2-G 4711", 1)
    assert (second.amount, second.form_number, second.round) == (144_000, "W2-G 4712", 2)
