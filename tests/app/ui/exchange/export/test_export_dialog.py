"""The export dialog, used with mouse and keys."""

from PySide6.QtCore import Qt

from agent.trajectory.trajectory_file import read_trajectories
from app.core.inspections.store import add_inspection
from app.core.session.session import open_session
from app.ui.exchange.export import export_dialog
from app.ui.exchange.export.export_work import ExportKind
from tests.app.core.inspected import said
from tests.app.ui.candidates import sample_list
from tests.app.ui.exchange.export.conftest import rows_of, write
from tests.app.ui.steps import click


def test_accepted_ones_as_csv_over_a_former_file(qtbot, context, dialog, tmp_path):
    (tmp_path / "night-vetted.csv").write_text("old")
    context.commands.run("export")
    assert "will be replaced" in dialog.file.problem.text()
    qtbot.waitUntil(lambda: dialog.catalogue.table.rowCount() == 3)
    assert dialog.catalogue.count.text().startswith("3 rows")
    assert dialog.catalogue.table.item(0, 0).text() == "90000-60230-0001"
    with qtbot.waitSignal(context.current.message) as signal:
        write(qtbot, dialog)
    assert signal.args[0].startswith("Written: 3 rows, night-vetted.csv")
    assert dialog.outcome.text() == signal.args[0]
    assert not dialog.file.problem.isVisible()
    found = rows_of(tmp_path / "night-vetted.csv")
    assert [row["verdict"] for row in found] == ["ACCEPT"] * 3
    assert (tmp_path / "night-vetted.csv-metadata.json").exists()
    context.commands.run("export")
    assert dialog.isVisible() and not dialog.isModal()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_the_program_keeps_itself_is_exported_where_one_finds_it(
    context, dialog, tmp_path, monkeypatch
):
    monkeypatch.setattr(export_dialog, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(export_dialog.Path, "home", lambda: tmp_path.parent)
    context.commands.run("export")
    assert dialog.file.path == tmp_path.parent / "night-vetted.csv"


def test_what_cannot_be_written_says_why(qtbot, context, dialog, tmp_path):
    context.commands.run("export")
    dialog.file.edit.setText(str(tmp_path / "nowhere" / "night-vetted.csv"))
    assert "not a folder" in dialog.file.problem.text() and not dialog.write_button.isEnabled()
    dialog.file.edit.setText("")
    assert not dialog.write_button.isEnabled()
    # Only writing finds out that the path is a list of the session, which must not be replaced.
    place = sample_list()
    dialog.file.edit.setText(str(place))
    before = place.read_bytes()
    write(qtbot, dialog)
    assert "list of this session" in dialog.problem.text and place.read_bytes() == before


def test_a_report_and_a_pack_for_a_colleague(qtbot, context, dialog, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(export_dialog.QDesktopServices, "openUrl", opened.append)
    context.commands.run("report")
    assert dialog.kind is ExportKind.REPORT
    write(qtbot, dialog)
    assert "<html" in (tmp_path / "night.html").read_text()[:200].lower()
    click(qtbot, dialog.open_button)
    click(qtbot, dialog.folder_button)
    assert [url.toLocalFile() for url in opened] == [str(tmp_path / "night.html"), str(tmp_path)]
    (tmp_path / "night-packed.speco3").touch()
    context.commands.run("pack")
    assert dialog.file.path.name == "night-packed-2.speco3"
    write(qtbot, dialog)
    assert dialog.outcome.text().startswith("Written: 12 spectra")
    with open_session(tmp_path / "night-packed-2.speco3", "Grace", read_only=True) as copy:
        assert copy.judgements(1)[0].reviewer == "Ada"


def test_stopping(qtbot, context, dialog, tmp_path, monkeypatch):
    context.commands.run("pack")
    real = export_dialog.write

    def stopped(session, order, tell, should_stop):
        dialog.work.stop()  # as if Cancel had been pressed
        return real(session, order, tell, should_stop)

    monkeypatch.setattr(export_dialog, "write", stopped)
    write(qtbot, dialog)
    assert "Stopped" in dialog.outcome.text() and not list(tmp_path.glob("*packed*"))


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
    assert dialog.outcome.text().startswith("Written: 1 record,")
    assert len(list(read_trajectories(tmp_path / "night.jsonl"))) == 1


def test_every_format(qtbot, context, dialog):
    for name in ["ecsv", "fits", "votable", "parquet"]:
        context.commands.run("export")
        dialog.catalogue.set_format(name)
        write(qtbot, dialog)
        assert dialog.outcome.text().startswith("Written: 3 rows")
        assert dialog.file.path.stat().st_size > 0
