from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.spectra.readers import read
from tests.train.simulate.helpers import star
from tests.train.simulate.layouts.helpers import SINGLE, assert_marked, entry, write_single
from train.simulate.telescope.telescope import observe


@pytest.mark.parametrize(("survey", "release", "form"), SINGLE)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_reads_back_what_was_written(
    tmp_path: Path, rng: np.random.Generator, survey: str, release: str, form: str, suffix: str
) -> None:
    seen = observe(star(label="CV"), survey, rng, snr=25.0, release=release)
    one = entry(seen)
    path = write_single(tmp_path, one, suffix)
    spectrum = read(path)
    assert form in spectrum.format
    assert spectrum.simulated
    np.testing.assert_allclose(spectrum.wavelength, seen.wavelength, rtol=2e-6)
    np.testing.assert_array_equal(spectrum.flux, seen.flux.astype(np.float32))
    np.testing.assert_array_equal(spectrum.ivar, seen.ivar)
    assert spectrum.n_bad == int((seen.ivar == 0).sum())
    assert spectrum.ra == pytest.approx(one.target.ra, abs=1e-5)
    assert spectrum.dec == pytest.approx(one.target.dec, abs=1e-5)
    assert (spectrum.class_name, spectrum.subclass) == ("STAR", "A5V")
    assert spectrum.z == pytest.approx(1.5e-4, rel=1e-5)
    assert spectrum.snr is not None and 5 < spectrum.snr < 60
    assert_marked(path)


@pytest.mark.parametrize(("survey", "release", "form"), SINGLE)
def test_nothing_in_the_file_gives_the_truth_away(
    tmp_path: Path, rng: np.random.Generator, survey: str, release: str, form: str
) -> None:
    source = star(label="SYMBIOTIC")
    path = write_single(tmp_path, entry(observe(source, survey, rng, release=release)))
    content = path.read_bytes() + path.name.encode()
    assert b"SYMBIOTIC" not in content and b"test" not in content
