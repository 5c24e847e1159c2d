"""The test of sight, on inspectors that look, that do not look, and on the one in the box."""

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

import numpy as np
from PIL import Image

from agent.errors import WorkbenchError
from agent.evidence.measurements import measurements_of
from agent.evidence.window_numbers import window_numbers
from agent.examples.examples import Example, read_examples, write_examples
from agent.inspection.built_in import EYE as BOXED
from agent.inspection.model_inspector import ModelInspector
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.models.card_file import read_card
from agent.models.registry import BUNDLED, model_at
from agent.rendering.model_image import QWEN25
from agent.rendering.render import EYE
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import ModelRef
from tests.agent.scenes import answer, call, star
from tests.night import BY_NIGHT
from tests.scripted_engine import ScriptedEngine
from tests.train.evaluate.helpers import rows, simulated
from tests.train.models.test_card import CARD
from train.cli import app
from train.evaluate.judges import (
    PICTURES,
    JudgeSpec,
    Pictures,
    in_the_frame_of,
    mirrored,
    picture_maker,
    shifted,
)
from train.evaluate.sight import (
    SightFigures,
    judge_sight,
    sight_figures,
    sight_set,
    write_into_card,
)

BOX = ("CV", "MG", "WD", "CS")
"""Classes about which a model in the box is asked, two of them by day."""
Rows = dict[str, SightFigures]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("set") / "asked.parquet"
    write_examples(path, [one for task in BOX for one in first_of_each(task)])
    return path


@pytest.fixture(scope="module")
def clear(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The last of each, whose S/N is above 30."""
    path = tmp_path_factory.mktemp("set") / "clear.parquet"
    classes = BOX if BY_NIGHT else BOX[:2]
    write_examples(path, [one for task in classes for one in first_of_each(task, reverse=True)])
    return path


def first_of_each(task: str, *, reverse: bool = False) -> list[Example]:
    """One member and one other."""
    found = simulated(task, 9, seed=5)[:: -1 if reverse else 1]
    return [next(one for one in found if one.is_positive is member) for member in (True, False)]


class Watcher(ScriptedEngine):
    """Recognises the spectrum in its first picture and says what it is; NO to white paper."""

    def __init__(self, examples: list[Example], sees: bool) -> None:
        super().__init__(self.reply)
        makers = [PictureMaker(spectrum=one.spectrum, style=EYE) for one in examples]
        self.known = [np.asarray(maker.overview(), dtype=float) for maker in makers]
        self.answers = [one.answer for one in examples]
        self.sees = sees

    def reply(self, number: int) -> str:
        if number == 0:
            return call(5000, 6000)
        picture = np.asarray(self.conversations[-1].pictures[0], dtype=float)
        if not self.sees or picture.min() == 255:
            return answer("NO", "Nothing to be seen.")
        nearest = min(range(len(self.known)), key=lambda n: np.abs(self.known[n] - picture).sum())
        return answer(self.answers[nearest], f"Like number {nearest}.")


def watched(monkeypatch: pytest.MonkeyPatch, path: Path, out: Path, sees: bool) -> Rows:
    engine = Watcher(list(read_examples(path)), sees)
    monkeypatch.setattr(
        "agent.inspection.inspector_factory.make_inspector",
        lambda *args, **more: ModelInspector(engine, ModelRef(name="scripted"), style=EYE),
    )
    monkeypatch.setattr("train.evaluate.evaluation._fingerprint", lambda spec: "scripted")
    spec = JudgeSpec(name="watcher", kind="inspector", source="watcher")
    return {one.pictures: one for one in judge_sight(spec, path, "asked", out)}


def test_one_that_sees_is_told_from_one_that_does_not(
    monkeypatch: pytest.MonkeyPatch, asked: Path, tmp_path: Path
):
    seeing = watched(monkeypatch, asked, tmp_path / "seeing", sees=True)
    assert tuple(seeing) == PICTURES
    assert seeing["own"].mean_f1.value == 1.0
    assert seeing["white"].mean_f1.value == 0.0 and seeing["white"].same_verdicts == 0.5
    assert seeing["other"].follows is not None and seeing["other"].follows.value == 1.0
    assert seeing["other"].same_replies == 0.0
    blind = watched(monkeypatch, asked, tmp_path / "blind", sees=False)
    assert {one.same_replies for one in blind.values()} == {1.0}
    assert (tmp_path / "seeing" / "sight.md").read_text().count("| as they are |") == 1


def test_nano_eye_follows_its_pictures(
    clear: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("llama_cpp")
    if not BY_NIGHT:  # those that are looked at below
        monkeypatch.setattr("train.evaluate.sight.PICTURES", ("own", "white", "other"))
    spec = JudgeSpec(name=BOXED, kind="inspector", source=BOXED, threads=1)
    found = {one.pictures: one for one in judge_sight(spec, clear, "clear", tmp_path)}
    assert found["own"].mean_f1.value is not None and found["own"].mean_f1.value > 0.7
    white = found["white"].mean_f1.value
    assert white is not None and white <= 0.35
    assert found["other"].differing >= (4 if BY_NIGHT else 2)
    assert found["other"].follows is not None and found["other"].follows.value >= 0.7


def told_sight(model: str) -> dict[tuple[str, str], float]:
    """Figures of sight in the card of a model in the box, by name and pictures."""
    return {
        (one.figure, one.on.partition(", pictures ")[2].partition(",")[0]): one.value
        for one in model_at(BUNDLED / model, "bundled").card.figures
        if one.on.startswith("sight: labelled, ")
    }


def test_the_card_in_the_box_tells_it():
    seen = told_sight(BOXED)
    assert seen["mean F1", "white paper"] <= 35 < 70 <= seen["mean F1", "as they are"]
    assert seen["verdicts that follow the picture", "of another spectrum of another class"] >= 85
    assert seen["mean F1", "mirrored in wavelength"] <= 35


class TestCommand:
    def test_the_measured_inspector_has_no_pictures(self, asked: Path, tmp_path: Path):
        result = CliRunner().invoke(app, ["evaluate", "sight", "measured", str(asked), "out"])
        assert isinstance(result.exception, WorkbenchError)
        assert "looks at no pictures" in str(result.exception)

    def test_a_model_that_is_not_there(self, asked: Path):
        result = CliRunner().invoke(app, ["evaluate", "sight", "nothing", str(asked), "out"])
        assert isinstance(result.exception, WorkbenchError)

    def test_bench_set_and_nothing(self, bench: Path, asked: Path, tmp_path: Path):
        assert sight_set(bench, tmp_path) == (bench / "test.parquet", "test")
        assert sight_set(asked, tmp_path) == (asked, "asked")
        with pytest.raises(WorkbenchError, match="no set, no bench"):
            sight_set(tmp_path, tmp_path)


def test_older_figures_of_the_set_are_replaced(tmp_path: Path):
    (tmp_path / "model.toml").write_text(CARD)
    empty = sight_figures("own", rows(1, 1, 0, 2), {}, rows(1, 1, 0, 2), {})
    better = sight_figures("own", rows(2, 0, 0, 2), {}, rows(2, 0, 0, 2), {})
    write_into_card(tmp_path, "box", [empty])
    write_into_card(tmp_path, "box", [better])
    found = [(one.figure, one.value) for one in read_card(tmp_path).figures]
    assert found == [("old", 1.0), ("mean F1", 100.0)]


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
