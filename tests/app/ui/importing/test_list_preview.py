"""A list is previewed in a table with its roles, even if it cannot be imported yet."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from agent.tasks.catalogue import find_task
from app.core.errors import ImportStopped
from app.core.importing.importer import import_list
from app.core.session.session import new_session
from app.ui.importing.list_preview import preview_list
from app.ui.importing.preview_table import MAX_WIDTH, PreviewTable
from app.ui.importing.same_lists import lists_of
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.tooltips import plain_html


def test_a_list_is_previewed_with_its_roles_or_without(sample_list, tmp_path):
    preview = preview_list(sample_list, {})
    assert (preview.format, preview.problem) == ("CSV", "")
    assert preview.roles.columns["path"] == "file"
    assert len(preview.rows[0]) == len(preview.columns)
    path = tmp_path / "strange.csv"
    path.write_text("foo,bar\nstar 1,2\nstar 2,4\n")
    preview = preview_list(path, {})
    assert "no column was recognized" in preview.problem
    assert [column.name for column in preview.columns] == ["foo", "bar"]
    assert [row[0] for row in preview.rows] == ["star 1", "star 2"]
    assert preview_list(path, {"object_id": "foo"}).problem == ""
    preview = preview_list(tmp_path / "gone.csv", {})
    assert preview.problem and (preview.columns, preview.rows) == ((), ())
    with pytest.raises(ImportStopped):
        preview_list(sample_list.parent / "spectra", {}, should_stop=lambda: True)


def test_headers_show_name_and_role_and_no_markup(qtbot, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(f"object_id,ra,dec,note\nstar,1.5,-2.25,{'x' * 300}\n")
    table = PreviewTable(CurrentTheme())
    qtbot.addWidget(table)
    table.show_preview(preview_list(path, {}))
    model = table.model()
    across = Qt.Orientation.Horizontal
    assert model.headerData(0, across) == "object_id\nObject"
    assert model.headerData(3, across) == "note\n" and model.index(0, 2).data() == "-2.25"
    right = model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert right & Qt.AlignmentFlag.AlignRight and len(model.index(0, 3).data()) < 300
    assert table.columnWidth(3) == MAX_WIDTH
    path = tmp_path / "list.csv"
    path.write_text("object_id,<b>\nstar,1\n")
    table = PreviewTable(CurrentTheme())
    qtbot.addWidget(table)
    table.show_preview(preview_list(path, {}))
    tip = table.model().headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert plain_html(tip) == "<span>&lt;b&gt;</span>"


def test_a_list_keeps_its_columns_and_a_spectrum_has_none(tmp_path, sample_list, one_spectrum):
    with new_session(tmp_path / "night.speco3", find_task("CV"), "Ada") as session:
        import_list(session, sample_list, roles={"score": "mag_r", "label": ""})
        import_list(session, one_spectrum)
        found = lists_of(session)
    assert list(found) == [sample_list, one_spectrum]
    assert found[sample_list]["score"] == "mag_r" and found[sample_list]["label"] == ""
    assert found[sample_list]["path"] == "file" and found[one_spectrum] == {}
