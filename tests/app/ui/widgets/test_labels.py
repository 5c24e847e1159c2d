"""Labels, buttons, menu entries, rows and scroll areas shared by panels."""

from operator import attrgetter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QVBoxLayout, QWidget

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from app.ui.base.actions.commands import Commands
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.judge.controls.guideline_panel import FoldingSection
from app.ui.widgets.agent_parts import colour_verdict, record_names, short_name
from app.ui.widgets.labels import (
    MAX_NAME,
    MAX_SHOWN,
    add_action,
    add_check,
    button,
    cut,
    one_line,
    row,
    short_label,
    with_key,
    wrapped_label,
)
from app.ui.widgets.page_parts import OPEN, SHUT, EmptyState, FoldingCard, PageScrollArea
from app.ui.widgets.painted_button import PaintedButton, RowButton, hint
from tests.app.ui.steps import click, shown_in
from tests.app.ui.window.cut_texts import cut_texts


def test_widgets_in_a_row_share_the_space_by_their_stretch(qtbot):
    first, second, last = short_label("a"), short_label("b"), short_label("c")
    around = QWidget()
    around.setLayout(row(first, (second, 1), 3, last, spacing=0))
    shown_in(qtbot, around, 400, 30)
    assert first.x() == 0 and last.geometry().right() == around.rect().right()
    assert second.width() > 2 * first.width() and last.x() > 2 * second.geometry().right()


def test_texts_are_plain_cut_and_of_one_line(qtbot, qapp):
    label, made = wrapped_label("<b>x</b>", "dim"), button("Save", "primary")
    qtbot.addWidget(label)
    qtbot.addWidget(made)
    assert label.textFormat() == Qt.TextFormat.PlainText and label.property("role") == "dim"
    assert made.focusPolicy() == Qt.FocusPolicy.NoFocus and made.accessibleName() == "Save"
    assert with_key("Accept & go", "Ctrl+&") == "Accept && go  Ctrl+&&"
    assert with_key("Accept", "") == "Accept" and cut("short") == "short"
    assert cut("x" * 1_000_000) == "x" * (MAX_SHOWN - 1) + "…" and one_line("a\n\n b\tc") == "a b c"
    assert one_line("\n" * 1_000_000 + "x") == ""
    assert len(one_line("x" * 1_000_000)) == MAX_NAME
    keymap = Keymap(SettingsStore())
    keymap.rebind("accept", ["J", "K"])
    assert hint("Accept", keymap, "accept") == "Accept (J, K)"
    keymap.rebind("accept", [])
    assert hint("Accept", keymap, "accept") == "Accept"


@pytest.fixture
def menu(qtbot):
    menu = QMenu()
    qtbot.addWidget(menu)
    return menu


def test_menu_entries_show_names_as_they_are_and_call_without_arguments(menu):
    called = []
    action = add_action(menu, "Stars & dust", lambda *given: called.append(given))
    assert action.text() == "Stars && dust"  # Qt shows a doubled one as itself
    action.trigger()
    assert called == [()]
    told = []
    action = add_check(menu, "S/N", True, told.append)
    action.trigger()
    action.trigger()
    assert told == [False, True]


def test_buttons_show_text_key_and_state_and_enter_presses_a_large_one(qtbot, current_theme):
    button = shown_in(qtbot, PaintedButton(current_theme, attrgetter("accent"), mark="✓"), 120, 28)
    button.set_label("Accept", hint="Accept it")
    without_key = button.sizeHint().width()
    button.set_label("Accept", "A", "Accept it")
    assert (button.text(), button.key, button.toolTip()) == ("Accept", "A", "Accept it")
    assert button.accessibleName() == "Accept" and button.sizeHint().width() > without_key
    click(qtbot, button)
    assert not button.hasFocus()
    button = shown_in(qtbot, PaintedButton(current_theme, attrgetter("accent")), 120, 28)
    button.setCheckable(True)
    before = button.grab().toImage().pixelColor(60, 6).name()
    button.setChecked(True)
    assert button.grab().toImage().pixelColor(60, 6).name() == current_theme.theme.accent != before

    class Button(RowButton):
        def paintEvent(self, event):
            pass

    button = shown_in(qtbot, Button(), 100, 30)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Return)


