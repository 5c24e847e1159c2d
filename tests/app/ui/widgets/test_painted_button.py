"""Buttons that show their key, and never take the focus."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import Qt

from app.ui.keys.keymap import Keymap
from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.painted_button import PaintedButton, RowButton, hint
from tests.app.ui.steps import shown_in


def test_text_key_and_tooltip(qtbot, current_theme):
    button = shown_in(qtbot, PaintedButton(current_theme, attrgetter("accent"), mark="✓"), 120, 28)
    button.set_label("Accept", hint="Accept it")
    without_key = button.sizeHint().width()
    button.set_label("Accept", "A", "Accept it")
    assert (button.text(), button.key, button.toolTip()) == ("Accept", "A", "Accept it")
    assert button.accessibleName() == "Accept"
    assert button.sizeHint().width() > without_key
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.hasFocus()


def test_a_checked_button_is_filled(qtbot, current_theme):
    button = shown_in(qtbot, PaintedButton(current_theme, attrgetter("accent")), 120, 28)
    button.setCheckable(True)
    before = button.grab().toImage().pixelColor(60, 6).name()
    button.setChecked(True)
    assert button.grab().toImage().pixelColor(60, 6).name() == current_theme.theme.accent != before


def test_a_hint_names_all_keys(qapp):
    keymap = Keymap(SettingsStore())
    keymap.rebind("accept", ["J", "K"])
    assert hint("Accept", keymap, "accept") == "Accept (J, K)"
    keymap.rebind("accept", [])
    assert hint("Accept", keymap, "accept") == "Accept"


def test_enter_presses_a_large_button(qtbot):
    class Button(RowButton):
        def paintEvent(self, event):
            pass

    button = shown_in(qtbot, Button(), 100, 30)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_Return)
