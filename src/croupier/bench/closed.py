"""The closed loop: everybody asks, waits for the answer and asks again, as fast as the server lets them."""

from array import array
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Final

from croupier.bench.crowd import EVENTS, PATIENCE, Crowd
from croupier.bench.line import MOST
from croupier.bench.process import Server
from croupier.bench.watch import Shares, Watch

NS: Final = 1_000_000_000
#: More answers in a second than any server here gives: room for their times is made beforehand.
RATE_MOST: Final = 400_000


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a load: each answer's time in nanoseconds in order, those never given, and who used how much."""

    times: list[int]
    #: How many of them came within the time that was watched.
    in_time: int
    unanswered: int
    shares: Shares


def closed_loop(crowd: Crowd, server: Server, seconds: float) -> Answered:
    """Keep one command under way on every line for so long, then wait for the last answers."""
    times = array("q", bytes(8 * (int(RATE_MOST * seconds) + 2 * len(crowd.lines))))
    clock, poll, by_fd = perf_counter_ns, crowd.epoll.poll, crowd.by_fd
    count, in_time, under_way, shares = 0, 0, len(crowd.lines), None
    watch, now = Watch(server), clock()
    end, give_up = now + int(seconds * NS), now + int((seconds + PATIENCE) * NS)
    for line in crowd.lines:
        line.asked += 1
        line.asked_at = clock()
        line.send(line.ask % line.asked)
    while under_way and clock() < give_up:
        for fd, _ in poll(PATIENCE, EVENTS):
            line = by_fd[fd]
            data = line.recv(MOST)
            now = clock()
            if line.heard(data) < line.asked and line.asked not in line.turned_down:
                continue
            times[count] = now - line.asked_at
            count += 1
            if now < end:
                line.asked += 1
                line.asked_at = now
                line.send(line.ask % line.asked)
                continue
            if shares is None:
                shares, in_time = watch.stop(), count
            under_way -= 1
    for line in crowd.lines:
        line.turned_down.clear()
        line.answered = line.asked
    return Answered(sorted(times[:count]), in_time or count, under_way, shares or watch.stop())
