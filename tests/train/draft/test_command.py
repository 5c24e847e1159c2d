from __future__ import annotations

from pathlib import Path

from agent.trajectory.trajectory_file import read_trajectories
from tests.train.test_cli import call


def test_draft(example_set: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    out = tmp_path / "drafts.jsonl"
    words = ["draft", str(example_set), str(out), "--limit", "3", "--preset", "tiny"]
    assert call(monkeypatch, *words, "--set", "per_spectrum=1") == 0
    assert "drafts in" in capsys.readouterr().out
    assert all(line.style["name"] == "compact" for line in read_trajectories(out))
    assert call(monkeypatch, *words, "--set", "per_spectrum=2") == 1
    assert "other settings" in capsys.readouterr().err


def test_errors_are_one_line(tmp_path: Path, monkeypatch, capsys) -> None:
    absent = ["draft", str(tmp_path / "no.parquet"), str(tmp_path / "a.jsonl")]
    assert call(monkeypatch, *absent) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert call(monkeypatch, *absent, "--set", "wrods=short") == 1
    assert 'did you mean "words"' in capsys.readouterr().err
