"""Judging real spectra with what simulation alone teaches."""

import csv
import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_names
from agent.spectra.spectrum import FloatArray
from tests.processes import full_disk
from tests.train.simulate.helpers import truth_rows
from tests.train.simulate.realism.conftest import OF_CLASS, no_defect, write_library
from train.cli import app, main
from train.simulate.realism import contact_sheet, realism_command, tell_apart, transfer
from train.simulate.realism.contact_sheet import write_sheet
from train.simulate.realism.library import Library
from train.simulate.realism.realism_command import RealismReport
from train.simulate.realism.transfer import NOISE_FEATURES, Labels, judge, score, simulated_features
from train.simulate.sky import LABELS


def test_score_counts_hits_false_alarms_and_misses():
    truth = ["CV", "CV", "CV", "QSO", "MG", "MG"]
    judged = ["CV", "QSO", "QSO", "CV", "MG", "SS"]
    by_task = {one.task: one for one in score(truth, judged)}
    assert set(by_task) == {"CV", "MG"}
    cv = by_task["CV"]
    assert (cv.hits, cv.false_alarms, cv.misses) == (1, 1, 2)
    assert cv.f1 == pytest.approx(2 / 5)
    assert cv.taken_for == (("QSO", 2),)
    assert cv.taken_from == (("QSO", 1),)
    assert by_task["MG"].f1 == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def one_of_each() -> tuple[FloatArray, Labels]:
    return simulated_features(1, seed=5)


@pytest.mark.usefixtures("forked_workers")
def test_simulated_features_are_the_same_for_any_number_of_workers(one_of_each, monkeypatch):
    one, labels = one_of_each
    two, _ = simulated_features(1, seed=5, workers=2)
    assert one.shape == (len(LABELS), len(feature_names()))
    assert labels.tolist() == list(LABELS)
    np.testing.assert_array_equal(one, two)
    monkeypatch.setattr(transfer, "LABELS", LABELS[:3])
    np.testing.assert_array_equal(simulated_features(1, seed=5)[0], one[:3])
    assert not np.array_equal(one[:3], simulated_features(1, seed=6)[0], equal_nan=True)


def test_judge_learns_from_features_and_not_from_noise_statistics(rng):
    names = feature_names()
    telling, noise = names.index("TiO5"), names.index("snr_6500")
    assert "snr_6500" in NOISE_FEATURES
    labels = np.array(["MG", "K"] * 100)
    rows = rng.normal(size=(200, len(names)))
    rows[:, telling] += np.where(labels == "MG", -6.0, 6.0)
    real = rng.normal(size=(40, len(names)))
    real[:20, telling] -= 6.0
    real[20:, telling] += 6.0
    said = judge(rows, labels, real, seed=1)
    assert said.tolist() == ["MG"] * 20 + ["K"] * 20
    rows[:, telling], rows[:, noise] = 0.0, np.where(labels == "MG", -6.0, 6.0)
    real[:, noise] = np.where(np.arange(40) < 20, -6.0, 6.0)
    blind = judge(rows, labels, real, seed=1)
    assert 0.1 < (blind[:20] == "MG").mean() < 0.9


def test_the_command_scores_a_folder_of_labelled_spectra(tmp_path, one_of_each, monkeypatch):
    drawn = tuple(np.repeat(each, 10, axis=0) for each in one_of_each)  # measuring takes long
    monkeypatch.setattr(transfer, "simulated_features", lambda *_: drawn)
    folder = tmp_path / "made"
    words = ["simulate", str(folder), "--labels", "CV,MG", "--count", "8"]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    truth = truth_rows(folder)
    lines = [f"{line['file']},{line['label']}" for line in truth]
    table = "\n".join(["file,label", *lines, "missing.fits,CV"])
    (folder / "MANIFEST.csv").write_text(table + "\n", encoding="utf-8")
    words = ["transfer", str(folder), "--per-label", "10", "--json", "--workers", "1"]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    of_class = {one["task"]: one["hits"] + one["misses"] for one in said["scores"]}
    assert of_class == Counter(line["label"] for line in truth)
    assert list(said["unread"]) == ["missing.fits"]


