from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from agent.claims.features import Feature
from tests.train.draft.spectra import all_examples
from train.meter import Meter, contains


def test_windows_and_features_are_in_the_frame_of_the_pictures() -> None:
    meter = Meter.of(all_examples()[0].spectrum)
    low, high = meter.range
    assert meter.is_covered((low, high)) and not meter.is_covered((high + 100, high + 200))
    assert meter.snr((low, high)) > 10 and meter.snr((high + 100, high + 200)) == 0
    line = Feature("H_alpha", is_line=True)
    window = meter.window_of(line)
    assert window is not None and contains(window, (6565 * meter.shift, 6565 * meter.shift))
    assert meter.window_of(Feature("colour_4200_5400")) is None


def test_a_window_contains_its_parts_and_a_little_more_with_slack() -> None:
    assert contains((4000, 5000), (4000, 4500)) and not contains((4000, 5000), (3999, 4500))
    assert contains((4000, 5000), (3999, 5001), slack=1.0)
