"""What of the command line is for the window, and what is said where none can be shown."""

import subprocess
import sys

import pytest

from agent.errors import WorkbenchError
from app.cli import window
from app.cli.window import has_display, is_for_window, open_window

LINUX = sys.platform.startswith("linux")


@pytest.fixture
def nobody_there(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def test_nothing_and_what_can_be_opened_is_for_the_window(tmp_path):
    assert is_for_window([])
    assert is_for_window([str(tmp_path)])
    assert is_for_window(["not there yet.speco3"])
    assert is_for_window(["postgresql://host/night"])


@pytest.mark.parametrize("words", [
    ["--help"], ["-x"], ["nosuchcommand"], ["a", "b"], ["x" * 5000],
    ["~nobody-of-that-name/list.csv"], ["a\0b"],
])  # fmt: skip
def test_anything_else_is_a_command(words):
    assert not is_for_window(words)


@pytest.mark.skipif(not LINUX, reason="elsewhere there always is one")
def test_without_a_display_somebody_can_see_it_says_what_else_there_is(nobody_there, monkeypatch):
    assert not has_display()
    with pytest.raises(WorkbenchError, match="spec-o3 demo"):
        open_window()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_display()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen:size=800x600")
    assert not has_display()


def test_a_library_that_lacks_is_said(monkeypatch):
    def lacks(name):
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(window, "import_module", lacks)
    with pytest.raises(WorkbenchError, match=r"libEGL.*system_libraries"):
        open_window()


def test_python_imports_as_usual_after_the_window_is_imported():
    code = (
        "import builtins; before = builtins.__import__\n"
        "from app.cli.window import import_program; program = import_program()\n"
        "import sys; assert 'PySide6.QtCore' in sys.modules\n"
        "print(builtins.__import__ is before, callable(program.start))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
