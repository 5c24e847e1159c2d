"""Sends drag and drop events as the desktop does."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget


def mime_of(paths: Sequence[Path | str]) -> QMimeData:
    mime = QMimeData()
    urls = [QUrl(each) if isinstance(each, str) else QUrl.fromLocalFile(each) for each in paths]
    mime.setUrls(urls)
    return mime


def drag(widget: QWidget, paths: Sequence[Path | str]) -> bool:
    """Drag files over the middle of the widget; returns whether it accepts them."""
    mime = mime_of(paths)
    event = QDragEnterEvent(
        widget.rect().center(), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier
    )  # fmt: skip
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def leave(widget: QWidget) -> None:
    QApplication.sendEvent(widget, QDragLeaveEvent())


def drop(widget: QWidget, paths: Sequence[Path | str]) -> None:
    mime = mime_of(paths)
    drag(widget, paths)
    event = QDropEvent(
        QPointF(QPoint(20, 20)), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier
    )  # fmt: skip
    QApplication.sendEvent(widget, event)
