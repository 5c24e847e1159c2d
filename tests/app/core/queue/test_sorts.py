"""Orders: as said, the unknown last, ties in list order, and chance that is the same each time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.queue import EVERYTHING, FilterError, Sort, matching, parse_sort, sort_text
from app.core.queue.sorts import PRIME, SORT_KEYS
from tests.app.core.sessions import made


def found(session, sort):
    return [row.candidate.id for row in matching(session, EVERYTHING, sort)]


@pytest.mark.parametrize("key", [key for key in SORT_KEYS if key != "random"])
@pytest.mark.parametrize("is_down", [False, True])
def test_every_order(seen, key, is_down):
    sort = Sort(key, is_down)
    assert found(seen.session, sort) == seen.numbers(EVERYTHING, sort)


def test_a_random_order_is_the_same_each_time(seen):
    first, second = Sort("random", seed=1), Sort("random", seed=2)
    numbers = found(seen.session, first)
    assert sorted(numbers) == [each.id for each in seen.known]
    assert numbers == found(seen.session, first)
    assert numbers != found(seen.session, second)
    assert found(seen.session, Sort("random", descending=True, seed=1)) == numbers[::-1]


@pytest.mark.parametrize("seed", [0, 1, 7, 123456, PRIME - 1])
def test_a_random_order_looks_like_chance(tmp_path, seed):
    """Neither the place of a candidate nor that of its neighbour in the list can be told."""
    count = 4000
    with made(tmp_path / "a.speco3", count) as session:
        places = np.argsort(found(session, Sort("random", seed=seed))) / count
    for apart in (1, 2, 3, 10, 101):
        assert abs(np.corrcoef(places[:-apart], places[apart:])[0, 1]) < 4 / np.sqrt(count)
    steps = np.histogram((places[1:] - places[:-1]) % 1.0, 20)[0]
    assert np.sum((steps - count / 20) ** 2 / (count / 20)) < 50  # 19 degrees of freedom
    assert abs(np.mean(places[: count // 10]) - 0.5) < 4 * np.sqrt(1 / 12 / (count / 10))


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("list", Sort()),
        ("list:down", Sort("list", True)),
        ("score", Sort("score", True)),
        ("score:up", Sort("score")),
        (" SNR : down ", Sort("snr", True)),
        ("uncertain", Sort("uncertain", True)),
        ("surprising", Sort("surprising", True)),
        ("disagreeing", Sort("disagreeing", True)),
        ("ra", Sort("ra")),
        ("object", Sort("object")),
        ("object:down", Sort("object", True)),
        ("random", Sort("random")),
        ("random:7", Sort("random", seed=7)),
        ("random:7:down", Sort("random", True, 7)),
    ],
)
def test_orders_as_text(text, sort):
    assert parse_sort(text) == sort
    assert parse_sort(sort_text(sort)) == sort


@given(st.sampled_from(SORT_KEYS), st.booleans(), st.integers(0, PRIME - 1))
def test_orders_are_read_back(key, is_down, seed):
    sort = Sort(key, is_down, seed if key == "random" else 0)
    assert parse_sort(sort_text(sort)) == sort


@pytest.mark.parametrize(
    "text",
    ["", "colour", "score:best", "score:up:down", "random:x", "random:-1", "random:9999999999",
     "score:1", "id; DROP TABLE candidates", "random:٣"],
)  # fmt: skip
def test_orders_that_are_none(text):
    with pytest.raises(FilterError):
        parse_sort(text)


def test_an_order_of_no_kind():
    with pytest.raises(FilterError, match="unknown order"):
        Sort("own")
    with pytest.raises(FilterError, match="seed"):
        Sort("random", seed=PRIME)
