"""Sampling settings outside their range are refused."""

from __future__ import annotations

import math

import pytest

from agent.engines.base import SamplingSettings
from agent.errors import WorkbenchError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"temperature": -0.1}, "temperature must be from 0 to 10, not -0.1"),
        ({"temperature": math.nan}, "temperature must be"),
        ({"top_p": 0.0}, "top_p must be above 0"),
        ({"top_p": 1.1}, "top_p must be above 0"),
        ({"max_new_tokens": 0}, "max_new_tokens must be from 1"),
    ],
)
def test_settings_out_of_range_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        SamplingSettings(**change)


def test_the_limits_themselves_are_allowed() -> None:
    SamplingSettings(temperature=10.0, top_p=1.0, max_new_tokens=1_000_000)
