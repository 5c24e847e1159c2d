from __future__ import annotations

import numpy as np
import pytest

from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

NAME = samples.DESI_NAME


def test_overlaps_are_weighted_by_ivar(given: Given) -> None:
    spectrum = given(samples.desi(), NAME)
    assert len(spectrum) == 340
    assert np.allclose(np.diff(spectrum.wavelength), 0.8)
    assert spectrum.ivar is not None
    assert spectrum.flux[109] == 11.0
    assert spectrum.flux[115] == pytest.approx((1 * 11 + 3 * 12) / 4)
    assert spectrum.ivar[115] == 4.0


def test_masked_pixels_are_dropped_from_the_merge(given: Given) -> None:
    spectrum = given(samples.desi(mask={"B": (50, 115), "R": (2,)}), NAME)
    assert spectrum.ivar is not None
    assert spectrum.flux[115] == 12.0, "only R is left"
    assert spectrum.flux[112] == 11.0, "only B is left"
    assert not spectrum.good[50], "nothing is left"
    assert spectrum.n_bad == 1


def test_arms_without_a_common_grid_are_joined_with_a_warning(given: Given) -> None:
    spectrum = given(samples.desi(shift=0.3), NAME)
    assert (np.diff(spectrum.wavelength) > 0).all()
    assert "the arms share no grid" in spectrum.warnings[0]
    assert len(spectrum) < 345
