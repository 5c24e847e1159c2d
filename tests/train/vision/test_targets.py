from __future__ import annotations

import numpy as np
import pytest

from train.simulate.sky import LABELS
from train.vision.targets import asked_features, feature_windows, kind_number, ranks, within


def test_every_asked_feature_has_a_place_in_the_spectrum() -> None:
    windows = feature_windows()
    assert len(asked_features()) == len(windows) > 60
    assert (windows[:, 0] < windows[:, 1]).all()
    assert 3000.0 < windows.min() < windows.max() < 11_000.0


def test_ranks_grow_with_the_value_and_stay_between_minus_one_and_one() -> None:
    index = asked_features().index("EW_H_alpha")
    said = []
    for width in (-500.0, -40.0, 0.0, 5.0, 400.0):
        values = np.full(len(asked_features()), np.nan)
        values[index] = width
        ranked = ranks(values)
        assert np.isfinite(ranked).sum() == 1
        said.append(ranked[index])
    assert said == sorted(said)
    assert said[0] == -1.0 and said[-1] == 1.0


def test_a_feature_is_asked_only_where_the_window_shows_it_whole() -> None:
    index = asked_features().index("EW_H_alpha")
    assert within((6400.0, 6700.0), 0.0)[index]
    assert not within((6400.0, 6560.0), 0.0)[index]
    # At 2,000 km/s the line is at 6608.
    assert not within((6400.0, 6590.0), 2000.0)[index]


@pytest.mark.parametrize(("label", "number"), [("CV", LABELS.index("CV")), ("OTHER", -1)])
def test_kinds_are_numbered_and_others_are_none(label: str, number: int) -> None:
    assert kind_number(label) == number
