"""Recomputes a page when the session changes, but only while the page is visible."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.core.session.records import Change
from app.ui.base.background.runner import Done, Work
from app.ui.session.session_context import SessionContext
from app.ui.widgets.text_width import OnEvent

DELAY_MS = 200  # changes within this time are handled together


class Refresh(QObject):
    """Runs the work that `prepare` returns outside the GUI thread, and passes the result to `show`.

    Only one run at a time; changes meanwhile cause another one.
    """

    def __init__(
        self, page: QWidget, context: SessionContext, prepare: Callable[[], Work], show: Done
    ) -> None:
        super().__init__(page)
        self._page, self._current = page, context.current
        self._answer = context.runner.latest(self)
        self._prepare, self._show = prepare, show
        self._is_stale, self._is_busy = True, False
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.refresh_now)
        shown = partial(QTimer.singleShot, 0, self, self.refresh_now)
        OnEvent(page, shown, QEvent.Type.Show)
        context.bridge.changed.connect(self._session_changed)
        context.current.blind_mode.changed.connect(self.ask)

    @property
    def is_fresh(self) -> bool:
        """Whether the page shows what the session holds."""
        return not (self._is_stale or self._is_busy)

    def ask(self, *_: object) -> None:
        """Ask anew: the page is about something else now, and no older answer is shown."""
        self._answer.forget()
        self._is_stale, self._is_busy = True, False
        self.refresh_now()

    def refresh_now(self) -> None:
        if self._is_stale and not self._is_busy and self._page.isVisible():
            self._is_stale, self._is_busy = False, True
            failed = partial(self._end, self._current.report_error)
            self._answer.ask(self._prepare(), partial(self._end, self._show), failed)

    def _session_changed(self, change: Change) -> None:
        if change.aspect not in ("spectrum", "evidence"):
            self._is_stale = True
            if self._page.isVisible():
                self._timer.start()

    def _end(self, tell: Done, outcome: Any) -> None:
        self._is_busy = False
        tell(outcome)
        if self._is_stale and self._page.isVisible():
            self._timer.start()
