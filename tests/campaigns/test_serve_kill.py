"""The process of a house is killed while everybody plays: what was told is kept, and everybody finds it so again."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import msgspec
import pytest
import uvloop

from croupier.engine.places import JOURNAL
from croupier.engine.ports import Request
from croupier.engine.replay import apply_entry
from croupier.engine.run import recover_state
from croupier.engine.sequencer import request_digest
from croupier.engine.storage import open_storage
from croupier.house import House
from croupier.house.credit.sessions import SessionEnded
from croupier.house.ids import DeviceId, RoundNumber, TableId, TerminalId
from croupier.house.rounds.irregularities import RoundVoided
from croupier.house.rounds.recovery import RecoveryStatus
from croupier.journal.entry import EMPTY_HEAD, Entry, IdempotencyKey
from croupier.journal.keystore import KeyStore
from croupier.journal.pages import VerifiedPage, verify_chain
from croupier.journal.stores.sqlite import SqliteStore
from croupier.protocol import inbound
from croupier.rulebooks.schema import read_canonical
from tests.support.campaign import many
from tests.support.journal_totals import Committed, JournalTotals
from tests.support.kill_run import KillRun, moments
from tests.support.serving import Ended, processes
from tests.support.wire.client import ACCEPTED, Page, Said, Shown

pytestmark = pytest.mark.campaign
#: A house is left after so many kills, so that starts stay short.
KILLS: Final = 10
#: How long a start may take on a machine that has much else to do.
START_MOST_S: Final = 15
#: What is accepted and changes nothing, and so is not in the journal.
TRACELESS: Final = "ReportDisplay"
NUMBERS_SHOWN: Final = 20

#: What becomes of a round that was running, by how it was found; a random wheel never draws again for a sealed one.
VOID, NOTHING = "RoundVoided", ""
DECIDED: Final = {
    ("marina-bay-sands-2020", RecoveryStatus.OPEN): {(VOID, "5.13.1")},
    ("marina-bay-sands-2020", RecoveryStatus.SEALED): {(VOID, "5.13.1")},
    ("skycity-adelaide-2003", RecoveryStatus.OPEN): {(VOID, "11(b)i")},
    ("skycity-adelaide-2003", RecoveryStatus.SEALED): {(VOID, "11(b)iii")},
    ("clearwater-etg", RecoveryStatus.OPEN): {(VOID, "25")},
    ("clearwater-etg", RecoveryStatus.SEALED): {(VOID, "25")},
    # Nothing is said of malfunctions: chips stay their owners', and a spin that was under way does not count.
    ("us-double-zero", RecoveryStatus.OPEN): {("SpinVoided", "Rotation (3)"), (NOTHING, "Rotation (3)")},
    ("us-double-zero", RecoveryStatus.SEALED): {(VOID, "Rotation (3)")},
}
OVER: Final = (RecoveryStatus.SETTLED, RecoveryStatus.VOID)


class FinishedRun(NamedTuple):
    """A run that is over, and what its journal says of it."""

    kill_run: KillRun
    ended: Ended
    data: Path
    sheets: list[VerifiedPage]
    kept: JournalTotals
    #: How many kills were planned.
    kills: int = KILLS

    @property
    def pages(self) -> list[Page]:
        return self.kill_run.pages


@pytest.fixture(scope="module", params=range(many(day=10, night=500) // KILLS), ids="seed-{}".format)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """A house whose process was killed ten times, at moments that follow from the seed."""
    folder, chance = tmp_path_factory.mktemp("killed"), Random(request.param)  # noqa: S311 - to be had again

    async def play() -> tuple[KillRun, Ended]:
        with processes() as starts:
            kill_run, plan = KillRun(folder, starts, chance), moments(chance, KILLS)
            print(f"seed {request.param}: killed at {', '.join(moment.name for moment in plan)}")
            return kill_run, await kill_run.play(plan)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        kill_run, ended = runner.run(play())
    sheets = list(sheets_of(folder / "data" / JOURNAL))
    return FinishedRun(kill_run, ended, folder / "data", sheets, JournalTotals().read(sheets))


def sheets_of(journal: Path) -> Iterator[VerifiedPage]:
    store = SqliteStore(journal, writing=False)
    yield from verify_chain(store.pages(), EMPTY_HEAD)
    store.close()


def test_house_stops_in_good_order_after_every_kill(finished: FinishedRun) -> None:
    """After all kills the process ends in good order, and the audit finds its journal whole and its books balanced."""
    # Servers that take over from each other share a key store, which has not the name of their data directories.
    where = ["--data", str(finished.data), "--key-store", str(finished.data.with_name("data.keys"))]
    command = [sys.executable, "-m", "croupier", "audit", *where]
    audited = subprocess.run(command, capture_output=True, text=True, check=False)

    assert finished.ended.code == 0, finished.ended
    assert audited.returncode == 0, audited
    assert len(finished.kill_run.killed) == finished.kills
    assert finished.kill_run.followers_killed > 0


def test_snapshot_is_that_of_the_last_stop(finished: FinishedRun) -> None:
    """Whenever server and snapshot process were killed, the stop in good order left a snapshot of the last entry."""
    with closing(open_storage(finished.data, KeyStore.default_for(finished.data))) as storage:
        recovered = recover_state(storage, read_canonical)
    assert (recovered.replayed, recovered.snapshot_rejected) == (0, "")


def test_wire_kept_its_word(finished: FinishedRun) -> None:
    """No page missed a delta or was told of chips that do not add up, and all were sent away by the stop alone."""
    assert [each for page in finished.pages for each in page.complaints] == []
    assert {code for page in finished.pages for code in page.byes} == {"busy"}


def lost(page: Page, kept: JournalTotals) -> list[int]:
    """Find what a page was told is done and the journal does not have, or has otherwise than it was asked."""
    return [number for number in _numbers(page, accepted=True) if not _is_kept(page, number, kept)]


def _is_kept(page: Page, number: int, kept: JournalTotals) -> bool:
    message = page.requested[number].message
    requested = {entry.cause.request_digest for entry in _entries(page, number, kept) if entry.cause}
    if message["t"] != "ask":
        return len(requested) == 1
    wish = inbound.decode(msgspec.json.encode(message))
    assert isinstance(wish, inbound.SendCommand)
    return requested == {request_digest(Request(wish.command, DeviceId(page.device)))}


def came_true(page: Page, kept: JournalTotals) -> list[int]:
    """Find what a page was told is refused, or was sent away with before it was heard, and is in the journal."""
    refused = [*_numbers(page, accepted=False), *page.pending]
    return [number for number in refused if _entries(page, number, kept)]


def _numbers(page: Page, *, accepted: bool) -> list[int]:
    reported = (number for number, code in page.answers.items() if (code == ACCEPTED) is accepted)
    return [number for number in reported if page.requested[number].message.get("command", {}).get("type") != TRACELESS]


def _entries(page: Page, number: int, kept: JournalTotals) -> list[Entry]:
    return kept.causes.get((page.device, IdempotencyKey(page.requested[number].epoch, number)), [])


def test_nothing_that_was_acknowledged_is_lost(finished: FinishedRun) -> None:
    """Every command that a page was told is done is in the journal, under its key and as it was asked."""
    assert [lost(page, finished.kept) for page in finished.pages] == [[]] * len(finished.pages)


def test_nothing_refused_came_true(finished: FinishedRun) -> None:
    """Nothing that was refused, also where it was asked again after a kill, or left aside at the stop came about."""
    assert [came_true(page, finished.kept) for page in finished.pages] == [[]] * len(finished.pages)
    assert "key_stale" in {code for page in finished.pages for code in page.answers.values()}


def is_one_decision(entries: list[Entry]) -> bool:
    """Tell whether entries are of one decision: new money may end the session before it, and nothing is there twice."""
    first, kinds = entries[0].position, {type(entry.event) for entry in entries}
    follows = [entry.position for entry in entries] == [*range(first, first + len(entries))]
    return follows and len(kinds) == len(entries) and (len(entries) == 1 or SessionEnded in kinds)


def test_nothing_was_done_twice(finished: FinishedRun) -> None:
    """However often a command was sent, one decision came of it, and everything in the journal was asked for."""
    assert finished.kept.causes
    assert [entries for entries in finished.kept.causes.values() if not is_one_decision(entries)] == []
    requested = {
        (page.device, IdempotencyKey(each.epoch, number))
        for page in finished.pages
        for number, each in page.requested.items()
    }
    assert finished.kept.causes.keys() <= requested


def not_kept(page: Page, kept: JournalTotals) -> Shown | None:
    """Find the first thing that a page showed and that was not so, in that order, when pages were kept."""
    past, at = kept.past[TerminalId(page.device)], 0
    for shown in page.shown:
        done = _entries(page, shown.accepted, kept) if shown.accepted else []
        found = _find(past, at, shown, done[-1].position if done else 0)
        if found is None:
            return shown
        at = found
    return None


def _find(past: list[Committed], since: int, shown: Shown, done: int) -> int | None:
    """Find where a terminal had what it showed, and had it still once what it was told of was kept."""
    for at in range(since, len(past)):
        is_past = at + 1 < len(past) and past[at + 1].position <= done
        if past[at][1:] == (shown.epoch, shown.credit, shown.chips) and not is_past:
            return at
    return None


def test_screens_showed_what_was_kept(finished: FinishedRun) -> None:
    """Every credit and every chip that a page showed, after a kill too, is what the journal had come to by then."""
    assert [not_kept(page, finished.kept) for page in finished.pages] == [None] * len(finished.pages)


def test_money_is_where_the_journal_says(finished: FinishedRun) -> None:
    """Notes, slips, stakes and payments counted out by hand give what the house has on every terminal."""
    house = House.new(read_canonical)
    for sheet in finished.sheets:
        for entry in sheet.entries:
            apply_entry(house, entry)
    had = {
        name: (terminal.credit, {table: game.bets for table, game in terminal.games.items()})
        for name, terminal in house.terminals.items()
    }

    assert finished.kept.complaints == []
    assert {name: (purse.credit, purse.chips) for name, purse in finished.kept.purses.items()} == had


def test_every_round_ended(finished: FinishedRun) -> None:
    """Every round of every table was settled or void, but for the one that runs."""
    kept = finished.kept
    for table, last in kept.last.items():
        over = [number for (at, number) in kept.ends if at == table]

        assert over in (list(range(1, last + 1)), list(range(1, last)))


def test_each_start_decided_by_the_rules(finished: FinishedRun) -> None:
    """What ran when the process was killed, the next start decided at once, as the table's own rules have it."""
    for running, found, done in finished.kept.recoveries.values():
        actions = {event.table: type(event).__name__ for event in done}

        assert {each.table: each.state for each in found if each.state not in OVER} == running
        assert actions.keys() <= running.keys()
        for each in found:
            case = (finished.kept.felt(each.table).rulebook.id, each.state)

            assert each.state in OVER or (actions.get(each.table, NOTHING), each.clause) in DECIDED[case]


