"""Small spectra: drawn from good pixels, inside their panel, with the key look where it belongs."""

from __future__ import annotations

import re

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.report.evidence import KeyLook
from app.core.report.thumbnails import LOOK, POINTS, WHOLE, WIDTH, thumbnail
from tests.app.core.report.reading import Page

LOOK_AT = KeyLook(label="Hα <b>", range=(6500.0, 6600.0))


def spectrum(rng, n=4000, **more):
    wavelength = np.linspace(3800.0, 9200.0, n)
    flux = 10.0 + rng.normal(size=n) + 30.0 * np.exp(-0.5 * ((wavelength - 6563.0) / 8.0) ** 2)
    return Spectrum(**{"wavelength": wavelength, "flux": flux, "object_id": "J1 <i>"} | more)


def paths(drawn):
    """The points of each curve."""
    found = [value for _, name, value in Page(drawn).attributes if name == "d"]
    return [np.array(re.findall(r"[-\d.]+", each), dtype=float).reshape(-1, 2) for each in found]


def test_the_whole_and_the_look(rng):
    drawn = thumbnail(spectrum(rng), LOOK_AT)
    whole, look = paths(drawn)
    assert len(whole) <= POINTS
    for points, (top, floor) in ((whole, WHOLE), (look, LOOK)):
        assert points[:, 0].min() >= 0.0
        assert points[:, 0].max() <= WIDTH
        assert points[:, 1].min() >= top
        assert points[:, 1].max() <= floor
    peak = look[np.argmin(look[:, 1]), 0] / WIDTH
    assert 6500.0 + 100.0 * peak == pytest.approx(6563.0, abs=3.0)
    title = Page(drawn).text_of("title")[0]
    assert title.startswith("Spectrum of J1 <i>, 3800 to 9200 angstrom; below, Hα <b> at 6500 to")


def test_a_line_is_still_seen_in_the_whole(rng):
    (whole,) = paths(thumbnail(spectrum(rng), None))
    top = whole[np.argmin(whole[:, 1]), 0] / WIDTH
    assert 3800.0 + 5400.0 * top == pytest.approx(6563.0, abs=15.0)


def test_bad_pixels_are_not_drawn(rng):
    whole = spectrum(rng)
    flux = np.where((whole.wavelength > 5000) & (whole.wavelength < 6000), np.nan, whole.flux)
    (points,) = paths(thumbnail(spectrum(rng, flux=flux), None))
    x = 3800.0 + 5400.0 * points[:, 0] / WIDTH
    assert not np.any((x > 5030) & (x < 5970))


def test_no_line_crosses_a_gap():
    for step in (10.0, 1.0):
        wavelength = np.concatenate([np.arange(4000, 5000, step), np.arange(6175, 7000, step)])
        drawn = thumbnail(Spectrum(wavelength=wavelength, flux=np.arange(wavelength.size)), None)
        (curve,) = (value for _, name, value in Page(drawn).attributes if name == "d")
        assert curve.count("M") == 2


@pytest.mark.parametrize("window", [(1000.0, 1100.0), (6500.0, 6500.5), (9190.0, 12000.0)])
def test_a_look_where_nothing_is(rng, window):
    drawn = thumbnail(spectrum(rng), KeyLook(label="x", range=window))
    assert len(paths(drawn)) == (2 if window[1] > 12_000 - 1 else 1)


def test_nothing_good_at_all(rng):
    bad = spectrum(rng, flux=np.full(4000, np.nan))
    assert "no good pixels" in thumbnail(bad, LOOK_AT)


@pytest.mark.parametrize("flux", [np.zeros(4000), np.full(4000, 1e300), np.full(4000, -3.0)])
def test_level_spectra(rng, flux):
    (points,) = paths(thumbnail(spectrum(rng, flux=flux), None))
    assert np.ptp(points[:, 1]) < 1.0
    assert WHOLE[0] <= points[0, 1] <= WHOLE[1]


def test_few_pixels(rng):
    assert len(paths(thumbnail(spectrum(rng, n=6), None))[0]) == 6
