"""The pace of a host, on a clock of the test."""

from __future__ import annotations

import random

import pytest

from app.services.web.errors import BadReply, Busy, Unreachable
from app.services.web.pace import FAULTS_TO_REST, REST_S, HostPace, Stopped, wait_before_retry


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def time(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> HostPace:
    return HostPace(2.0, clock.time, clock.wait)


def go(pace, until=1e9):
    pace.take_turn(until, lambda: False)


def test_turns_are_evenly_spaced(pace, clock):
    for _ in range(3):
        go(pace)
    assert clock.now == pytest.approx(101.0)


def test_a_turn_that_comes_too_late_is_not_waited_for(pace, clock):
    go(pace)
    with pytest.raises(Busy):
        go(pace, until=100.1)
    assert clock.now == 100.0


def test_a_server_that_asks_for_patience_gets_it(pace, clock):
    pace.note_fault(Busy("busy", 20.0))
    go(pace)
    assert clock.now == pytest.approx(120.0)


def test_after_a_rest_one_question_tries_the_host_again(pace, clock):
    for _ in range(FAULTS_TO_REST):
        pace.note_fault(Unreachable("gone"))
    with pytest.raises(Busy, match="failed 5 times"):
        go(pace)
    clock.now += REST_S
    go(pace)
    pace.note_fault(Unreachable("still gone"))
    with pytest.raises(Busy):
        go(pace)
    clock.now += REST_S
    pace.note_success()
    go(pace)


def test_a_wrong_answer_is_no_fault_of_the_connection(pace):
    for _ in range(2 * FAULTS_TO_REST):
        pace.note_fault(BadReply("html"))
    go(pace)


def test_stopping_ends_the_wait(pace):
    go(pace)
    with pytest.raises(Stopped):
        pace.take_turn(1e9, lambda: True)


def test_waits_grow_and_obey_the_server():
    draw = random.Random(1)
    waits = [wait_before_retry(attempt, Unreachable(""), draw) for attempt in (0, 3, 20)]
    assert 0.5 <= waits[0] <= 1.0 and 4.0 <= waits[1] <= 8.0 and 30.0 <= waits[2] <= 60.0
    assert wait_before_retry(0, Busy("", 12.0), draw) == 12.0
