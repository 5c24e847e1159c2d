"""The candidates and the format of a catalogue, and its first rows."""

from PySide6.QtCore import Qt

from agent import plugins
from app.core.exporting.export import FORMATS
from app.core.exporting.plugin_formats import TAKEN
from app.core.inspections.store import add_inspection
from app.core.queue import LIST_ORDER, parse_filter
from app.core.session.measurements import record_measurement
from app.core.session.records import Opinion, Verdict
from app.core.statistics.adjudication import set_adjudicator
from app.ui.exchange.export.export_dialog import ExportDialog
from app.ui.exchange.export.export_work import ROWS, SUFFIXES, candidate_ids, preview_export
from app.ui.session.candidate.queue_neighbours import Queue
from tests.app.core.inspected import said
from tests.app.core.judged_sessions import say
from tests.app.core.session.test_measurements import HALPHA
from tests.app.example_plugin import PluginSite, write_package
from tests.app.ui.exchange.export.conftest import choose, rows_of, write
from tests.app.ui.steps import click


def test_every_format_of_the_program_is_offered_and_none_can_be_taken(dialog):
    assert set(SUFFIXES) == set(FORMATS.values())
    assert {suffix.removeprefix(".") for suffix in FORMATS} <= set(TAKEN)
    titles = [dialog.catalogue.format.itemData(n) for n in range(dialog.catalogue.format.count())]
    assert titles == list(SUFFIXES)


def test_which_candidates_also_as_the_list_is_filtered(qtbot, context, dialog, tmp_path):
    for name, count in [("judged", 6), ("all", 12), ("accepted", 3)]:
        context.commands.run("export")
        choose(qtbot, dialog, name)
        qtbot.waitUntil(lambda n=count: dialog.catalogue.count.text().startswith(f"{n} rows"))
        write(qtbot, dialog)
        assert len(rows_of(tmp_path / "night-vetted.csv")) == count
    context.current.set_queue(parse_filter("verdict:reject"), LIST_ORDER)
    context.commands.run("export")
    choose(qtbot, dialog, "filtered")
    qtbot.waitUntil(lambda: dialog.catalogue.count.text().startswith("3 rows"))
    context.current.set_queue(parse_filter("verdict:accept"), LIST_ORDER)
    first = context.current.session.candidate(1).object_id
    qtbot.waitUntil(lambda: dialog.catalogue.table.item(0, 0).text() == first)
    write(qtbot, dialog)
    assert {row["verdict"] for row in rows_of(tmp_path / "night-vetted.csv")} == {"ACCEPT"}


def test_an_empty_choice_is_told_before_and_another_offered(
    qtbot, context, judged, dialog, tmp_path
):
    for number in (1, 3, 5):
        judged.record_verdict(number, Opinion(verdict=Verdict.UNSURE))
    context.commands.run("export")
    panel = dialog.catalogue
    told = "0 of 12 candidates are accepted: nothing to write"
    qtbot.waitUntil(lambda: panel.count.text() == told)
    assert not dialog.write_button.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.is_writing and not (tmp_path / "night-vetted.csv").exists()
    assert panel.instead.text() == "Choose the 6 judged"
    click(qtbot, panel.instead)
    assert panel.buttons["judged"].isChecked()
    qtbot.waitUntil(lambda: panel.count.text().startswith("6 rows"))
    assert not panel.instead.isVisible()
    write(qtbot, dialog)
    assert len(rows_of(tmp_path / "night-vetted.csv")) == 6


def test_a_verdict_given_beside_the_open_dialog_is_counted(qtbot, context, session):
    dialog = ExportDialog(context)
    qtbot.addWidget(dialog)
    dialog.show_catalogue()
    panel = dialog.catalogue
    qtbot.waitUntil(lambda: panel.instead.text() == "Choose all 12")
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    qtbot.waitUntil(lambda: panel.count.text().startswith("1 row,"))
    qtbot.waitUntil(dialog.write_button.isEnabled)
    assert not panel.instead.isVisible()


def test_an_empty_choice_is_told_in_chinese(qtbot, chinese, context):
    context.current.set_queue(parse_filter("verdict:accept"), LIST_ORDER)
    dialog = ExportDialog(context)
    qtbot.addWidget(dialog)
    dialog.show_catalogue()
    panel = dialog.catalogue
    for name, told in (
        ("accepted", "12 个候选体中有 0 个已接受：没有可写入的内容"),
        ("judged", "12 个候选体中有 0 个已判定：没有可写入的内容"),
        ("filtered", "没有符合筛选条件的候选体：没有可写入的内容"),
    ):
        choose(qtbot, dialog, name)
        qtbot.waitUntil(lambda told=told: panel.count.text() == told)
        assert panel.instead.text() == "选择全部 12 个"