def test_areas_squeeze_nothing_and_show_what_has_the_focus(qtbot):
    label = wrapped_label("many words that wrap " * 40)
    inner = QWidget()
    QVBoxLayout(inner).addWidget(label)
    area = shown_in(qtbot, PageScrollArea(inner), 200, 100)
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    assert area.height() == 100
    inner, page = QWidget(), QWidget()
    filler, first, second = QWidget(), QLineEdit(page), QLineEdit(inner)
    filler.setFixedHeight(900)
    for layout, parts in (
        (QVBoxLayout(inner), (filler, second)),
        (QVBoxLayout(page), (first, PageScrollArea(inner))),
    ):
        for part in parts:
            layout.addWidget(part)
    shown_in(qtbot, page, 300, 300)
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    qtbot.waitUntil(second.hasFocus)
    assert second.visibleRegion().boundingRect().height() == second.height()


def record(name, sha256=""):
    return Trajectory(
        task="CV", spectrum=SpectrumRef(), model=ModelRef(name=name, sha256=sha256), steps=(),
        stopped_by="answer"
    )  # fmt: skip


def test_names_and_verdicts_of_models_are_short_and_told_apart(qtbot):
    assert short_name("nano") == "nano"
    assert short_name("/models/" + "x" * 30 + "-Q4.gguf") == "…" + "x" * 18 + "-Q4.gguf"
    assert record_names([record("nano"), record("measured")]) == ["nano", "measured"]
    same = [record("nano", "abcdef01"), record("nano", "123456ff")]
    assert record_names(same)[0] == "nano · abcdef" and len(set(record_names(same))) == 2
    label = QLabel()
    qtbot.addWidget(label)
    roles = []
    for verdict in ("YES", "NO", None):
        colour_verdict(label, verdict)
        roles.append(label.property("role"))
    assert roles == ["accept", "reject", "title"]


def test_cards_and_sections_fold_by_a_click(qtbot, current_theme):
    card, inside = FoldingCard("Queue"), QLabel("inside")
    card.inside.addWidget(inside)
    shown_in(qtbot, card, 200, 100)
    assert card.heading.text() == f"{OPEN} Queue" and inside.isVisible()
    click(qtbot, card.heading)
    assert card.heading.text() == f"{SHUT} Queue" and not inside.isVisible()
    click(qtbot, card.heading)
    assert inside.isVisible()
    section, inside = FoldingSection("Velocity", current_theme), QLabel("inside")
    section.body.addWidget(inside)
    shown_in(qtbot, section, 200, 100)
    section.header.set_note("20 km/s")
    assert inside.isVisible() and section.header.accessibleDescription() == "20 km/s"
    unfolded = section.header.grab().toImage()
    click(qtbot, section.header)
    assert not inside.isVisible() and not section.header.isChecked()
    assert section.header.grab().toImage() != unfolded
    click(qtbot, section.header)
    assert inside.isVisible()


def test_the_ways_on_from_an_empty_page_are_read_whole_where_it_is_narrow(qtbot):
    commands = Commands()
    for name in ("share_out", "merge"):
        commands.add(name, list)
    empty = EmptyState(commands)
    empty.show_reason("Nobody has judged anything yet.", "share_out", "merge")
    widest = max(button.sizeHint().width() for button in empty.buttons)
    page = shown_in(qtbot, QWidget(), widest + 20, 300)
    empty.setParent(page)  # as in a splitter, its own least width does not count
    empty.setGeometry(page.rect())
    empty.show()
    assert cut_texts(page) == []
