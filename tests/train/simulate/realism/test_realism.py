"""How far simulated spectra are from real ones, on libraries whose answer is known."""

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
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray, Spectrum
from tests.processes import full_disk
from tests.train.simulate.helpers import planck, star, truth_rows, write_base, write_table
from tests.train.simulate.realism.conftest import (
    CLASSES,
    OF_CLASS,
    WAVELENGTH,
    fake,
    met,
    no_defect,
    sodium,
    write_library,
)
from train.cli import app, main
from train.simulate.archive import run_campaign
from train.simulate.campaign import Settings
from train.simulate.realism import realism, realism_command, transfer
from train.simulate.realism.library import Library, augmented, base_source
from train.simulate.realism.realism import (
    compare,
    expected_outside,
    observe_like,
    on_grid,
    pair_library,
    ranks_among,
    summarise,
)
from train.simulate.realism.realism_command import RealismReport, write_sheet
from train.simulate.realism.transfer import NOISE_FEATURES, Labels, judge, score, simulated_features
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import GRID


def test_simulated_stars_posing_as_real_are_not_told_apart(alike: Path) -> None:
    pairs = met(alike).pairs
    assert len(pairs) == len(CLASSES) * OF_CLASS
    verdict = realism.tell_apart(pairs, seed=1)
    assert verdict.auc == pytest.approx(0.5, abs=0.16)
    assert 0.02 < verdict.error < 0.12
    for line in summarise(pairs, compare(pairs)):
        assert line.n_real == OF_CLASS
        assert line.outside == pytest.approx(line.expected_outside, abs=0.03)


def test_values_nobody_could_measure_are_harmless() -> None:
    rng = np.random.default_rng(5)
    pairs = [fake("MG", "X", rng) for _ in range(12)]
    for pair in pairs:
        pair.real[:40] = pair.simulated[:, :40] = np.nan
        pair.simulated[:, 40] = np.nan
        pair.real[41] = np.nan
    compared = {row.feature for row in compare(pairs)}
    assert compared == set(feature_names()[42:])
    assert np.isfinite(realism.tell_apart(pairs, 1).auc)


def test_equal_values_rank_in_the_middle() -> None:
    made = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    assert ranks_among(made, np.array([0.0, 0.5, 1.0, 2.0])) == pytest.approx([0.4, 0.8, 0.9, 1.0])


@pytest.mark.parametrize("count", [36, 400])
def test_expected_share_outside_is_that_of_draws_of_one_distribution(
    count: int, rng: np.random.Generator
) -> None:
    made = rng.normal(size=(4000, count))
    low, high = np.percentile(made, (1, 99), axis=1)
    more = rng.normal(size=4000)
    share = ((more < low) | (more > high)).mean()
    assert share == pytest.approx(expected_outside(count), abs=0.012)


def test_labels_without_simulation_and_broken_files_are_left_out_by_name(tmp_path: Path) -> None:
    rows = np.column_stack([WAVELENGTH, np.ones(WAVELENGTH.size)])
    np.savetxt(tmp_path / "a.txt", rows)
    np.savetxt(tmp_path / "far.txt", rows + np.array([9000.0, 0.0]))
    (tmp_path / "broken.fits").write_bytes(b"nothing")
    listed = "file,label\na.txt,OTHER\nbroken.fits,A\nfar.txt,A\na.txt,A\n"
    (tmp_path / "MANIFEST.csv").write_text(listed)
    steps: list[int] = []
    paired = pair_library(Library(tmp_path), 4, 1, lambda: steps.append(1))
    assert [pair.name for pair in paired.pairs] == ["a.txt"]
    reasons = dict(paired.excluded)
    assert set(reasons) == {"a.txt", "broken.fits", "far.txt"}
    assert "not simulated" in reasons["a.txt"] and "too few pixels" in reasons["far.txt"]
    assert len(steps) == 4


