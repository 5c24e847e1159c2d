"""Reasons why no window can be shown, found before Qt would abort the program."""

import sys

import pytest
from PySide6.QtCore import QLibraryInfo

from agent.errors import WorkbenchError
from app.cli.window import open_window
from app.ui.program import display_check as module
from app.ui.program.display_check import platform_fault

if not sys.platform.startswith("linux"):
    pytest.skip("X11 is asked on Linux", allow_module_level=True)


@pytest.fixture
def surroundings(monkeypatch):
    def surroundings(**told: str) -> None:
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in told.items():
            monkeypatch.setenv(name, value)

    return surroundings


def test_a_display_that_does_not_answer_is_said(surroundings):
    surroundings(DISPLAY=":64999")
    assert platform_fault() == "the display :64999 does not answer"
    with pytest.raises(WorkbenchError, match="cannot be shown: the display :64999 does not"):
        open_window()


def test_without_x11_no_display_is_checked(surroundings, monkeypatch):
    silent, wayland = {"DISPLAY": ":64999"}, {"WAYLAND_DISPLAY": "wayland-0"}
    for told in [silent | {"QT_QPA_PLATFORM": "offscreen"}, silent | wayland, wayland, {}]:
        surroundings(**told)
        assert platform_fault() == ""
    monkeypatch.setattr(module, "_answers", lambda display: display == ":5")
    surroundings(DISPLAY=":5")
    assert platform_fault() == ""


def test_a_library_that_is_missing_is_named(surroundings, monkeypatch, tmp_path):
    (tmp_path / "platforms").mkdir()
    (tmp_path / "platforms" / "libqxcb.so").write_bytes(b"no library")
    monkeypatch.setattr(QLibraryInfo, "path", lambda which: str(tmp_path))
    surroundings(DISPLAY=":64999")
    assert "libqxcb.so: file too short" in platform_fault()


@pytest.mark.parametrize("is_frozen", [False, True])
def test_what_helps_where_qt_cannot_be_loaded(surroundings, monkeypatch, is_frozen):
    """A bundle has no installation script."""
    surroundings(DISPLAY=":64999")
    monkeypatch.setattr(sys, "frozen", is_frozen, raising=False)
    monkeypatch.setitem(sys.modules, "app.ui.program.application", None)
    with pytest.raises(WorkbenchError, match="the window cannot be shown") as told:
        open_window()
    assert ("libegl1" in str(told.value)) == is_frozen
    assert ("system_libraries.sh" in str(told.value)) != is_frozen
