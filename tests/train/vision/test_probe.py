"""Spectra that an eye is watched on, and how well it reads quantities."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from tests.train.vision.conftest import SCHOOL, SMALL
from train.vision import probe
from train.vision.lessons import simulated
from train.vision.probe import (
    Watcher,
    f1_of,
    probe_set,
    reader,
    readings,
    real_spectra,
    simulated_spectra,
)
from train.vision.targets import asked_features, measured_values
from train.vision.train_tower import new_eye

ALPHA = asked_features().index("EW_H_alpha")


def test_f1_of_each_class_and_their_mean() -> None:
    truth = np.array(["CV", "CV", "WD", "A"])
    said = np.array(["CV", "WD", "WD", "CV"])
    scores = f1_of(truth, said, ("CV", "WD"))
    assert scores == pytest.approx({"CV": 50.0, "WD": 200 / 3, "macro": 0.5 * (50 + 200 / 3)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three spectra as a labelled folder, one of them unreadable."""
    with (tmp_path / "MANIFEST.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("file", "label"))
        for number, label in enumerate(("CV", "MG")):
            spectrum = simulated(label, SMALL, np.random.default_rng(number))
            table = np.column_stack([spectrum.wavelength, spectrum.flux])
            name = f"{label}.csv"
            np.savetxt(tmp_path / name, table, delimiter=",", header="wavelength,flux", comments="")
            rows.writerow((name, label))
        (tmp_path / "broken.csv").write_text("nothing", encoding="utf-8")
        rows.writerow(("broken.csv", "WD"))
    return tmp_path


def test_the_readable_spectra_of_a_folder_are_drawn(folder: Path) -> None:
    probes = probe_set(*real_spectra(folder))
    assert probes.labels.tolist() == ["CV", "MG"]
    assert probes.known[:, 0].all()
    assert (probes.pictures[probes.known] < 128).any(axis=(1, 2)).all()
    assert (probes.pictures[~probes.known] == 255).all()


def test_simulated_probes_hold_every_kind() -> None:
    probes = probe_set(*simulated_spectra(1, 3))
    assert len(set(probes.labels.tolist())) == len(probes)


def test_a_watcher_tells_both_sets_by_both_judges(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "WINDOWS", probe.WINDOWS[:2])  # all are drawn above
    scores = Watcher(folder, SCHOOL)(new_eye(SCHOOL))
    assert set(scores) == {"real probe", "real head", "simulated probe", "simulated head"}
    assert all(0.0 <= score <= 100.0 for score in scores.values())


@pytest.fixture(scope="module")
def spectra() -> list[Spectrum]:
    labels = ("CV", "WD", "A", "MG")
    return [simulated(labels[n % 4], SMALL, np.random.default_rng([5, n])) for n in range(12)]


def test_a_reader_that_knows_the_whole_and_is_blind_to_windows(
    spectra: list[Spectrum], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at no picture, so none is drawn."""
    monkeypatch.setattr(probe, "picture", lambda *others: np.zeros((1, 1), dtype=np.uint8))
    truth = np.array([measured_values(each, 0.0) for each in spectra])
    blind = np.zeros(len(asked_features()))
    by_range = {each.range: row for each, row in zip(spectra, truth, strict=True)}

    def read(pictures, ranges):
        assert len(pictures) == len(ranges)
        return np.array([by_range.get(tuple(each), blind) for each in ranges])

    row = readings(read, spectra)[ALPHA]
    assert row.quantity == "EW_H_alpha" and row.spectra >= 10
    assert row.whole == pytest.approx(1.0) and math.isnan(row.window)


def test_an_eye_is_read_for_every_quantity(
    spectra: list[Spectrum], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "LEAST", 4)
    rows = readings(reader(new_eye(SCHOOL).eval()), spectra[:5])
    assert [row.quantity for row in rows] == list(asked_features())
    assert all(math.isnan(row.window) or abs(row.window) <= 1.0 for row in rows)
    assert not math.isnan(rows[ALPHA].window)
