"""A page that is worked out again when the session has changed, but only while it is looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from agent.errors import WorkbenchError
from app.core.session.records import Change
from app.ui.session_context import SessionContext

PAUSE_MS = 200
"""Several changes at once are one."""


class Refresh(QObject):
    """`prepare` returns the work, which runs away from the window's thread, one at a time; `show`
    gets what that returns."""

    def __init__(
        self,
        page: QWidget,
        context: SessionContext,
        prepare: Callable[[], Callable[[], Any]],
        show: Callable[[Any], None],
        failed: Callable[[WorkbenchError], None],
    ) -> None:
        super().__init__(page)
        self._page, self._runner = page, context.runner
        self._prepare, self._show, self._failed = prepare, show, failed
        self._is_stale, self._is_busy = True, False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self.now)
        page.installEventFilter(self)
        context.bridge.changed.connect(self._take_note)
        context.current.blind_mode.changed.connect(self.soon)

    @property
    def is_fresh(self) -> bool:
        """Whether the page shows what the session holds."""
        return not (self._is_stale or self._is_busy)

    def soon(self, *_: object) -> None:
        self._is_stale = True
        if self._page.isVisible():
            self._timer.start()

    def now(self) -> None:
        if self._is_stale and not self._is_busy and self._page.isVisible():
            self._is_stale, self._is_busy = False, True
            self._runner.run(self._prepare(), self._done, self._broke, owner=self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() == QEvent.Type.Show:
            QTimer.singleShot(0, self, self.now)
        return False

    def _take_note(self, change: Change) -> None:
        if change.aspect != "spectrum":
            self.soon()

    def _done(self, found: Any) -> None:
        self._is_busy = False
        self._show(found)
        self._again()

    def _broke(self, error: WorkbenchError) -> None:
        self._is_busy = False
        self._failed(error)
        self._again()

    def _again(self) -> None:
        if self._is_stale and self._page.isVisible():
            self._timer.start()
