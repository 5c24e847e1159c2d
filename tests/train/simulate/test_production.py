from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from train.bench.sources import directions
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum, usable_bases
from train.simulate.realism.library import Library


def test_unreadable_bases_are_counted_and_not_drawn(folder: Path, rng: np.random.Generator) -> None:
    usable, refused = usable_bases(str(folder), {"A", "K"})
    assert usable == 2 and len(refused) == 1 and "broken.fits" in refused[0]
    with pytest.raises(WorkbenchError, match="no readable base"):
        usable_bases(str(folder), {"CV"})
    with pytest.raises(WorkbenchError, match="no spectrum labelled"):
        Library(folder).draw("CV", rng)


def made(survey: str, seed: int, sky: int | None):
    settings = Settings(seed=seed, count=6, survey=survey, sky=sky, snr=(60.0, 60.0))
    return [simulate_spectrum(settings, one) for one in assignments(settings)]


def places(members) -> np.ndarray:
    return directions(*np.array([(m.entry.target.ra, m.entry.target.dec) for m in members]).T)


def test_two_telescopes_see_the_same_objects_of_one_sky():
    one, other = made("LAMOST", 1, 9), made("SDSS", 2, 9)
    arcsec = np.degrees(np.linalg.norm(places(one) - places(other), axis=1)) * 3600
    assert (arcsec < 2.0).all() and (arcsec > 0.0).any()
    for first, second in zip(one, other, strict=True):
        assert np.array_equal(first.source.flux, second.source.flux)
        assert first.source.label == second.source.label
        assert first.entry.observation.flux.size != second.entry.observation.flux.size


def test_another_sky_or_none_shows_others():
    one, other, none = made("LAMOST", 1, 9), made("LAMOST", 1, 8), made("LAMOST", 1, None)
    for members in (other, none):
        assert np.linalg.norm(places(one) - places(members), axis=1).min() > 1e-3
