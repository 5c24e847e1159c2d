"""How many inspections run at once, with a clock of the test."""

from __future__ import annotations

import heapq

import pytest

from app.worker.pool import FEWEST, MOST, Concurrency, Ramp, server_count
from app.worker.request import LoadRequest


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
    assert server.ramp.has_settled
    assert server.ramp.number == found
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
    assert server.ramp.has_settled
    assert 20 <= server.ramp.number <= 64
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


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (None, 0),
        ("measured", 0),
        ("a,b", 0),
        ("http://a:8000/v1#m", 1),
        ("http://a:8000/v1, https://b/v1#m", 2),
        ("http://a/v1/x,y,http://b,http://c", 3),
    ],
)
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