def test_mimic_sees_what_the_real_spectrum_saw(rng: np.random.Generator) -> None:
    wavelength = np.arange(3000.0, 9000.0, 1.5)
    noisy = 1 + rng.standard_normal(wavelength.size) / 20
    mask = (wavelength > 5000) & (wavelength < 5100)
    seen_there = {"wavelength": wavelength, "flux": noisy, "mask": mask}
    real = on_grid(Spectrum(**seen_there, survey="X", resolution=900))
    assert real.range[0] > GRID[0]
    seen = observe_like(draw_source("WD", rng), real, rng)
    np.testing.assert_array_equal(seen.wavelength, real.wavelength)
    np.testing.assert_array_equal(seen.good, real.good)
    assert seen.simulated and seen.ivar is None
    assert (seen.survey, seen.resolution) == ("X", 900)
    jitter = np.diff(seen.flux, 2) / seen.flux[1:-1] / np.sqrt(6)
    assert 1 / np.std(jitter[-1000:]) == pytest.approx(20, rel=0.25)


def test_planted_defect_is_found_and_named(tmp_path: Path) -> None:
    pairs = met(write_library(tmp_path / "stars", sodium)).pairs
    verdict = realism.tell_apart(pairs, seed=1)
    assert verdict.auc > 0.95
    sodium_features = {"Na_D", "EW_NaI_D"}
    assert verdict.giveaways[0].feature in sodium_features
    assert verdict.giveaways[0].fall > 0.1
    assert abs(verdict.giveaways[0].alone - 0.5) > 0.4
    rows = compare(pairs)
    assert {row.feature for row in rows[:2]} & sodium_features
    assert rows[0].outside > 0.9 and rows[0].n_real == OF_CLASS
    assert not 3 < rows[0].median_percentile < 97
    hidden = {name for name in feature_names() if "Na" in name or "HeI_5876" in name}
    blind = realism.tell_apart(pairs, 1, hidden)
    assert blind.auc < verdict.auc


def test_every_large_enough_class_and_survey_is_judged() -> None:
    rng = np.random.default_rng(2)
    pairs = [fake("MG", "X", rng) for _ in range(12)] + [fake("K", "X", rng) for _ in range(9)]
    sizes = {name: len(chosen) for name, chosen in realism.subsets(pairs).items()}
    assert sizes == {"all": 21, "survey X": 21, "class MG": 12}
    assert realism.subsets(pairs[:9]) == {}
    with pytest.raises(WorkbenchError, match="needs 10"):
        realism.tell_apart(pairs[:9], 1)


def test_noise_statistics_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realism, "FOLDS", 3)
    rng = np.random.default_rng(4)
    pairs = [fake("MG", "X", rng) for _ in range(20)]
    column = feature_names().index("noise_ratio")
    for pair in pairs:
        pair.real[column] += 8.0
    with_noise, without = (
        realism.tell_apart(pairs, 1, out) for out in ((), realism.NOISE_FEATURES)
    )
    assert with_noise.auc > 0.95 > 0.75 > without.auc
    assert with_noise.giveaways[0].feature == "noise_ratio"
    assert with_noise.giveaways[0].alone > 0.99


def test_bases_are_on_the_grid_as_they_are(folder: Path) -> None:
    library = Library(folder)
    base = base_source(library.by_label["A"][0])
    assert base.label == "A" and base.valid == pytest.approx((3500.0, 9298.5), abs=3.0)
    inside = (GRID > 3600) & (GRID < 9200)
    expected = planck(9000.0)
    ratio = base.flux[inside] / expected[inside]
    assert np.percentile(ratio / np.median(ratio), (10, 90)) == pytest.approx([1, 1], abs=0.01)


def test_draws_of_one_base_differ(folder: Path, rng: np.random.Generator) -> None:
    one, two = (Library(folder).draw("K", rng) for _ in range(2))
    assert one.parameters["base"] == "cool.txt" and one.parameters["library"] == "bases"
    assert not np.allclose(one.flux, two.flux, rtol=0.01)
    assert one.velocity_kms != two.velocity_kms