def test_the_format_and_the_suffix_go_together(qtbot, context, dialog, tmp_path):
    context.commands.run("export")
    dialog.catalogue.set_format("fits")
    assert dialog.file.edit.text() == str(tmp_path / "night-vetted.fits")
    dialog.file.edit.setText(str(tmp_path / "other.parquet"))
    assert dialog.catalogue.format.currentData() == "parquet"
    dialog.file.edit.setText(str(tmp_path / "v1.2 final"))
    write(qtbot, dialog)
    assert (tmp_path / "v1.2 final.parquet").exists()


def test_blind_mode_hides_the_agent_in_the_preview(qtbot, context, dialog, judged):
    add_inspection(judged, 1, said())
    context.current.blind_mode.set_on(True)
    context.commands.run("export")
    table = dialog.catalogue.table
    qtbot.waitUntil(lambda: table.rowCount() == 3)
    titles = [table.horizontalHeaderItem(n).text() for n in range(table.columnCount())]
    for title in ("agent_verdict", "agent_p_yes", "subclass"):
        assert table.item(0, titles.index(title)).text() == "hidden"
    assert table.item(0, titles.index("verdict")).text() == "ACCEPT" and dialog.blind.isVisible()


def test_a_format_of_a_plug_in(qtbot, context, judged, tmp_path, monkeypatch):
    """It is offered without being loaded, and one that fails is named in the dialog."""
    site = PluginSite(tmp_path / "site", monkeypatch)
    good = "def write(file, table):\n    file.write(str(len(table)).encode())\n"
    write_package(site.folder, "good_format", good, {"exporters/count": "good_format:write"})
    bad = "def write(file, table):\n    raise KeyError('no such column')\n"
    write_package(site.folder, "bad_format", bad, {"exporters/odd": "bad_format:write"})
    dialog = ExportDialog(context)
    qtbot.addWidget(dialog)
    context.commands.add("export", dialog.show_catalogue)
    context.commands.run("export")
    assert "exporters" not in plugins._loaded
    dialog.catalogue.format.setCurrentText(".count (good_format 1.0)")
    assert dialog.file.path == tmp_path / "night-vetted.count"
    write(qtbot, dialog)
    assert (tmp_path / "night-vetted.count").read_text() == "3"
    dialog.catalogue.format.setCurrentText(".odd (bad_format 1.0)")
    click(qtbot, dialog.write_button)
    qtbot.waitUntil(lambda: "plug-in odd of bad_format 1.0" in dialog.problem.text)
    assert not (tmp_path / "night-vetted.odd").exists()


EVERYTHING = Queue(tree=parse_filter(""), sort=LIST_ORDER)
REJECTED = Queue(tree=parse_filter("verdict:reject"), sort=LIST_ORDER)


def names_in(preview):
    return [cells[0] for cells in preview.cells]


def hidden_in(preview):
    return {preview.columns[index].name for index in preview.hidden_when_blind}


def test_rows_of_a_choice_are_counted_and_the_first_shown(judged):
    for choice, count in [("accepted", 3), ("judged", 6), ("all", 12)]:
        preview = preview_export(judged, choice, EVERYTHING)
        assert preview.count == str(count) and len(preview.cells) == min(count, ROWS)
        assert all(len(row) == len(preview.columns) for row in preview.cells)
    assert candidate_ids(judged, REJECTED) == [2, 4, 6]
    assert candidate_ids(judged, EVERYTHING, 2) == [1, 2]
    assert preview_export(judged, "filtered", REJECTED).count == "3"
    preview = preview_export(judged, "selected", EVERYTHING, (9, 2, 7))
    assert preview.count == "3"
    assert names_in(preview) == [judged.candidate(number).object_id for number in (9, 2, 7)]


def test_candidates_on_which_reviewers_disagree_are_neither_counted_nor_listed(judged):
    say(judged, "Li Wei", {1: Verdict.REJECT, 2: Verdict.ACCEPT, 3: Verdict.ACCEPT})
    preview = preview_export(judged, "accepted", EVERYTHING)
    assert names_in(preview) == [judged.candidate(number).object_id for number in (3, 5)]
    assert (preview.count, preview.disputed) == ("2", 2)
    set_adjudicator(judged, "Li Wei")
    preview = preview_export(judged, "accepted", EVERYTHING)
    assert (preview.count, len(preview.cells), preview.disputed) == ("3", 3, 1)
    assert preview_export(judged, "judged", EVERYTHING).disputed == 0


def test_columns_of_agents_and_the_label_are_hidden_when_blind(judged):
    hidden = hidden_in(preview_export(judged, "all", EVERYTHING))
    assert {"agent_verdict", "agent_p_yes", "subclass"} <= hidden and "verdict" not in hidden
    add_inspection(judged, 1, said("YES", 0.75))
    record_measurement(judged, 1, HALPHA)
    preview = preview_export(judged, "all", EVERYTHING)
    hidden = hidden_in(preview)
    assert {"agent_nano_verdict", "agent_nano_p_yes", "agent_nano_model"} <= hidden
    assert all(name.startswith("agent_") or name == "subclass" for name in hidden)
    assert "ew_Halpha" in {column.name for column in preview.columns}
