"""The overlay lists the current keys and closes at the next key or click."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.ui.base.actions.actions import ACTIONS
from app.ui.base.actions.key_names import label
from app.ui.program.window_keys import KeysOverlay

Key = Qt.Key


@pytest.fixture
def window(window):
    window.overlay = KeysOverlay(window.keymap, window)
    window.commands.add("keys", window.overlay.toggle)
    return window


def texts(window):
    return [each.text() for each in window.overlay.findChildren(QLabel) if each.isVisible()]


def ask(window):
    QTest.keyClick(window.windowHandle(), Key.Key_Question, Qt.KeyboardModifier.ShiftModifier)
    QApplication.processEvents()


def test_it_follows_rebinding(window):
    window.keymap.rebind("accept", ["Ctrl+J"])
    ask(window)
    assert label("Ctrl+J") in texts(window)


def test_any_key_or_click_puts_it_away_and_does_no_more(window):
    for key in [Key.Key_X, Key.Key_Escape, Key.Key_Question, Key.Key_Space]:
        window.ran.clear()
        ask(window)
        assert window.overlay.isVisible()
        QTest.keyClick(window.windowHandle(), Key.Key_Shift)
        assert window.overlay.isVisible()
        QTest.keyClick(window.windowHandle(), key)
        assert not window.overlay.isVisible() and window.ran == []
        assert QApplication.focusWidget() is window.plot
        QTest.keyClick(window.windowHandle(), Key.Key_X)
        assert window.ran == ["reject"]
    window.ran.clear()
    ask(window)
    middle = window.overlay.rect().center()
    target = window.overlay.childAt(middle)
    QTest.mouseClick(target, Qt.MouseButton.LeftButton)
    assert not window.overlay.isVisible()
    window.ran.clear()
    window.line.setFocus()
    window.commands.run("keys")  # as from a menu, because ? types text here
    assert window.overlay.isVisible()
    QTest.keyClick(window.windowHandle(), Key.Key_A)
    assert QApplication.focusWidget() is window.line and window.line.text() == ""


def test_it_shows_every_action_that_has_a_key_and_nothing_is_cut(window):
    for size in [(1440, 900), (1280, 720)]:
        window.overlay.hide()
        window.resize(*size)
        ask(window)
        bar = window.overlay.findChildren(type(window.overlay._area.horizontalScrollBar()))
        assert [each for each in bar if each.isVisible()] == []
        for text in window.overlay.findChildren(QLabel):
            assert text.width() >= text.minimumSizeHint().width()
    for profile in ["default", "marz", "candyjar"]:
        window.overlay.hide()
        window.keymap.use_profile(profile)
        ask(window)
        shown = texts(window)
        assert window.overlay.geometry() == window.rect()
        keyed = [name for name in ACTIONS if window.keymap.keys(name)]
        assert [name for name in keyed if ACTIONS[name].title not in shown] == []
        single = [name for name in keyed if not name.startswith("window_")]
        keys = [label(key) for name in single for key in window.keymap.keys(name)]
        assert [key for key in keys if key not in shown] == []
