"""The writer thread: the order of its work, its results and its end."""

from threading import Event, current_thread

import pytest

from croupier.engine.commit_loop import WriterThread
from tests.support.connections import LONG_S


def test_functions_run_in_order_on_one_thread() -> None:
    """What is submitted runs in that order, all of it on the thread with the name, also with arguments."""
    writer, ran = WriterThread("journal-writer"), list[int]()

    def run(number: int, *, more: int = 0) -> str:
        ran.append(number + more)
        return current_thread().name

    futures = [writer.submit(run, number, more=number % 2) for number in range(100)]
    writer.shutdown()

    assert {future.result() for future in futures} == {"journal-writer"}
    assert ran == [number + number % 2 for number in range(100)]


def test_error_goes_to_its_caller_and_the_thread_goes_on() -> None:
    """An exception is the result of its own function alone."""
    writer = WriterThread("journal-writer")
    failed, after = writer.submit(int, "none"), writer.submit(lambda: 7)

    with pytest.raises(ValueError, match="none"):
        failed.result(LONG_S)
    assert after.result(LONG_S) == 7
    writer.shutdown()


def test_cancelled_function_is_not_run() -> None:
    """A function that waits can be cancelled, and one that runs cannot."""
    writer, began, ends, ran = WriterThread("journal-writer"), Event(), Event(), list[int]()

    def hold() -> bool:
        began.set()
        return ends.wait(LONG_S)

    running, waiting = writer.submit(hold), writer.submit(ran.append, 1)
    assert began.wait(LONG_S)
    assert waiting.cancel()
    assert not running.cancel()
    ends.set()
    writer.shutdown()

    assert running.result()
    assert ran == []


def test_thread_that_never_ran_is_shut_down() -> None:
    """A thread begins with the first function: without one there is nothing to end."""
    writer = WriterThread("journal-writer")
    writer.shutdown()
    writer.shutdown()


def test_nothing_is_submitted_after_a_shutdown() -> None:
    """A thread that was shut down is not started again; a second shutdown does nothing."""
    thread = WriterThread("test")
    assert thread.submit(lambda: 1).result() == 1
    for _ in range(2):
        thread.shutdown()
    with pytest.raises(RuntimeError, match="was shut down"):
        thread.submit(lambda: 1)
