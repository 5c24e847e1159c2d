"""A tour of the window in five stops for new users; the window keeps working during the tour.

Enter goes on, Shift+Enter goes back and Esc ends the tour; all other keys work as usual.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QWidget
from shiboken6 import isValid

from app.ui.base.actions.key_names import label
from app.ui.base.keys.keymap import Keymap
from app.ui.base.keys.text_focus import accepts_text, is_in_window, keys_go_elsewhere
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.docks.dock_table import AGENT
from app.ui.program.session_view import SessionView
from app.ui.start.welcome_page import TOUR
from app.ui.widgets.input_filter import application
from app.ui.widgets.labels import Space, column, row, short_label, wrapped_label
from app.ui.widgets.page_parts import cast_shadow
from app.ui.widgets.painted_button import PaintedButton, smooth_painter

_MOVES = frozenset(
    {QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest}
    | {QEvent.Type.Show, QEvent.Type.Hide}
)
_KEYS = frozenset({QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride})
_ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_PLAIN = Qt.KeyboardModifier.NoModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier

GAP = 12
EDGE = 8  # pixels between the bubble and the edge of the window

ROUND = 9.0
AROUND = 4  # pixels between the target and the ring around it
DIM_ALPHA = {False: 96, True: 120}  # Keyed by `Theme.is_dark`

WIDTH = 348  # Least width; wider where the buttons need it.

translate = QCoreApplication.translate
MAX_WINDOW_KEYS = 9  # number of diagnostic windows with an action of their own


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
        self._is_left_to_text = False  # whether the press being delivered was left to a text field
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
            self.bubble.next.clicked.connect(self.next)
            self.bubble.back.clicked.connect(self.back)
            self.bubble.end.clicked.connect(self.end)
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
            return is_in_window(watched, self._window) and self._pressed(event)
        if kind in _MOVES and isinstance(watched, QWidget) and self._holds_target(watched):
            self._reposition_timer.start()
        return False

    def _pressed(self, event: QKeyEvent) -> bool:
        """Handle a press; returns whether the tour uses the key."""
        focus = QApplication.focusWidget()
        if keys_go_elsewhere(focus) or accepts_text(focus):
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
            move = self.back if held == _SHIFT else self.next
            (self.end if is_end else move)()
        return True

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
            # The queue may be behind a button now.
            self._stops = tour_stops(self._view, self._keymap)
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
        if target is None or not isValid(target):
            return False
        return watched is target or watched.isAncestorOf(target)


def position_beside(target: QRect | None, size: QSize, window: QSize) -> QPoint:
    """The top left corner of a box of `size`, in window coordinates.

    Tries right, left, below and above the target (below first if the target is small), then its
    lower right corner. Without a target the box is centred.
    """
    room = QRect(0, 0, window.width(), window.height()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
    if target is None:
        return _inside(room, room.center() - QPoint(size.width() // 2, size.height() // 2), size)
    y = target.center().y() - size.height() // 2
    x = target.center().x() - size.width() // 2
    below = QPoint(x, target.bottom() + GAP)
    is_small = target.width() < size.width() and target.height() < size.height()
    tries = (
        *((below,) if is_small else ()),
        QPoint(target.right() + GAP, y),
        QPoint(target.left() - GAP - size.width(), y),
        below,
        QPoint(x, target.top() - GAP - size.height()),
    )
    for corner in tries:
        moved = _inside(room, corner, size)
        if not QRect(moved, size).intersects(target):
            return moved
    lower = target.bottomRight() - QPoint(size.width() + GAP, size.height() + GAP)
    return _inside(room, lower, size)


def _inside(room: QRect, corner: QPoint, size: QSize) -> QPoint:
    right, bottom = room.right() - size.width() + 1, room.bottom() - size.height() + 1
    x = max(room.left(), min(corner.x(), right))
    return QPoint(x, max(room.top(), min(corner.y(), bottom)))


class Spotlight(QWidget):
    """Dims the window except for one rectangle; mouse clicks pass through."""

    def __init__(self, current_theme: CurrentTheme, window: QWidget) -> None:
        super().__init__(window)
        self._current_theme = current_theme
        self.hole: QRect | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        current_theme.changed.connect(self.update)
        self.hide()

    def highlight(self, hole: QRect | None) -> None:
        """Leave `hole` (in window coordinates) undimmed; None dims everything."""
        if hole != self.hole:
            self.hole = hole
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._current_theme.theme
        dimmed = QPainterPath()
        dimmed.setFillRule(Qt.FillRule.OddEvenFill)
        dimmed.addRect(QRectF(self.rect()))
        ring = None if self.hole is None else QRectF(self.hole).adjusted(*_OUT)
        if ring is not None:
            dimmed.addRoundedRect(ring, ROUND, ROUND)
        painter = smooth_painter(self)
        painter.fillPath(dimmed, QColor(0, 0, 0, DIM_ALPHA[theme.is_dark]))
        if ring is not None:
            painter.setPen(QPen(QColor(theme.accent), 2.0))
            painter.drawRoundedRect(ring, ROUND, ROUND)
        painter.end()


_OUT = (-AROUND, -AROUND, AROUND, AROUND)


class TourBubble(QFrame):
    """A child of the window that never takes the focus."""

    def __init__(self, current_theme: CurrentTheme, window: QWidget) -> None:
        super().__init__(window)
        self.setProperty("role", "card")
        self.title = wrapped_label("", "heading")
        self.text = wrapped_label("")
        self.progress: QLabel = short_label("", "dim")
        self.back = _button(current_theme, self)
        self.next = _button(current_theme, self, is_quiet=False)
        self.end = _button(current_theme, self)
        progress = (self.progress, 0, Qt.AlignmentFlag.AlignTop)
        head = row((self.title, 1), progress, spacing=None)
        buttons = row(self.end, 1, self.back, self.next)
        column(head, self.text, Space(4), buttons, margins=(16, 12, 16, 12), parent=self)
        cast_shadow(self)
        self.hide()

    def show_stop(self, stop: Stop, number: int, count: int) -> None:
        """`number` counts from 1."""
        self.title.setText(stop.title)
        self.text.setText(stop.text)
        progress = self.tr("{number} of {count}").replace("{number}", str(number))
        self.progress.setText(progress.replace("{count}", str(count)))
        enter = label("Return")
        is_last = number == count
        self.next.set_label(self.tr("Done") if is_last else self.tr("Next"), enter)
        self.back.set_label(self.tr("Back"), hint=f"Shift+{enter}")
        self.back.setVisible(number > 1)
        self.end.set_label(self.tr("End the tour"), label("Escape"))
        self.end.setVisible(not is_last)
        self.setAccessibleName(self.tr("Tour: {title}").replace("{title}", stop.title))
        self.setAccessibleDescription(stop.text)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.ensurePolished()
        width = max(WIDTH, layout.totalMinimumSize().width())
        self.setFixedSize(width, layout.totalHeightForWidth(width))


def _button(
    current_theme: CurrentTheme, parent: QWidget, *, is_quiet: bool = True
) -> PaintedButton:
    tone, is_bold = attrgetter("accent"), not is_quiet
    return PaintedButton(current_theme, tone, parent, is_quiet=is_quiet, is_bold=is_bold)


# The five stops of the tour: the widget shown at each, and its text.
@dataclass(frozen=True, eq=False)
class Stop:
    target: QWidget
    title: str
    text: str


def tour_stops(view: SessionView, keymap: Keymap) -> tuple[Stop, ...]:
    """The stops in working order, with the current keys in their texts."""
    judging, docks = view.judging, view.judging.dock_area
    last = f"window_{min(len(view.session.task.windows), MAX_WINDOW_KEYS)}"
    others = {"first": "window_1", "last": last, "run": "run_agent"}
    queue = translate(
        "tour",
        "All your candidates. {next} and {previous} move through the list; click a row "
        "to go to it. Above the list, choose which candidates to see and in which "
        "order, for example best scores first, or where two agents differ.",
    )
    if docks.queue_is_folded:
        queue = translate(
            "tour",
            "All your candidates: {queue} or a click here shows the list, and {queue} hides it. "
            "{next} and {previous} move through it; above it, choose which candidates to see "
            "and in which order, for example best scores first, or where two agents differ.",
        )
    spectrum = translate(
        "tour",
        "The mouse wheel zooms, dragging pans, and {whole} shows the whole spectrum. {first} to "
        "{last} go to the diagnostic windows of this class; the strip below shows where you are.",
    )
    verdict = translate(
        "tour",
        "{accept} accepts, {reject} rejects, {unsure} marks as unsure, and the next "
        "candidate appears. Every verdict is saved at once, and {undo} undoes any "
        "number of them. The keys work during the tour: try them.",
    )
    agent = translate(
        "tour",
        "{run} starts an inspection of this spectrum: the plot follows the agent's "
        "looks, and measurements are shown beside its statements. The agent proposes, "
        "you decide. Help, About describes the models' training data and limits.",
    )
    catalogue = translate(
        "tour",
        "{export} exports your verdicts and the agent's for use in other programs. "
        "{keys} shows all keys, {palette} finds a command by name, and {help} opens the "
        "guide. You can restart this tour from the Help menu.",
    )
    stops = (
        Stop(docks.queue_place, translate("tour", "The list"), queue),
        Stop(judging.plot, translate("tour", "The spectrum"), spectrum),
        Stop(judging.verdicts, translate("tour", "Your verdict"), verdict),
        Stop(docks.docks[AGENT.name].part, translate("tour", "The agent"), agent),
        Stop(view.top.export, translate("tour", "The catalogue"), catalogue),
    )
    return tuple(replace(each, text=_with_keys(each.text, keymap, others)) for each in stops)


def _with_keys(text: str, keymap: Keymap, others: Mapping[str, str]) -> str:
    """The text with the key of each action that it names; `others` are those with other names."""
    return re.sub(r"\{(\w+)\}", lambda m: keymap.label(others.get(m[1], m[1])) or "–", text)