def unexplained(state: Said, kept: JournalTotals) -> bool:
    """Tell whether a table was told to be void without the clause by which it is."""
    if state["phase"] != "between" or not state["round"] or state.get("pocket") is not None:
        return False
    end, notice = kept.ends.get(_round(state)), state.get("notice", {})
    return not isinstance(end, RoundVoided) or (notice.get("round"), notice.get("clause")) != (end.round, end.clause)


def _round(state: Said) -> tuple[TableId, RoundNumber]:
    return TableId(state["table"]), RoundNumber(state["round"])


def test_void_rounds_were_reported_with_their_clause(finished: FinishedRun) -> None:
    """Whoever came back to a round that is void was told so, and by which clause."""
    states = [state for page in finished.pages for _, state in page.table_views]

    assert [state for state in states if unexplained(state, finished.kept)] == []
    assert any(state.get("notice", {}).get("kind", "").startswith("recovered") for state in states)


def test_numbers_sent_were_committed(finished: FinishedRun) -> None:
    """Every number that was told is the one that the journal has for that round, and every past one too."""
    kept = finished.kept
    for state in (state for page in finished.pages for _, state in page.table_views):
        table, number = _round(state)
        pocket = state.get("pocket")
        over = (each for each in kept.results if each[0] == table and each[1] < number + (pocket is not None))
        past = [kept.results[each] for each in over]

        assert pocket in (None, kept.results.get((table, number)))
        assert list(state.get("numbers", ())) == past[::-1][:NUMBERS_SHOWN]


