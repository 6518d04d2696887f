"""`croupier serve` as a process of its own: how it starts, what it says, and how it ends."""

import asyncio
import os
import re
import resource
import socket
from collections.abc import Coroutine, Iterator
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGKILL, SIGTERM, Signals
from typing import Final, TypeVar

import pytest
import uvloop

from croupier.engine.storage import SNAPSHOT
from tests.conftest import Ask
from tests.support.connections import until
from tests.support.serving import Serving, Starts, processes
from tests.support.wire.client import ACCEPTED, OPEN, Page, Said

pytestmark = pytest.mark.untraced

#: A house whose rounds run by themselves, as quickly as they can.
HOUSE: Final = """
venue = "Small house"
[[tables]]
id = "A"
rulebook = "marina-bay-sands-2020"
seats = 2
wheel = "random"
betting_s = 1
spin_s = 1
pause_s = 0
[[staff]]
person = "dealer"
titles = ["Dealer"]
[[staff]]
person = "supervisor"
titles = ["Pit Supervisor"]
"""
ANOTHER_TABLE: Final = """
[[tables]]
id = "B"
rulebook = "clearwater-etg"
seats = 1
wheel = "random"
betting_s = 8
"""
CODES: Final = "One-time staff codes"
T = TypeVar("T")


def configured(folder: Path, text: str = HOUSE) -> Path:
    path = folder / "croupier.toml"
    path.write_text(text, "utf-8")
    return path


def opened(serving: Serving) -> Serving:
    assert serving.opened(), serving.ended()
    return serving


def seen(serving: Serving, device: str, table: str, origin: str = "", join: str = "") -> Page:
    """Sit down at a table, look at it, and leave."""

    async def sit() -> Page:
        page = Page(device, (table,), lambda _page, _said: None, join)
        await page.enter(serving.port, origin)
        await page.leave()
        return page

    return run(sit())


