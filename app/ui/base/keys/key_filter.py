"""Turns key presses into actions wherever the focus is, except in text fields.

The filter runs before the widgets, so buttons, tables and sliders never see a key that is bound.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodQueryEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.base.actions.actions import ACTIONS, FILES, WINDOW
from app.ui.base.actions.commands import Commands
from app.ui.base.actions.key_names import possible_keys, press_of, split_key
from app.ui.base.keys.keymap import Keymap
from app.ui.base.keys.text_focus import (
    accepts_text,
    handles_own_keys,
    has_selection,
    is_in_window,
    keys_go_elsewhere,
    navigates_rows,
)

ANYWHERE = frozenset(name for name, each in ACTIONS.items() if each.group in (WINDOW, FILES))
"""Actions that are available on pages without a spectrum."""
EDITING = frozenset({f"Ctrl+{key}" for key in "ACVXYZ"} | {"Ctrl+Shift+Z"})
"""Keys that a text field keeps."""
COPYING = frozenset({"Ctrl+C"})
ROW_KEYS = frozenset({"Up", "Down", "Return"})  # keys that a focused table of objects keeps
ESCAPE = "escape"
# X11 auto-repeat: where its release and press arrive separately, Qt reports it as a new press. Both
# carry (almost) the same time stamp, which no finger can do. A release therefore counts only if no
# press follows within WAIT_MS.
SAME_MOMENT_MS = 1
WAIT_MS = 20
_CURSOR_KEYS = frozenset(
    {"Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"}
    | {"Insert", "Delete", "Backspace", "Return", "Space"}
)
_LEAVES = (QEvent.Type.WindowDeactivate, QEvent.Type.WindowBlocked)


class KeyFilter(QObject):
    """The keys of one window; `handlers` is what an `InputFilter` calls.

    `focus_plot` moves the focus to the plot. `allows` tells which actions are available now; keys
    of other actions go to the focused widget.
    """

    def __init__(
        self,
        commands: Commands,
        keymap: Keymap,
        window: QWidget,
        focus_plot: Callable[[], None],
        allows: Callable[[str], bool] = lambda name: True,
    ) -> None:
        super().__init__(window)
        self._commands, self._keymap, self._window = commands, keymap, window
        self._focus_plot, self._allows = focus_plot, allows
        self._held: dict[int, str] = {}  # action to end on release, by key code
        self._released_ms: dict[int, int] = {}
        """Time stamp of the last release by the window system, by key code."""
        self._taken_code = 0  # the key that a strip of keys has taken and that may still be held
        self._is_left_to_text = False  # whether the press being delivered was left to a text field
        # Elsewhere Qt itself tells which presses are repeats.
        self._misses_repeats = QGuiApplication.platformName() == "xcb"
        window.installEventFilter(self)

    @property
    def handlers(self) -> dict[type[QEvent], Callable[[QObject, Any], bool]]:
        return {QKeyEvent: self._key, QInputMethodQueryEvent: self._refuse_input_method}

    def close(self) -> None:
        self._end_all()
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End what is held when the window loses the keys."""
        if event.type() in _LEAVES:
            self._end_all()
        return False

    def _key(self, watched: QObject, event: QKeyEvent) -> bool:
        if not is_in_window(watched, self._window):
            return False
        kind = event.type()
        if kind == QEvent.Type.KeyRelease:
            code = event.key()
            self._is_left_to_text = False
            if not event.isAutoRepeat():
                if not self._misses_repeats:
                    return self._end(code)
                self._released_ms[code] = event.timestamp()
                if code in self._held:
                    QTimer.singleShot(WAIT_MS, self, partial(self._end_if_released, code))
            return code in self._held
        return self._pressed(watched, event, is_override=kind == QEvent.Type.ShortcutOverride)

    def _pressed(self, watched: QObject, event: QKeyEvent, *, is_override: bool) -> bool:
        """Handle a press. `is_override`: Qt asks who wants the key before it tries shortcuts."""
        focus = QApplication.focusWidget()
        if keys_go_elsewhere(focus):
            self._end_all()
            return False
        keys = possible_keys(press_of(event))
        name = self._keymap.action(*keys)
        in_text = accepts_text(focus) or accepts_text(_widget(watched))
        if in_text and not _works_in_text(keys, name):
            self._is_left_to_text = not is_override
            return False
        if is_override:
            self._is_left_to_text = False
        elif self._is_left_to_text:  # the text field ignored the press, so it reaches the parent
            return False
        if self._is_taken(event, keys, is_override=is_override):
            return True
        if has_selection(focus) and COPYING.intersection(keys):
            return False
        if navigates_rows(focus) and ROW_KEYS.intersection(keys):
            return self._leave_to_table(event, is_override=is_override)
        if name is None:
            self._leave_taker("", is_override=is_override)
            return not is_override and _would_search_list(event)
        if not self._commands.can(name) and name != ESCAPE:
            return False
        if not self._allows(name):
            return False
        if is_override:
            event.accept()
        elif not self._is_repeat(event) or ACTIONS[name].repeats:
            self._leave_taker(name)
            self._run(name, event.key(), in_text)
        return True

    def _is_taken(self, event: QKeyEvent, keys: tuple[str, ...], *, is_override: bool) -> bool:
        """Whether the key goes to the strip of keys on screen, or went there and is still held."""
        taker = self._commands.key_taker
        if taker is None or not keys:
            return False
        if is_override:
            if taker.wants(keys):
                event.accept()
            return taker.wants(keys)
        if event.key() == self._taken_code and self._is_repeat(event):
            return True
        self._taken_code = 0
        if not taker.wants(keys):
            return False
        if not event.isAutoRepeat():
            self._taken_code = event.key()
            taker.take(keys)
        return True

    def _leave_taker(self, name: str, *, is_override: bool = False) -> None:
        taker = self._commands.key_taker
        if taker is not None and not is_override:
            taker.leave(name)

    def _leave_to_table(self, event: QKeyEvent, *, is_override: bool) -> bool:
        """Let the table handle the key; a held Enter opens a row only once."""
        if is_override:
            event.accept()
            return True
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return is_enter and self._is_repeat(event)

    def _is_repeat(self, event: QKeyEvent) -> bool:
        released = self._released_ms.pop(event.key(), None)
        if event.isAutoRepeat():
            return True
        return released is not None and 0 <= event.timestamp() - released <= SAME_MOMENT_MS

    def _run(self, name: str, code: int, in_text: bool) -> None:
        if name == ESCAPE:
            self._focus_plot()
            if in_text:
                return
        if self._commands.has_end(name):
            self._held[code] = name
        self._commands.run(name)

    def _end_if_released(self, code: int) -> None:
        if code in self._released_ms:
            self._end(code)

    def _end(self, code: int) -> bool:
        name = self._held.pop(code, None)
        if name is not None:
            self._commands.release(name)
        return name is not None

    def _end_all(self) -> None:
        for code in list(self._held):
            self._end(code)

    def _refuse_input_method(self, watched: QObject, event: QInputMethodQueryEvent) -> bool:
        """Disable input methods outside text fields, where they would swallow the letters."""
        widget = _widget(watched)
        if widget is None or not is_in_window(widget, self._window):
            return False
        if accepts_text(widget) or handles_own_keys(widget):
            return False
        event.setValue(Qt.InputMethodQuery.ImEnabled, False)
        event.accept()
        return True


def _works_in_text(keys: tuple[str, ...], name: str | None) -> bool:
    if name == ESCAPE:
        return True
    for key in keys:
        *modifiers, last = split_key(key)
        if "Ctrl" in modifiers and "Alt" not in modifiers:  # Ctrl+Alt is AltGr, which types text
            return key not in EDITING and last not in _CURSOR_KEYS
        if len(last) > 1 and last[0] == "F":
            return True
    return False


def _would_search_list(event: QKeyEvent) -> bool:
    """Whether an unbound letter would make a table or combo box jump to an entry."""
    other = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    text = event.text()
    return bool(text) and text.isprintable() and text != " " and not event.modifiers() & other


def _widget(watched: QObject) -> QWidget | None:
    return watched if isinstance(watched, QWidget) else None
