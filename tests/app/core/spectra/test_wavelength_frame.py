"""Wavelengths in other units, media and frames, and velocities about a line, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.spectra.air import vacuum_to_air
from agent.spectra.lines import builtin_lines
from app.core.spectra.wavelength_frame import WavelengthFrame

HALPHA = builtin_lines()["H_alpha"]
FRAMES = [
    WavelengthFrame(unit=unit, is_air=is_air, is_rest=is_rest, z=z, line=line)
    for unit in ("Å", "nm")
    for is_air in (False, True)
    for is_rest in (False, True)
    for z in (0.0, 0.02)
    for line in (None, HALPHA)
]


@given(st.sampled_from(FRAMES), st.floats(2200.0, 99_000.0))
def test_there_and_back(frame, wavelength):
    assert frame.observed(frame.shown(wavelength)) == pytest.approx(wavelength, rel=1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_numbers_grow_with_the_wavelength(frame):
    shown = frame.all_shown(np.linspace(2200.0, 11_000.0, 500))
    assert (np.diff(shown) > 0).all()


def test_rest_comes_before_air():
    """Tables of lines give the wavelength in air at rest, not that of the shifted line."""
    frame = WavelengthFrame(unit="nm", is_air=True, is_rest=True, z=0.02)
    expected = float(vacuum_to_air(HALPHA.wavelength)) / 10.0
    assert frame.shown(HALPHA.wavelength * 1.02) == pytest.approx(expected)
    assert frame.text(HALPHA.wavelength * 1.02) == "656.28 nm"


def test_a_velocity_is_about_the_line_where_it_is_drawn_at_rest():
    at = HALPHA.wavelength * 1.02
    assert WavelengthFrame(line=HALPHA, z=0.02).shown(at) == pytest.approx(5995.8, abs=0.1)
    at_rest = WavelengthFrame(line=HALPHA, z=0.02, is_rest=True)
    assert at_rest.text(at) == "+0 km/s"
    assert at_rest.range_text((at * 0.999, at * 1.001)) == "\N{MINUS SIGN}300–+300 km/s"
    assert WavelengthFrame(line=HALPHA).observed(-1e9) > 0


def test_it_says_what_it_is():
    assert WavelengthFrame(z=0.1).is_usual and not WavelengthFrame(is_air=True).is_usual
    frame = WavelengthFrame(unit="nm", is_air=True, is_rest=True)
    assert frame.description == "nm, rest, air"
    assert WavelengthFrame().ascii_description == "Angstrom, observed, vacuum"
    about = WavelengthFrame(line=HALPHA)
    assert about.description == "km/s about Hα, observed"
    assert about.ascii_description.isascii()
    assert WavelengthFrame().range_text((6450.0, 6750.0)) == "6450–6750 Å"
