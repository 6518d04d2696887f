"""Tables for analysis: what DuckDB computes from the Parquet files is what the house reports, to the cent."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from croupier import rulebook
from croupier.analysis import tables
from croupier.analysis.tables import SCHEMAS, STATE, ExportConflictError, export_tables
from croupier.cli.main import run
from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import open_store
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.floor.disputes import DisputeBasis, OpenDispute
from croupier.house.ids import Instant, RoundNumber
from croupier.journal.keystore import KeyStore
from croupier.journal.stores.memory import MemoryStore
from croupier.reports.day_projection import Projections, day_report
from croupier.reports.header import currencies
from croupier.reports.summaries import DayReport
from croupier.rulebooks.schema import read_canonical
from croupier.rules.money import Cents
from croupier.transcripts.driver import device_of
from tests.conftest import Ask
from tests.support.engine_driver import TODAY, done, memory_storage, provisioning, start
from tests.support.house_driver import T1, TABLE, CashierDriver, busy_desk, owed_to_a_session
from tests.support.venue_on_disk import Site

REPORTS = sorted(
    each.name for each in files("croupier.analysis").joinpath("reports").iterdir() if each.name.endswith(".sql")
)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a simulated venue."""
    folder = tmp_path_factory.mktemp("simulated")
    assert run(["simulate", "--seed", "21", "--crash", "--export", str(folder / "data")]) == 0
    return folder / "data"


def reader(data: Path) -> Iterator[JournalReader]:
    keys = KeyStore.default_for(data)
    with closing(open_store(data, writing=False)) as store:
        yield JournalReader(store, keys.verifier(), keys.signer())


def exported(data: Path, out: Path) -> tables.ExportedTables:
    (found,) = (export_tables(journal, out, read_canonical) for journal in reader(data))
    return found


def opened(out: Path) -> duckdb.DuckDBPyConnection:
    """Open the tables as an analyst would."""
    connection = duckdb.connect()
    for name in SCHEMAS:
        connection.read_parquet(f"{out}/{name}/*/*.parquet", hive_partitioning=True).create_view(name)
    return connection


def computed_by(connection: duckdb.DuckDBPyConnection, report: str) -> list[tuple[Any, ...]]:
    text = files("croupier.analysis").joinpath("reports", report).read_text("utf-8")
    # Not as Python's values, for whose instants DuckDB would need another package.
    found = connection.sql(text)
    assert found is not None
    return [tuple(row.values()) for row in found.to_arrow_table().to_pylist()]


def ledger_of(data: Path) -> Projections:
    """Build the house's own projections of a journal."""
    ledger = Projections(read_canonical)
    for journal in reader(data):
        for page in journal:
            for entry in page.entries:
                ledger.apply(entry)
    return ledger


def house_reports(ledger: Projections) -> list[DayReport]:
    """Build the house's own reports of every day."""
    return [
        day_report(ledger, day, currency, Instant(0))
        for day in ledger.days.known
        for currency in currencies(ledger.house)
    ]


def is_equal(out: Path, ledger: Projections) -> None:
    """Assert that the standard reports are the house's."""
    connection = opened(out)
    computed = {
        (row[1], row[2], row[3]): row[4:7] for row in computed_by(connection, "day_tables.sql") if any(row[4:7])
    }
    flows = {(row[1], row[2], row[3]): row[4:6] for row in computed_by(connection, "day_cashflow.sql")}
    assert computed == {
        (report.day, report.currency, table): (totals.turnover, totals.returned, totals.refunded)
        for report in house_reports(ledger)
        for table, totals in report.tables
        if totals.turnover or totals.returned or totals.refunded
    }
    assert flows == {
        (day, currency, kind.value): (today.flow.counts[currency, kind], today.flow.sums[currency, kind])
        for day, today in ledger.days.known.items()
        for currency, kind in today.flow.counts
    }
    assert flows


def test_day_report_is_equal_to_the_cent(simulated: Path, tmp_path: Path) -> None:
    """Turnover, returns and refunds of every table, and every kind of payment, are those of the house's day report."""
    exported(simulated, tmp_path)
    is_equal(tmp_path, ledger_of(simulated))


