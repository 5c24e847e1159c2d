"""The table of the first rows, and what its headers say."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.ui.importing.list_preview import preview_list
from app.ui.importing.preview_table import MAX_WIDTH, PreviewTable
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.tooltips import plain_html


def test_headers_show_name_and_role(qtbot, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(f"object_id,ra,dec,note\nstar,1.5,-2.25,{'x' * 300}\n")
    table = PreviewTable(CurrentTheme())
    qtbot.addWidget(table)
    table.show_preview(preview_list(path, {}))
    model = table.model()
    across = Qt.Orientation.Horizontal
    assert model.headerData(0, across) == "object_id\nObject"
    assert model.headerData(3, across) == "note\n"
    assert model.index(0, 2).data() == "-2.25"
    right = model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole)
    assert right & Qt.AlignmentFlag.AlignRight
    assert len(model.index(0, 3).data()) < 300
    assert table.columnWidth(3) == MAX_WIDTH


def test_a_name_is_no_markup_in_the_tool_tip(qtbot, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("object_id,<b>\nstar,1\n")
    table = PreviewTable(CurrentTheme())
    qtbot.addWidget(table)
    table.show_preview(preview_list(path, {}))
    tip = table.model().headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert plain_html(tip) == "<span>&lt;b&gt;</span>"
