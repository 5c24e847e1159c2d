"""The plot on screens of 100, 150 and 200 %."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

LIMIT_S = 120


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_the_frame_is_whole_and_the_line_as_wide_at_every_scale(scale):
    run = subprocess.run(
        [sys.executable, "-m", "tests.app.ui.plot.scaled_plot"],
        env={**os.environ, "QT_SCALE_FACTOR": str(scale), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    seen = json.loads(run.stdout)
    assert seen["scale"] == scale
    assert seen["edges"] == [max(round(scale), 1)] * 4
    assert seen["widths"] == pytest.approx([1.3] * 4, abs=0.2)
