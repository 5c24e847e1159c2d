"""Opens one session at a time; of requests made meanwhile only the last one is opened."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject

from agent.errors import WorkbenchError
from app.core.database.locations import shown_location
from app.core.session.session import Session
from app.ui.base.background.runner import Runner
from app.ui.base.crash_report import log_folder, make_report, write_report


@dataclass(frozen=True)
class OpenRequest:
    open: Callable[[], Session]  # Any thread
    done: Callable[[Session], None]
    failed: Callable[[WorkbenchError], None]


class SessionOpener(QObject):
    """Closes a session that is no longer wanted before opening the next, maybe the same file.

    Close it after the runner.
    """

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._opening: Future[Session] | None = None
        self._request: OpenRequest | None = None

    def open(self, request: OpenRequest) -> None:
        self._request = request
        if self._opening is None or _crashed(self._opening):
            self._start(request)

    def cancel(self) -> None:
        """Close the session when it is open, without calling `done`."""
        self._request = None

    def close(self) -> None:
        """Close a session that was opened but never shown."""
        opening, self._opening, self._request = self._opening, None, None
        if opening is None or opening.cancelled() or not opening.done():
            return
        if opening.exception() is None:
            opening.result().close()

    def _start(self, request: OpenRequest) -> None:
        finish = partial(self._finish, request)
        self._opening = self._runner.run(request.open, finish, finish, owner=self)

    def _finish(self, request: OpenRequest, outcome: Session | WorkbenchError) -> None:
        latest, self._opening = self._request, None
        if latest is not request:
            if isinstance(outcome, Session):
                outcome.close()
            if latest is not None:
                self._start(latest)
            return
        self._request = None
        if isinstance(outcome, Session):
            request.done(outcome)
        else:
            request.failed(outcome)


def reported(error: Exception, location: Path | str) -> WorkbenchError:
    """What to tell about a session that cannot be shown; of a bug, a crash report is kept."""
    if isinstance(error, WorkbenchError):
        return error
    write_report(make_report(type(error), error, error.__traceback__), log_folder())
    text = QCoreApplication.translate(
        "opening",
        "{name} cannot be shown: its contents are damaged or not known to this version. "
        "Open a backup, or send us the crash report (menu Help)",
    )
    return WorkbenchError(text.replace("{name}", shown_location(location)))


def _crashed(opening: Future[Session]) -> bool:
    """Whether it ended with a bug, which calls neither `done` nor `failed`."""
    if not opening.done() or opening.cancelled():
        return False
    error = opening.exception()
    return error is not None and not isinstance(error, WorkbenchError)
