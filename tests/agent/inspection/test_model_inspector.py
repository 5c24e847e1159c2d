"""The loop over a scripted engine: what goes in, what is recorded, why it stops."""

import math
import re
from collections import Counter
from dataclasses import replace
from unittest.mock import Mock

import pytest

from agent.errors import ContextFullError, EngineError, SpectrumError, ToolError, TrajectoryError
from agent.evidence import measurements
from agent.evidence.measurements import measurements_of
from agent.evidence.star_velocity import StarVelocity, star_velocity
from agent.evidence.window_numbers import window_numbers
from agent.hashing import picture_hash
from agent.inspection.control import Control, Interjection
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.inspection.pictures import PictureMaker, redraw, spectrum_ref
from agent.protocol.protocol import opening
from agent.rendering.model_image import QWEN25
from agent.rendering.render import EYE, PUBLISHED, Style
from agent.spectra.spectrum import Spectrum, between
from agent.tasks.catalogue import load_tasks
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.turns import turns_of
from tests.agent.evidence.simulated import simulated_spectrum
from tests.agent.inspection.scripted_inspection import CV, inspect
from tests.agent.scenes import answer, call, star
from tests.scripted_engine import ScriptedEngine

WHOLE = replace(EYE, bluest=0.0, reddest=1e6)
TOLD = replace(WHOLE, name="told", numbers=True)


def test_a_whole_inspection():
    trajectory, steps, engine = inspect([call(6400, 6700), call(4800, 4930, "Hβ"), answer()])
    assert [step.kind for step in steps] == ["think", "zoom", "think", "zoom", "think", "answer"]
    assert [step.turn for step in steps] == [0, 0, 1, 1, 2, 2]
    assert trajectory.steps == tuple(steps)
    assert (trajectory.verdict, trajectory.stopped_by) == ("YES", "answer")
    assert trajectory.p_yes == pytest.approx(0.9)
    assert trajectory.well_formed
    assert trajectory.reasons == "\\boxed{YES} Broad Hα at 6565 Å."
    look = steps[1]
    assert (look.range, look.label) == ((6400, 6700), "Hα")
    assert look.measured["lines"][0]["name"] == "H_alpha"
    assert trajectory.tokens.evaluated == trajectory.tokens.prompt + trajectory.tokens.generated
    assert 0 < trajectory.tokens.images < trajectory.tokens.prompt
    whole, engines = trajectory.seconds, trajectory.engine_seconds
    assert whole > engines > 0
    assert engine.conversations[0].is_closed


def test_the_engine_sees_what_the_record_says():
    """The turns an engine was given, and those made from the record, are the same."""
    replies = [call(6400, 6700), "hm", call(1, 2), "<tool_call>{", call("a", 2), answer()]
    trajectory, _, engine = inspect(replies)
    heard = engine.conversations[0]
    assert turns_of(CV, trajectory) == heard.turns
    again = redraw(trajectory, star())
    assert [*map(picture_hash, again)] == [*map(picture_hash, heard.pictures)]


@pytest.mark.parametrize(
    ("error", "stopped_by"),
    [(EngineError("no memory"), "error"), (ContextFullError("full"), "length")],
)
def test_an_engine_that_fails_leaves_what_was_said(error, stopped_by):
    def reply(number: int) -> str:
        if number == 1:
            raise error
        return call(6400, 6700)

    trajectory, steps, engine = inspect(reply)
    assert (trajectory.stopped_by, trajectory.stop_reason) == (stopped_by, str(error))
    assert trajectory.steps == tuple(steps)
    assert len(trajectory.looks) == 1
    assert engine.conversations[0].is_closed


def test_an_engine_that_does_not_open():
    class Broken(ScriptedEngine):
        def open(self, rules):
            raise EngineError("no such device")

    made = ModelInspector(Broken([]), ModelRef(name="broken"))
    trajectory = run(made.inspect(star(), CV))
    assert (trajectory.stopped_by, trajectory.stop_reason) == ("error", "no such device")


def test_our_own_mistakes_rise():
    with pytest.raises(ZeroDivisionError):
        inspect(Mock(side_effect=ZeroDivisionError))


def test_nothing_to_draw_is_said_at_once():
    empty = Spectrum(wavelength=[4000.0, 5000.0], flux=[math.nan, math.nan])
    with pytest.raises(SpectrumError):
        inspect([answer()], empty)


