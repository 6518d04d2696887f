"""A leader that is killed under load: when its terminals play again at the standby, and whether a bet is lost."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

from tests.support.database import running_server

from benchmarks.database import OnDatabase
from benchmarks.load_client import EVENTS, FIRST, READ_BYTES, LoadClient
from benchmarks.machine import Address, BenchmarkError, Cores, Server, allow_files, percentile
from benchmarks.systems import TABLE, RunningVenue, TerminalProtocol, connected, enrol, terminal
from croupier import rulebook
from croupier.engine.audit import audit
from croupier.engine.places import open_store
from croupier.house import AnyEvent
from croupier.house.ids import RoundNumber
from croupier.house.rounds.irregularities import RoundVoided
from croupier.house.rounds.recovery import HouseRecovered, RecoveredRound, RecoveryStatus
from croupier.house.state.tables import Phase
from croupier.journal.keystore import KeyStore, newest_record
from croupier.journal.pages import BetRow, EventRow, decode_body
from croupier.journal.stores.database import prepare
from croupier.rulebooks.schema import read_canonical
from croupier.rules.refusal import CitedTopic

#: The goal: seconds from the kill until half of the terminals have a bet accepted, at the median of all runs.
GOAL_S: Final = 3.0
TERMINALS: Final = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000  # noqa: PLR2004 - an argument
RUNS: Final = int(sys.argv[1]) if len(sys.argv) > 1 else 20
#: How long the load lasts before the kill, in seconds; what a step may take at most.
LOAD_S: Final = 2.0
PATIENCE_S: Final = 120.0
_HOSTS: Final = ("one", "two")


class Hosts:
    """Two houses of one venue on this machine, which listen on the same port one after the other."""

    def __init__(self, folder: Path, address: str, cores: Cores) -> None:
        self.folder, self._cores = folder, cores
        names = [terminal(index) for index in range(TERMINALS)]
        self.keys = enrol(folder / "keys", names, ())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = Address("127.0.0.1", free.getsockname()[1])
        text = OnDatabase(address=address, places='data = "DATA"\nkey_store = "keys"')._config(names)  # noqa: SLF001 - the same text on both
        for host in _HOSTS:
            said = text.replace('"DATA"', f'"{host}"').replace("port = 0", f"port = {self.address.port}")
            folder.joinpath(f"{host}.toml").write_text(said.replace("croupier.log", f"{host}.log"), "utf-8")

    @contextmanager
    def started(self, host: str) -> Iterator["subprocess.Popen[bytes]"]:
        """Start a house that stands by, or leads if no other does."""
        command = [sys.executable, "-P", "-m", "croupier", "serve", "--standby", "--config", f"{host}.toml"]
        with self.folder.joinpath(f"{host}.out").open("ab") as out, self._cores.of_server():
            process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=self.folder)  # noqa: S603 - ours
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def wait_open(self) -> None:
        """Wait until a house listens."""
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            with socket.socket() as probe:
                if probe.connect_ex(self.address) == 0:
                    return
            time.sleep(0.01)
        raise BenchmarkError("no house listens")

    def wait_standing_by(self, host: str) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while "Standing by" not in self.folder.joinpath(f"{host}.out").read_text("utf-8", "replace"):
            if time.monotonic() > give_up:
                raise BenchmarkError(f"{host} does not stand by")
            time.sleep(0.05)


def bet_for(clients: LoadClient, seconds: float) -> None:
    """Keep a bet in flight on every connection for some seconds; responses are counted until then."""
    end = time.monotonic() + seconds
    for connection in clients.connections:
        connection.sent += 1
        connection.send(connection.command % connection.sent)
    while time.monotonic() < end:
        for fd, _ in clients.epoll.poll(0.05, EVENTS):
            connection = clients.by_fd[fd]
            answered = connection.highest_answered(connection.recv(READ_BYTES))
            connection.answered = max(connection.answered, answered)
            if connection.answered >= connection.sent:
                connection.sent += 1
                connection.send(connection.command % connection.sent)


def first_answers(clients: LoadClient, since: float) -> list[float]:
    """Send one bet on every connection, and return when each was accepted, in seconds since a moment."""
    waiting, found = set(clients.connections), list[float]()
    for connection in clients.connections:
        connection.sent += 1
        connection.send(connection.command % connection.sent)
    while waiting:
        events = clients.epoll.poll(PATIENCE_S, EVENTS)
        if not events:
            raise BenchmarkError(f"{len(waiting)} terminals got no response")
        for fd, _ in events:
            connection = clients.by_fd[fd]
            if connection.highest_answered(connection.recv(READ_BYTES)) >= connection.sent and connection in waiting:
                waiting.remove(connection)
                found.append(time.monotonic() - since)
    if any(connection.refused for connection in clients.connections):
        raise BenchmarkError("a bet was refused after the takeover")
    return sorted(found)


def acknowledged(clients: LoadClient) -> Counter[str]:
    """Count the bets of each terminal that were answered, or sent and not answered."""
    return Counter({each.name: each.answered - FIRST for each in clients.connections})


def check_journal(hosts: Hosts, host: str, answered: Counter[str], sent: Counter[str]) -> int:
    """Verify the journal, the interrupted round, and every acknowledged bet; return how many bets there are."""
    keys, stored, events = KeyStore(hosts.folder / "keys"), Counter[str](), list[AnyEvent]()
    with closing(open_store(hosts.folder / host, writing=False)) as store:
        audit(store, keys.verifier(), read_canonical, newest_record(keys.anchor_records()), keys.signer())
        for page in store.pages():
            rows = decode_body(page).rows
            stored.update(row.device for row in rows if type(row) is BetRow)
            events += [row.event for row in rows if type(row) is EventRow]
    wrong = [name for name in sent if not answered[name] <= stored[name] <= sent[name]]
    if wrong:
        raise BenchmarkError(f"{len(wrong)} terminals have bets lost or doubled, the first {wrong[0]}")
    check_round(events)
    return stored.total()


def check_round(events: list[AnyEvent]) -> None:
    """Verify that the interrupted round was resolved as the rulebook says: bets were open, so it is void."""
    clause = rulebook("skycity-adelaide-2003").cited_clauses[CitedTopic.INTERRUPTED_NO_OUTCOME]
    expected = RecoveredRound(TABLE, RoundNumber(1), Phase.OPEN, RecoveryStatus.OPEN, clause)
    found = [event.found for event in events if isinstance(event, HouseRecovered)]
    void = [(event.round, event.clause) for event in events if isinstance(event, RoundVoided)]
    if (found, void) != ([(expected,)], [(expected.round, clause)]):
        raise BenchmarkError(f"the interrupted round was resolved in another way: {found}, {void}")


def one_run(hosts: Hosts) -> tuple[float, float, float, int]:
    """Kill a leader under load; return when the house was open, and when half and all terminals played again."""
    with ExitStack() as started:
        leader = started.enter_context(hosts.started(_HOSTS[0]))
        hosts.wait_open()
        started.enter_context(hosts.started(_HOSTS[1]))
        hosts.wait_standing_by(_HOSTS[1])
        venue = RunningVenue(Server(leader.pid, hosts.address), TerminalProtocol(hosts.keys))
        clients = started.enter_context(connected(venue.server, venue.client_protocol, TERMINALS))
        venue.prepare(clients)
        bet_for(clients, LOAD_S)
        began = time.monotonic()
        os.kill(leader.pid, signal.SIGKILL)
        answered = acknowledged(clients)
        leader.wait()
        clients.drop(clients.connections)
        hosts.wait_open()
        opened = time.monotonic() - began
        clients.connect(clients.connections, at_once=TERMINALS)
        with venue.dealer() as dealer:
            venue.round = dealer.open_bets()
        venue.build_bets(clients)
        again = first_answers(clients, began)
        sent = Counter({each.name: each.sent - FIRST for each in clients.connections})
    answered.update(dict.fromkeys(answered, 1))
    return opened, percentile(again, 50), again[-1], check_journal(hosts, _HOSTS[1], answered, sent)


def main() -> int:
    allow_files(2 * TERMINALS + 1_000)
    cores = Cores.here()
    took = list[float]()
    print(f"{TERMINALS} terminals; seconds since the leader was killed: house open, half and all terminals have bet")
    with running_server() as server:
        prepare(server.address())
        for number in range(RUNS):
            with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
                opened, half, last, bets = one_run(Hosts(Path(folder), server.address(), cores))
            took.append(half)
            print(
                f"  {number + 1:2}  {opened:5.2f}  {half:5.2f}  {last:5.2f}   {bets} bets, none lost or doubled",
                flush=True,
            )
    print(f"median of {RUNS} runs: {median(took):.2f} s")
    return 0 if median(took) <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
