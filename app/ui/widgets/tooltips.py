"""Tooltips as plain text: names in lists, sessions and models of others are not markup.

Qt itself takes a text with a tag for HTML, and opens the files that it names.
"""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTabBar,
    QToolTip,
    QWidget,
)

from agent.ellipsis import shortened

RICH = "richToolTip"
"""Property of a widget whose tooltip is HTML of our own; whatever else is in it is escaped."""
MAX_CHARACTERS, MAX_LINES = 1500, 24
LONG_WORD = re.compile(r"\S{60}")
ZERO_WIDTH_SPACE = "\u200b"
_ROLE = Qt.ItemDataRole.ToolTipRole


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
