"""The approved drafts leave the room as the file that `sft` reads."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog

pytest.importorskip("pyarrow")

from agent.trajectory.trajectory_file import read_trajectories
from tests.train.review.helpers import give
from tests.train.review.window.at_work import at_work

VOTES = [
    *(("Ben", "screener"), ("Ben", "reviser"), ("Cy", "auditor"), ("Di", "auditor")),
    *(("Ben", "voter"), ("Cy", "voter"), ("Di", "voter")),
]


def test_without_an_approved_draft_it_says_why_not(qtbot, pool):
    with at_work(qtbot, pool, "Ada") as ada:
        line = ada.room.export_line
        ada.wait(lambda: line.counts.text() == "0 of 3 approved · 3 to screen")
        assert not line.button.isEnabled() and "vote of three" in line.button.toolTip()


def test_an_approved_draft_is_exported_for_training(qtbot, pool, tmp_path, monkeypatch):
    number = next(pool.cases()).id
    for by, role in VOTES:
        give(pool, number, by, role)
    out = tmp_path / "with a space" / "approved.jsonl"
    out.parent.mkdir()
    asked = []

    def choose(parent, title, proposed, kinds):
        asked.append(proposed)
        return str(out), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    with at_work(qtbot, pool, "Ada") as ada:
        line, result = ada.room.export_line, ada.room.result
        ada.wait(line.button.isEnabled)
        assert line.counts.text() == "1 of 3 approved"
        ada.click(line.button)
        ada.wait(result.isVisible)
        command = result.text.splitlines()[1]
        assert command.startswith(f"spec-o3-train sft '{out}' --sets {pool.store.sets[0]}")
        assert line.button.isEnabled() and line.button.text() == "Export…"
    assert asked == [str(pool.place / "approved.jsonl")]
    assert [one.replies for one in read_trajectories(out)] == [pool.case(number).replies]


def test_a_full_disk_is_told(qtbot, pool, tmp_path, monkeypatch):
    for by, role in VOTES:
        give(pool, next(pool.cases()).id, by, role)
    nowhere = tmp_path / "not there" / "approved.jsonl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(nowhere), ""))
    with at_work(qtbot, pool, "Ada") as ada:
        ada.wait(ada.room.export_line.button.isEnabled)
        ada.click(ada.room.export_line.button)
        ada.wait(ada.room.problem.isVisible)
        assert "could not be written" in ada.room.problem.text
        assert not ada.room.result.isVisible() and ada.room.export_line.button.isEnabled()
