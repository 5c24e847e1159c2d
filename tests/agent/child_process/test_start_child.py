"""Children are started so that they end with the program."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from agent.child_process import start_child as child_module
from agent.child_process import start_child as module
from agent.child_process.start_child import child_command, start_child


def test_it_is_a_child_with_pipes() -> None:
    with start_child([sys.executable, "-c", "print('hi')"], stdout=subprocess.PIPE) as child:
        assert child.communicate()[0].split() == [b"hi"]
        assert child.returncode == 0


def test_a_program_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        start_child(["/nowhere/python"])


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="sizes on 64 bits")
def test_the_limits_of_a_job_lie_in_memory_as_windows_has_them() -> None:
    assert ctypes.sizeof(module.JobLimits) == 144
    assert module.JobLimits.flags.offset == 16
    assert module.JobLimits.io_counters.offset == 64
    assert module.JobLimits.memory.offset == 112


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