def test_go_on_from_a_place_in_a_record():
    first, _, _ = inspect([call(6400, 6700), call(4800, 4930), answer("YES")])
    control = Control()
    control.insert(Interjection(range=(4600, 4750), label="He II"))
    second, steps, engine = inspect([answer("NO")], control=control, so_far=first.until(1))
    assert second.steps[:2] == first.steps[:2]
    assert [step.by for step in steps] == ["person", "agent", "agent"]
    assert [step.turn for step in steps] == [0, 1, 1]
    assert second.replies == (first.replies[0], answer("NO"))
    assert turns_of(CV, second) == engine.conversations[0].turns
    assert len(redraw(second, star())) == 3


def test_only_its_own_record_is_gone_on_from():
    first, _, _ = inspect([answer()])
    with pytest.raises(TrajectoryError, match="another spectrum"):
        inspect([answer()], star(seed=2), so_far=first)
    with pytest.raises(TrajectoryError, match="another task"):
        inspect([answer()], so_far=replace(first, task="WD"))


def test_runs_are_averaged():
    said = []

    def reply(number: int) -> str:
        said.append(number)
        return answer("YES")

    trajectory, steps, engine = inspect(reply, extra_runs=3)
    assert trajectory.p_yes_runs == pytest.approx((0.9,) * 4)
    assert trajectory.p_yes == pytest.approx(0.9)
    assert len(steps) == 2
    assert said == [0, 0, 0, 0]
    assert len(engine.conversations) == 1


def test_runs_without_log_probabilities_are_votes():
    words = iter(["YES", "NO", "NO", "YES"])
    engine = ScriptedEngine(lambda number: answer(next(words)))
    made = ModelInspector(engine, ModelRef(name="scripted"), extra_runs=3)
    trajectory = run(made.inspect(star(), CV))
    assert (trajectory.verdict, trajectory.p_yes) == ("YES", 0.5)


# Pictures of an inspection, the texts beside them, and the proof that they are the same.


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
        picture_maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), TOLD, QWEN25)
        picture, result = picture_maker.look({"wavelength_range": [6450, 6750], "label": "Hα"})
        assert result.text == window_numbers(measurements_of(spectrum), 6450, 6750, picture_maker.z)
        assert picture.size == (TOLD.width, TOLD.height)

    def test_the_whole_spectrum_is_told_how_far_it_reaches(self):
        spectrum = simulated_spectrum("CV")
        told = PictureMaker.of(spectrum, spectrum_ref(spectrum), TOLD, QWEN25).overview_text()
        low, high = spectrum.range
        assert told.startswith(f"{low:.0f} to {high:.0f} Å; S/N ")
        assert re.search(r"; Hα \(-+\) -\d+; Hα FWHM", told)
        turns = opening(load_tasks()[0], brief=True, overview_text=told)
        assert turns[1].text == f"{load_tasks()[0].question}\n{told}"

    def test_others_answer_as_published(self):
        spectrum = simulated_spectrum("CV")
        maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25)
        assert maker.overview_text() == ""
        picture_maker = PictureMaker.of(spectrum, spectrum_ref(spectrum), PUBLISHED, QWEN25)
        text = picture_maker.window_text((6450, 6750), "Hα")
        assert text.startswith("Generated spectral visualization") and "S/N" not in text


def test_a_model_is_shown_the_range_that_it_knows():
    spectrum = star()
    low, high = spectrum.range
    style = replace(WHOLE, bluest=low + 300.0, reddest=high - 200.0)
    inside = between(spectrum, style.bluest, style.reddest)
    ref = spectrum_ref(spectrum)

    def overview(shown: Spectrum, style: Style) -> bytes:
        return PictureMaker.of(shown, ref, style, QWEN25).overview().tobytes()

    assert overview(spectrum, style) == overview(inside, WHOLE) != overview(spectrum, WHOLE)
    picture_maker = PictureMaker.of(spectrum, ref, style, QWEN25)
    with pytest.raises(ToolError):
        picture_maker.look({"wavelength_range": [low + 10, low + 200], "label": "blue end"})
    # With nothing there, all is better than no picture.
    far = replace(WHOLE, bluest=high + 100.0)
    assert overview(spectrum, far) == overview(spectrum, WHOLE)


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
