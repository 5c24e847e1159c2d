"""The dialog about an internal error: its details can be copied, its folder opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.ui.crash.crash_dialog import CrashDialog
from app.ui.crash.crash_report import CrashReport

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(qtbot, tmp_path):
    dialog = CrashDialog(tmp_path / "logs")
    qtbot.addWidget(dialog)
    dialog.show_report(CrashReport(summary="ValueError: odd", text="a traceback"))
    dialog.show()
    return dialog


def test_copy_and_continue(qtbot, dialog):
    assert dialog.summary.text() == "ValueError: odd" and not dialog.isModal()
    qtbot.mouseClick(dialog.copy_button, LEFT)
    assert QGuiApplication.clipboard().text() == "a traceback"
    qtbot.mouseClick(dialog.continue_button, LEFT)
    assert not dialog.isVisible()


@pytest.mark.parametrize("can_open", [True, False])
def test_the_folder_is_opened_or_named(qtbot, dialog, monkeypatch, tmp_path, can_open):
    opened = []
    monkeypatch.setattr(
        "app.ui.crash.crash_report.QDesktopServices.openUrl",
        lambda url: opened.append(url) or can_open,
    )
    qtbot.mouseClick(dialog.folder_button, LEFT)
    assert [Path(url.toLocalFile()) for url in opened] == [tmp_path / "logs"]
    assert (str(tmp_path / "logs") in dialog.note.text()) is not can_open


def test_later_errors_are_counted(dialog):
    for number in range(3):
        dialog.count_another(CrashReport(summary=f"error {number}", text=""))
    assert dialog.note.text() == "3 more since then; the latest: error 2"
    assert dialog.summary.text() == "ValueError: odd"
