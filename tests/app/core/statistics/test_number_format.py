"""Numbers as people read them."""

from __future__ import annotations

import pytest

from agent.confidence.scores import Estimate
from app.core.statistics.number_format import (
    about,
    chance,
    duration,
    percent,
    rough_percent,
    threshold,
    with_interval,
)


def test_shares():
    assert [percent(each) for each in (0.9512, 0.999, 0.0, 1.0, 0.05)] == [
        "95.1 %", "99.9 %", "0 %", "100 %", "5 %",
    ]  # fmt: skip
    assert rough_percent(0.9512) == "95 %"


def test_nearly_all_is_not_all():
    assert [percent(each) for each in (0.9999, 0.99996)] == ["99.99 %", "99.996 %"]
    shares = (1.0, 0.999, 0.994, 0.004, 0.0)
    assert [rough_percent(each) for each in shares] == ["100 %", "> 99 %", "99 %", "< 1 %", "0 %"]
    assert [threshold(each) for each in (0.9999, 0.99996, 0.5, 1.0)] == [
        *("0.9999", "0.99996", "0.5", "1")
    ]


@pytest.mark.parametrize(
    ("p", "told"),
    [(0.0, "< 0.001"), (0.0004, "< 0.001"), (0.0012, "0.0012"), (0.5, "0.5"), (0.9996, "> 0.999")],
)
def test_a_chance_is_never_told_as_certain(p, told):
    assert chance(p) == told


def test_expected_numbers():
    assert [about(each) for each in (0.04, 9.94, 10.4, 12345.6)] == ["0.0", "9.9", "10", "12,346"]


def test_how_long_something_takes():
    seconds = (0.4, 89, 91, 3540, 3600, 12_000, 35_000, 147_000, 2_250_000)
    assert [duration(each) for each in seconds] == [
        *("0 s", "89 s", "2 min", "59 min", "1 h 0 min", "3 h 20 min", "9 h 43 min"),
        *("41 h", "625 h"),
    ]


def test_figures_with_their_intervals():
    assert with_interval(Estimate(0.7, -0.001, 1.0)) == "0.70 (0.00 to 1.00)"
    assert with_interval(Estimate(None, float("nan"), float("nan"))) == "–"
