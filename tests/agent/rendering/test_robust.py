"""Limits and the pseudo-continuum of the compact pictures."""

from __future__ import annotations

import numpy as np
import pytest

from agent.rendering import robust


def test_an_emission_line_of_a_few_pixels_stays_on_the_paper() -> None:
    flux = np.random.default_rng(0).normal(1, 0.1, 4000)
    flux[2000:2004] += 0.5
    assert robust.limits(flux)[1] >= np.median(flux[2000:2004])
    flux[1000:1004] += 1e4
    low, high = robust.limits(flux)
    assert high - low < 2.5


@pytest.mark.parametrize("flux", [np.zeros(30), np.full(30, -2.0), np.r_[np.zeros(29), 1.0]])
def test_a_continuum_is_never_zero(flux: np.ndarray) -> None:
    level = robust.pseudo_continuum(np.linspace(5000, 5100, 30), flux)
    assert (level > 0).all()
    assert np.isfinite(flux / level).all()
