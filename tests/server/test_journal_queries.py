"""Enquiries over the wire: the journal in plain words, tickets looked up, meters and people."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier.house.floor.incidents import IncidentKind
from croupier.house.ids import SECOND, Number
from croupier.server.connection import SWEEP_INTERVAL_US
from croupier.server.journal_queries import ROWS_MAX
from croupier.server.queries import DEVICES_MAX, PEOPLE_MAX
from croupier.server.ticket_desk import LOCKED_FOR, MISSES_MAX
from tests.support.blocked_disk import full_job_queue
from tests.support.connections import held_up, played, until
from tests.support.query_client import a_round, queried, refusal
from tests.support.server_harness import server_harness
from tests.support.slices import single_steps
from tests.support.wire.houses import ADELAIDE, MARINA
from tests.support.wire.runs import connect_actors, slip


def test_journal_is_sent_in_pages(tmp_path: Path) -> None:
    """Page by page backwards or forwards, every entry is told once, with who did it and by which clause."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            for number in range(ROWS_MAX):
                await pit.boss.asks("NoteIncident", subject="A", words=f"Note {number}.")
            head = harness.open.venue.run.writer.head.position
            assert harness.open.venue.run.writer.head.page > ROWS_MAX
            backwards, before = list[int](), head + 1
            while before > 1:
                page = await queried(pit.boss, "journal", before=before)
                backwards += [each["position"] for each in page["rows"]]
                assert len(page["rows"]) <= ROWS_MAX
                before = page["first"]
            assert backwards == list(range(head, 0, -1))
            assert (page["more"], page["head"]) == (False, head) or page["first"] == 1
            forwards, after, more = list[int](), 0, True
            while more:
                page = await queried(pit.boss, "journal", after=after)
                forwards += [each["position"] for each in reversed(page["rows"])]
                after, more = page["last"], page["more"]
            assert forwards == list(range(1, head + 1))
            nothing = await queried(pit.boss, "journal", kind="DisputeClosed")
            assert (nothing["rows"], nothing["more"], nothing["first"], nothing["last"]) == ([], False, 1, head)
            last = await queried(pit.boss, "journal")
            assert last["rows"][0]["words"] == f"Incident {ROWS_MAX} about A: noted. Note {ROWS_MAX - 1}."
            assert (last["rows"][0]["person"], last["rows"][0]["device"]) == ("boss", pit.boss.device)

    played(scenario)


def test_journal_is_picked_by_what_it_is_about(tmp_path: Path) -> None:
    """Filters leave what is of one table, terminal, person and kind; a case names its terminal."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await a_round(harness, pit, "A")
            await harness.does(
                pit.boss, "RaiseMalfunction", terminal=pit.one.device, fault="opinion", words="It hangs."
            )
            await harness.does(pit.boss, "ClearCase", case=1)
            page = await queried(pit.boss, "journal", table="A", kind="BetsClosing")
            assert [(each["table"], each["clause"]) for each in page["rows"]] == [("A", "9(c)")]
            page = await queried(pit.boss, "journal", terminal=pit.two.device, kind="BetsChanged")
            assert [each["words"] for each in page["rows"]] == ["Chips: place, so that there lie 4 on 20."]
            page = await queried(pit.boss, "journal", person="boss")
            assert [each["kind"] for each in page["rows"]] == ["CaseCleared", "BetsReturned", "MalfunctionRaised"]
            assert [each["terminal"] for each in page["rows"]] == [pit.one.device] * 3
            assert not page["more"]

    played(scenario)


def test_journal_that_cannot_be_read_now_is_refused(tmp_path: Path) -> None:
    """When the queue of journal jobs is full a query is refused as busy."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await a_round(harness, pit, "M")
            async with full_job_queue(harness.open):
                codes = [await refusal(pit.boss, "journal"), await refusal(pit.boss, "replay", table="M", round=1)]
            assert codes == ["busy", "busy"]

    played(scenario)


