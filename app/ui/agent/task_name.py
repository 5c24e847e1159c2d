"""The session's task as a worker is told of it: found, or written to a file, once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from PySide6.QtCore import QObject

from app.core.session import Session
from app.core.vetting import task_argument
from app.ui.runner import Failed, Runner


class TaskName(QObject):
    def __init__(self, session: Session, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._name: str | None = None
        self._file = ExitStack()

    def then(self, use: Callable[[str], None], failed: Failed) -> None:
        """At once, but for the first time."""
        if self._name is not None:
            use(self._name)
            return

        def named(name: str) -> None:
            self._name = name
            use(name)

        work = partial(self._file.enter_context, task_argument(self._session))
        self._runner.run(work, named, failed, owner=self)

    def close(self) -> None:
        """The file goes."""
        self._file.close()
