"""Keys of the window become actions, wherever in it the focus is, except where a person writes.

It sits in front of all widgets: a button, a table or a slider sees no key that means something.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodQueryEvent, QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QMenuBar, QWidget

from app.ui.actions.actions import ACTIONS, FILES, WINDOW
from app.ui.actions.commands import Commands
from app.ui.actions.key_names import parts, press_of, spellings
from app.ui.keys.keymap import Keymap
from app.ui.keys.text_focus import goes_through_rows, has_selected_text, keeps_its_keys, takes_text

ANYWHERE = frozenset(name for name, each in ACTIONS.items() if each.group in (WINDOW, FILES))
"""What makes sense on a page that shows no spectrum."""
EDITING = frozenset({f"Ctrl+{key}" for key in "ACVXYZ"} | {"Ctrl+Shift+Z"})
"""Stay with a text field."""
COPYING = frozenset({"Ctrl+C"})
ROW_KEYS = frozenset({"Up", "Down", "Return"})
"""Of a table of objects that has the focus."""
ESCAPE = "escape"
SAME_MOMENT_MS = 1
"""Between letting a key go and pressing it again: no finger does that."""
WAIT_MS = 20
"""For a press of the same moment, before a held key counts as let go."""
_MOVES_A_CURSOR = frozenset(
    {"Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"}
    | {"Insert", "Delete", "Backspace", "Return", "Space"}
)
_WATCHED = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.KeyRelease,
        QEvent.Type.ShortcutOverride,
        QEvent.Type.InputMethodQuery,
        QEvent.Type.WindowDeactivate,
        QEvent.Type.WindowBlocked,
    }
)


class KeyFilter(QObject):
    """`give_back` gives the focus to the plot. `allows` says which actions make sense just now; a
    key of another one goes to the widget. Close it before the window."""

    def __init__(
        self,
        commands: Commands,
        keymap: Keymap,
        window: QWidget,
        give_back: Callable[[], None],
        allows: Callable[[str], bool] = lambda name: True,
    ) -> None:
        super().__init__(window)
        self._commands = commands
        self._keymap = keymap
        self._window = window
        self._give_back = give_back
        self._allows = allows
        self._held: dict[int, str] = {}
        """Code of the key: the action that lasts until it is let go."""
        self._released_ms: dict[int, int] = {}
        """Code of the key: when it was let go last, as the window system tells the time."""
        self._is_left = False
        """Whether the press that is under way belongs to a text field."""
        self._misses_repeats = misses_repeats()
        _application().installEventFilter(self)

    def close(self) -> None:
        self._end_all()
        _application().removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind not in _WATCHED:
            return False
        if kind in (QEvent.Type.WindowDeactivate, QEvent.Type.WindowBlocked):
            if watched == self._window:
                self._end_all()
            return False
        if not self._is_here(watched):
            return False
        if isinstance(event, QInputMethodQueryEvent):
            return self._refuse_input_method(watched, event)
        if not isinstance(event, QKeyEvent):
            return False
        if kind == QEvent.Type.KeyRelease:
            return self._released(event)
        return self._pressed(watched, event, is_question=kind == QEvent.Type.ShortcutOverride)

    def _pressed(self, watched: QObject, event: QKeyEvent, *, is_question: bool) -> bool:
        """`is_question`: Qt asks who wants the key, before any shortcut of a menu gets it."""
        focus = QApplication.focusWidget()
        if _is_busy_elsewhere(focus):
            self._end_all()
            return False
        keys = spellings(press_of(event))
        name = self._keymap.action(*keys)
        is_writing = takes_text(focus) or takes_text(_widget(watched))
        if is_writing and not _is_for_all(keys, name):
            self._is_left = not is_question
            return False
        if is_question:
            self._is_left = False
        elif self._is_left:  # the field gave the focus back, and lets the same press go up
            return False
        if has_selected_text(focus) and COPYING.intersection(keys):
            return False
        if goes_through_rows(focus) and ROW_KEYS.intersection(keys):
            return self._leave_to_rows(event, is_question=is_question)
        if name is None:
            return not is_question and _would_search(event)
        if not self._commands.can(name) and name != ESCAPE:
            return False
        if not self._allows(name):
            return False
        if is_question:
            event.accept()
        elif not self._is_repeat(event) or ACTIONS[name].repeats:
            self._run(name, event.key(), is_writing)
        return True

    def _leave_to_rows(self, event: QKeyEvent, *, is_question: bool) -> bool:
        """A held key moves on and on, but goes to a row once."""
        if is_question:
            event.accept()
            return True
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return is_enter and self._is_repeat(event)

    def _is_repeat(self, event: QKeyEvent) -> bool:
        released = self._released_ms.pop(event.key(), None)
        if event.isAutoRepeat():
            return True
        return released is not None and 0 <= event.timestamp() - released <= SAME_MOMENT_MS

    def _run(self, name: str, code: int, is_writing: bool) -> None:
        if name == ESCAPE:
            self._give_back()
            if is_writing:
                return
        if self._commands.is_held(name):
            self._held[code] = name
        self._commands.run(name)

    def _released(self, event: QKeyEvent) -> bool:
        code = event.key()
        self._is_left = False
        if not event.isAutoRepeat():
            if not self._misses_repeats:
                return self._end(code)
            self._released_ms[code] = event.timestamp()
            if code in self._held:
                QTimer.singleShot(WAIT_MS, self, partial(self._end_if_released, code))
        return code in self._held

    def _end_if_released(self, code: int) -> None:
        if code in self._released_ms:
            self._end(code)

    def _end(self, code: int) -> bool:
        name = self._held.pop(code, None)
        if name is not None:
            self._commands.let_go(name)
        return name is not None

    def _end_all(self) -> None:
        for code in list(self._held):
            self._end(code)

    def _is_here(self, watched: QObject) -> bool:
        """Whether it is the window or in it; what comes through the system names its handle."""
        if isinstance(watched, QWindow):
            return watched == self._window.windowHandle()
        return isinstance(watched, QWidget) and watched.window() == self._window

    def _refuse_input_method(self, watched: QObject, event: QInputMethodQueryEvent) -> bool:
        """Outside text fields it has nothing to compose, and would eat the letters."""
        widget = _widget(watched)
        if widget is None or takes_text(widget) or keeps_its_keys(widget):
            return False
        event.setValue(Qt.InputMethodQuery.ImEnabled, False)
        event.accept()
        return True


def misses_repeats() -> bool:
    """On X11 Qt takes a repeated key for one pressed anew where the server's two events for it do
    not arrive together; both bear the same time."""
    return QGuiApplication.platformName() == "xcb"


def _is_for_all(keys: tuple[str, ...], name: str | None) -> bool:
    """Whether a key is no writing even in a text field."""
    if name == ESCAPE:
        return True
    for key in keys:
        *modifiers, last = parts(key)
        if "Ctrl" in modifiers and "Alt" not in modifiers:  # both: AltGr, which writes
            return key not in EDITING and last not in _MOVES_A_CURSOR
        if len(last) > 1 and last[0] == "F":
            return True
    return False


def _would_search(event: QKeyEvent) -> bool:
    """A letter that means nothing: a table or a closed list would jump to what begins with it."""
    other = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    text = event.text()
    return bool(text) and text.isprintable() and text != " " and not event.modifiers() & other


def _is_busy_elsewhere(focus: QWidget | None) -> bool:
    """A menu, a modal dialog, or a part of the window that takes its keys itself."""
    return (
        QApplication.activeModalWidget() is not None
        or QApplication.activePopupWidget() is not None
        or isinstance(focus, QMenuBar)
        or keeps_its_keys(focus)
    )


def _widget(watched: QObject) -> QWidget | None:
    return watched if isinstance(watched, QWidget) else None


def _application() -> QCoreApplication:
    application = QCoreApplication.instance()
    assert application is not None
    return application