def at_a_desk() -> CashierDriver:
    """A desk whose drawer was counted, over by a dollar, and handed in; and a round."""
    play = busy_desk()
    play.note(2_000)
    play.round("17", T1="20 on red")
    play.collect()
    play.count(104_800)
    play.hand_in()
    dispute = OpenDispute(TABLE, RoundNumber(1), T1, DisputeBasis.NOT_COVERED, "The meter.")
    play.must(dispute, device_of("pit supervisor"), "pit supervisor")
    return play


@pytest.mark.parametrize("made", [at_a_desk, owed_to_a_session])
def test_drawers_and_corrections_are_equal_to_the_cent(made: Callable[[], CashierDriver], tmp_path: Path) -> None:
    """A correction counts on the day on which it is made, and a drawer when it is handed in, as in the day report."""
    play = made()
    export_tables(JournalReader(play.journal.store), tmp_path, read_canonical)
    is_equal(tmp_path, play.ledger)
    drawers = [each for report in house_reports(play.ledger) for each in report.drawers]
    if drawers:
        (row,) = computed_by(opened(tmp_path), "drawers.sql")
        (drawer,) = drawers
        assert row[3:5] + row[6:] == (
            drawer.drawer, drawer.cashier, drawer.expected, drawer.counted, drawer.counted - drawer.expected
        )  # fmt: skip
    else:
        query = "SELECT status, staked, returned FROM rounds ORDER BY position"
        assert opened(tmp_path).execute(query).fetchall() == [("settled", 1_000, 0), ("corrected", 0, 36_000)]


def test_meters_and_bets_are_those_of_the_journal(simulated: Path, tmp_path: Path) -> None:
    """The meters of a day that is over are those of its report, and every change of bets is a row."""
    made = exported(simulated, tmp_path)
    ledger = ledger_of(simulated)
    connection = opened(tmp_path)
    over = {day for day, today in ledger.days.known.items() if today.closing is not None}
    query = 'SELECT day, "table", rounds, voids, turnover, returned, refunded FROM meters'
    assert set(connection.execute(query).fetchall()) == {
        (report.day, table, totals.rounds, totals.voids, totals.turnover, totals.returned, totals.refunded)
        for report in house_reports(ledger)
        if report.day in over
        for table, totals in report.tables
    }
    assert connection.execute("SELECT count(*), count(DISTINCT position) FROM bets").fetchone() == (
        made.rows["bets"],
        made.rows["bets"],
    )
    assert connection.execute("SELECT count(*) FROM bets WHERE len(spots) != len(amounts)").fetchone() == (0,)


@pytest.mark.parametrize("report", REPORTS)
def test_standard_report_runs(simulated: Path, tmp_path: Path, report: str) -> None:
    """Each standard report is SQL that runs on the tables, and has rows where its table has some."""
    made = exported(simulated, tmp_path)
    table = next(name for name in SCHEMAS if f"FROM {name}\n" in _text(report))
    assert bool(computed_by(opened(tmp_path), report)) is (made.rows[table] > 0)


@pytest.mark.parametrize("report", REPORTS)
def test_standard_report_of_a_day_without_rows_is_empty(tmp_path: Path, report: str) -> None:
    """A day on which nothing was played or paid has files with the columns, and each report on it has no rows."""
    run_ = start(memory_storage())
    done(run_, *provisioning(rulebook("skycity-adelaide-2003"), TABLE, ()))
    made = export_tables(JournalReader(run_.storage.store), tmp_path, read_canonical)
    assert set(made.rows.values()) == {0}
    assert {path.parent.name for path in tmp_path.rglob("*.parquet")} == {f"day={TODAY}"}
    assert computed_by(opened(tmp_path), report) == []


def test_rows_are_added_to_a_day_that_had_none(tmp_path: Path) -> None:
    """A day whose file had no rows gets another file with the rows that follow."""
    run_ = start(memory_storage())
    done(run_, *provisioning(rulebook("skycity-adelaide-2003"), TABLE, (T1,)))
    export_tables(JournalReader(run_.storage.store), tmp_path, read_canonical)
    done(run_, GrantPlayMoney(T1, Cents(500)))
    export_tables(JournalReader(run_.storage.store), tmp_path, read_canonical)
    assert opened(tmp_path).execute("SELECT day, kind, amount FROM payments").fetchall() == [(TODAY, "granted", 500)]


