from __future__ import annotations

from pathlib import Path

import numpy as np
from astropy.io import fits

from tests.train.simulate.helpers import star
from tests.train.simulate.layouts.helpers import entry, write_single
from train.simulate.telescope.telescope import observe


def test_boresight_is_not_where_the_object_is(tmp_path: Path, rng: np.random.Generator) -> None:
    one = entry(observe(star(), "SDSS", rng))
    with fits.open(write_single(tmp_path, one)) as hdus:
        assert abs(hdus[0].header["RA"] - one.target.ra) > 0.1
        assert hdus[2].data["PLUG_RA"][0] == one.target.ra
