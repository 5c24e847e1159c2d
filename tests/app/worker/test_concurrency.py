"""How many inspections a pool runs at once."""

from __future__ import annotations

import pytest

from app.worker.concurrency import Concurrency, server_count
from app.worker.ramp import FEWEST
from app.worker.request import LoadRequest


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
