"""One session is opened at a time: who asks for another meanwhile gets the one asked for last."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from PySide6.QtCore import QObject

from agent.errors import WorkbenchError
from app.core.session.session import Session
from app.ui.background.runner import Runner


@dataclass(frozen=True)
class OpenRequest:
    open: Callable[[], Session]
    """Any thread."""
    done: Callable[[Session], None]
    failed: Callable[[WorkbenchError], None]


class SessionOpener(QObject):
    """A session nobody waits for any more is closed, and then the next is opened: it may be the
    same file. Close it after the runner."""

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._at_work: Future[Session] | None = None
        self._wish: OpenRequest | None = None

    def want(self, wish: OpenRequest) -> None:
        self._wish = wish
        if self._at_work is None or _was_our_fault(self._at_work):
            self._begin(wish)

    def forget(self) -> None:
        """Nobody waits for it any more."""
        self._wish = None

    def close(self) -> None:
        """What was opened and never shown is let go."""
        at_work, self._at_work, self._wish = self._at_work, None, None
        if at_work is None or at_work.cancelled() or not at_work.done():
            return
        if at_work.exception() is None:
            at_work.result().close()

    def _begin(self, wish: OpenRequest) -> None:
        def done(session: Session) -> None:
            self._end(wish, session=session)

        def failed(error: WorkbenchError) -> None:
            self._end(wish, error=error)

        self._at_work = self._runner.run(wish.open, done, failed, owner=self)

    def _end(
        self,
        wish: OpenRequest,
        *,
        session: Session | None = None,
        error: WorkbenchError | None = None,
    ) -> None:
        wanted, self._at_work = self._wish, None
        if wanted is not wish:
            if session is not None:
                session.close()
            if wanted is not None:
                self._begin(wanted)
            return
        self._wish = None
        if session is not None:
            wish.done(session)
        elif error is not None:
            wish.failed(error)


def _was_our_fault(ended: Future[Session]) -> bool:
    """Told by the excepthook: neither `done` nor `failed` will hear of it."""
    if not ended.done() or ended.cancelled():
        return False
    error = ended.exception()
    return error is not None and not isinstance(error, WorkbenchError)
