"""How often what is random is tried: a few times with every change, all of it by night."""

from __future__ import annotations

import os

import pytest

BY_NIGHT = os.environ.get("SPEC_O3_NIGHTLY") == "1"
ray_by_night = pytest.mark.skipif(
    not BY_NIGHT,
    reason="by night only: each start of Ray or of an actor costs seconds of all processors",
)


def seeds(by_day: int, by_night: int) -> range:
    """The first of those that are tried by night."""
    return range(by_night if BY_NIGHT else by_day)


def examples(by_night: int) -> int:
    """How many examples hypothesis draws: by day a third. They are the same every day."""
    return by_night if BY_NIGHT else -(-by_night // 3)
