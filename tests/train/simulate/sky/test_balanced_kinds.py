from __future__ import annotations

from collections import Counter

import numpy as np

from train.simulate.sky import draw_source, white_dwarf
from train.simulate.sky.balanced_kinds import draw_balanced_kind, subtypes_of


def test_drawn_evenly_every_kind_comes_as_often() -> None:
    kinds = set(white_dwarf.KINDS)
    assert set(subtypes_of("WD")) == kinds
    rng = np.random.default_rng(2)
    seen = Counter(draw_balanced_kind("WD", rng).subtype for _ in range(135))
    # Fifteen of each are expected, where the sky has 67 DA and three DO.
    assert set(seen) == set(white_dwarf.KINDS)
    assert 5 <= min(seen.values()) <= max(seen.values()) <= 32


def test_a_class_of_one_kind_is_drawn_as_it_is() -> None:
    one, other = (np.random.default_rng(4) for _ in range(2))
    one.integers(1)
    drawn, plain = draw_balanced_kind("L_DWARF", other), draw_source("L_DWARF", one)
    assert subtypes_of("L_DWARF") == ("L dwarf",) and np.array_equal(drawn.flux, plain.flux)