@pytest.mark.clause("skycity-adelaide-2003", "7(e)")
def test_ticket_is_looked_up_without_being_paid(tmp_path: Path) -> None:
    """A slip is told with what it is worth and where it is from; once paid, with when, where and by whom."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.checked(await pit.one.response(pit.one.says("cash_out")))
            number = slip(pit.one)["number"]
            ticket = (await queried(pit.cashier, "look_up", number=number))["ticket"]
            assert (ticket["amount"], ticket["currency"], ticket["status"]) == (100_000, "AUD", "issued")
            assert ticket["why_not"]["clause"] == "7(e)"
            await harness.does(pit.one, "ConfirmPrint", terminal=pit.one.device, sequence=1)
            ticket = (await queried(pit.cashier, "look_up", number=number))["ticket"]
            assert (ticket["terminal"], ticket["why_not"], ticket["paid_at_us"]) == (pit.one.device, None, None)
            assert ticket["issued_at_us"] == harness.house.tickets.all[Number(1)].issued_at
            await harness.does(pit.cashier, "OpenDrawer", drawer="D1", float_=1_000_000)
            await harness.checked(await pit.cashier.response(pit.cashier.says("redeem", drawer="D1", number=number)))
            ticket = (await queried(pit.cashier, "look_up", number=number))["ticket"]
            assert (ticket["status"], ticket["paid_place"], ticket["paid_by"]) == ("redeemed", "D1", "cashier")
            assert ticket["why_not"]["says"] == "Payment slip 1 is already paid, at D1 by cashier."
            assert ticket["why_not"]["clause"] == "7(e)"

    played(scenario)


def test_desk_that_only_guesses_is_locked(tmp_path: Path) -> None:
    """After five numbers in a row that are no ticket's a desk looks nothing up for a minute, and staff are notified."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.checked(await pit.one.response(pit.one.says("cash_out")))
            number = slip(pit.one)["number"]
            unknown = harness.open.venue.router.ticket_desk.numbers.number(Number(99))
            tries = [await refusal(pit.cashier, "look_up", number="1" * 18) for _ in range(MISSES_MAX - 1)]
            assert set(tries) == {"ticket_misread"}
            # A number that is right is no guess: it is counted anew.
            assert (await queried(pit.cashier, "look_up", number=number))["t"] == "looked_up"
            tries = [await refusal(pit.cashier, "look_up", number=unknown) for _ in range(MISSES_MAX)]
            assert set(tries) == {"ticket_unknown"}
            assert await refusal(pit.cashier, "look_up", number=number) == "too_fast"
            await harness.passes(1)
            kinds = [each.kind for each in harness.house.incidents.all.values()]
            assert kinds == [IncidentKind.TICKETS_GUESSED]
            await harness.passes(LOCKED_FOR / SECOND)
            assert (await queried(pit.cashier, "look_up", number=number))["t"] == "looked_up"

    played(scenario)


def test_guesses_that_could_not_be_reported_are_reported_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A desk that is locked while too much waits is an incident at the next sweep of the connections."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            with monkeypatch.context() as full:
                full.setattr("croupier.engine.sequencer.QUEUE_MAX", 0)
                for _ in range(MISSES_MAX):
                    assert await refusal(pit.cashier, "look_up", number="1" * 18) == "ticket_misread"
                assert not harness.house.incidents.all
            await harness.passes(SWEEP_INTERVAL_US / SECOND)
            assert [each.kind for each in harness.house.incidents.all.values()] == [IncidentKind.TICKETS_GUESSED]

    played(scenario)


