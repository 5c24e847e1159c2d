"""Taking things out of a session, with mouse and keys."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from agent.trajectory.trajectory_file import read_trajectories
from app.core.inspections.store import add_inspection
from app.core.queue import LIST_ORDER, parse_filter
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.export import export_dialog
from app.ui.export.export_dialog import ExportDialog
from app.ui.export.export_work import ExportKind
from tests.app.core.inspected import said


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
    yield dialog
    dialog.stop()


def click(qtbot, widget):
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def choose(qtbot, dialog, name):
    """Radio buttons are wide: a click counts on their indicator."""
    click_at = dialog.catalogue.buttons[name]
    qtbot.mouseClick(click_at, Qt.MouseButton.LeftButton, pos=click_at.rect().center())


def write(qtbot, dialog):
    qtbot.waitUntil(dialog.write_button.isEnabled)
    click(qtbot, dialog.write_button)
    qtbot.waitUntil(lambda: not dialog.is_writing)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_accepted_ones_as_csv(qtbot, context, dialog, tmp_path):
    context.commands.run("export")
    qtbot.waitUntil(lambda: dialog.catalogue.table.rowCount() == 3)
    assert dialog.catalogue.count.text().startswith("3 rows")
    assert dialog.catalogue.table.item(0, 0).text() == "90000-60230-0001"
    with qtbot.waitSignal(context.current.message) as told:
        write(qtbot, dialog)
    assert told.args[0].startswith("Written: 3 rows, night.csv")
    assert dialog.outcome.text() == told.args[0]
    found = rows_of(tmp_path / "night.csv")
    assert [row["verdict"] for row in found] == ["ACCEPT"] * 3
    assert (tmp_path / "night.csv-metadata.json").exists()


@pytest.mark.parametrize(("name", "count"), [("judged", 6), ("all", 12), ("accepted", 3)])
def test_which_candidates(qtbot, context, dialog, tmp_path, name, count):
    context.commands.run("export")
    choose(qtbot, dialog, name)
    qtbot.waitUntil(lambda: dialog.catalogue.count.text().startswith(f"{count} rows"))
    write(qtbot, dialog)
    assert len(rows_of(tmp_path / "night.csv")) == count


def test_as_the_list_is_filtered(qtbot, context, dialog, tmp_path):
    context.current.set_queue(parse_filter("verdict:reject"), LIST_ORDER)
    context.commands.run("export")
    choose(qtbot, dialog, "filtered")
    qtbot.waitUntil(lambda: dialog.catalogue.count.text().startswith("3 rows"))
    context.current.set_queue(parse_filter("verdict:accept"), LIST_ORDER)
    qtbot.waitUntil(
        lambda: dialog.catalogue.table.item(0, 0).text() == rows_first(context.current.session)
    )
    write(qtbot, dialog)
    assert {row["verdict"] for row in rows_of(tmp_path / "night.csv")} == {"ACCEPT"}


def rows_first(session):
    return session.candidate(1).object_id


def test_the_format_and_the_suffix_go_together(qtbot, context, dialog, tmp_path):
    context.commands.run("export")
    dialog.catalogue.set_format("fits")
    assert dialog.file.edit.text() == str(tmp_path / "night.fits")
    dialog.file.edit.setText(str(tmp_path / "other.parquet"))
    assert dialog.catalogue.format.currentData() == "parquet"
    dialog.file.edit.setText(str(tmp_path / "v1.2 final"))
    write(qtbot, dialog)
    assert (tmp_path / "v1.2 final.parquet").exists()


@pytest.mark.parametrize("name", ["ecsv", "fits", "votable", "parquet"])
def test_every_format(qtbot, context, dialog, name):
    context.commands.run("export")
    dialog.catalogue.set_format(name)
    write(qtbot, dialog)
    assert dialog.outcome.text().startswith("Written: 3 rows")
    assert dialog.file.path.stat().st_size > 0


def test_a_file_that_will_be_replaced_is_told_before(qtbot, context, dialog, tmp_path):
    (tmp_path / "night.csv").write_text("old")
    context.commands.run("export")
    assert "will be replaced" in dialog.file.problem.text()
    write(qtbot, dialog)
    assert not dialog.file.problem.isVisible()
    assert len(rows_of(tmp_path / "night.csv")) == 3


def test_what_cannot_be_written_says_why(qtbot, context, dialog, tmp_path):
    context.commands.run("export")
    dialog.file.edit.setText(str(tmp_path / "nowhere" / "night.csv"))
    assert "not a folder" in dialog.file.problem.text()
    assert not dialog.write_button.isEnabled()
    dialog.file.edit.setText("")
    assert not dialog.write_button.isEnabled()
    # The list of the session itself is not ours to overwrite: only writing finds out.
    dialog.file.edit.setText(str(tmp_path / "candidates.csv"))
    before = (tmp_path / "candidates.csv").read_bytes()
    write(qtbot, dialog)
    assert "list of this session" in dialog.problem.text
    assert (tmp_path / "candidates.csv").read_bytes() == before


def test_a_report(qtbot, context, dialog, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(export_dialog.QDesktopServices, "openUrl", opened.append)
    context.commands.run("report")
    assert dialog.kind is ExportKind.REPORT
    write(qtbot, dialog)
    assert "<html" in (tmp_path / "night.html").read_text()[:200].lower()
    click(qtbot, dialog.open_button)
    click(qtbot, dialog.folder_button)
    assert [url.toLocalFile() for url in opened] == [str(tmp_path / "night.html"), str(tmp_path)]


def test_the_agents_records(qtbot, context, dialog, tmp_path, judged):
    add_inspection(judged, 1, said())
    context.commands.run("export")
    dialog.kinds.setCurrentRow(list(ExportKind).index(ExportKind.RECORDS))
    write(qtbot, dialog)
    assert dialog.outcome.text().startswith("Written: 1 records")
    assert len(list(read_trajectories(tmp_path / "night.jsonl"))) == 1


def test_packed_for_a_colleague(qtbot, context, dialog, tmp_path):
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
        dialog.work.stop()  # as if Cancel had been pressed by now
        return real(session, order, tell, should_stop)

    monkeypatch.setattr(export_dialog, "write", stopped)
    write(qtbot, dialog)
    assert "Stopped" in dialog.outcome.text()
    assert not list(tmp_path.glob("*packed*"))


def test_blind_mode_hides_the_agent_in_the_preview(qtbot, context, dialog, judged):
    add_inspection(judged, 1, said())
    context.current.blind_mode.set_on(True)
    context.commands.run("export")
    table = dialog.catalogue.table
    qtbot.waitUntil(lambda: table.rowCount() == 3)
    titles = [table.horizontalHeaderItem(n).text() for n in range(table.columnCount())]
    assert table.item(0, titles.index("agent_verdict")).text() == "hidden"
    assert table.item(0, titles.index("agent_p_yes")).text() == "hidden"
    assert table.item(0, titles.index("subclass")).text() == "hidden"
    assert table.item(0, titles.index("verdict")).text() == "ACCEPT"
    assert dialog.blind.isVisible()


def test_it_does_not_get_in_the_way(qtbot, context, dialog):
    context.commands.run("export")
    assert dialog.isVisible()
    assert not dialog.isModal()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
