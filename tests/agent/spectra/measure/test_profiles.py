from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.line_measure import measure_line
from agent.spectra.pixel_grid import LIGHT_KMS
from tests.agent.spectra.measure.known_lines import (
    BROAD,
    H_ALPHA,
    H_BETA,
    KnownLine,
    double_peak,
    gaussian,
    observed,
    stark,
    voigt,
)

VOIGT = voigt("voigt", "H_beta", H_BETA, 4.0, 3.0, 0.9)


SATURATED = stark("saturated", "H_beta", H_BETA, 20.0, 1.0, power=4.0)


@pytest.mark.parametrize("line", [VOIGT, SATURATED], ids=["voigt", "saturated"])
def test_other_profiles(line: KnownLine) -> None:
    found = measure_line(observed([line], 200.0, None), line.line)
    assert found.ew == pytest.approx(line.ew, rel=0.12)
    assert found.fwhm == pytest.approx(line.fwhm, rel=0.08)
    assert found.centroid == pytest.approx(line.centre, abs=0.1)


def test_double_peak_is_measured(rng: np.random.Generator) -> None:
    line = double_peak("disc", "H_alpha", H_ALPHA, 18.0, 12.0, 1.2)
    found = measure_line(observed([line], 40.0, rng), "H_alpha")
    assert "double_peaked" in found.flags
    assert found.separation_kms == pytest.approx(18.0 / H_ALPHA * LIGHT_KMS, rel=0.12)
    assert found.ew == pytest.approx(line.ew, rel=0.05)


def test_noise_alone_makes_few_double_peaks(rng: np.random.Generator) -> None:
    found = [measure_line(observed([BROAD], 15.0, rng), "H_alpha") for _ in range(60)]
    assert sum("double_peaked" in item.flags for item in found) <= 2


def test_blend_is_flagged() -> None:
    lines = [
        gaussian("Ha", "H_alpha", H_ALPHA, 9.0, 1.0),
        gaussian("C II", "CII_6578", 6576.0, 6.0, 0.6),
    ]
    assert "blended" in measure_line(observed(lines, 60.0, None), "H_alpha").flags
    assert "blended" not in measure_line(observed(lines[:1], 60.0, None), "H_alpha").flags