def test_meters_are_reported_with_their_self_audit(tmp_path: Path) -> None:
    """A terminal's meters add up to what is on it, line by line."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            auditor = next(each for each in harness.clients if each.kind == "auditor")
            await harness.checked(await pit.one.response(pit.one.says("note", value=5_000)))
            await a_round(harness, pit, "A")
            await harness.does(pit.dealer, "OpenBets", table="A")
            answer = await queried(auditor, "meters", terminal=pit.one.device)
            assert answer["meters"]["turnover"] == 300
            assert (answer["meters"]["notes"], answer["notes"]) == (5_000, {"5000": 1})
            assert (answer["sound"], answer["difference"]) == (True, 0)
            total = sum(each["amount"] for each in answer["by_meters"])
            assert total == sum(each["amount"] for each in answer["on_terminal"]) == 100_000 + 5_000 + 10_500
            await harness.does(pit.dealer, "CloseBets", table="A")
            await harness.passes(6)
            assert (await queried(auditor, "meters", terminal=pit.one.device))["sound"]
            assert await refusal(auditor, "meters", terminal="nowhere") == "unknown_terminal"

    played(scenario)


def test_people_are_listed_with_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pit is told who works here, as what, for how long, and at which console somebody is signed in."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            now = harness.open.time.now()
            acting = {"person": "dealer", "title": "Inspector", "begins_at": now, "ends_at": now + 60 * SECOND}
            await harness.twice(pit.boss, pit.chief, "AppointActing", **acting)
            answer = await queried(pit.boss, "staff")
            people = {each["person"]: each for each in answer["people"]}
            assert list(people) == sorted(people)
            assert people["dealer"]["titles"] == ["Dealer"]
            assert people["dealer"]["acting"] == [["Inspector", now + 60 * SECOND]]
            assert people["boss"]["devices"] == [pit.boss.device]
            assert answer["more"] == 0
            assert len(people) < PEOPLE_MAX
            assert {pit.boss.device, pit.dealer.device} <= set(answer["devices"])
            assert not {"A", pit.one.device} & set(answer["devices"])
            assert len(answer["devices"]) < DEVICES_MAX
            monkeypatch.setattr("croupier.server.queries.PEOPLE_MAX", 2)
            monkeypatch.setattr("croupier.server.queries.DEVICES_MAX", 1)
            answer = await queried(pit.boss, "staff")
            assert (len(answer["people"]), answer["more"], len(answer["devices"])) == (2, len(people) - 2, 1)

    played(scenario)


def test_looking_on_keeps_nobody_signed_in(tmp_path: Path) -> None:
    """Whoever only looks on is signed out like anybody who does nothing, and is told nothing more."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            boss = await harness.staff("pit", "boss")
            for _ in range(31):
                boss.connection.say("staff")
                boss.connection.say("journal")
                await harness.open.pass_s(60)
            boss.read()
            assert await refusal(boss, "staff") == "signed_out"
            assert await refusal(boss, "journal") == "signed_out"

    played(scenario)


def test_client_that_left_meanwhile_is_sent_nothing(tmp_path: Path) -> None:
    """What was read for somebody who has signed out since is not sent to their connection."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            boss = await harness.staff("pit", "boss")
            with held_up(harness.open.venue.writer):
                boss.connection.say("journal", q=7)
                boss.connection.say("sign_out")
                await boss.hears("signed_out")
            frame = await boss.hears("refused")
            assert (frame["refusal"]["code"], frame["q"]) == ("signed_out", 7)

    played(scenario)


def test_closed_connection_of_a_released_person_is_sent_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks for the journal, walks off and is released while it is read leaves nothing that fails."""
    single_steps(monkeypatch)

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            boss, chief = await harness.staff("pit", "boss"), await harness.staff("pit", "chief")
            under_way = harness.open.venue.router.background_tasks._under_way  # noqa: SLF001 - nothing else tells
            with held_up(harness.open.venue.writer):
                boss.connection.say("journal", person="nobody")
                await until(lambda: bool(under_way))
                await harness.leaves(boss)
                requested = chief.says("ask", command={"type": "ReleasePerson", "person": "boss"})
                await chief.connection.ping()
            assert await chief.response(requested) is None
            assert under_way
            await until(lambda: not under_way)

    with capture_logs() as log:
        played(scenario)
    assert not [each for each in log if each["log_level"] == "error"]
