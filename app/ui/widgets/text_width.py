"""Sizes that follow the size of text and window, where a layout cannot find them."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLineEdit, QListWidget, QWidget

USUAL_PT = 10.0
PADDING_PX = 24  # room beside a placeholder
TAB_PX = 20  # room beside the name of a tab, as in the style sheet
AROUND = QSize(8, 40)  # room on the screen for the frame and the title of a window


def first_that_fits(texts: Sequence[str], metrics: QFontMetrics, room: int) -> str:
    """The first of several ways to say something that is not too wide, or else the last."""
    fitting = (text for text in texts if metrics.horizontalAdvance(text) <= room)
    return next(fitting, texts[-1] if texts else "")


def how_much_larger(widget: QWidget) -> float:
    """The widget's text against text of the usual size, never below 1."""
    return max(widget.font().pointSizeF() / USUAL_PT, 1.0)


class OnEvent(QObject):
    """Calls something when an event of one of these kinds comes to a widget, before it has it."""

    def __init__(self, widget: QWidget, call: Callable[[], object], *kinds: QEvent.Type) -> None:
        super().__init__(widget)
        self._call, self._kinds = call, kinds
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in self._kinds:
            self._call()
        return False


class _Follower(OnEvent):
    """Calls `fit` whenever the size of the widget's text changes."""

    def __init__(self, widget: QWidget, *kinds: QEvent.Type) -> None:
        super().__init__(widget, self.fit, QEvent.Type.FontChange, *kinds)
        self.fit()

    def fit(self) -> None:
        raise NotImplementedError


def _set_width(widget: QWidget, width: int, *, is_fixed: bool) -> None:
    """Fix the width, or let the layout give more than that."""
    (widget.setFixedWidth if is_fixed else widget.setMinimumWidth)(width)


class TextWidth(_Follower):
    """Keeps a widget `px` wide in text of the usual size, and wider in larger text up to `most`."""

    def __init__(self, widget: QWidget, px: int, most: int, *, is_fixed: bool = True) -> None:
        self._widget, self._px, self._most, self._is_fixed = widget, px, most, is_fixed
        super().__init__(widget)

    def fit(self) -> None:
        width = min(round(self._px * how_much_larger(self._widget)), self._most)
        _set_width(self._widget, width, is_fixed=self._is_fixed)


class MostWidth(_Follower):
    """Lets a widget be at most `px` wide in text of the usual size, and wider in larger text."""

    def __init__(self, widget: QWidget, px: int) -> None:
        self._widget, self._px = widget, px
        super().__init__(widget)

    def fit(self) -> None:
        self._widget.setMaximumWidth(round(self._px * how_much_larger(self._widget)))


class RoomForTabs(_Follower):
    """Keeps a panel wide enough for the names of the tabs above it, and `px` in usual text."""

    def __init__(self, panel: QWidget, names: Sequence[str], px: int) -> None:
        self._panel, self._names, self._px = panel, names, px
        super().__init__(panel)

    def fit(self) -> None:
        advance = self._panel.fontMetrics().horizontalAdvance
        tabs = sum(advance(name) + TAB_PX for name in self._names)
        self._panel.setMinimumWidth(max(tabs, round(self._px * how_much_larger(self._panel))))


class PlaceholderWidth(_Follower):
    """Keeps a field wide enough for its placeholder, and at least `px`.

    Call `fit` when the placeholder has changed.
    """

    def __init__(self, field: QLineEdit, px: int = 0, *, is_fixed: bool = False) -> None:
        self._field, self._px, self._is_fixed = field, px, is_fixed
        super().__init__(field)

    def fit(self) -> None:
        text = self._field.fontMetrics().horizontalAdvance(self._field.placeholderText())
        _set_width(self._field, max(text + PADDING_PX, self._px), is_fixed=self._is_fixed)


class ListWidth(_Follower):
    """Keeps a list as wide as its longest row and its scroll bar, and at least `px`."""

    def __init__(self, items: QListWidget, px: int) -> None:
        self._list, self._px = items, px
        items.ensurePolished()
        super().__init__(items, QEvent.Type.Show)  # the style sheet of a hidden list does not count
        items.verticalScrollBar().rangeChanged.connect(self.fit)

    def fit(self) -> None:
        bar = self._list.verticalScrollBar()
        row = self._list.sizeHintForColumn(0) + 2 * self._list.frameWidth()
        row += bar.sizeHint().width() if bar.maximum() > bar.minimum() else 0
        self._list.setFixedWidth(max(row, self._px))


class DialogSize(_Follower):
    """Gives a dialog this size in text of the usual size, and a larger one in larger text."""

    def __init__(self, dialog: QWidget, width: int, height: int) -> None:
        self._dialog, self._size = dialog, QSize(width, height)
        super().__init__(dialog)

    def fit(self) -> None:
        most = self._dialog.screen().availableSize() - AROUND
        wanted = (self._size * how_much_larger(self._dialog)).boundedTo(most)
        shown = self._dialog.size().boundedTo(most)
        self._dialog.resize(wanted.expandedTo(shown) if self._dialog.isVisible() else wanted)
