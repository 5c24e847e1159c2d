"""The export dialog on a session with six verdicts."""

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.core.session.records import Opinion, Verdict
from app.ui.exchange.export.export_dialog import ExportDialog
from tests.app.ui.steps import click


@pytest.fixture
def judged(session):
    for number in range(1, 7):
        verdict = Verdict.ACCEPT if number % 2 else Verdict.REJECT
        session.record_verdict(number, Opinion(verdict=verdict, comment="宽 Hα"))
    return session


@pytest.fixture
def dialog(qtbot, context, judged):
    dialog = ExportDialog(context)
    qtbot.addWidget(dialog)
    context.commands.add("export", dialog.show_catalogue)
    context.commands.add("report", dialog.show_report)
    context.commands.add("pack", dialog.show_packing)
    yield dialog
    dialog.work.stop()


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
