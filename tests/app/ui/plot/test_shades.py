"""Shades of bad pixels, sky lines and telluric bands."""

from __future__ import annotations

import numpy as np

from agent.spectra.lines import builtin_lines
from app.ui.plot.shades import merged


def test_windows_that_overlap_are_joined():
    windows = ((5.0, 6.0), (1.0, 3.0), (2.0, 4.0), (4.0, 4.5), (2.0, 2.5))
    assert merged(windows) == ((1.0, 4.5), (5.0, 6.0))
    assert merged(()) == ()


def test_the_sky_is_shaded_while_shades_are_shown(context, panel):
    shades = panel.plot.shades
    sky = builtin_lines().terrestrial[0]
    wavelengths = np.array([sky.wavelength, 4200.0])
    assert shades.covers(wavelengths).tolist() == [True, False]
    context.view.change(mask=False)
    assert not shades.covers(wavelengths).any()


def test_bands_are_named_without_their_range(panel):
    names = [name for _, name in panel.plot.shades.names]
    assert names and not any(name[-1].isdigit() and "-" in name for name in names)
