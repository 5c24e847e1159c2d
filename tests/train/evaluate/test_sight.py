"""The test of sight, on inspectors that look, that do not look, and on the one in the box."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.examples.examples import Example, read_examples, write_examples
from agent.inspection.built_in import EYE as BOXED
from agent.inspection.model_inspector import ModelInspector
from agent.inspection.pictures import PictureMaker
from agent.models.card_file import read_card
from agent.models.registry import BUNDLED, model_at
from agent.rendering.render import EYE
from agent.trajectory.trajectory import ModelRef
from tests.agent.scenes import answer, call
from tests.night import BY_NIGHT
from tests.scripted_engine import ScriptedEngine
from tests.train.evaluate.helpers import rows, simulated
from tests.train.models.test_card import CARD
from train.cli import app
from train.evaluate.judges import JudgeSpec
from train.evaluate.sight import judge_sight, sight_set, write_into_card
from train.evaluate.sight_figures import SightFigures, sight_figures
from train.evaluate.sight_pictures import PICTURES

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
