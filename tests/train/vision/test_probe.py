from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.train.vision.conftest import SMALL
from train.vision import probe
from train.vision.lessons import simulated
from train.vision.probe import Watcher, f1_of, probe_set, real_spectra, simulated_spectra
from train.vision.settings import SchoolSettings
from train.vision.train_tower import new_eye


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
    folder: Path, small_school: SchoolSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "WINDOWS", probe.WINDOWS[:2])  # all are drawn above
    scores = Watcher(folder, small_school)(new_eye(small_school))
    assert set(scores) == {"real probe", "real head", "simulated probe", "simulated head"}
    assert all(0.0 <= score <= 100.0 for score in scores.values())
