"""A standby follows a house over the database, and continues where it ended, with what everybody was told."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP
from time import monotonic
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from croupier.app import NotOpenedError, Venue, open_venue
from croupier.cli.main import run
from croupier.engine import takeover
from croupier.engine.places import PLACE_FILE, JournalPlace, place_of, settle_place
from croupier.engine.run import OpenedJournal, no_check
from croupier.engine.takeover import LeaseKeeper, Standby, no_status
from croupier.house.verification import state_digest
from croupier.journal.disk import Fenced, JournalCorrupt, JournalFault, RolledBack
from croupier.journal.keystore import KeyStore
from croupier.journal.stores import LeasedStore
from croupier.journal.stores.database import connect
from croupier.journal.stores.postgresql import PostgresStore, list_venues, this_process
from croupier.operations.control import address
from tests.cli.test_serve import HOUSE, opened, seen
from tests.conftest import Ask
from tests.support.campaign import many
from tests.support.connections import CHEAP, VENUE, HandTime, configured, played, until
from tests.support.database import new_venue
from tests.support.serving import Serving, processes
from tests.support.venue_on_disk import Site, VenueOnDisk


@pytest.fixture
def leader(database: str, tmp_path: Path) -> VenueOnDisk:
    """A house that runs on a journal in the database."""
    settle_place(Site.in_(tmp_path).data, JournalPlace(database, new_venue()))
    return VenueOnDisk(tmp_path)


def beside(leader: VenueOnDisk, name: str = "standby") -> Standby:
    """Open a standby of a house, with a data directory of its own and the same key store."""
    data = leader.site.data.with_name(name)
    settle_place(data, place_of(leader.site.data))
    return Standby(data, KeyStore(leader.site.safe), no_check)


@pytest.fixture
def standby(leader: VenueOnDisk) -> Iterator[Standby]:
    """A standby of that house."""
    standby = beside(leader)
    yield standby
    standby.close()


def store_of(leader: VenueOnDisk) -> LeasedStore:
    store = leader.run.storage.store
    assert isinstance(store, LeasedStore)
    return store


def taken(standby: Standby) -> OpenedJournal:
    """Let a standby step until it has taken over."""
    while (journal := standby.step()) is None:
        pass
    return journal


def test_standby_has_the_state_of_the_leader(leader: VenueOnDisk, standby: Standby) -> None:
    """A standby has applied what the leader has committed, and takes nothing while the leader has its lease."""
    leader.play(2)
    leader.open_round()
    store_of(leader).renew()

    assert standby.step() is None
    assert state_digest(standby.opened.house) == state_digest(leader.run.house)
    assert standby.opened.recovered.head == leader.run.writer.head
    leader.stop()


def test_standby_takes_over_and_fences_the_leader_off(leader: VenueOnDisk, standby: Standby) -> None:
    """When the lease has ended a standby begins the next epoch with all pages, and the old leader writes no more."""
    leader.play()
    end_lease(leader)
    journal = taken(standby)
    leader_head = leader.run.writer.head

    assert standby.is_leader
    assert journal.recovered.head == leader_head
    with pytest.raises(Fenced):
        leader.play()
    with pytest.raises(Fenced, match="another system has taken the journal"):
        store_of(leader).renew()
    leader.run.storage.close()
    run = journal.start(leader.run.ports)
    assert run.epoch == leader.run.epoch + 1
    run.stop()


def end_lease(leader: VenueOnDisk) -> None:
    """Let the leader's lease run out, as when its process is paused."""
    place = place_of(leader.site.data)
    assert place is not None
    with connect(place.address, "test") as connection:
        ended = "UPDATE croupier.lease SET ends = now() FROM croupier.venue WHERE venue = id AND name = %s"
        connection.execute(ended, (place.venue,))


def test_one_of_two_standbys_takes_over(leader: VenueOnDisk, standby: Standby) -> None:
    """When the leader stops one standby takes over, and the other goes on to follow it."""
    other = beside(leader, "other")
    leader.stop()
    journal = taken(standby)

    assert (other.take(), other.step()) == (False, None)
    run = journal.start(leader.run.ports)
    run.stop()
    assert taken(other).recovered.head.position >= journal.recovered.head.position
    other.close()


