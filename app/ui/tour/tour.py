"""Five stops on the real window, for whoever is new. The window works as always meanwhile.

Enter goes on, Shift+Enter back, Esc ends it at any stop; all other keys mean what they always do.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QMenuBar, QWidget
from shiboken6 import isValid

from app.ui.keys.keymap import Keymap
from app.ui.keys.text_focus import keeps_its_keys, takes_text
from app.ui.session_view import SessionView
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.start.welcome_page import TOUR
from app.ui.theme.theme import CurrentTheme
from app.ui.tour.bubble import TourBubble
from app.ui.tour.placing import place_beside
from app.ui.tour.spotlight import Spotlight
from app.ui.tour.stops import Stop, stops_of

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
    """Of one window; `end` it before the session goes."""

    def __init__(
        self, window: QWidget, keymap: Keymap, settings: SettingsKeeper, current_theme: CurrentTheme
    ) -> None:
        super().__init__(window)
        self._window, self._keymap = window, keymap
        self._settings, self._current_theme = settings, current_theme
        self._view: SessionView | None = None
        self._stops: tuple[Stop, ...] = ()
        self._at = 0
        self._is_left = False
        """Whether the press that is under way belongs to somebody else."""
        self.spotlight: Spotlight | None = None
        self.bubble: TourBubble | None = None
        # Not at every one of the events that come with a new size.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._place)

    @property
    def is_new(self) -> bool:
        """Whether this person has never been led around."""
        return TOUR not in self._settings.settings.told

    @property
    def stop(self) -> Stop | None:
        """Where it stands; None: there is no tour just now."""
        return self._stops[self._at] if self._stops else None

    def start(self, view: SessionView) -> None:
        """From the first stop; it counts as taken from here on."""
        self.end()
        if self.is_new:
            self._settings.change(told=(*self._settings.settings.told, TOUR))
        if self.spotlight is None or self.bubble is None:
            self.spotlight = Spotlight(self._current_theme, self._window)
            self.bubble = TourBubble(self._current_theme, self._window)
            self.bubble.next_wanted.connect(self.next)
            self.bubble.back_wanted.connect(self.back)
            self.bubble.end_wanted.connect(self.end)
        self._view, self._stops = view, stops_of(view, self._keymap)
        self._keymap.changed.connect(self._say_keys)
        application().installEventFilter(self)
        self._go(0)

    def next(self) -> None:
        if self._at + 1 < len(self._stops):
            self._go(self._at + 1)
        else:
            self.end()

    def back(self) -> None:
        if self._stops and self._at:
            self._go(self._at - 1)

    def end(self) -> None:
        if not self._stops:
            return
        self._stops, self._view = (), None
        self._soon.stop()
        self._keymap.changed.disconnect(self._say_keys)
        application().removeEventFilter(self)
        for part in (self.spotlight, self.bubble):
            if part is not None:
                part.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _KEYS and isinstance(event, QKeyEvent):
            return self._is_here(watched) and self._pressed(event)
        if kind in _MOVES and isinstance(watched, QWidget) and self._is_part(watched):
            self._soon.start()
        return False

    def _pressed(self, event: QKeyEvent) -> bool:
        """Whether the key is the tour's."""
        focus = QApplication.focusWidget()
        if (
            QApplication.activeModalWidget() is not None
            or QApplication.activePopupWidget() is not None
            or isinstance(focus, QMenuBar)
            or keeps_its_keys(focus)
            or takes_text(focus)
        ):
            # A field may give the focus back, and let the same press go up to what is around it.
            self._is_left = event.type() == QEvent.Type.KeyPress
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            self._is_left = False
        elif self._is_left:
            return False
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        is_end = event.key() == Qt.Key.Key_Escape and held == _PLAIN
        is_enter = event.key() in _ENTER and held in (_PLAIN, _SHIFT)
        if not (is_end or is_enter):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif not event.isAutoRepeat():
            self._do(is_end, held == _SHIFT)
        return True

    def _do(self, is_end: bool, is_back: bool) -> None:
        if is_end:
            self.end()
        elif is_back:
            self.back()
        else:
            self.next()

    def _go(self, at: int) -> None:
        assert self._view is not None
        self._at = at
        if self._view.page != "judging_page":
            self._view.show_judging()
        if not self._view.judging.shows_panels:
            self._view.judging.flip_panels()
        self._say()
        self._place()

    def _say_keys(self) -> None:
        """They were changed meanwhile."""
        if self._view is not None:
            self._stops = stops_of(self._view, self._keymap)
            self._say()
            self._place()

    def _say(self) -> None:
        if self.bubble is not None and self.stop is not None:
            self.bubble.say(self.stop, self._at + 1, len(self._stops))

    def _place(self) -> None:
        """Where the target is now; in the middle where it is out of sight."""
        if self.stop is None or self.spotlight is None or self.bubble is None:
            return
        target = self.stop.target
        if not isValid(target):
            self.end()
            return
        hole = None
        if target.isVisibleTo(self._window):
            hole = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())
        self.spotlight.setGeometry(self._window.rect())
        self.spotlight.show_place(hole)
        self.bubble.move(place_beside(hole, self.bubble.size(), self._window.size()))
        for part in (self.spotlight, self.bubble):
            if not part.isVisible():
                part.show()
                part.raise_()

    def _is_part(self, watched: QWidget) -> bool:
        """Whether where it is says where the target is."""
        target = None if self.stop is None else self.stop.target
        return (
            target is not None
            and isValid(target)
            and (watched is target or watched.isAncestorOf(target))
        )

    def _is_here(self, watched: QObject) -> bool:
        if isinstance(watched, QWindow):
            return watched == self._window.windowHandle()
        return isinstance(watched, QWidget) and watched.window() == self._window


def application() -> QApplication:
    found = QApplication.instance()
    assert isinstance(found, QApplication)
    return found