def _text(report: str) -> str:
    return files("croupier.analysis").joinpath("reports", report).read_text("utf-8")


def test_export_goes_on_where_the_last_ended(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export adds the entries since the last one, in the rows of one export of all; the same again adds none."""
    monkeypatch.setattr(tables, "ROWS_PER_GROUP", 3)
    before = site.copied(tmp_path / "before")
    first = exported(before.data, tmp_path / "out")
    assert run(["recover", "--data", str(site.data)]) == 0
    second = exported(site.data, tmp_path / "out")
    again = exported(site.data, tmp_path / "out")
    whole = exported(site.data, tmp_path / "whole")

    assert (first.first, second.first, second.last + 1) == (1, first.last + 1, again.first)
    assert set(again.rows.values()) == {0}
    assert {name: first.rows[name] + second.rows[name] for name in SCHEMAS} == whole.rows
    for name in SCHEMAS:
        rows = [opened(tmp_path / each).table(name).order("position").to_arrow_table() for each in ("out", "whole")]
        assert rows[0].to_pylist() == rows[1].to_pylist()


def test_columns_are_those_of_the_schema(site: Site, tmp_path: Path) -> None:
    """Every file has the documented columns, in order."""
    exported(site.data, tmp_path / "out")
    found = sorted(tmp_path.joinpath("out").rglob("*.parquet"))
    assert {path.parent.parent.name for path in found} >= {"rounds", "bets", "payments"}
    for path in found:
        assert pq.read_schema(path).names == SCHEMAS[path.parent.parent.name].names
    page = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text("utf-8")
    assert [name for schema in SCHEMAS.values() for name in schema.names if f"`{name}`" not in page] == []


def test_directory_of_another_journal_is_refused(site: Site, simulated: Path, tmp_path: Path) -> None:
    """Tables of another venue, of another journal of the venue, or of a longer one are not mixed up with these."""
    out = tmp_path / "out"
    exported(site.data, out)
    with pytest.raises(ExportConflictError, match="has the tables of"):
        exported(simulated, out)
    state = out / STATE
    text = state.read_text("utf-8")
    state.write_text(text.replace('"head": "', '"head": "00'), "utf-8")
    with pytest.raises(ExportConflictError, match="another journal of"):
        exported(site.data, out)
    state.write_text(text.replace('"position": ', '"position": 9'), "utf-8")
    with pytest.raises(ExportConflictError, match="and this journal ends at"):
        exported(site.data, out)
    state.write_text("{", "utf-8")
    with pytest.raises(ExportConflictError, match="cannot be read"):
        exported(site.data, out)


def test_empty_journal_has_no_rows(tmp_path: Path) -> None:
    """A journal without entries gives no files."""
    made = export_tables(JournalReader(MemoryStore()), tmp_path / "out", read_canonical)
    assert (made.first, made.last, set(made.rows.values())) == (1, 0, {0})


def test_command_exports_tables(site: Site, tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes the tables, and refuses other options and a directory that cannot be used."""
    code, made = ask("export", "--data", site.data, "--parquet", tmp_path / "out")
    assert (code, made["first"], made["rows"]["bets"] > 0) == (0, 1, True)
    assert run(["export", "--data", str(site.data), "--parquet", str(tmp_path / "out")]) == 0
    assert "bets 0" in capsys.readouterr().out
    code, refused = ask("export", "--data", site.data, "--parquet", tmp_path / "out", "--from", 3)
    assert (code, "without other options" in refused["refusal"]["says"]) == (2, True)
    code, refused = ask("export", "--data", site.data)
    assert (code, "'--parquet'" in refused["refusal"]["says"]) == (2, True)
    shutil.rmtree(tmp_path / "out")
    tmp_path.joinpath("out").touch()
    code, refused = ask("export", "--data", site.data, "--parquet", tmp_path / "out")
    assert code == 2
    tmp_path.joinpath("out").unlink()
    tmp_path.joinpath("out").mkdir()
    tmp_path.joinpath("out", STATE).write_text("{", "utf-8")
    code, refused = ask("export", "--data", site.data, "--parquet", tmp_path / "out")
    assert (code, refused["refusal"]["code"]) == (2, "already_there")
