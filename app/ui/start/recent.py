"""The sessions somebody worked with lately, and what can be said of each without opening it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agent.errors import WorkbenchError
from app.core.session.session import open_session
from app.core.statistics.pace import progress
from app.ui.settings.settings_check import MAX_RECENT


@dataclass(frozen=True, kw_only=True)
class RecentSession:
    """A session opened before.

    `location` is a file or a database's URL. `used` is when it was last written; None where that is
    not known. `problem` says why a file that exists cannot be opened.
    """

    location: str
    is_there: bool = True
    task: str = ""
    done: int = 0
    total: int = 0
    used: datetime | None = None
    problem: str = ""

    @property
    def is_file(self) -> bool:
        return "://" not in self.location

    @property
    def name(self) -> str:
        return Path(self.location).stem if self.is_file else self.location.rpartition("/")[2]


def remember(recent: Sequence[str], location: str) -> tuple[str, ...]:
    """With that one first."""
    return (location, *(each for each in recent if each != location))[:MAX_RECENT]


def forget(recent: Sequence[str], location: str) -> tuple[str, ...]:
    """Without that one; the file stays where it is."""
    return tuple(each for each in recent if each != location)


def glance(location: str, reviewer: str) -> RecentSession:
    """A file is opened to read, so that nobody who works with it is disturbed; a server is not
    asked. Not for the window's thread."""
    if "://" in location:
        return RecentSession(location=location)
    try:
        used = datetime.fromtimestamp(Path(location).stat().st_mtime)
    except (OSError, ValueError, OverflowError):
        return RecentSession(location=location, is_there=False)
    try:
        with open_session(Path(location), reviewer, read_only=True) as session:
            found = progress(session, reviewer)
            return RecentSession(
                location=location,
                task=session.task.name,
                done=found.done,
                total=found.total,
                used=used,
            )
    except WorkbenchError as error:
        return RecentSession(location=location, used=used, problem=str(error))
