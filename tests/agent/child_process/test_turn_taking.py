"""Threads that take turns at computing."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent.child_process.turn_taking import AT_ONCE, _turns, computing, waiting

THREADS = 4 * AT_ONCE
LONG_S = 30.0


def test_no_more_compute_than_may_and_all_wait_together():
    inside, most = [], []
    together = threading.Barrier(THREADS)

    def compute() -> None:
        for _ in range(50):
            inside.append(1)
            most.append(len(inside))
            inside.pop()

    def work() -> None:
        with computing():
            compute()
            with waiting():
                together.wait(LONG_S)  # all are here at once, none in its turn
            compute()

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work) for _ in range(THREADS)]:
            done.result(LONG_S)
    assert max(most) == AT_ONCE
    assert len(most) == 2 * 50 * THREADS


def test_a_turn_ends_with_an_error_and_one_given_up_comes_back_with_it():
    with pytest.raises(KeyError), computing(), waiting():
        raise KeyError
    with pytest.raises(TimeoutError), computing():
        with pytest.raises(KeyError), waiting():
            raise KeyError
        assert not _is_free()
        raise TimeoutError
    assert _is_free()


def test_waiting_twice_gives_the_turn_up_once():
    with computing():
        with waiting(), waiting():
            assert _is_free()
        assert not _is_free()
    assert _is_free()


def test_a_thread_without_a_turn_waits_as_it_is():
    with waiting():
        assert _is_free()
    assert _is_free()


def _is_free() -> bool:
    """Whether another thread could have its turn now."""
    is_free = _turns.acquire(blocking=False)
    if is_free:
        _turns.release()
    return is_free
