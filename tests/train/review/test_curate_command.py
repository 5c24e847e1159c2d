from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from tests.train.review.helpers import review
from tests.train.test_cli import call
from train.review.pool import Pool


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
    said = run("export", folder)
    assert "2 approved trajectories" in said
    assert f"--sets {example_set}" in said.splitlines()[-1]
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


def test_replacing_a_silent_auditor(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    number = next(pool.cases()).id
    for by, role, more in (
        ("Ada", "screener", {}),
        ("Ada", "reviser", {}),
        ("Ben", "auditor", {"approve": False, "changes": True, "note": "why?"}),
        ("Cy", "auditor", {}),
        ("Ada", "reviser", {}),
        ("Ben", "auditor", {}),
    ):
        pool.add_review(review(pool.case(number), by, role, **more))
    words = ("curate", "replace", str(pool.place), "Cy", "--as", "Ben", "--note", "on leave")
    assert call(monkeypatch, *words) == 0
    assert "no longer waited for Cy: 1 of the drafts" in capsys.readouterr().out
    pool.add_review(review(pool.case(number), "Di", "auditor"))
    assert pool.case(number).stage == "voter"
    assert [each.note for each in pool.store.reviews() if each.role == "lead"] == ["on leave"]


def test_taking_over_from_a_silent_author(
    placed_pool: Pool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = placed_pool
    numbers = [case.id for case in pool.cases()]
    for number in numbers[:2]:
        for by, role, more in (
            ("Ada", "screener", {}),
            ("Ada", "reviser", {}),
            ("Ben", "auditor", {"approve": False, "changes": True, "note": "why?"}),
            ("Cy", "auditor", {}),
        ):
            pool.add_review(review(pool.case(number), by, role, **more))
    pool.take(numbers[1], "Ada")
    words = ["curate", "take-over", str(pool.place), "Ada", "--as", "Di", "--note", "on leave"]
    assert call(monkeypatch, *words) == 0
    assert "taken over from Ada: 1 of the drafts" in capsys.readouterr().out  # she revises one
    assert [pool.case(each).author for each in numbers] == ["Di", "Ada", ""]
    assert call(monkeypatch, *words, "--draft", numbers[1]) == 1
    assert "Ada is revising" in capsys.readouterr().err
    assert call(monkeypatch, *words[:-1], " ", "--draft", numbers[0]) == 1
    assert "Di is already the author" in capsys.readouterr().err
    pool.add_review(review(pool.case(numbers[0]), "Di", "reviser"))
    for by in ("Ben", "Cy"):
        pool.add_review(review(pool.case(numbers[0]), by, "auditor"))
    assert set(pool.case(numbers[0]).panel) == {"Di", "Ben", "Cy"}
    log = [(each.by, each.replaces, each.note) for each in pool.store.reviews() if each.replaces]
    assert log == [("Di", "Ada", "on leave")]


def test_nothing_to_export(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "curate", "export", str(pool.place)) == 1
    why = capsys.readouterr().err
    assert "nothing to export: 0 approved, 0 rejected, 3 wait for the screener" in why
    assert not (pool.place / "approved.jsonl").exists()
