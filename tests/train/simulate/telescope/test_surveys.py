from __future__ import annotations

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.simulate.helpers import star
from train.simulate.telescope.surveys import SURVEYS
from train.simulate.telescope.telescope import observe

LIMITS = {
    "LAMOST": (3690, 3705, 9050, 9110, 3885, 3917),
    "SDSS": (3780, 3830, 9160, 9260, 3790, 3880),
    "BOSS": (3550, 3600, 10250, 10420, 4570, 4660),
    "DESI": (3599, 3601, 9823, 9825, 7781, 7781),
}


@pytest.mark.parametrize("survey", list(SURVEYS))
def test_grid_is_the_surveys_own(rng: np.random.Generator, survey: str) -> None:
    low, low_most, high_least, high, fewest, most = LIMITS[survey]
    seen = observe(star(), survey, rng)
    assert low <= seen.wavelength[0] <= low_most
    assert high_least <= seen.wavelength[-1] <= high
    assert fewest <= seen.wavelength.size <= most
    for values in (seen.flux, seen.ivar, seen.andmask, seen.ormask):
        assert values.shape == seen.wavelength.shape
        assert np.isfinite(values).all()
    assert (seen.ivar >= 0).all()
    assert set(seen.snr) == set("ugriz")


@pytest.mark.parametrize("bad", [{"profile": "HUBBLE"}, {"quality": "perfect"}])
def test_unknown_words_are_refused(rng: np.random.Generator, bad: dict[str, str]) -> None:
    with pytest.raises(WorkbenchError, match="use one of"):
        observe(star(), bad.get("profile", "SDSS"), rng, quality=bad.get("quality", "typical"))
