from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from train.cli import main
from train.examples import Example, read_examples
from train.questions.spectrum_questions import questions_on_spectrum
from train.questions.run import run
from train.questions.settings import QuestionSettings


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
    by_spectrum: dict[str, list[Example]] = {}
    for one in read_examples(made):
        by_spectrum.setdefault(one.sha256, []).append(one)
    pairs = [each for each in by_spectrum.values() if len(each) > 1]
    assert pairs
    assert all([one.answer for one in pair] == ["YES", "NO"] for pair in pairs)


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


def test_a_number_alone_makes_its_spectrum():
    settings = QuestionSettings()
    one, other, next_ = (
        questions_on_spectrum(settings, 5, 17),
        questions_on_spectrum(settings, 5, 17),
        questions_on_spectrum(settings, 5, 18),
    )
    assert one.examples[0].sha256 == other.examples[0].sha256
    assert one.examples[0].sha256 != next_.examples[0].sha256
    assert one.examples[0].sha256 != questions_on_spectrum(settings, 6, 17).examples[0].sha256


def test_distortions_change_the_spectrum_alone():
    plain, bent = QuestionSettings(untouched=1.0), QuestionSettings(untouched=0.0)
    one, other = questions_on_spectrum(plain, 5, 3), questions_on_spectrum(bent, 5, 3)
    assert not one.distortions and other.distortions
    first, second = one.examples[0], other.examples[0]
    assert (first.key, first.label, first.subtype) == (second.key, second.label, second.subtype)
    assert first.sha256 != second.sha256


def library(folder: Path) -> Path:
    """One white dwarf on paper: a single broad line."""
    folder.mkdir()
    wavelength = np.arange(3650.0, 9200.0, 2.0)
    flux = (5000.0 / wavelength) ** 2 * (1 - 0.6 * np.exp(-0.5 * ((wavelength - 4862) / 60) ** 2))
    np.savetxt(folder / "one.txt", np.column_stack([wavelength, flux]), header="wavelength flux")
    (folder / "MANIFEST.csv").write_text("file,label\none.txt,WD\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(("share", "expected"), [(1.0, True), (0.0, False)])
def test_the_share_of_the_library(tmp_path: Path, share: float, expected: bool):
    folder = str(library(tmp_path / "library"))
    settings = QuestionSettings(tasks=("WD",), both=0.0, library_share=share)
    found = [questions_on_spectrum(settings, 1, number, folder) for number in range(12)]
    of_wd = [each.from_library for each in found if each.examples[0].label == "WD"]
    assert of_wd and set(of_wd) == {expected}


@pytest.mark.parametrize(("even", "low", "high"), [(0.0, 0.0, 0.2), (1.0, 0.35, 0.8)])
def test_rare_kinds_may_come_as_often_as_common_ones(even: float, low: float, high: float):
    settings = QuestionSettings(tasks=("WD",), both=0.0, even=even)
    found = [questions_on_spectrum(settings, 1, number).examples[0] for number in range(120)]
    subtypes = [each.subtype for each in found if each.label == "WD"]
    assert len(subtypes) > 40
    rare = sum(kind in ("DBA", "DC", "DO", "DZ") for kind in subtypes) / len(subtypes)
    assert low <= rare <= high


def test_even_draws_leave_what_is_asked_as_it_was():
    """The same classes and surveys, and those that no task is about are the very same spectra."""
    plain, even = (
        [questions_on_spectrum(QuestionSettings(even=part), 5, number) for number in range(40)]
        for part in (0.0, 1.0)
    )
    for one, other in zip(plain, even, strict=True):
        first, second = one.examples[0], other.examples[0]
        assert (first.key, first.label) == (second.key, second.label)
        assert first.spectrum.survey == second.spectrum.survey
        if first.label not in QuestionSettings().tasks:
            assert first.sha256 == second.sha256


def test_a_file_of_another_kind_is_refused(tmp_path: Path):
    with pytest.raises(WorkbenchError, match="parquet"):
        run(tmp_path / "set.json", QuestionSettings(), count=1)
    with pytest.raises(WorkbenchError, match="no survey"):
        run(tmp_path / "set.parquet", QuestionSettings(survey="HUBBLE"), count=1)
    assert not list(tmp_path.iterdir())


def test_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "set.parquet"
    words = ["questions", str(out), "--count", "12", "--seed", "3", "--set", "tasks=CV,WD"]
    words += ["--set", "survey=SDSS", "--library", str(library(tmp_path / "library"))]
    monkeypatch.setattr(sys, "argv", ["spec-o3-train", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    printed = capsys.readouterr()
    assert "12 questions on" in printed.out and "1 bases of" in printed.err
    found: list[Spectrum] = [one.spectrum for one in read_examples(out)]
    assert len(found) == 12 and {one.survey for one in found} == {"SDSS"}
