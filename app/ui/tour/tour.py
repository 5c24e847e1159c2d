"""A tour of the window in five stops for new users; the window keeps working during the tour.

Enter goes on, Shift+Enter goes back and Esc ends the tour; all other keys work as usual.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QMenuBar, QWidget
from shiboken6 import isValid

from app.ui.keys.keymap import Keymap
from app.ui.keys.text_focus import accepts_text, handles_own_keys
from app.ui.session_view import SessionView
from app.ui.settings.settings_store import SettingsStore
from app.ui.start.welcome_page import TOUR
from app.ui.theme.theme import CurrentTheme
from app.ui.tour.bubble import TourBubble
from app.ui.tour.positioning import position_beside
from app.ui.tour.spotlight import Spotlight
from app.ui.tour.stops import Stop, tour_stops

_MOVES = frozenset(
    {
        QEvent.Type.Resize,
        QEvent.Type.Move,
        QEvent.Type.Show,
        QEvent.Type.Hide,
        QEvent.Type.LayoutRequest,
    }
)
_KEYS = frozenset({QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride})
_ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_PLAIN = Qt.KeyboardModifier.NoModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class Tour(QObject):
    """The tour of one window; call `end` before the session is closed."""

    def __init__(
        self, window: QWidget, keymap: Keymap, settings: SettingsStore, current_theme: CurrentTheme
    ) -> None:
        super().__init__(window)
        self._window, self._keymap = window, keymap
        self._settings, self._current_theme = settings, current_theme
        self._view: SessionView | None = None
        self._stops: tuple[Stop, ...] = ()
        self._index = 0
        self._is_left_to_text = False
        """Whether the press being delivered was left to a text field."""
        self.spotlight: Spotlight | None = None
        self.bubble: TourBubble | None = None
        # Coalesces the many events that come with a resize.
        self._reposition_timer = QTimer(self, singleShot=True, interval=0)
        self._reposition_timer.timeout.connect(self._reposition)

    @property
    def is_new(self) -> bool:
        """Whether the user has not taken the tour yet."""
        return TOUR not in self._settings.settings.told

    @property
    def stop(self) -> Stop | None:
        """The current stop; None if no tour is running."""
        return self._stops[self._index] if self._stops else None

    def start(self, view: SessionView) -> None:
        """Start at the first stop; from now on the tour counts as taken."""
        self.end()
        if self.is_new:
            self._settings.change(told=(*self._settings.settings.told, TOUR))
        if self.spotlight is None or self.bubble is None:
            self.spotlight = Spotlight(self._current_theme, self._window)
            self.bubble = TourBubble(self._current_theme, self._window)
            self.bubble.next_requested.connect(self.next)
            self.bubble.back_requested.connect(self.back)
            self.bubble.end_requested.connect(self.end)
        self._view, self._stops = view, tour_stops(view, self._keymap)
        self._keymap.changed.connect(self._update_keys)
        application().installEventFilter(self)
        self._go(0)

    def next(self) -> None:
        if self._index + 1 < len(self._stops):
            self._go(self._index + 1)
        else:
            self.end()

    def back(self) -> None:
        if self._stops and self._index:
            self._go(self._index - 1)

    def end(self) -> None:
        if not self._stops:
            return
        self._stops, self._view = (), None
        self._reposition_timer.stop()
        self._keymap.changed.disconnect(self._update_keys)
        application().removeEventFilter(self)
        for part in (self.spotlight, self.bubble):
            if part is not None:
                part.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _KEYS and isinstance(event, QKeyEvent):
            return self._is_in_window(watched) and self._pressed(event)
        if kind in _MOVES and isinstance(watched, QWidget) and self._holds_target(watched):
            self._reposition_timer.start()
        return False

    def _pressed(self, event: QKeyEvent) -> bool:
        """Handle a press; returns whether the tour uses the key."""
        focus = QApplication.focusWidget()
        if (
            QApplication.activeModalWidget() is not None
            or QApplication.activePopupWidget() is not None
            or isinstance(focus, QMenuBar)
            or handles_own_keys(focus)
            or accepts_text(focus)
        ):
            # A text field may give up the focus and pass the same press on to its parent.
            self._is_left_to_text = event.type() == QEvent.Type.KeyPress
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            self._is_left_to_text = False
        elif self._is_left_to_text:
            return False
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        is_end = event.key() == Qt.Key.Key_Escape and held == _PLAIN
        is_enter = event.key() in _ENTER and held in (_PLAIN, _SHIFT)
        if not (is_end or is_enter):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif not event.isAutoRepeat():
            self._act(is_end, held == _SHIFT)
        return True

    def _act(self, is_end: bool, is_back: bool) -> None:
        if is_end:
            self.end()
        elif is_back:
            self.back()
        else:
            self.next()

    def _go(self, index: int) -> None:
        assert self._view is not None
        self._index = index
        if self._view.page != "judging_page":
            self._view.show_judging()
        if not self._view.judging.dock_area.shows_panels:
            self._view.judging.dock_area.show_panels()
        self._show_text()
        self._reposition()

    def _update_keys(self) -> None:
        if self._view is not None:
            self._reposition()
            self._show_text()

    def _show_text(self) -> None:
        if self.bubble is not None and self.stop is not None:
            self.bubble.show_stop(self.stop, self._index + 1, len(self._stops))

    def _reposition(self) -> None:
        """Move bubble and spotlight to the target; centre the bubble if the target is hidden."""
        if self.stop is None or self.spotlight is None or self.bubble is None:
            return
        if self._view is not None:
            self._stops = tour_stops(self._view, self._keymap)  # the queue may be a rail now
        target = self.stop.target
        if not isValid(target):
            self.end()
            return
        hole = None
        if target.isVisibleTo(self._window):
            hole = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())
        self.spotlight.setGeometry(self._window.rect())
        self.spotlight.highlight(hole)
        self.bubble.move(position_beside(hole, self.bubble.size(), self._window.size()))
        for part in (self.spotlight, self.bubble):
            if not part.isVisible():
                part.show()
                part.raise_()

    def _holds_target(self, watched: QWidget) -> bool:
        """Whether `watched` is the target or contains it, so that its moves matter."""
        target = None if self.stop is None else self.stop.target
        return (
            target is not None
            and isValid(target)
            and (watched is target or watched.isAncestorOf(target))
        )

    def _is_in_window(self, watched: QObject) -> bool:
        if isinstance(watched, QWindow):
            return watched == self._window.windowHandle()
        return isinstance(watched, QWidget) and watched.window() == self._window


def application() -> QApplication:
    instance = QApplication.instance()
    assert isinstance(instance, QApplication)
    return instance
