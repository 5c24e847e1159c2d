"""Draws of a class in which its rare kinds come as often as its common ones."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np

from train.simulate.sky.draw import draw_source
from train.simulate.source import Rng, Source

DRAWN = 500
RAREST = 0.01
"""Part of a class below which a kind is left to chance."""


def draw_evenly(label: str, rng: Rng) -> Source:
    """The kind first, every one alike; then sources until one is of that kind."""
    kinds = kinds_of(label)
    wanted = kinds[int(rng.integers(len(kinds)))]
    while (source := draw_source(label, rng)).subtype != wanted:
        pass
    return source


@lru_cache
def kinds_of(label: str) -> tuple[str, ...]:
    """The subtypes of a class, as a fixed lot of draws has them."""
    rng = np.random.default_rng(0)
    seen = Counter(draw_source(label, rng).subtype for _ in range(DRAWN))
    return tuple(sorted(kind for kind, count in seen.items() if count >= RAREST * DRAWN))
