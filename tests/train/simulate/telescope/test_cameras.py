from __future__ import annotations

import numpy as np

from tests.train.simulate.helpers import star
from train.simulate.telescope.instrument import pixels_between
from train.simulate.telescope.telescope import observe


def test_desi_cameras_merge_back_to_the_spectrum(rng: np.random.Generator) -> None:
    seen = observe(star(), "DESI", rng)
    weight, weighted = np.zeros((2, seen.wavelength.size))
    for camera in seen.arms:
        place = np.searchsorted(seen.wavelength, camera.wavelength)
        assert np.allclose(seen.wavelength[place], camera.wavelength)
        weight[place] += camera.ivar
        weighted[place] += camera.ivar * camera.flux
    good = seen.ivar > 0
    assert np.allclose(weight, seen.ivar)
    assert np.allclose(weighted[good] / weight[good], seen.flux[good])
    overlap = pixels_between(seen.wavelength, 5765.0, 5795.0)
    blue, red = seen.arms[0], seen.arms[1]
    apart = blue.flux[-44:-8] - red.flux[7:43]
    pull = apart * np.sqrt(0.5 * red.ivar[7:43])
    assert 0.5 < pull.std() < 1.6
    assert overlap.stop - overlap.start > 30
