"""Which widgets a person writes in, so that letters are theirs."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

OWN_KEYS = "ownKeys"
"""Property of a widget that takes every key itself while it, or what is in it, has the focus."""


ROWS = "rowKeys"
"""Property of a table whose rows a person can go to: with the focus it takes the keys for that."""


def takes_text(widget: QWidget | None) -> bool:
    """Whether what is typed there is written. Not where text can only be read."""
    if isinstance(widget, (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox)):
        return not widget.isReadOnly()
    return isinstance(widget, QComboBox) and widget.isEditable()


def has_selected_text(widget: QWidget | None) -> bool:
    """Of a text that can only be read: copying is meant for it."""
    if isinstance(widget, QLabel):
        return widget.hasSelectedText()
    if isinstance(widget, (QTextEdit, QPlainTextEdit)):
        return widget.textCursor().hasSelection()
    return isinstance(widget, QLineEdit) and widget.hasSelectedText()


def keeps_its_keys(widget: QWidget | None) -> bool:
    return any(bool(each.property(OWN_KEYS)) for each in _with_ancestors(widget))


def goes_through_rows(widget: QWidget | None) -> bool:
    """Whether Up, Down and Enter there move through rows, and go to one."""
    return widget is not None and bool(widget.property(ROWS))


def _with_ancestors(widget: QWidget | None) -> Iterator[QWidget]:
    while widget is not None:
        yield widget
        widget = None if widget.isWindow() else widget.parentWidget()
