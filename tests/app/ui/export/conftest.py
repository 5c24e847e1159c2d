"""The export dialog on a session with six verdicts."""

from __future__ import annotations

import pytest

from app.core.session.records import Opinion, Verdict
from app.ui.export.export_dialog import ExportDialog


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
    dialog.stop()
