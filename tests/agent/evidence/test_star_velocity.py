"""The velocity that all windows are shifted by: right, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.evidence.star_velocity import star_velocity
from agent.spectra.spectrum import Spectrum
from tests.agent.evidence.simulated import simulated_spectrum


def moved(label: str, factor: float, z: float | None = None) -> Spectrum:
    rest = simulated_spectrum(label)
    return replace(rest, wavelength=rest.wavelength * factor, z=z)


@pytest.mark.parametrize("label", ["K", "A"])
def test_lines_tell_how_fast_a_star_is(label):
    still, fast = (star_velocity(moved(label, factor)) for factor in (1.0, 1.001))
    assert fast.kms - still.kms == pytest.approx(299.8, abs=5.0)
    assert "lines" in fast.source and fast.error_kms < 40


def test_lines_are_believed_over_the_file_and_the_file_over_nothing():
    assert "lines" in star_velocity(moved("K", 1.0, z=-0.0012)).source
    blank = replace(simulated_spectrum("WD"), z=0.0004)
    inside = (blank.wavelength > 5000) & (blank.wavelength < 6000)
    part = Spectrum(wavelength=blank.wavelength[inside], flux=blank.flux[inside], z=0.0004)
    found = star_velocity(part)
    assert found.source == "the file's redshift"
    assert found.kms == pytest.approx(119.9, abs=0.1)


@pytest.mark.parametrize("z", [None, 1.7, 0.02, float("nan")])
def test_without_a_stars_redshift_it_is_taken_to_be_at_rest(z):
    quasar = simulated_spectrum("QSO")
    found = star_velocity(replace(quasar, z=z))
    assert (found.kms, found.source) == (0.0, "")
