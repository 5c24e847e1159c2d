"""Agent records are written where there are any, and otherwise told to be missing before."""

from __future__ import annotations

from PySide6.QtCore import Qt

from agent.trajectory.trajectory_file import read_trajectories
from app.core.inspections.store import add_inspection
from app.ui.export.export_work import ExportKind
from tests.app.core.inspected import said
from tests.app.ui.export.dialog_user import write


def test_without_inspections_nothing_is_written_until_there_are_some(
    qtbot, context, dialog, judged, tmp_path
):
    context.commands.run("export")
    dialog.kinds.setFocus()
    for _ in range(list(ExportKind).index(ExportKind.RECORDS)):
        qtbot.keyClick(dialog.kinds, Qt.Key.Key_Down)
    told = "No inspections yet: nothing to write"
    qtbot.waitUntil(lambda: dialog.records.note.text() == told)
    assert dialog.kind is ExportKind.RECORDS and not dialog.write_button.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.is_writing and not (tmp_path / "night.jsonl").exists()
    add_inspection(judged, 1, said())
    qtbot.waitUntil(lambda: dialog.records.note.text() == "Inspections of nano")
    write(qtbot, dialog)
    assert len(list(read_trajectories(tmp_path / "night.jsonl"))) == 1
