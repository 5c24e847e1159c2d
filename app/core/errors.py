"""What can go wrong with a session, in words the user can act on."""

from __future__ import annotations

from agent.errors import WorkbenchError


class SessionError(WorkbenchError):
    """A session cannot be opened, read or written."""


class SessionHeldError(SessionError):
    """Another program has the session open. `holder` says which."""

    def __init__(self, message: str, holder: str) -> None:
        super().__init__(message)
        self.holder = holder


class ReadOnlyError(SessionError):
    """The session was opened to look at, not to change."""
