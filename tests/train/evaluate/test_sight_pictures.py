from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from agent.evidence.measurements import measurements_of
from agent.evidence.window_numbers import window_numbers
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.rendering.model_image import QWEN25
from agent.rendering.render import EYE
from agent.spectra.spectrum import Spectrum
from tests.agent.scenes import star
from train.evaluate.sight_pictures import (
    PICTURES,
    Pictures,
    in_the_frame_of,
    mirrored,
    picture_maker,
    shifted,
)

TOLD = replace(EYE, name="told", numbers=True, bluest=0.0, reddest=1e6)
"""A style with numbers beside the pictures, as models of others may have."""
STAR = star()
OTHER = star(seed=2, path="other.fits")
WINDOW = {"wavelength_range": [6450, 6750], "label": "Hα"}


def peak(spectrum: Spectrum) -> float:
    return float(spectrum.wavelength[np.argmax(spectrum.flux * spectrum.wavelength**1.5)])


def maker(pictures: Pictures) -> PictureMaker:
    kind = picture_maker(pictures, OTHER)
    return kind.of(STAR, spectrum_ref(STAR), TOLD, QWEN25)


def same(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and one.tobytes() == other.tobytes()


def test_a_mirrored_spectrum_has_its_line_on_the_other_side():
    turned = mirrored(STAR)
    assert peak(turned) == pytest.approx(3800 + 9000 - peak(STAR), abs=3)
    assert np.array_equal(turned.wavelength, STAR.wavelength)
    assert np.allclose(mirrored(turned).flux, STAR.flux, rtol=1e-6)


def test_a_shifted_spectrum_has_its_line_300_angstrom_redward():
    moved = shifted(STAR)
    assert peak(moved) == pytest.approx(peak(STAR) + 300, abs=3)
    assert np.array_equal(moved.wavelength, STAR.wavelength)
    assert np.isfinite(moved.flux).all()


def test_bad_pixels_move_with_the_fluxes():
    ivar, mask = np.ones(len(STAR)), np.zeros(len(STAR), dtype=bool)
    ivar[:10], mask[:20] = 0, True
    turned = mirrored(replace(STAR, ivar=ivar, mask=mask))
    assert (turned.ivar[-10:] == 0).all() and turned.ivar[:-10].all()
    assert turned.mask[-20:].all() and not turned.mask[:-20].any()


def test_another_star_is_drawn_at_rest():
    moving = replace(OTHER, z=0.001, wavelength=OTHER.wavelength * 1.001)
    drawn = in_the_frame_of(moving, replace(STAR, z=-0.0005))
    assert peak(drawn) / (1 - 0.0005) == pytest.approx(peak(OTHER), abs=0.01)


@pytest.mark.parametrize("pictures", PICTURES[1:])
def test_all_pictures_change_and_the_numbers_stay(pictures: Pictures):
    plain, changed = maker("own"), maker(pictures)
    assert changed.overview_text() == plain.overview_text() != ""
    assert not same(changed.overview(), plain.overview())
    (before, told), (after, retold) = plain.look(WINDOW), changed.look(WINDOW)
    assert not same(before, after) and after.size == before.size
    assert retold.text == told.text == window_numbers(measurements_of(STAR), 6450, 6750, plain.z)
    assert changed.measure(6450, 6750) == plain.measure(6450, 6750)


def test_another_star_looks_as_it_does_by_itself():
    alone = PictureMaker.of(OTHER, spectrum_ref(OTHER), TOLD, QWEN25)
    assert same(maker("other").overview(), alone.overview())
    assert same(maker("other").look(WINDOW)[0], alone.look(WINDOW)[0])


def test_white_paper_is_white():
    picture, _ = maker("white").look(WINDOW)
    assert picture.getextrema() == ((255, 255),) * 3
    assert maker("white").overview().getextrema() == ((255, 255),) * 3
