from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.train.simulate.helpers import truth_rows
from train.cli import main


def call(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["spec-o3-train", *words])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_simulate_makes_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["simulate", str(out), "--task", "cv", "--count", "6", "--odds", "1:2"]
    words += ["--survey", "LAMOST,SDSS", "--snr", "10", "30", "--seed", "5"]
    assert call(monkeypatch, *words) == 0
    printed = capsys.readouterr()
    assert "6 simulated spectra" in printed.out and "CV 2" in printed.out
    rows = truth_rows(out)
    assert len(rows) == 6 and {row["survey"] for row in rows} <= {"LAMOST", "SDSS"}
    assert call(monkeypatch, *words) == 0
    assert "6 already existed" in capsys.readouterr().out


def test_arrays_and_labels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = ["simulate", str(tmp_path), "--labels", "wd, a", "--count", "5", "--arrays"]
    assert call(monkeypatch, *words) == 0
    assert {row["label"] for row in truth_rows(tmp_path)} <= {"WD", "A"}
    assert (tmp_path / "arrays-00000.npz").is_file()


def test_a_sky_is_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = ["simulate", str(tmp_path), "--count", "2", "--labels", "A", "--survey", "LAMOST"]
    assert call(monkeypatch, *words, "--sky", "3", "--arrays") == 0
    assert '"sky": 3' in (tmp_path / "simulation.json").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--task", "XX"], "unknown task"),
        (["--survey", "HUBBLE"], "unknown survey"),
        (["--snr", "9", "3"], "S/N"),
        (["--library", "nowhere"], "MANIFEST.csv"),
    ],
)
def test_what_the_user_can_mend_is_a_message(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    assert call(monkeypatch, "simulate", str(tmp_path), *words) == 1
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


@pytest.mark.parametrize(
    "words", [["simulate"], ["simulate", "x", "--odds", "many"], ["simulate", "x", "--count", "0"]]
)
def test_usage_errors_are_status_two(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    assert call(monkeypatch, *words) == 2


def test_threads_do_not_wait_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's own choice stands."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    assert call(monkeypatch, "--help") == 0
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    assert call(monkeypatch, "--help") == 0
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"