def test_contrast_deepens_or_weakens_lines(rng: np.random.Generator) -> None:
    base = star()
    depths = {}
    for _ in range(30):
        seen = augmented(base, rng)
        line, beside = (seen.flux[np.argmin(np.abs(GRID - w))] for w in (6564.6, 6640.0))
        depths[float(seen.parameters["contrast"])] = 1 - line / beside
    weak, deep = min(depths), max(depths)
    assert depths[deep] > depths[weak] + 0.05


@pytest.mark.parametrize(("table", "words"), [
    ("file,label\n../../secret.txt,A\n", "outside its folder"),
    ("file,label\n/etc/passwd,A\n", "outside its folder"),
    ("name,class\nx,A\n", "no columns file and label"),
    ("file,label\n", "lists no labelled spectrum"),
])  # fmt: skip
def test_faulty_tables_are_refused(tmp_path: Path, table: str, words: str) -> None:
    (tmp_path / "labels.csv").write_text(table)
    with pytest.raises(WorkbenchError, match=words):
        Library(tmp_path)


def test_a_folder_without_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"MANIFEST\.csv"):
        Library(tmp_path)


def test_bases_of_different_ranges_share_a_desi_file(folder: Path, tmp_path: Path) -> None:
    write_base(folder / "short.txt", 9000.0, 3900.0, 7500.0)
    write_table(folder, [("hot.txt", "A"), ("short.txt", "A")])
    settings = Settings(seed=4, count=16, labels=("A",), survey="DESI", library=str(folder))
    run_campaign(tmp_path / "out", settings)
    rows = truth_rows(tmp_path / "out")
    assert {"hot.txt", "short.txt"} <= {row["library"] for row in rows}
    for row in rows:
        spectrum = read(tmp_path / "out" / row["file"], row=int(row["row"]))
        ends = spectrum.wavelength[spectrum.good][[0, -1]]
        assert (ends[1] < 7510) == (row["library"] == "short.txt")


def test_truth_names_the_base_and_nothing_is_used_unasked(folder: Path, tmp_path: Path) -> None:
    asked = Settings(
        seed=2, count=30, labels=("A", "K"), survey="LAMOST", library=str(folder), arrays=True
    )
    run_campaign(tmp_path / "asked", asked)
    bases = {row["library"] for row in truth_rows(tmp_path / "asked")}
    assert bases == {"", "hot.txt", "cool.txt"}
    run_campaign(tmp_path / "plain", Settings(seed=2, count=30, labels=("A", "K"), arrays=True))
    assert {row["library"] for row in truth_rows(tmp_path / "plain")} == {""}


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
    monkeypatch.setattr(realism, "FOLDS", 2)
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


def test_sheet_of_classes_without_a_real_spectrum(
    alike: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [label for label in LABELS if label not in CLASSES]
    monkeypatch.setattr(realism_command, "LABELS", others[:3])  # the command draws all, above
    library = Library(alike)
    write_sheet(tmp_path / "sheet.png", library, seed=1)
    with Image.open(tmp_path / "sheet.png") as picture:
        assert picture.width > 1300
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    blue = (pixels[..., 2] - pixels[..., 0] > 60).mean()
    red = (pixels[..., 0] - pixels[..., 2] > 60).mean()
    assert blue > 0.005 > red  # nothing is drawn in the colour of real spectra
    before = (tmp_path / "sheet.png").read_bytes()
    with full_disk(), pytest.raises(WorkbenchError, match="could not be written"):
        write_sheet(tmp_path / "sheet.png", library, seed=1)
    assert (tmp_path / "sheet.png").read_bytes() == before
    with pytest.raises(WorkbenchError, match="cannot be written"):
        write_sheet(tmp_path, library, seed=1)
