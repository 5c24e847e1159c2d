from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits

from agent.spectra.readers import read
from tests.train.simulate.helpers import star
from tests.train.simulate.layouts.helpers import entry, write_single
from train.simulate.telescope.telescope import observe


@pytest.mark.parametrize("release", ["DR1", "DR10"])
def test_names_say_sim(tmp_path: Path, rng: np.random.Generator, release: str) -> None:
    path = write_single(tmp_path, entry(observe(star(), "LAMOST", rng, release=release)))
    spectrum = read(path)
    assert spectrum.object_id.startswith("SIM J")
    assert str(spectrum.meta["OBJNAME"]).startswith("SIM")
    assert ("OBSID" in spectrum.meta) == (release != "DR1")


def test_first_release_keeps_normalised_flux_in_row_three(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    path = write_single(tmp_path, entry(observe(star(), "LAMOST", rng, 40.0, release="DR1")))
    with fits.open(path) as hdus:
        assert hdus[0].data.shape[0] == 5
        assert 0.7 < np.median(hdus[0].data[2]) < 1.3
        assert "SN_G" in hdus[0].header and max(hdus[0].header["SN_I"], 0) <= 99.0
