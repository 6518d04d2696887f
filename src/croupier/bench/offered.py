"""The offered load: commands leave by a timetable, whatever the server does, and are timed from when they were due."""

from array import array
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Final

from croupier.bench.closed import NS, Answered
from croupier.bench.crowd import EVENTS, PATIENCE, Crowd
from croupier.bench.line import MOST, Line
from croupier.bench.process import Server
from croupier.bench.watch import Watch

#: How many commands that are due leave before the client looks at what has come.
STRETCH: Final = 32
_NEVER: Final = -1


@dataclass(slots=True)
class Timetable:
    """When each command is due: one after the other, on each line in turn."""

    begin: int
    rate: int
    count: int
    lines: list[Line]

    def due(self, number: int) -> int:
        return self.begin + number * NS // self.rate


@dataclass(frozen=True, slots=True)
class Offered:
    """What came of an offered load, and how late the client itself was with each command."""

    answered: Answered
    late: list[int]


class Offer:
    """One offered load under way."""

    def __init__(self, crowd: Crowd, timetable: Timetable) -> None:
        self._crowd, self._timetable = crowd, timetable
        self._times = array("q", [_NEVER]) * timetable.count
        self._late = array("q", [0]) * timetable.count
        self._sent = self._answered = 0
        #: The number of each line's last command before this load.
        self._before = [line.asked for line in crowd.lines]

    def run(self, server: Server) -> Offered:
        """Send everything when it is due, and wait for the last answers."""
        watch, table = Watch(server), self._timetable
        while self._sent < table.count:
            self._send()
            # Not to wait: the kernel's timer is coarser than the timetable, and this core has nothing else to do.
            self._receive(0)
        give_up = perf_counter_ns() + int(PATIENCE * NS)
        while self._answered < table.count and perf_counter_ns() < give_up:
            self._receive(1)
        shares = watch.stop()
        times = sorted(time for time in self._times if time != _NEVER)
        unanswered = table.count - len(times)
        return Offered(Answered(times, len(times), unanswered, shares), sorted(self._late))

    def _send(self) -> None:
        table, clock = self._timetable, perf_counter_ns
        for number in range(self._sent, min(self._sent + STRETCH, table.count)):
            due = table.due(number)
            if clock() < due:
                return
            line = table.lines[number % len(table.lines)]
            line.asked += 1
            line.send(line.ask % line.asked)
            self._late[number] = clock() - due
            self._sent = number + 1

    def _receive(self, wait: float) -> None:
        for fd, _ in self._crowd.epoll.poll(wait, EVENTS):
            line = self._crowd.by_fd[fd]
            data = line.recv(MOST)
            now = perf_counter_ns()
            last = min(line.heard(data), line.asked)
            if line.turned_down:
                for command in line.turned_down:
                    self._note(line, command, now)
                line.turned_down.clear()
            while line.answered < last:
                line.answered += 1
                self._note(line, line.answered, now)

    def _note(self, line: Line, command: int, now: int) -> None:
        """Time an answer, once: a command that was turned down is behind the next one that is answered."""
        lines = self._timetable.lines
        number = (command - self._before[line.place] - 1) * len(lines) + line.place
        if self._times[number] == _NEVER:
            self._times[number] = now - self._timetable.due(number)
            self._answered += 1


def offered_load(crowd: Crowd, server: Server, *, rate: int, count: int, begin: int | None = None) -> Offered:
    """Offer so many commands at so many in a second, from now on or from a given moment."""
    start = perf_counter_ns() if begin is None else begin
    return Offer(crowd, Timetable(start, rate, count, crowd.lines)).run(server)
