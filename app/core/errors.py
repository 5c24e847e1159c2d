"""Errors of sessions and imports; their text is shown to the user."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.errors import WorkbenchError

FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT)


class SessionError(WorkbenchError):
    """A session cannot be opened, read or written."""


class SessionHeldError(SessionError):
    """Another program has the session open; `holder` names it."""

    def __init__(self, message: str, holder: str) -> None:
        super().__init__(message)
        self.holder = holder


class ReadOnlyError(SessionError):
    """The session was opened read-only."""


class ImportFailed(WorkbenchError):
    """The list was not imported; the session is unchanged."""


class UnknownColumnsError(ImportFailed):
    """No column of the list could be assigned to a role; the user can do that."""


class NoRowAllowedError(ImportFailed):
    """No row can be used, as the spectra are outside the list's folder; the user can allow that."""


class ImportStopped(WorkbenchError):
    """The user stopped the import; the session is unchanged."""


@contextmanager
def disk_errors(out: Path) -> Iterator[None]:
    """Turn an OSError raised while writing `out` into a SessionError."""
    try:
        yield
    except OSError as error:
        full = error.errno in FULL_ERRNOS
        reason = "the disk is full" if full else error.strerror or error
        raise SessionError(
            f"{out} could not be written: {reason}. No existing file was changed"
        ) from error


def counted_text(count: int, what: str, many: str = "") -> str:
    """'1 row' or '2,000 rows'; `many` is the plural where it is not formed with an s."""
    return f"{count:,} {what if count == 1 else many or what + 's'}"
