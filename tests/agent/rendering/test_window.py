"""The pixels of a spectrum that are drawn, and titles of one line."""

from __future__ import annotations

import numpy as np
import pytest

from agent.errors import SpectrumError
from agent.rendering.window import cut_window, drawable_pixels, single_line
from agent.spectra.spectrum import Spectrum


def spectrum(flux: list[float], bad: int = 0) -> Spectrum:
    count = len(flux)
    mask = np.arange(count) < bad
    return Spectrum(wavelength=5000.0 + 10.0 * np.arange(count), flux=np.array(flux), mask=mask)


def test_pixels_that_are_not_finite_or_hold_fill_values_are_left_out() -> None:
    window = drawable_pixels(spectrum([1.0, np.nan, 2.0, np.inf, -1e300, 3.0]))
    assert window.flux.tolist() == [1.0, 2.0, 3.0]
    assert window.wavelength.tolist() == [5000.0, 5020.0, 5050.0]
    assert window.whole and window.span == 50.0


def test_a_redshift_moves_to_the_rest_frame_and_must_be_possible() -> None:
    assert drawable_pixels(spectrum([1.0, 2.0]), z=1.0).wavelength.tolist() == [2500.0, 2505.0]
    for z in (-0.6, 21.0, float("nan")):
        with pytest.raises(SpectrumError, match="redshift"):
            drawable_pixels(spectrum([1.0, 2.0]), z)


def test_a_cut_includes_both_ends() -> None:
    window = cut_window(drawable_pixels(spectrum([1.0, 2.0, 3.0, 4.0])), 5010.0, 5020.0)
    assert window.flux.tolist() == [2.0, 3.0]
    assert not window.whole


@pytest.mark.parametrize(("bad", "left"), [(0, 6), (2, 4), (3, 3), (4, 6), (6, 6)])
def test_bad_pixels_are_dropped_while_enough_good_ones_remain(bad: int, left: int) -> None:
    assert len(drawable_pixels(spectrum([1.0] * 6, bad)).without_bad()) == left


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\n\tb\x00", "a b"), ("x" * 20, "x" * 9 + "…"), ("  Hα  ", "Hα"), ("x" * 10, "x" * 10)],
)
def test_text_is_reduced_to_one_line(text: str, line: str) -> None:
    assert single_line(text, 10) == line