def test_standby_that_was_slower_goes_on_to_follow(
    leader: VenueOnDisk, standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A standby that sees a free lease and is overtaken before it fences takes nothing."""
    leader.stop()
    other = beside(leader, "other")
    holder = type(store_of(leader)).holder

    def late(store: LeasedStore) -> str | None:
        found = holder(store)
        if store is other.opened.storage.store and not standby.is_leader:
            assert standby.take()
        return found

    monkeypatch.setattr(type(store_of(leader)), "holder", late)
    assert not other.take()
    other.close()


def test_standby_finds_the_database_again(leader: VenueOnDisk, standby: Standby, database: str) -> None:
    """A standby whose connections are lost connects again and goes on."""
    leader.play()
    for _ in range(2):
        with connect(database, "test") as connection:
            ended = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
            connection.execute(ended)
        with capture_logs() as logs:
            assert standby.step() is None
        assert [each["event"] for each in logs][:1] == ["standby_disconnected"]
        assert standby.fault
    leader.run.storage.close()
    assert taken(standby).recovered.head == leader.run.writer.head
    assert standby.fault == ""


def test_database_that_cannot_be_reached_is_tried_again(leader: VenueOnDisk, standby: Standby) -> None:
    """While the database is away a standby says so and tries again."""
    place = standby.opened.data / PLACE_FILE
    place.write_text(place.read_text("utf-8").replace("host=/tmp", "host=/nowhere"), "utf-8")
    standby.opened.storage.store.close()
    with capture_logs() as logs:
        assert (standby.step(), standby.step()) == (None, None)
    assert {each["event"] for each in logs} == {"standby_disconnected", "database_unreachable"}
    leader.stop()


def test_older_copy_of_the_database_is_refused(leader: VenueOnDisk, standby: Standby, database: str) -> None:
    """A standby does not go on with a database that lacks a page that it has read."""
    leader.play()
    standby.follow()
    with connect(database, "test") as connection:
        last = leader.run.writer.head.page
        delete = "DELETE FROM croupier.page USING croupier.venue WHERE venue = id AND name = %s AND number = %s"
        place = place_of(leader.site.data)
        assert place is not None
        connection.execute(delete, (place.venue, last))

    with pytest.raises(RolledBack, match="the database does not have it any more"):
        standby.step()
    leader.run.storage.close()


def test_standby_writes_snapshots(leader: VenueOnDisk, standby: Standby, monkeypatch: pytest.MonkeyPatch) -> None:
    """A standby writes a snapshot after many entries, from which it starts again; one that fails is logged."""
    monkeypatch.setattr(takeover, "SNAPSHOT_EVERY", 5)
    leader.play(3)
    standby.follow()
    assert (standby.opened.recovered.replayed, standby.opened.data.joinpath("snapshot").exists()) == (0, True)
    head = standby.opened.recovered.head
    leader.play()
    standby.opened.data.joinpath("snapshot.new").mkdir()
    with capture_logs() as logs:
        standby.follow()
    assert [each["event"] for each in logs] == ["snapshot_failed"]
    standby.close()
    standby.opened.data.joinpath("snapshot.new").rmdir()
    again = Standby(standby.opened.data, KeyStore(leader.site.safe), no_check)
    assert again.opened.recovered.head.position - again.opened.recovered.replayed == head.position
    assert state_digest(again.opened.house) == state_digest(leader.run.house)
    again.close()
    leader.stop()


def test_standby_needs_a_database(tmp_path: Path) -> None:
    """A journal in SQLite is on one host, and has no standby."""
    with pytest.raises(JournalFault, match="a standby needs a journal in PostgreSQL"):
        Standby(tmp_path / "data", KeyStore(tmp_path / "keys"), no_check)


class Renewed:
    """A lease that counts its renewals, and is lost after some."""

    def __init__(self, most: int) -> None:
        self.renewals, self._most = 0, most

    def renew(self, status: str = "{}") -> None:
        assert status == "{}"
        self.renewals += 1
        if self.renewals > self._most:
            raise Fenced("another system has taken the journal")


def test_lost_lease_is_passed_to_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lease is renewed until it is lost, and the event loop is told that once."""
    monkeypatch.setattr(takeover, "RENEW_EVERY_MS", 1)
    lease = Renewed(3)

    async def losing() -> JournalFault:
        lost: asyncio.Future[JournalFault] = asyncio.get_running_loop().create_future()
        keeper = LeaseKeeper(lease)  # type: ignore[arg-type]
        keeper.watch(lost.set_result, no_status)
        fault = await lost
        keeper.stop()
        return fault

    assert isinstance(played(losing), Fenced)
    assert lease.renewals == 4


def test_lease_of_a_loop_that_hangs_is_not_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system whose event loop takes no step does not keep its lease, and one that is stopped neither."""
    monkeypatch.setattr(takeover, "RENEW_EVERY_MS", 1)
    monkeypatch.setattr(takeover, "STALL_MAX_MS", 20)
    lease = Renewed(1_000_000)
    keeper = LeaseKeeper(lease)  # type: ignore[arg-type]
    while keeper._since_step < 100:  # noqa: SLF001 - it shows nowhere else that time has passed
        pass
    assert lease.renewals == 20

    async def stopping() -> None:
        keeper.watch(lambda _: None, no_status)
        keeper.stop()
        await asyncio.sleep(0.01)

    played(stopping)
    assert not keeper._thread.is_alive()  # noqa: SLF001


def text_of(database: str, venue: str, folder: str) -> str:
    """A configuration for a house on one of two hosts."""
    places = f'data = "{folder}"\nkey_store = "keys"\njournal = "{database}"'
    return VENUE.replace('data = "data"', places).replace('venue = "Test house"', f'venue = "{venue}"')


async def venue_at(folder: Path, text: str, waiting: asyncio.Event | None = None) -> Venue:
    return await open_venue(
        configured(folder, text), HandTime, CHEAP, standing_by=None if waiting is None else waiting.set
    )


def test_venue_opens_when_the_other_is_closed(database: str, tmp_path: Path) -> None:
    """A house that stands by opens with the next epoch once the other has stopped, and has its own control socket."""
    name = new_venue()

    async def taking_over() -> tuple[int, int, Path]:
        first = await venue_at(tmp_path, text_of(database, name, "one"))
        waiting = asyncio.Event()
        opening = asyncio.ensure_future(venue_at(tmp_path, text_of(database, name, "two"), waiting))
        await waiting.wait()
        assert not opening.done()
        await first.close()
        second = await opening
        socket = address(KeyStore(second.config.key_store), second.config.data)
        assert socket.exists()
        await second.close()
        return first.run.epoch, second.run.epoch, socket

    assert played(taking_over) == (1, 2, tmp_path / "two" / "control")


def test_standby_says_that_it_is_one(
    database: str, tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    """The status of a standby names the server that runs the venue, and how far it has read the journal."""
    name = new_venue()
    config = tmp_path / "two.toml"
    config.write_text(text_of(database, name, "two"), "utf-8")

    async def standing_by() -> None:
        first = await venue_at(tmp_path, text_of(database, name, "one"))
        waiting = asyncio.Event()
        opening = asyncio.ensure_future(venue_at(tmp_path, text_of(database, name, "two"), waiting))
        await waiting.wait()
        code, status = await asyncio.to_thread(ask, "status", "--config", config)
        while not status["leader"]:
            code, status = await asyncio.to_thread(ask, "status", "--config", config)
        assert (code, status["standby"], status["fault"]) == (0, True, "")
        assert (status["position"], status["epoch"]) == (first.run.writer.head.position, first.run.epoch)
        assert await asyncio.to_thread(run, ["status", "--config", str(config)]) == 0
        said = capsys.readouterr().out
        assert f"Standby: {status['leader']} runs this venue." in said
        # It runs no venue: nothing can be reloaded, and a backup is made without it.
        code, refused = await asyncio.to_thread(ask, "reload", "--config", config)
        assert (code, refused["refusal"]["code"]) == (2, "nothing_there")
        code, made = await asyncio.to_thread(ask, "backup", "--config", config, "--to", tmp_path / "backups")
        assert (code, made["epoch"]) == (0, first.run.epoch), made

        await first.close()
        second = await opening
        code, status = await asyncio.to_thread(ask, "status", "--config", config)
        assert (code, status["standby"]) == (0, False)
        await second.close()

    played(standing_by)


def status_of(database: str, name: str) -> str:
    (found,) = (each.status for each in list_venues(database) if each.venue == name)
    return found


def test_operator_sees_the_venues_of_a_database(database: str, tmp_path: Path, ask: Ask) -> None:
    """The venues of a database are listed with the server that runs each, and with its health and takings."""
    name, idle = new_venue(), new_venue()

    async def serving() -> dict[str, Any]:
        venue = await venue_at(tmp_path, text_of(database, name, "one"))
        # Another thread renews the lease.
        await until(lambda: status_of(database, name).startswith('{"mode"'))
        found = {each.venue: each for each in list_venues(database)}
        await venue.close()
        status: dict[str, Any] = msgspec.json.decode(found[name].status)
        assert found[name].holder == this_process()
        return status

    status = played(serving)
    assert (status["mode"], status["connections"], status["turnover"]) == ("demo", 0, {"AUD": 0})
    PostgresStore(database, idle).close()
    code, answer = ask("database", "venues", database)
    listed = {each["venue"]: each for each in answer["venues"]}
    assert (code, listed[name]["holder"], listed[name]["entries"] > 0) == (0, None, True)
    assert (listed[idle]["epoch"], listed[idle]["entries"], listed[idle]["status"]) == (0, 0, {})
    assert ask("database", "venues", "postgresql://nobody@/none?host=/nowhere")[0] == 2
    assert run(["database", "venues", database]) == 0


def test_venue_stops_when_its_lease_is_lost(database: str, tmp_path: Path) -> None:
    """A house whose journal another system has taken stops, with the fault, and can be closed."""
    name = new_venue()

    async def losing() -> BaseException | None:
        first = await venue_at(tmp_path, text_of(database, name, "one"))
        with connect(database, "test") as connection:
            connection.execute(
                "UPDATE croupier.lease SET session = '' FROM croupier.venue WHERE venue = id AND name = %s", (name,)
            )
        await asyncio.wait((first.commit_loop.failed,))
        # A second fault changes nothing.
        first.commit_loop.fail(JournalFault("later"))
        await first.close()
        return first.commit_loop.failed.exception()

    assert isinstance(played(losing), Fenced)


def test_standby_that_cannot_open_gives_the_lease_back(database: str, tmp_path: Path) -> None:
    """A house that takes over and then cannot open, or meets a damaged journal, leaves the lease to others."""
    name = new_venue()

    async def failing() -> None:
        await (await venue_at(tmp_path, text_of(database, name, "one"))).close()
        other = text_of(database, name, "two").replace('person = "manager"', 'person = "manager"\npassword = "short"')
        with pytest.raises(NotOpenedError):
            await venue_at(tmp_path, other, asyncio.Event())
        with connect(database, "test") as connection:
            damage = (
                "UPDATE croupier.page SET body = body || '\\x00' FROM croupier.venue WHERE venue = id AND name = %s"
            )
            connection.execute(damage, (name,))
        with pytest.raises(JournalCorrupt):
            await venue_at(tmp_path, text_of(database, name, "three"), asyncio.Event())

    played(failing)


def test_stop_while_standing_by_ends_it(database: str, tmp_path: Path) -> None:
    """A standby that is told to stop stops following, and writes nothing."""
    name, stopping = new_venue(), list[bool]()

    def check() -> None:
        if stopping:
            raise InterruptedError

    async def stopped() -> None:
        first = await venue_at(tmp_path, text_of(database, name, "one"))
        config = configured(tmp_path, text_of(database, name, "two"))
        with pytest.raises(InterruptedError):
            await open_venue(config, HandTime, CHEAP, check=check, standing_by=lambda: stopping.append(True))
        await first.close()

    played(stopped)


def on_hosts(database: str, folder: Path) -> list[Path]:
    """Write the configurations of a venue for two hosts with one key store."""
    venue, paths = new_venue(), [folder / "one.toml", folder / "two.toml"]
    for path in paths:
        places = f'data = "{path.stem}"\nkey_store = "keys"\njournal = "{database}"\nlog.path = "{path.stem}.log"'
        path.write_text(HOUSE.replace('venue = "Small house"', f'venue = "{venue}"\n{places}'), "utf-8")
    return paths


def stands_by(serving: Serving) -> Serving:
    assert serving.stands_by(), serving.ended()
    return serving


@pytest.mark.campaign
def test_paused_leader_is_fenced_when_it_wakes_up(database: str, tmp_path: Path) -> None:
    """A leader that is paused is taken over from, and when it wakes up it closes its connections and exits with 70."""
    one, two = on_hosts(database, tmp_path)
    with processes() as starts:
        leader = opened(starts(one))
        standby = stands_by(starts(two, "--standby"))
        first = seen(leader, "A-1", "A")
        leader.signal(SIGSTOP)
        opened(standby)
        assert standby.health()["epoch"] == 2
        second = seen(standby, "A-1", "A")
        leader.signal(SIGCONT)
        ended = leader.ended()
        assert ended.code == 70, ended
        assert "The server stopped: Fenced: another" in ended.err
        assert standby.health()["ok"]
        assert (first.complaints, second.complaints) == ([], [])
        assert standby.stopped().code == 0


@pytest.mark.campaign
def test_killed_leader_is_replaced_within_seconds(database: str, tmp_path: Path) -> None:
    """A leader that is killed is replaced by its standby, at night within three seconds at the median."""
    one, two = on_hosts(database, tmp_path)
    took: list[float] = []
    with processes() as starts:
        leader = opened(starts(one))
        for number in range(many(day=2, night=20)):
            standby = stands_by(starts(two if number % 2 == 0 else one, "--standby"))
            seen(leader, "A-1", "A")
            began = monotonic()
            leader.signal(SIGKILL)
            opened(standby)
            assert seen(standby, "A-1", "A").complaints == []
            took.append(monotonic() - began)
            leader.ended()
            leader = standby
        assert leader.stopped().code == 0
    print("takeovers:", *(f"{each:.2f} s" for each in took))
    # By day other tests use the same cores.
    assert sorted(took)[len(took) // 2] < many(day=30, night=3)
