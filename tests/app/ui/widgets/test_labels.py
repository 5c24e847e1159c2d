"""Labels, buttons and rows shared by panels."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.ui.widgets.labels import (
    MAX_NAME,
    MAX_SHOWN,
    button,
    cut,
    one_line,
    row,
    short_label,
    with_key,
    wrapped_label,
)
from tests.app.ui.steps import shown_in


def test_widgets_in_a_row_share_the_space_by_their_stretch(qtbot):
    first, second, last = short_label("a"), short_label("b"), short_label("c")
    around = QWidget()
    around.setLayout(row(first, (second, 1), 3, last, spacing=0))
    shown_in(qtbot, around, 400, 30)
    assert first.x() == 0 and last.geometry().right() == around.rect().right()
    assert second.width() > 2 * first.width()
    assert last.x() > 2 * second.geometry().right()


def test_texts_are_plain_and_an_ampersand_is_no_shortcut(qtbot):
    label, made = wrapped_label("<b>x</b>", "dim"), button("Save", "primary")
    qtbot.addWidget(label)
    qtbot.addWidget(made)
    assert label.textFormat() == Qt.TextFormat.PlainText and label.property("role") == "dim"
    assert made.focusPolicy() == Qt.FocusPolicy.NoFocus and made.accessibleName() == "Save"
    assert with_key("Accept & go", "Ctrl+&") == "Accept && go  Ctrl+&&"
    assert with_key("Accept", "") == "Accept"


def test_a_text_without_an_end_is_cut():
    assert cut("short") == "short"
    assert cut("x" * 1_000_000) == "x" * (MAX_SHOWN - 1) + "…"


def test_a_name_of_many_lines_is_one():
    assert one_line("a\n\n b\tc") == "a b c"
    assert one_line("\n" * 1_000_000 + "x") == ""
    assert len(one_line("x" * 1_000_000)) == MAX_NAME
