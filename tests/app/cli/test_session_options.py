"""Errors that all commands on a session share."""

from __future__ import annotations

from tests.app.cli.commands import fails


def test_what_cannot_be_done_is_said(vetted, few, tmp_path):
    place, _ = vetted
    assert "unknown suffix" in fails("export", place, tmp_path / "night.doc")
    assert "already exists" in fails("new", place, few, "--task", "CV")
    assert "no task" in fails("new", tmp_path / "a.speco3", few, "--task", "quasar?")
    assert "does not exist" in fails("vet", tmp_path / "none.speco3")
    missing = tmp_path / "none.csv"
    assert "none.csv" in fails("new", tmp_path / "a.speco3", missing, "--task", "CV")
    assert list(tmp_path.glob("*.speco3")) == []
    assert "no model" in fails("vet", place, "--model", "nobody")
