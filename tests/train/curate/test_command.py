from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from tests.train.test_cli import call


def test_the_commands_from_drafts_to_approved(
    tmp_path: Path,
    drafts: Path,
    example_set: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(drafts.read_text().splitlines(keepends=True)[:2]))
    folder = str(tmp_path / "pool")

    def run(*words: str) -> str:
        assert call(monkeypatch, "curate", *words) == 0
        return capsys.readouterr().out

    assert "2 new drafts" in run("import", folder, str(few), "--spectra", str(example_set))
    assert "2 wait for the reviser" in run("auto", folder, "--only", "auto-screener")
    sheet = str(tmp_path / "ann.jsonl")
    words = ["review", folder, "--as", "Ann", "--role", "reviser", "--sheet", sheet]
    assert "2 trajectories in" in run(*words)
    assert "12 reviews given; 2 approved" in run("auto", folder)
    assert json.loads(run("stats", folder, "--json"))["stages"]["approved"] == 2
    assert "2 approved, 0 rejected" in run("stats", folder)
    assert "2 approved trajectories" in run("export", folder)
    assert len((tmp_path / "pool" / "approved.jsonl").read_text().splitlines()) == 2


def test_errors_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path)
    for words, why in (
        (["stats", folder], "is not a pool"),
        (["auto", folder, "--only", "hal"], "no program 'hal'"),
        (["review", folder, "--as", "A", "--role", "boss"], "no role 'boss'"),
    ):
        assert call(monkeypatch, "curate", *words) == 1
        assert why in capsys.readouterr().err
