"""`spec-o3 mcp`."""

from __future__ import annotations

from app.cli.services import mcp as command
from tests.app.cli.commands import SAMPLE, fails


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert 'pip install "spec-o3-workbench[mcp]"' in fails("mcp", "--spectra", SAMPLE)


def test_there_must_be_something_to_serve(tmp_path):
    assert "nothing to serve" in fails("mcp")
    assert "proposals need a session" in fails("mcp", "--spectra", SAMPLE, "--allow-proposals")
    assert "is not a folder" in fails("mcp", "--spectra", tmp_path / "none")
    assert "none.speco3" in fails("mcp", tmp_path / "none.speco3")
