"""A batch over several workers."""

import heapq
import os
import signal
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from app.worker import supervisor
from app.worker.errors import InspectionError, LoadError, WorkerCrash, WorkerTimeout
from app.worker.inspection import Event, Finished, Started
from app.worker.pool import FEWEST, MOST, Concurrency, Ramp, WorkerPool, server_count
from app.worker.process import ChildProcess
from app.worker.request import InspectRequest, LoadRequest
from tests.app.worker.conftest import COMMAND, POSIX, request, spectrum
from tests.processes import wait_until

GOOD = LoadRequest("good")


def batch(*names: str, **more: object) -> list[tuple[int, InspectRequest]]:
    return [(number, request(name, **more)) for number, name in enumerate(names)]


@POSIX
def test_one_that_kills_and_one_that_fails_do_not_stop_the_others() -> None:
    names = ["any", "kill", "any", "fault", "any", "any"]
    with WorkerPool(2, GOOD, command=COMMAND) as pool:
        outcomes = {each.key: each for each in pool.run(batch(*names))}
    assert sorted(outcomes) == list(range(6))
    for number, name in enumerate(names):
        trajectory = outcomes[number].trajectory
        assert (trajectory is not None) == (name == "any")
    assert isinstance(outcomes[1].error, WorkerCrash)
    assert isinstance(outcomes[3].error, InspectionError)


@POSIX
def test_one_that_killed_by_chance_is_tried_again(tmp_path: Path) -> None:
    name = f"kill-unless-there:{tmp_path / 'there'}"
    with WorkerPool(1, GOOD, command=COMMAND) as pool:
        (outcome,) = pool.run(batch(name))
    assert outcome.trajectory is not None and outcome.error is None


