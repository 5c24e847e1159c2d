"""Pictures of an inspection, the texts beside them, and the proof that they are the same."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from agent.errors import ToolError, TrajectoryError
from agent.evidence import measurements
from agent.evidence.measurements import measurements_of
from agent.evidence.star_velocity import StarVelocity, star_velocity
from agent.evidence.window_numbers import window_numbers
from agent.inspection.pictures import PictureMaker, redraw, spectrum_ref
from agent.protocol.protocol import opening
from agent.rendering.model_image import QWEN25
from agent.rendering.render import NANO, PUBLISHED, Style
from agent.spectra.spectrum import Spectrum, between
from agent.tasks.catalogue import load_tasks
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.inspection.scripted_inspection import inspect
from tests.agent.scenes import answer, call, star


def test_a_velocity_is_measured_once_however_many_inspections_take_turns(monkeypatch):
    measured = Counter()

    def count(spectrum: Spectrum) -> StarVelocity:
        measured[id(spectrum)] += 1
        return star_velocity(spectrum)

    monkeypatch.setattr(measurements, "star_velocity", count)
    spectra = [star(seed=seed) for seed in range(6)]
    makers = [PictureMaker.of(each, spectrum_ref(each), PUBLISHED, QWEN25) for each in spectra]
    for low in (6400, 6500):
        for maker in makers:
            maker.measure(low, low + 200)
    assert measured == {id(each): 1 for each in spectra}


class TestInUse:
    def test_a_brief_viewer_answers_with_numbers_alone(self):
        spectrum = simulated_spectrum("CV")
        picture_maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), NANO, QWEN25)
        picture, result = picture_maker.look({"wavelength_range": [6450, 6750], "label": "Hα"})
        assert result.text == window_numbers(measurements_of(spectrum), 6450, 6750, picture_maker.z)
        assert picture.size == (NANO.width, NANO.height)

    def test_the_whole_spectrum_is_told_how_far_it_reaches(self):
        spectrum = simulated_spectrum("CV")
        told = PictureMaker.of(spectrum, spectrum_ref(spectrum), NANO, QWEN25).overview_text()
        low, high = spectrum.range
        assert told.startswith(f"{low:.0f} to {high:.0f} Å; S/N ")
        assert re.search(r"; Hα \(-+\) -\d+; Hα FWHM", told)
        turns = opening(load_tasks()[0], brief=True, overview_text=told)
        assert turns[1].text == f"{load_tasks()[0].question}\n{told}"

    def test_others_answer_as_published(self):
        spectrum = simulated_spectrum("CV")
        assert (
            PictureMaker.of(spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25).overview_text()
            == ""
        )
        picture_maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25)
        text = picture_maker.window_text((6450, 6750), "Hα")
        assert text.startswith("Generated spectral visualization") and "S/N" not in text


def test_a_model_is_shown_the_range_that_it_knows():
    spectrum = star()
    low, high = spectrum.range
    style = replace(NANO, bluest=low + 300.0, reddest=high - 200.0)
    inside = between(spectrum, style.bluest, style.reddest)
    ref = spectrum_ref(spectrum)

    def overview(shown: Spectrum, style: Style) -> bytes:
        return PictureMaker.of(shown, ref, style, QWEN25).overview().tobytes()

    assert overview(spectrum, style) == overview(inside, NANO) != overview(spectrum, NANO)
    picture_maker = PictureMaker.of(spectrum, ref, style, QWEN25)
    with pytest.raises(ToolError):
        picture_maker.look({"wavelength_range": [low + 10, low + 200], "label": "blue end"})
    # With nothing there, all is better than no picture.
    far = replace(NANO, bluest=high + 100.0)
    assert overview(spectrum, far) == overview(spectrum, NANO)


def test_pictures_are_proved_and_the_frame_is_the_stars_own():
    trajectory, _, _ = inspect([call(6400, 6700), answer()])
    with pytest.raises(TrajectoryError, match="not the spectrum"):
        redraw(trajectory, star(seed=2))
    with pytest.raises(TrajectoryError, match="picture 0 differs"):
        redraw(replace(trajectory, overview="0" * 64), star())
    trajectory, _, _ = inspect([call(6400, 6700), answer()], star(z=0.001))
    assert trajectory.spectrum.z == 0.001
    found = trajectory.looks[0].measured["lines"][0]
    assert found["centroid"] == pytest.approx(6564.6 / 1.001, abs=0.5)
    quasar, _, _ = inspect([answer()], star(z=1.5))
    assert quasar.spectrum.z is None
