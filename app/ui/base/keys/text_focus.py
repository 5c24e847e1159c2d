"""Tells which widgets need the keys themselves, for example because one types text in them."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

OWN_KEYS = "ownKeys"
"""Property of a widget that handles every key itself while it or a child has the focus."""
ROW_NAVIGATION = "rowKeys"
"""Property of a table that handles Up, Down and Enter itself while it has the focus."""

COPIES_SELECTION = "copiesSelection"
"""Property of a table that handles Ctrl+C itself while it has the focus."""


def accepts_text(widget: QWidget | None) -> bool:
    """Whether the widget is an editable text field."""
    if isinstance(widget, (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)):
        return not widget.isReadOnly()
    return isinstance(widget, QComboBox) and widget.isEditable()


def has_selection(widget: QWidget | None) -> bool:
    """Whether the widget has a selection of its own that Ctrl+C copies."""
    if widget is not None and widget.property(COPIES_SELECTION):
        assert isinstance(widget, QAbstractItemView)
        return widget.selectionModel().hasSelection()
    if isinstance(widget, QLabel):
        return widget.hasSelectedText()
    if isinstance(widget, (QTextEdit, QPlainTextEdit)):
        return widget.textCursor().hasSelection()
    return isinstance(widget, QLineEdit) and widget.hasSelectedText()


def handles_own_keys(widget: QWidget | None) -> bool:
    while widget is not None and not widget.property(OWN_KEYS):
        widget = None if widget.isWindow() else widget.parentWidget()
    return widget is not None


def keys_go_elsewhere(focus: QWidget | None) -> bool:
    """Whether a menu, a modal dialog or a widget with its own keys has the focus."""
    return (
        QApplication.activeModalWidget() is not None
        or QApplication.activePopupWidget() is not None
        or isinstance(focus, QMenuBar)
        or handles_own_keys(focus)
    )


def navigates_rows(widget: QWidget | None) -> bool:
    """Whether Up, Down and Enter move through the rows of the widget."""
    return widget is not None and bool(widget.property(ROW_NAVIGATION))


def is_in_window(watched: QObject, window: QWidget) -> bool:
    """Whether `watched` is in this window; native events are sent to its QWindow."""
    if isinstance(watched, QWindow):
        return watched == window.windowHandle()
    return isinstance(watched, QWidget) and watched.window() == window
