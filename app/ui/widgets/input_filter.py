"""The one event filter of the application: keys, the wheel and tooltips.

Qt asks a filter about every event of every widget, some 30,000 before a session is on screen, and
each question to Python costs more than what Qt does itself. So there is one filter, not one for
each purpose, and it looks at nothing but the class of an event.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QScrollBar,
    QTabBar,
    QToolTip,
    QWidget,
)

from agent.ellipsis import shortened

Handler = Callable[[QObject, Any], bool]
"""Takes an object and an event of its class; returns whether the object must not see it."""

RICH = "richToolTip"
"""Property of a widget whose tooltip is HTML of our own; whatever else is in it is escaped."""
MAX_CHARACTERS, MAX_LINES = 1500, 24
LONG_WORD = re.compile(r"\S{60}")
ZERO_WIDTH_SPACE = "\u200b"
_ROLE = Qt.ItemDataRole.ToolTipRole


class InputFilter(QObject):
    """Hands events to the handler of their class; close it before `owner`.

    `keys` are the handlers of a `KeyFilter`.
    """

    def __init__(self, owner: QObject, keys: Mapping[type[QEvent], Handler]) -> None:
        super().__init__(owner)
        self._handlers: Mapping[type[QEvent], Handler] = {
            QWheelEvent: scroll_page,
            QHelpEvent: show_tooltip,
            **keys,
        }
        application().installEventFilter(self)

    def close(self) -> None:
        application().removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handler = self._handlers.get(type(event))
        return handler is not None and handler(watched, event)


def application() -> QApplication:
    instance = QApplication.instance()
    assert isinstance(instance, QApplication)
    return instance


# The wheel scrolls what is below the mouse and changes no value on its way. By default Qt turns
# sliders, boxes and choices over which the mouse happens to be.
def scroll_page(watched: QObject, event: QWheelEvent) -> bool:
    """Handle the wheel, as a part of `InputFilter`."""
    if isinstance(watched, QScrollBar):
        return False
    if not isinstance(watched, QAbstractSlider | QAbstractSpinBox | QComboBox):
        return False
    around = watched.parentWidget()
    while around is not None and not isinstance(around, QAbstractScrollArea):
        around = around.parentWidget()
    if around is not None:
        QApplication.sendEvent(around.viewport(), event)
    return True


# Tooltips as plain text: names in lists, sessions and models of others are not markup. Qt itself
# takes a text with a tag for HTML, and opens the files that it names.
def show_tooltip(watched: QObject, event: QHelpEvent) -> bool:
    """Show a tooltip in place of Qt, as a part of `InputFilter`."""
    if event.type() != QEvent.Type.ToolTip or not isinstance(watched, QWidget):
        return False
    text, area = tooltip_at(watched, event.pos())
    event.setAccepted(bool(text))  # if ignored, Qt asks the widget around this one
    if text:
        shown = text if watched.property(RICH) else plain_html(text)
        QToolTip.showText(event.globalPos(), shown, watched, area)
    return True


def tooltip_at(widget: QWidget, position: QPoint) -> tuple[str, QRect]:
    """The tooltip of a widget, or of the row, column or tab there; and the area it belongs to."""
    view = widget.parentWidget()
    if isinstance(view, QAbstractItemView) and widget is view.viewport():
        model = view.model()
        if isinstance(view, QHeaderView):
            section = view.logicalIndexAt(position)
            if model is None or section < 0:
                return "", QRect()
            return str(model.headerData(section, view.orientation(), _ROLE) or ""), QRect()
        index = view.indexAt(position)
        return str(index.data(_ROLE) or ""), view.visualRect(index)
    if isinstance(widget, QTabBar) and (tab := widget.tabAt(position)) >= 0:
        return widget.tabToolTip(tab) or widget.toolTip(), widget.tabRect(tab)
    return widget.toolTip(), QRect()


def plain_html(text: str) -> str:
    """HTML that shows this very text, cut where it is long; only HTML is wrapped in a tooltip."""
    lines = shortened(text, MAX_CHARACTERS).split("\n")
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], "…"]
    breakable = (LONG_WORD.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", line) for line in lines)
    return f"<span>{'<br>'.join(map(escape, breakable))}</span>"
