import json
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.examples.examples import read_examples
from agent.spectra.spectrum import Spectrum
from tests.train.questions.helpers import library
from tests.train.test_recipe import call
from train.questions.run import run
from train.questions.settings import QuestionSettings
from train.recipe import PRESETS, settings


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("questions") / "set.parquet"
    run(out, QuestionSettings(), count=300, seed=5)
    return out


def test_what_is_written(made: Path):
    found = list(read_examples(made))
    assert len(found) == 300 and len({one.key for one in found}) == 300
    assert all((one.answer == "YES") == (one.label == one.task) for one in found)
    assert all(one.spectrum.simulated and one.split == "train" for one in found)
    # The name is the title of the pictures: it tells nothing of the class.
    assert not any(one.label.casefold() in one.spectrum.path.casefold() for one in found[:50])
    answers = [one.answer for one in found]
    assert 0.4 < answers.count("YES") / len(answers) < 0.6
    assert {one.spectrum.survey for one in found} == {"LAMOST", "SDSS", "BOSS", "DESI", "ATLAS"}
    assert len({one.task for one in found}) == 8
    assert any(one.spectrum.ivar is None for one in found)
    assert all(one.spectrum.good.sum() >= 150 for one in found)


def test_two_questions_share_one_spectrum(made: Path):
    answers = defaultdict(list)
    for one in read_examples(made):
        answers[one.sha256].append(one.answer)
    pairs = [each for each in answers.values() if len(each) > 1]
    assert pairs and all(pair == ["YES", "NO"] for pair in pairs)


def test_the_account_beside_it(made: Path):
    told = json.loads(made.with_suffix(".json").read_text(encoding="utf-8"))
    counted = told["made"]
    assert sum(sum(each.values()) for each in counted["answers"].values()) == 300
    assert sum(counted["labels"].values()) == sum(counted["surveys"].values())
    assert counted["spectra"] == sum(counted["labels"].values()) < 300
    assert 0.3 < counted["undistorted"] / counted["spectra"] < 0.5
    assert set(counted["distortions"]) >= {"bend", "dust", "flat", "cut"}
    assert (told["seed"], told["count"], told["settings"]["untouched"]) == (5, 300, 0.4)


def test_workers_and_count_change_nothing(made: Path, tmp_path: Path):
    out = tmp_path / "again.parquet"
    run(out, QuestionSettings(), count=40, seed=5, workers=2)
    first = [one.sha256 for one in read_examples(made)][:40]
    assert [one.sha256 for one in read_examples(out)] == first


def test_a_file_of_another_kind_is_refused(tmp_path: Path):
    with pytest.raises(WorkbenchError, match="parquet"):
        run(tmp_path / "set.json", QuestionSettings(), count=1)
    with pytest.raises(WorkbenchError, match="unknown survey"):
        run(tmp_path / "set.parquet", QuestionSettings(survey="HUBBLE"), count=1)
    assert not list(tmp_path.iterdir())


def test_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "set.parquet"
    words = ["questions", str(out), "--count", "12", "--seed", "3", "--set", "tasks=CV,WD"]
    words += ["--set", "survey=SDSS", "--library", str(library(tmp_path / "library"))]
    assert call(monkeypatch, *words) == 0
    printed = capsys.readouterr()
    assert "12 questions on" in printed.out and "1 usable bases in" in printed.err
    found: list[Spectrum] = [one.spectrum for one in read_examples(out)]
    assert len(found) == 12 and {one.survey for one in found} == {"SDSS"}


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (["tasks=[]"], "at least one"),
        (["tasks=CV,XX"], "unknown task 'XX'"),
        (["both=1.5"], "questions.both"),
        (["contrast=[2.0,1.0]"], "questions.contrast"),
        (["numbers=[]"], "questions.numbers"),
        (["step=1.0"], "questions.step"),
        (["bend=[0.1,2.0]"], "questions.bend"),
        (["bends=1"], "no setting"),
    ],
)
def test_faulty_settings_are_told(sets: list[str], message: str):
    with pytest.raises(WorkbenchError, match=message):
        settings(QuestionSettings, "questions", sets=sets)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_sound(preset: str):
    assert settings(QuestionSettings, "questions", preset=preset).tasks
