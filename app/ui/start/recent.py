"""Recently used sessions, and a summary of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from agent.errors import WorkbenchError
from app.core.database.locations import shown_location
from app.core.session.session import open_session
from app.core.statistics.pace import progress
from app.ui.settings.settings_check import MAX_RECENT
from app.ui.translation.message_texts import translate_message


@dataclass(frozen=True, kw_only=True)
class RecentSession:
    """A session that was opened before.

    `location` is a path or a database URL. `used` is when the file was last written, if known.
    `problem` says why an existing file cannot be opened.
    """

    location: str
    exists: bool = True
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
        return Path(self.location).stem if self.is_file else self.shown.rpartition("/")[2]

    @property
    def shown(self) -> str:
        return self.location if self.is_file else shown_location(self.location)


def remember(recent: Sequence[str], location: str) -> tuple[str, ...]:
    """The list with `location` moved to the front."""
    return (location, *(each for each in recent if each != location))[:MAX_RECENT]


def forget(recent: Sequence[str], location: str) -> tuple[str, ...]:
    """The list without `location`; the file itself is kept."""
    return tuple(each for each in recent if each != location)


def describe_session(location: str, reviewer: str) -> RecentSession:
    """Summarize a session; do not call on the GUI thread.

    A file is opened read-only, so that nobody working on it is disturbed; servers are not queried.
    """
    if "://" in location:
        return RecentSession(location=location)
    try:
        used = datetime.fromtimestamp(Path(location).stat().st_mtime)
    except (OSError, ValueError, OverflowError):
        return RecentSession(location=location, exists=False)
    try:
        with open_session(Path(location), reviewer, read_only=True) as session:
            judged = progress(session, reviewer)
            return RecentSession(
                location=location,
                task=session.task.name,
                done=judged.done,
                total=judged.total,
                used=used,
            )
    except WorkbenchError as error:
        return RecentSession(location=location, used=used, problem=translate_message(str(error)))
