"""Draws of a class in which its rare subtypes are as frequent as its common ones."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np

from train.simulate.sky.draw import draw_source
from train.simulate.source import Rng, Source

DRAWN = 500
RAREST = 0.01
"""Share of a class below which a subtype is ignored."""


def draw_balanced_kind(label: str, rng: Rng) -> Source:
    """Draw the subtype with equal odds, then sources until one has that subtype."""
    subtypes = subtypes_of(label)
    wanted = subtypes[int(rng.integers(len(subtypes)))]
    while (source := draw_source(label, rng)).subtype != wanted:
        pass
    return source


@lru_cache
def subtypes_of(label: str) -> tuple[str, ...]:
    """The subtypes of a class that occur in a fixed number of draws."""
    rng = np.random.default_rng(0)
    seen = Counter(draw_source(label, rng).subtype for _ in range(DRAWN))
    return tuple(sorted(kind for kind, count in seen.items() if count >= RAREST * DRAWN))
