"""Every kind of file that can be written."""

from __future__ import annotations

import pytest

from agent.trajectory.trajectory_file import read_trajectories
from app.core.inspections.store import add_inspection
from app.core.session.session import open_session
from app.ui.export.export_work import ExportKind
from tests.app.core.inspected import said
from tests.app.ui.export.dialog_user import write


@pytest.mark.parametrize("name", ["ecsv", "fits", "votable", "parquet"])
def test_every_format(qtbot, context, dialog, name):
    context.commands.run("export")
    dialog.catalogue.set_format(name)
    write(qtbot, dialog)
    assert dialog.outcome.text().startswith("Written: 3 rows")
    assert dialog.file.path.stat().st_size > 0


def test_the_agents_records(qtbot, context, dialog, tmp_path, judged):
    add_inspection(judged, 1, said())
    context.commands.run("export")
    dialog.kinds.setCurrentRow(list(ExportKind).index(ExportKind.RECORDS))
    write(qtbot, dialog)
    assert dialog.outcome.text().startswith("Written: 1 record,")
    assert len(list(read_trajectories(tmp_path / "night.jsonl"))) == 1


def test_packed_for_a_colleague(qtbot, context, dialog, tmp_path):
    (tmp_path / "night-packed.speco3").touch()
    context.commands.run("pack")
    assert dialog.file.path.name == "night-packed-2.speco3"
    write(qtbot, dialog)
    assert dialog.outcome.text().startswith("Written: 12 spectra")
    with open_session(tmp_path / "night-packed-2.speco3", "Grace", read_only=True) as copy:
        assert copy.judgements(1)[0].reviewer == "Ada"
