from dataclasses import replace

import numpy as np
import pytest

from agent.rendering import robust
from agent.rendering.render import COMPACT, COMPACT_PANELS, render_array
from agent.spectra.spectrum import Spectrum

DARK = 100


def slope(points: int = 600) -> Spectrum:
    rng = np.random.default_rng(3)
    wavelength = np.linspace(4000, 7000, points)
    return Spectrum(wavelength=wavelength, flux=wavelength / 500 + rng.normal(0, 0.05, points))


@pytest.mark.parametrize("size", [(336, 224), (112, 84), (448, 448), (1008, 504)])
@pytest.mark.parametrize("panels", ["flux", "flux+normalised"])
@pytest.mark.parametrize("dressed", [True, False])
def test_size_is_exact(size: tuple[int, int], panels: str, dressed: bool) -> None:
    style = replace(
        COMPACT, width=size[0], height=size[1], panels=panels, names=dressed, title=dressed,
        box=dressed, wavelength_ticks=6 * dressed, flux_ticks=3 * dressed, grid=dressed,
    )  # fmt: skip
    picture = render_array(slope(), style=style, title="Spectrum")
    assert picture.shape == (size[1], size[0], 3)
    assert (picture < DARK).all(axis=2).any()


def test_a_cosmic_ray_does_not_flatten_the_spectrum() -> None:
    clean = slope()
    struck = clean.flux.copy()
    struck[300] = 1e6
    low, high = robust.limits(struck)
    assert robust.limits(clean.flux) == pytest.approx((low, high), rel=0.02)
    hit = Spectrum(wavelength=clean.wavelength, flux=struck)
    rows = np.flatnonzero((render_array(hit, style=COMPACT)[:, 60:-20] < DARK).all(axis=2).any(1))
    assert np.ptp(rows) > 0.7 * COMPACT.height


def test_the_second_panel_removes_the_slope() -> None:
    spectrum = slope()
    flat = robust.normalised(spectrum.wavelength, spectrum.flux)
    tilt = np.polyfit(spectrum.wavelength, flat, 1)[0] * 3000
    assert abs(tilt) < 0.02
    assert np.median(flat) == pytest.approx(1.0, abs=0.03)
    one, two = render_array(spectrum, style=COMPACT_PANELS), render_array(spectrum, style=COMPACT)
    assert one.shape[0] == two.shape[0] + 56


def test_no_line_crosses_the_gap_between_two_arms() -> None:
    wavelength = np.r_[np.linspace(4900, 5400, 300), np.linspace(6300, 6900, 300)]
    spectrum = Spectrum(wavelength=wavelength, flux=np.linspace(1, 2, 600))
    picture = render_array(spectrum, style=replace(COMPACT, grid=False))
    middle = picture[20:180, 150:200]
    assert (middle == 255).all()


def test_crowded_pixels_are_shown_with_their_mean() -> None:
    rng = np.random.default_rng(5)
    spectrum = Spectrum(wavelength=np.linspace(4000, 9000, 5000), flux=rng.normal(10, 3, 5000))
    with_mean = render_array(spectrum, style=COMPACT)[10:180, 60:300]
    without = render_array(spectrum, style=replace(COMPACT, mean_line=False))[10:180, 60:300]
    dark = [np.count_nonzero((part < DARK).all(axis=2)) for part in (with_mean, without)]
    assert 0 < dark[0] < 0.5 * dark[1]


def test_labels_thin_out_where_they_would_touch() -> None:
    narrow = replace(COMPACT, width=112, tick_size=20.0)
    assert render_array(slope(), style=narrow).shape == (224, 112, 3)
