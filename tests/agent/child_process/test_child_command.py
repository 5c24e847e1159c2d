"""How our own processes are started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agent.child_process import child_command as child_module
from agent.child_process.child_command import child_command


def test_a_python_of_its_own() -> None:
    found = child_command("reader", ["/lib/reader.py"], "a", "b c")
    assert found == [sys.executable, "-P", "/lib/reader.py", "a", "b c"]
    assert child_command("server", ["-m", "a.b"])[2:] == ["-m", "a.b"]


def test_a_frozen_program_is_its_own_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/workbench/spec-o3")
    found = child_command("reader", ["/lib/reader.py"], "a", "b c")
    assert found == ["/opt/workbench/spec-o3", "--child", "reader", "a", "b c"]


def test_on_windows_the_twin_with_a_console_is_the_child(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The program of the window may have no pipes to talk by."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "Workbench.exe"))
    monkeypatch.setattr(child_module, "is_windows", lambda: True)
    assert child_command("reader", [])[0] == str(tmp_path / "Workbench.exe")
    (tmp_path / "spec-o3.exe").touch()
    assert child_command("reader", [])[0] == str(tmp_path / "spec-o3.exe")
