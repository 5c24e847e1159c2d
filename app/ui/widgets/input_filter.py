"""The one event filter of the application: keys, the wheel and tooltips.

Qt asks a filter about every event of every widget, some 30,000 before a session is on screen, and
each question to Python costs more than what Qt does itself. So there is one filter, not one for
each purpose, and it looks at nothing but the class of an event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QHelpEvent, QWheelEvent

from app.ui.widgets.quiet_wheel import scroll_page
from app.ui.widgets.tooltips import show_tooltip

Handler = Callable[[QObject, Any], bool]
"""Takes an object and an event of its class; returns whether the object must not see it."""


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
        _application().installEventFilter(self)

    def close(self) -> None:
        _application().removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handler = self._handlers.get(type(event))
        return handler is not None and handler(watched, event)


def _application() -> QCoreApplication:
    application = QCoreApplication.instance()
    assert application is not None
    return application
