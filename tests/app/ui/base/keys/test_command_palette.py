"""The palette finds commands by a few letters and runs them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.keys.key_filter import ANYWHERE
from app.ui.program.command_palette import CommandPalette, best_matches, match_score
from tests.app.ui.base.keys.conftest import press

Key = Qt.Key


@pytest.fixture
def window(window):
    window.command_palette = CommandPalette(
        window.commands, window.keymap, window, lambda name: name in window.allowed
    )
    window.command_palette.closed.connect(window.plot.setFocus)
    window.commands.add("palette", window.command_palette.toggle)
    return window


def ask(window, words=""):
    press(window, Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    for letter in words:
        press(window, Key(ord(letter.upper())) if letter != " " else Key.Key_Space)


def rows(window):
    tree = window.command_palette.list
    return [tree.topLevelItem(place).text(0) for place in range(tree.topLevelItemCount())]


def test_what_is_found_runs_by_enter_or_click(window):
    ask(window, "smoo off")
    assert window.command_palette.query.text() == "smoo off" and window.ran == []
    for _ in range(8):
        press(window, Key.Key_Backspace)
    for letter in "nosmoo":
        press(window, Key(ord(letter.upper())))
    assert rows(window)[0] == "No smoothing"
    press(window, Key.Key_Return)
    assert window.ran == ["smooth_off"] and not window.command_palette.isVisible()
    assert QApplication.focusWidget() is window.plot
    window.ran.clear()
    ask(window)
    first = window.command_palette.list.currentItem().text(0)
    press(window, Key.Key_Down)
    press(window, Key.Key_Down)
    press(window, Key.Key_Up)
    chosen = window.command_palette.list.currentItem().text(0)
    assert chosen == rows(window)[1] != first
    press(window, Key.Key_Return)
    assert [ACTIONS[name].title for name in window.ran] == [chosen]
    window.ran.clear()
    ask(window, "settings")
    tree = window.command_palette.list
    place = tree.visualItemRect(tree.topLevelItem(0)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.ran == ["settings"]
    window.ran.clear()
    window.keymap.rebind("export", ["Ctrl+J"])
    ask(window, "export")
    item = window.command_palette.list.currentItem()
    assert (item.text(0), item.text(1)) == ("Export the catalogue", window.keymap.label("export"))


def test_it_closes_without_doing_anything_and_offers_what_makes_sense(window):
    for modifiers in [None, Qt.KeyboardModifier.ControlModifier]:
        ask(window, "acc")
        if modifiers is None:
            press(window, Key.Key_Escape)
        else:
            press(window, Key.Key_K, modifiers)
        assert not window.command_palette.isVisible() and window.ran == []
        assert QApplication.focusWidget() is window.plot
    ask(window)
    window.line.setFocus()
    assert not window.command_palette.isVisible() and QApplication.focusWidget() is window.line
    window.plot.setFocus()
    ask(window, "zzzz")
    assert rows(window) == ["No matching command"]
    press(window, Key.Key_Return)
    assert window.ran == []
    press(window, Key.Key_Escape)
    ask(window)
    offered = set(rows(window))
    assert ACTIONS["accept"].title in offered
    assert ACTIONS["peek"].title not in offered  # it lasts only while a key is held
    press(window, Key.Key_Escape)
    window.allowed = set(ANYWHERE)
    ask(window)
    assert ACTIONS["accept"].title not in rows(window) and ACTIONS["export"].title in rows(window)
    press(window, Key.Key_Escape)
    ask(window)
    window.resize(500, 700)
    QApplication.processEvents()
    box = window.command_palette
    assert window.rect().contains(box.geometry())


def test_letters_are_matched_in_their_order_and_at_beginnings_of_words():
    names = ["Agreement and calibration", "Run the agent here", "Take the agent's proposal"]
    assert best_matches("agent", [(name, (name,)) for name in names])[0] == "Run the agent here"
    both = [("x", ("Attach",)), ("y", ("Agreement and calibration",))]
    assert best_matches("ac", both) == ["y", "x"]
    assert best_matches("", [(name, (name,)) for name in names]) == names
    assert match_score("tga", "agent") is None and match_score("导出", "导出星表") is not None
    assert match_score("  ", "agent") is not None and match_score("a" * 500, "a" * 500) is None