def test_slips_sent_were_committed(finished: FinishedRun) -> None:
    """Every slip that was printed is in the journal with its amount."""
    for page in finished.pages:
        for slip in page.slips:
            issued = finished.kept.slips[slip["sequence"]]

            assert (slip["amount"], slip["terminal"]) == (issued.amount, issued.terminal)


def test_starts_were_quick(finished: FinishedRun) -> None:
    """The house was open again soon after every kill, and everybody was back."""
    for opened, back in finished.kill_run.starts_s:
        print(f"open after {opened:.2f} s, all back after {back:.2f} s")

    assert max(back for _, back in finished.kill_run.starts_s) < START_MOST_S


def test_answer_that_is_not_committed_is_detected(finished: FinishedRun) -> None:
    """The same checks find an answer that the journal does not have, and one that it should not have."""
    page = max(finished.pages, key=lambda each: len(each.shown))
    done, refused = _numbers(page, accepted=True)[-1], _numbers(page, accepted=False)[-1]
    page.answers[done], page.answers[refused] = page.answers[refused], page.answers[done]
    try:
        assert (lost(page, finished.kept), came_true(page, finished.kept)) == ([refused], [done])
    finally:
        page.answers[done], page.answers[refused] = page.answers[refused], page.answers[done]


def test_screen_that_is_wrong_is_detected(finished: FinishedRun) -> None:
    """The same check finds a screen that showed something a moment too early, or what never was."""
    page = max(finished.pages, key=lambda each: len(each.shown))
    last = page.shown[-1]
    for wrong in (last._replace(credit=last.credit + 1), last._replace(epoch=last.epoch - 1)):
        page.shown.append(wrong)

        assert not_kept(page, finished.kept) == wrong
        page.shown.pop()
