from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.spectra.readers import read
from tests.train.simulate.helpers import star
from tests.train.simulate.layouts.helpers import assert_marked, entry
from train.simulate.atlas import observe_atlas
from train.simulate.layouts import atlas


@pytest.mark.parametrize("errors_known", [True, False])
def test_atlas_table_reads_back(
    tmp_path: Path, rng: np.random.Generator, errors_known: bool
) -> None:
    one = entry(observe_atlas(star(), rng, errors_known=errors_known))
    path = tmp_path / atlas.file_name(one)
    atlas.write(path, one)
    spectrum = read(path)
    np.testing.assert_allclose(spectrum.wavelength, one.observation.wavelength, rtol=1e-9)
    np.testing.assert_allclose(spectrum.flux, one.observation.flux, rtol=1e-6)
    assert (spectrum.ivar is not None) == errors_known
    assert spectrum.simulated and spectrum.medium_in_file == "vacuum"
    assert_marked(path)
