"""How far simulated spectra are from real ones, on libraries whose answer is known."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.spectra.measure.features import feature_names
from agent.spectra.spectrum import FloatArray, Spectrum
from train.cli import app, main
from train.simulate.realism import tell_apart
from train.simulate.realism.contact_sheet import write_sheet
from train.simulate.realism.library import Library
from train.simulate.realism.realism import (
    PairedLibrary,
    SpectrumPair,
    compare,
    expected_outside,
    observe_like,
    on_grid,
    pair_library,
    ranks_among,
    summarise,
)
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import GRID

WAVELENGTH = np.arange(3900.0, 9000.0, 2.0)
CLASSES = ("A", "B")
OF_CLASS = 12
PER_REAL = 6

Defect = Callable[[FloatArray], FloatArray]


def no_defect(flux: FloatArray) -> FloatArray:
    return flux


def sodium(flux: FloatArray) -> FloatArray:
    """An absorption no A or B star of ours has so deep."""
    return flux * (1 - 0.35 * np.exp(-0.5 * ((WAVELENGTH - 5894.0) / 6.0) ** 2))


def write_library(folder: Path, defect: Defect, classes: Sequence[str] = CLASSES) -> Path:
    """Simulated stars that pose as real ones."""
    folder.mkdir()
    rng = np.random.default_rng(11)
    noise = 1 + rng.standard_normal(WAVELENGTH.size) / 60
    template = Spectrum(wavelength=WAVELENGTH, flux=noise)
    rows = ["file,label"]
    for label in classes:
        for number in range(OF_CLASS):
            seen = observe_like(draw_source(label, rng), template, rng)
            name = f"{label}{number}.txt"
            flux = defect(seen.flux) * 1e-15
            np.savetxt(folder / name, np.column_stack([WAVELENGTH, flux]), header="wavelength flux")
            rows.append(f"{name},{label}")
    (folder / "MANIFEST.csv").write_text("\n".join(rows) + "\n")
    return folder


def met(folder: Path) -> PairedLibrary:
    return pair_library(Library(folder), PER_REAL, seed=3)


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("alike") / "stars", no_defect)


@pytest.fixture(scope="module")
def with_sodium(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_library(tmp_path_factory.mktemp("defect") / "stars", sodium)


def test_simulated_stars_posing_as_real_are_not_told_apart(alike: Path) -> None:
    pairs = met(alike).pairs
    assert len(pairs) == len(CLASSES) * OF_CLASS
    verdict = tell_apart.tell_apart(pairs, seed=1)
    assert verdict.auc == pytest.approx(0.5, abs=0.16)
    assert 0.02 < verdict.error < 0.12
    for line in summarise(pairs, compare(pairs)):
        assert line.n_real == OF_CLASS
        assert line.outside == pytest.approx(line.expected_outside, abs=0.03)


def test_planted_defect_is_found_and_named(with_sodium: Path) -> None:
    pairs = met(with_sodium).pairs
    verdict = tell_apart.tell_apart(pairs, seed=1)
    assert verdict.auc > 0.95
    sodium_features = {"Na_D", "EW_NaI_D"}
    assert verdict.giveaways[0].feature in sodium_features
    assert verdict.giveaways[0].fall > 0.1
    assert abs(verdict.giveaways[0].alone - 0.5) > 0.4
    rows = compare(pairs)
    assert {row.feature for row in rows[:2]} & sodium_features
    assert rows[0].outside > 0.9 and rows[0].n_real == OF_CLASS
    assert not 3 < rows[0].median_percentile < 97
    blind = tell_apart.tell_apart(
        pairs, 1, {name for name in feature_names() if "Na" in name or "HeI_5876" in name}
    )
    assert blind.auc < verdict.auc


def test_every_large_enough_class_and_survey_is_judged() -> None:
    rng = np.random.default_rng(2)
    pairs = [fake("MG", "X", rng) for _ in range(12)] + [fake("K", "X", rng) for _ in range(9)]
    sizes = {name: len(chosen) for name, chosen in tell_apart.subsets(pairs).items()}
    assert sizes == {"all": 21, "survey X": 21, "class MG": 12}
    assert tell_apart.subsets(pairs[:9]) == {}
    with pytest.raises(WorkbenchError, match="needs 10"):
        tell_apart.tell_apart(pairs[:9], 1)


def fake(label: str, survey: str, rng: np.random.Generator) -> SpectrumPair:
    """Numbers without meaning."""
    rows = rng.normal(size=(9, len(feature_names())))
    return SpectrumPair("x", survey, label, rows[0], rows[1:])


def test_noise_statistics_can_be_left_out() -> None:
    rng = np.random.default_rng(4)
    pairs = [fake("MG", "X", rng) for _ in range(20)]
    column = feature_names().index("noise_ratio")
    for pair in pairs:
        pair.real[column] += 8.0
    with_noise, without = (tell_apart.tell_apart(pairs, 1, out) for out in ((), NOISE))
    assert with_noise.auc > 0.95 > 0.75 > without.auc
    assert with_noise.giveaways[0].feature == "noise_ratio"
    assert with_noise.giveaways[0].alone > 0.99


NOISE = tell_apart.NOISE_FEATURES


def test_values_nobody_could_measure_are_harmless() -> None:
    rng = np.random.default_rng(5)
    pairs = [fake("MG", "X", rng) for _ in range(12)]
    for pair in pairs:
        pair.real[:40] = pair.simulated[:, :40] = np.nan
        pair.simulated[:, 40] = np.nan
        pair.real[41] = np.nan
    compared = {row.feature for row in compare(pairs)}
    assert compared == set(feature_names()[42:])
    assert np.isfinite(tell_apart.tell_apart(pairs, 1).auc)


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
    (tmp_path / "MANIFEST.csv").write_text(
        "file,label\na.txt,OTHER\nbroken.fits,A\nfar.txt,A\na.txt,A\n"
    )
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
    real = on_grid(
        Spectrum(wavelength=wavelength, flux=noisy, mask=mask, survey="X", resolution=900)
    )
    assert real.range[0] > GRID[0]
    seen = observe_like(draw_source("WD", rng), real, rng)
    np.testing.assert_array_equal(seen.wavelength, real.wavelength)
    np.testing.assert_array_equal(seen.good, real.good)
    assert seen.simulated and seen.ivar is None
    assert (seen.survey, seen.resolution) == ("X", 900)
    jitter = np.diff(seen.flux, 2) / seen.flux[1:-1] / np.sqrt(6)
    assert 1 / np.std(jitter[-1000:]) == pytest.approx(20, rel=0.25)


def test_command_reports_and_writes(tmp_path: Path) -> None:
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


def test_sheet_needs_no_library(tmp_path: Path) -> None:
    write_sheet(tmp_path / "sheet.png", None, seed=1)
    with Image.open(tmp_path / "sheet.png") as picture:
        assert picture.width > 1500
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    blue = (pixels[..., 2] - pixels[..., 0] > 60).mean()
    red = (pixels[..., 0] - pixels[..., 2] > 60).mean()
    assert blue > 0.005 > red  # nothing is drawn in the colour of real spectra
    with pytest.raises(WorkbenchError, match="could not be written"):
        write_sheet(tmp_path, None, seed=1)


def run_main(monkeypatch: pytest.MonkeyPatch, *words: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["spec-o3-train", "realism", *words])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def test_what_the_user_can_mend_is_told(
    tmp_path: Path,
    alike: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
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
    monkeypatch.setattr(
        "train.simulate.realism.realism_command.gather", lambda *_: pytest.fail("the work began")
    )
    assert run_main(monkeypatch, str(alike)) == 1
    assert "scikit-learn" in capsys.readouterr().err