def run(scenario: Coroutine[object, object, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(scenario)


@pytest.fixture(scope="module")
def starts() -> Iterator[Starts]:
    with processes() as start:
        yield start


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("open")


@pytest.fixture(scope="module")
def port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def house(starts: Starts, folder: Path, port: int) -> Serving:
    """A house that is open while all goes on that does not end it."""
    return opened(starts(configured(folder), port=port))


def test_codes_are_reported_once_and_a_stop_leaves_a_snapshot(starts: Starts, tmp_path: Path, ask: Ask) -> None:
    """The first start tells each member of staff a code and no other does; Ctrl-C and SIGTERM end it in good order."""
    config, data = configured(tmp_path), tmp_path / "data"
    first = opened(starts(config)).stopped(SIGINT)
    snapshot = (data / SNAPSHOT).read_bytes()
    second = opened(starts(config)).stopped(SIGTERM)
    code, audited = ask("audit", "--data", data)

    assert CODES in first.out
    assert len(set(re.findall(r"^  (?:dealer|supervisor) +(\S+)$", first.out, re.MULTILINE))) == 2
    assert f"Data in {data}" in second.out
    assert CODES not in second.out
    assert (first.code, first.err, second.code, second.err) == (0, "", 0, "")
    assert (data / SNAPSHOT).read_bytes() != snapshot
    assert (code, audited["unsigned"]) == (0, 0)


def test_visitor_has_no_code(starts: Starts, tmp_path: Path) -> None:
    """A visitor deals without a password: no code is printed for the visitor, and one for everybody else."""
    visitor = 'visitor_table = "A"\n'
    staff = '[[staff]]\nperson = "visitor"\ntitles = ["Dealer"]\n'
    first = opened(starts(configured(tmp_path, visitor + HOUSE + staff))).stopped(SIGTERM)

    assert CODES in first.out
    assert re.findall(r"^  (\w+) +\S+$", first.out, re.MULTILINE) == ["dealer", "supervisor"]


@pytest.mark.parametrize("number", [SIGTERM, SIGINT])
def test_stop_that_comes_during_a_start_is_orderly(starts: Starts, tmp_path: Path, number: Signals, ask: Ask) -> None:
    """A start that is stopped before it has written anything logs so, exits 0 and leaves no file behind."""
    config = configured(tmp_path)
    text = config.read_text()
    config.unlink()
    os.mkfifo(config)
    house = starts(config)
    # Both sides of a pipe open at once: from here on the process is reading its configuration.
    with config.open("w") as pipe:
        house.signal(number)
        pipe.write(text)
    ended = house.ended()

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "Stopped during the start: no entry was written.\n"
    assert not (tmp_path / "data").exists()
    config.unlink()
    config.write_text(text)
    assert opened(starts(config)).stopped().code == 0
    assert ask("audit", "--data", tmp_path / "data")[0] == 0


def test_house_without_free_files_plays_on(starts: Starts, tmp_path: Path) -> None:
    """Connections for which there is no file wait, bets are answered meanwhile, and the log stays small."""
    serving = opened(starts(configured(tmp_path, HOUSE.replace("betting_s = 1", "betting_s = 600"))))
    address = ("127.0.0.1", serving.port)

    async def play() -> list[str]:
        page = Page("A-1", ("A",), lambda _page, _said: None)
        await page.enter(serving.port)
        page.say(t="practice")
        await until(lambda: page.credit > 0 and page.tables["A"]["phase"] in OPEN)
        files = len(os.listdir(f"/proc/{serving.pid}/fd"))  # noqa: PTH208 - only how many
        resource.prlimit(serving.pid, resource.RLIMIT_NOFILE, (files + 10, files + 10))
        crowd = [socket.create_connection(address) for _ in range(60)]
        await asyncio.to_thread(serving.logged, "accept_failed")
        page.ask("PlaceBets", table="A", round=page.tables["A"]["round"], spin=1, bets=[["red", 500]])
        await page.quiet()
        for each in crowd:
            each.close()
        await page.leave()
        again = Page("A-2", ("A",), lambda _page, _said: None)
        await again.enter(serving.port)
        await again.leave()
        return list(page.answers.values())

    assert run(play()) == [ACCEPTED]
    ended = serving.stopped()
    assert ended.code == 0
    assert len(ended.err) < 50_000


def test_second_process_on_the_same_data_is_refused(starts: Starts, house: Serving, folder: Path) -> None:
    """A second process on the same data exits with the reason, and the first continues."""
    ended = starts(configured(folder)).ended()

    assert (ended.code, ended.out) == (2, "")
    assert f"data.keys is in use by process {house.pid}, with its data in {folder / 'data'}" in " ".join(
        ended.err.split()
    )
    assert house.health()["ok"]


def test_second_house_on_the_same_safe_is_refused(
    starts: Starts, house: Serving, folder: Path, tmp_path: Path, ask: Ask
) -> None:
    """A house with other data is refused on a safe that is in use, and a question about its data is not answered."""
    config, safe = configured(tmp_path), folder / "data.keys"
    text = config.read_text()
    config.write_text(f'key_store = "{safe}"\n{text}')
    before = {safe / name: (safe / name).read_bytes() for name in ("lock", "signing.pem")}
    ended = starts(config).ended()

    assert (ended.code, ended.out) == (2, "")
    assert f"{safe} is in use by process {house.pid}" in " ".join(ended.err.split())
    assert {path: path.read_bytes() for path in before} == before
    code, answer = ask("status", "--data", tmp_path / "data", "--key-store", safe)
    assert (code, f"has its data in {folder / 'data'}, not in" in answer["refusal"]["says"]) == (2, True)
    assert ask("status", "--data", folder / "data")[0] == 0
    assert house.health()["ok"]


def test_port_of_the_command_line_counts(starts: Starts, house: Serving, port: int, tmp_path: Path) -> None:
    """The server listens on the configured port; a second one on that port fails, and uses up no code."""
    config = configured(tmp_path)
    refused = starts(config, port=port).ended()
    again = opened(starts(config)).stopped()

    assert house.port == port
    assert (refused.code, refused.out) == (2, "")
    assert "Cannot listen on 127.0.0.1" in refused.err
    assert "`--port` chooses another port." in " ".join(refused.err.split())
    assert CODES in again.out
    assert house.health()["ok"]


def test_hangup_with_a_file_that_is_wrong_changes_nothing(house: Serving, folder: Path) -> None:
    """A file that cannot be used is refused while the house is open, and the house goes on."""
    configured(folder, HOUSE + ANOTHER_TABLE.replace("clearwater-etg", "clearwater"))
    house.signal(SIGHUP)

    assert "croupier.toml" in house.logged("not_reloaded")
    assert seen(house, "A-1", "A").tables["A"]["rulebook"] == "marina-bay-sands-2020"


def test_hangup_adds_a_table_from_the_file(house: Serving, folder: Path) -> None:
    """A table that is put into the file is served once the process is told to read it again."""
    configured(folder, HOUSE + ANOTHER_TABLE)
    house.signal(SIGHUP)

    assert "AddTable was done." in house.logged('"reloaded"')
    assert seen(house, "B-1", "B").tables["B"]["rulebook"] == "clearwater-etg"


def test_everything_wrong_with_a_file_is_reported_at_once(starts: Starts, tmp_path: Path) -> None:
    """A file with several faults is refused for all of them, and nothing is made of it."""
    wrong = HOUSE.replace("pause_s = 0", "paws_s = 0\nminimum = -1") + 'colour = "red"\n'
    ended = starts(configured(tmp_path, wrong)).ended()

    assert ended.code == 2
    assert all(key in ended.err for key in ("paws_s", "minimum", "colour"))
    assert not (tmp_path / "data").exists()


def test_optimised_python_is_refused(starts: Starts, tmp_path: Path) -> None:
    """Without its checks of the books no house is opened, and a file that is right is not blamed for it."""
    ended = starts(configured(tmp_path), flags=("-O",)).ended()

    assert ended.code == 2
    assert ended.err.startswith("Refused. Python runs with -O")
    assert not (tmp_path / "data").exists()


def test_damaged_register_is_refused(starts: Starts, tmp_path: Path) -> None:
    """A house whose register of devices and people was spoilt is not opened, and says why."""
    config = configured(tmp_path)
    assert opened(starts(config)).stopped().code == 0
    (register,) = tmp_path.rglob("register.json")
    register.write_bytes(b"spoilt")
    ended = starts(config).ended()

    assert ended.code == 2
    assert ended.err.startswith("Refused. Cannot start: the credential store is damaged")


def test_log_that_cannot_be_kept_is_refused(starts: Starts, tmp_path: Path) -> None:
    """Where the log has no place no house is opened, and it is said which place that is."""
    ended = starts(configured(tmp_path, HOUSE + '[log]\npath = "/proc/nowhere/log"\n')).ended()

    assert ended.code == 2
    assert ended.err.startswith("Refused. Cannot write the log to ")
    assert not (tmp_path / "data").exists()


def test_house_on_the_network_shows_a_code_for_phones(starts: Starts, tmp_path: Path) -> None:
    """On the network it tells a phone where to sit down, draws that to be scanned, and lets in who has the code."""
    serving = opened(starts(configured(tmp_path), "--lan"))
    address = f"http://{serving.host}:{serving.port}"
    code = re.search(rf"^A phone .* {re.escape(address)}/terminal#join=([\w-]+)$", serving.said("A phone "))
    assert code is not None
    stranger = seen(serving, "A-1", "A", address)
    page = seen(serving, "A-1", "A", address, code[1])
    ended = serving.stopped()

    assert not stranger.key
    assert page.key
    assert len(re.findall("^[█▀▄ ]{20,}$", ended.out, re.MULTILINE)) > 10


def test_keys_that_were_shown_are_good_after_a_kill(starts: Starts, tmp_path: Path) -> None:
    """Killed while devices enrol, it opens again, and whoever was told a key comes in with it."""
    config = configured(tmp_path, HOUSE.replace("seats = 2", "seats = 8"))

    async def scenario() -> tuple[int, list[int]]:
        first = opened(starts(config))

        def kill(_page: Page, said: Said) -> None:
            if said["t"] == "enrolled":
                first.signal(SIGKILL)

        pages = [Page(f"A-{number}", ("A",), kill) for number in range(1, 9)]
        await asyncio.gather(*(page.enter(first.port) for page in pages), return_exceptions=True)
        ended, second = first.ended(), opened(starts(config))
        known = [page for page in pages if page.key]
        for page in known:
            await page.enter(second.port)
            await page.leave()
        return ended.code, [page.epoch for page in known]

    code, epochs = run(scenario())

    assert code == -SIGKILL
    assert set(epochs) == {2}


def test_house_that_cannot_write_stops_itself(starts: Starts, tmp_path: Path, ask: Ask) -> None:
    """Where the disk takes nothing more it ends with 70 and says why; what it had kept is whole, and goes on."""
    config = configured(tmp_path)
    serving = opened(starts(config, measured=False))
    serving.let_write_nothing()
    ended = serving.ended()
    again = opened(starts(config)).stopped()
    code, _ = ask("audit", "--data", tmp_path / "data")

    assert ended.code == 70
    assert "The server stopped" in ended.err
    assert (again.code, code) == (0, 0)