@POSIX
def test_one_that_was_stopped_by_chance_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sign of life is waited for as long as usual, but for a second once it has stopped."""
    there = tmp_path / "there"
    begun, patience, kill = [], supervisor.PING_S, ChildProcess.kill

    def impatient(key: int, event: Event) -> None:
        if key == 1 and isinstance(event, Started):
            begun.append(key)
            if len(begun) == 1:
                wait_until(there.exists)
                monkeypatch.setattr(supervisor, "PING_S", 0.1)

    def patient_again(child: ChildProcess, reason: str) -> None:
        monkeypatch.setattr(supervisor, "PING_S", patience)
        kill(child, reason)

    monkeypatch.setattr(supervisor, "MAX_UNANSWERED", 10)
    monkeypatch.setattr(ChildProcess, "kill", patient_again)
    name = f"stop-unless-there:{there}"
    with WorkerPool(1, GOOD, command=COMMAND) as pool:
        outcomes = list(pool.run(batch("any", name, "any", "any"), impatient))
    assert sorted(each.key for each in outcomes) == [0, 1, 2, 3]
    assert all(each.trajectory for each in outcomes)
    assert begun == [1, 1]


def test_one_that_takes_too_long_is_not_tried_again(little_grace: None) -> None:
    """It would take as long again."""
    slow = InspectRequest(task="CV", spectrum=spectrum("deaf"), deadline_s=0.2)
    with WorkerPool(1, GOOD, command=COMMAND) as pool:
        started = []
        requests = [(0, slow), (1, request())]
        outcomes = list(pool.run(requests, lambda key, event: started.append((key, type(event)))))
    assert isinstance(outcomes[0].error, WorkerTimeout)
    assert "over its deadline of 0.2 s" in str(outcomes[0].error)
    assert outcomes[1].trajectory is not None
    assert started.count((0, Started)) == 1


def test_requests_are_taken_as_workers_get_free_and_events_name_theirs() -> None:
    taken: list[int] = []

    def requests():
        for number in range(4):
            taken.append(number)
            yield number, request()

    heard: list[tuple[int, Event]] = []
    with WorkerPool(1, GOOD, command=COMMAND) as pool:
        outcomes = pool.run(requests(), lambda key, event: heard.append((key, event)))
        first = next(outcomes)
        assert taken == [0]
        assert [first.key, *(each.key for each in outcomes)] == [0, 1, 2, 3]
    ends = [key for key, event in heard if isinstance(event, Finished)]
    assert ends == [0, 1, 2, 3]


def test_stopped_half_way() -> None:
    with WorkerPool(2, GOOD, command=COMMAND) as pool:
        outcomes = pool.run(batch("any", "endless", "endless", "any"))
        assert next(outcomes).key == 0
        outcomes.close()
        assert [each.key for each in pool.run(batch("any", "any"))] in ([0, 1], [1, 0])


def test_closed_while_they_work() -> None:
    with WorkerPool(2, GOOD, command=COMMAND) as pool:
        outcomes = pool.run(batch("any", "endless", "endless"))
        assert next(outcomes).trajectory is not None
    outcomes.close()


@pytest.mark.parametrize("model", ["refuse", pytest.param("die", marks=POSIX)])
def test_a_model_that_no_worker_can_load_stops_the_batch(model: str) -> None:
    with WorkerPool(2, LoadRequest(model), command=COMMAND) as pool, pytest.raises(LoadError):
        list(pool.run(batch("any", "any", "any")))


@POSIX
def test_a_worker_that_dies_at_the_load_now_and_then_goes_on(tmp_path: Path) -> None:
    load = LoadRequest(f"die-unless-there:{tmp_path / 'there'}")
    with WorkerPool(1, load, command=COMMAND) as pool:
        outcomes = list(pool.run(batch("any", "any")))
    assert [each.trajectory is not None for each in outcomes] == [True, True]


def test_nothing_to_do() -> None:
    with WorkerPool(3, GOOD, command=COMMAND) as pool:
        assert list(pool.run([])) == []


def test_the_model_is_known_before_the_batch_begins() -> None:
    with WorkerPool(2, GOOD, command=COMMAND) as pool:
        model = pool.ready()
        (outcome,) = pool.run(batch("any"))
    assert outcome.trajectory is not None and outcome.trajectory.model == model


@pytest.mark.parametrize("workers", [1, 3])
def test_each_is_told_how_many_share_the_machine(workers: int) -> None:
    with WorkerPool(workers, LoadRequest("sharing"), command=COMMAND) as pool:
        assert pool.ready().name == f"{workers} share"


SERVER = LoadRequest("http://127.0.0.1:9/v1")
"""The scripted child does not connect."""


def test_so_many_run_at_once_in_each_worker() -> None:
    taken: list[int] = []

    def requests() -> Iterator[tuple[int, InspectRequest]]:
        for number, each in batch(*["together:6"] * 18):
            taken.append(number)
            yield number, each

    with WorkerPool(1, replace(SERVER, model=f"{SERVER.model},{SERVER.model}"), command=COMMAND,
                    in_flight=3) as pool:  # fmt: skip
        assert pool.slots == 6
        done = 0
        for outcome in pool.run(requests()):
            done += 1
            assert outcome.trajectory is not None
            assert len(taken) <= done + 6, "requests are taken when there is room for them"
    assert done == len(taken) == 18


@POSIX
def test_one_that_kills_does_not_take_those_beside_it_along() -> None:
    names = ["any", "any", "kill", "any", "any", "fault", "any"]
    with WorkerPool(2, SERVER, command=COMMAND, in_flight=3) as pool:
        outcomes = list(pool.run(batch(*names)))
    assert sorted(each.key for each in outcomes) == list(range(7)), "each has one result"
    for each in outcomes:
        assert (each.trajectory is not None) == (names[each.key] == "any")
    (killer,) = [each.error for each in outcomes if each.key == 2]
    assert type(killer) is WorkerCrash


@POSIX
def test_those_that_run_are_begun_again_when_a_worker_is_killed() -> None:
    with WorkerPool(1, SERVER, command=COMMAND, in_flight=4) as pool:
        client = pool._clients[0]
        begun: list[int] = []

        def kill_it(key: int, event: Event) -> None:
            if isinstance(event, Started):
                begun.append(key)
                if len(begun) in (4, 8):  # twice, with four in flight
                    assert client.pid is not None
                    os.kill(client.pid, signal.SIGKILL)

        outcomes = list(pool.run(batch(*["quiet"] * 4 + ["any"] * 8, deadline_s=3.0), kill_it))
    assert sorted(each.key for each in outcomes) == list(range(12))
    assert all(each.trajectory for each in outcomes)
    assert len(begun) >= 12 + 8


def test_those_that_run_are_cancelled_with_the_batch() -> None:
    with WorkerPool(1, SERVER, command=COMMAND, in_flight=4) as pool:
        cancelled: list[Event] = []
        running = pool.run(
            batch("any", *["quiet"] * 3),
            lambda key, event: cancelled.append(event) if isinstance(event, Finished) else None,
        )
        assert next(running).key == 0
        cast("Generator[object]", running).close()
        wait_until(lambda: len(cancelled) == 4)


# How many inspections run at once, with a clock of the test.
class FakeServer:
    """Ends `limit` inspections in a second at most, each after `takes_s` at least."""

    def __init__(self, limit: float, takes_s: float = 10.0, servers: int = 1) -> None:
        self.now = 0.0
        self.ramp = Ramp(servers, now=lambda: self.now)
        self._limit, self._takes_s, self._servers = limit * servers, takes_s, servers
        self._ends: list[float] = []
        self._free = 0.0
        """When the server can end another one."""

    def run(self, count: int, refuses_above: float = 1e9) -> None:
        for _ in range(count):
            allowed = self.ramp.number * self._servers
            while len(self._ends) < allowed:
                self._free = max(self._free + 1 / self._limit, self.now + self._takes_s)
                heapq.heappush(self._ends, self._free)
            self.now = heapq.heappop(self._ends)
            busy = max(0, len(self._ends) + 1 - int(refuses_above * self._servers))
            self.ramp.ended(busy)


@pytest.mark.parametrize(
    ("limit", "found"), [(0.2, 2), (0.4, 4), (1.6, 16), (5.0, 64), (24.0, 256), (1000.0, MOST)]
)
@pytest.mark.parametrize("servers", [1, 3])
def test_it_doubles_up_to_the_limit_of_the_server(limit, found, servers):
    server = FakeServer(limit, servers=servers)
    server.run(40 * found * servers + 200)
    assert server.ramp.has_settled and server.ramp.number == found
    settled = server.ramp.number
    server.run(1000)
    assert server.ramp.number == settled


def test_it_begins_small():
    server = FakeServer(1000.0)
    assert server.ramp.number == 2
    server.run(5)
    assert server.ramp.number == 2, "two inspections are not judged before six have ended"
    server.run(1)
    assert server.ramp.number == 4


def test_it_backs_off_when_refused_and_rises_again_little_by_little():
    server = FakeServer(1000.0)
    server.run(2000, refuses_above=40)
    assert server.ramp.has_settled and 20 <= server.ramp.number <= 64
    one = FakeServer(1000.0)
    one.run(100)
    assert one.ramp.number == 32
    one.ramp.ended(busy=3)
    assert one.ramp.number == 16 and one.ramp.has_settled
    one.ramp.ended(busy=5)
    assert one.ramp.number == 16, "those refusals were of the number before"
    one.run(40)
    assert one.ramp.number == 18
    one.run(2000)
    assert one.ramp.number == 32, "but not beyond what was refused"


def test_it_never_falls_below_one():
    server = FakeServer(1.0)
    server.run(100, refuses_above=0)
    assert server.ramp.number >= 1
    for _ in range(50):
        server.ramp.ended(busy=1)
    assert server.ramp.number == 1


@pytest.mark.parametrize(("model", "count"), [
    (None, 0),
    ("measured", 0),
    ("a,b", 0),
    ("http://a:8000/v1#m", 1),
    ("http://a:8000/v1, https://b/v1#m", 2),
    ("http://a/v1/x,y,http://b,http://c", 3),
])  # fmt: skip
def test_servers_are_counted(model, count):
    assert server_count(LoadRequest(model)) == count


def test_a_model_in_the_worker_inspects_one_at_a_time():
    flight = Concurrency(0, 4, 8)
    assert (flight.per_worker, flight.is_side_by_side, flight.is_known) == (1, False, True)


def test_a_given_number_is_for_each_server():
    flight = Concurrency(3, 2, 8)
    assert (flight.per_worker, flight.is_side_by_side, flight.is_known) == (24, True, True)
    flight.ended(busy=9)
    assert flight.per_worker == 24
    assert not Concurrency(1, 1, 1).is_side_by_side


def test_without_a_number_it_is_found():
    flight = Concurrency(2, 1, None)
    assert (flight.per_worker, flight.is_known) == (2 * FEWEST, False)
    flight.ended(busy=1)
    assert (flight.per_worker, flight.is_known) == (2, True)
