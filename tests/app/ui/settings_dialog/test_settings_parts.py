"""Lists of files."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog


def test_files_are_added_and_taken_away(dialog, monkeypatch):
    dialog.open_page(dialog.files)
    files = (["/a/cv.toml", "/a/b.toml"], "")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *arguments: files)
    QTest.mouseClick(dialog.files.line_lists.add_button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(dialog.files.line_lists.add_button, Qt.MouseButton.LeftButton)
    assert dialog.settings.settings.line_lists == ("/a/cv.toml", "/a/b.toml")
    dialog.files.line_lists.list.setCurrentRow(0)
    QTest.mouseClick(dialog.files.line_lists.remove_button, Qt.MouseButton.LeftButton)
    assert dialog.settings.settings.line_lists == ("/a/b.toml",)
