"""How our own processes are started."""

from __future__ import annotations

import sys

import pytest

from agent.child_command import child_command


def test_a_python_of_its_own() -> None:
    found = child_command("reader", ["/lib/reader.py"], "a", "b c")
    assert found == [sys.executable, "-P", "/lib/reader.py", "a", "b c"]
    assert child_command("server", ["-m", "a.b"])[2:] == ["-m", "a.b"]


def test_a_frozen_program_is_its_own_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/workbench/spec-o3")
    found = child_command("reader", ["/lib/reader.py"], "a", "b c")
    assert found == ["/opt/workbench/spec-o3", "--child", "reader", "a", "b c"]
