"""The section about training runs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")


from tests.train.report.conftest import report
from train.journal import journal


def test_dynamics(tmp_path: Path):
    for name in ("one", "two"):
        with journal(tmp_path / name) as run:
            for step in range(50):
                run.log(step, reward=step / 50, calls=3.0, unknown=1.0, loss=None)
    text = report(tmp_path / "a.html", "--run", tmp_path / "one", "--run", tmp_path / "two")
    assert "mean reward" in text
    assert "calls per rollout" in text
    assert "unknown" not in text
    assert "0.04 to 0.94" in text


def test_sorts_of_runs_are_not_laid_over_each_other(tmp_path: Path):
    with journal(tmp_path / "taught") as run:
        run.log(1, loss=3.0)
    with journal(tmp_path / "rewarded") as run:
        run.log(1, loss=0.1, reward=0.5, f1=float("nan"))
    text = report(tmp_path / "a.html", "--run", tmp_path / "taught", "--run", tmp_path / "rewarded")
    taught, rewarded = text.split("Reinforcement")
    assert "<td>taught</td>" in taught and "<td>rewarded</td>" not in taught
    assert "mean reward" in rewarded and "F1" not in rewarded


def test_a_run_without_figures_says_so(tmp_path: Path):
    with journal(tmp_path / "empty"):
        pass
    assert "no figures yet" in report(tmp_path / "a.html", "--run", tmp_path / "empty")
