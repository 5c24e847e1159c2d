from __future__ import annotations

import pytest

from tests.train.simulate.sky.helpers import draws, measure, median


def test_white_dwarfs_have_the_widest_hydrogen_lines() -> None:
    kinds = ("WD", "DA"), ("A", "A V"), ("B", "B V")
    da, a, b = (median(draws(label, kind, 25), "H_beta_D2") for label, kind in kinds)
    assert da > 1.3 * a > a > 1.3 * b
    kinds = ("A", "A V"), ("B", "B V"), ("O", "")
    strengths = [median(draws(label, kind), "EW_H_beta") for label, kind in kinds]
    assert strengths[0] > strengths[1] + 3 > strengths[1] > strengths[2] > 1
    assert measure(draws("WD", "DC", 3)[0], "EW_H_beta") == pytest.approx(0, abs=1.5)