def test_command_reports_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tell_apart, "FOLDS", 2)
    # The same seed gives the same numbers: the second command need not measure again.
    of_folder = cache(partial(_measured, realism_command._measure))
    monkeypatch.setattr(
        realism_command, "_measure", lambda library, *how: of_folder(library.folder, *how)
    )
    stars = write_library(tmp_path / "stars", no_defect, ["B"])
    table, sheet = tmp_path / "all.csv", tmp_path / "sheet.png"
    words = ["realism", str(stars), "--per-real", "4"]
    shown = CliRunner().invoke(app, [*words, "--sheet", str(sheet)])
    assert shown.exit_code == 0, shown.output
    for text in ("Worst measurements", "AUC", "class B"):
        assert text in shown.stdout
    with Image.open(sheet) as picture:
        assert picture.width > 1000 and picture.height > 100 * len(LABELS)

    answered = CliRunner().invoke(app, [*words, "--json", "--csv", str(table)])
    report = json.loads(answered.stdout)
    assert report["real_spectra"] == OF_CLASS
    assert [line["label"] for line in report["classes"]] == ["B"]
    judged = [(one["of"], one["noise_statistics"], one["n_real"]) for one in report["verdicts"]]
    assert judged == [
        ("all", True, OF_CLASS),
        ("all", False, OF_CLASS),
        ("class B", True, OF_CLASS),
        ("class B", False, OF_CLASS),
    ]
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(report["measurements"]) > 50
    assert {row["label"] for row in rows} == {"B"}
    assert all(0 <= float(row["median_percentile"]) <= 100 for row in rows)


def _measured(measure: Callable[..., RealismReport], folder: Path, *how: int) -> RealismReport:
    return measure(Library(folder), *how)


def run_main(monkeypatch: pytest.MonkeyPatch, *words: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["spec-o3-train", "realism", *words])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def test_what_the_user_can_mend_is_told(
    tmp_path: Path, alike: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, str(tmp_path)) == 1
    assert "MANIFEST.csv" in capsys.readouterr().err
    assert run_main(monkeypatch, str(alike), "--csv", str(tmp_path / "no" / "x.csv")) == 1
    assert "no folder" in capsys.readouterr().err
    assert run_main(monkeypatch, str(alike), "--per-real", "0") == 2
    (tmp_path / "MANIFEST.csv").write_text("file,label\nx.fits,OTHER\n")
    assert run_main(monkeypatch, str(tmp_path)) == 1
    assert "OTHER is not simulated" in capsys.readouterr().err


def test_missing_classifier_is_told_before_the_work(
    alike: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    monkeypatch.setattr(realism_command, "pair_library", lambda *_: pytest.fail("the work began"))
    assert run_main(monkeypatch, str(alike)) == 1
    assert "scikit-learn" in capsys.readouterr().err


def test_sheet_needs_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_sheet, "LABELS", LABELS[:3])  # the command draws them all, above
    write_sheet(tmp_path / "sheet.png", None, seed=1)
    with Image.open(tmp_path / "sheet.png") as picture:
        assert picture.width > 1500
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    blue = (pixels[..., 2] - pixels[..., 0] > 60).mean()
    red = (pixels[..., 0] - pixels[..., 2] > 60).mean()
    assert blue > 0.005 > red  # nothing is drawn in the colour of real spectra
    before = (tmp_path / "sheet.png").read_bytes()
    with full_disk(), pytest.raises(WorkbenchError, match="could not be written"):
        write_sheet(tmp_path / "sheet.png", None, seed=1)
    assert (tmp_path / "sheet.png").read_bytes() == before
    with pytest.raises(WorkbenchError, match="cannot be written"):
        write_sheet(tmp_path, None, seed=1)
