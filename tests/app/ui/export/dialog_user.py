"""What a user does in the export dialog."""

from __future__ import annotations

import csv
from pathlib import Path

from PySide6.QtCore import Qt

from tests.app.ui.tools import click


def choose(qtbot, dialog, name):
    """Click a radio button."""
    click_at = dialog.catalogue.buttons[name]
    qtbot.mouseClick(click_at, Qt.MouseButton.LeftButton, pos=click_at.rect().center())


def write(qtbot, dialog):
    qtbot.waitUntil(dialog.write_button.isEnabled)
    click(qtbot, dialog.write_button)
    qtbot.waitUntil(lambda: not dialog.is_writing)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
