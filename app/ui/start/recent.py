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
    """`place` is a file or a database's URL. `problem`: why a file that is there cannot be opened.
    `used` is when it was last written; None where nobody can tell."""

    place: str
    is_there: bool = True
    task: str = ""
    done: int = 0
    total: int = 0
    used: datetime | None = None
    problem: str = ""

    @property
    def is_file(self) -> bool:
        return "://" not in self.place

    @property
    def name(self) -> str:
        return Path(self.place).stem if self.is_file else self.place.rpartition("/")[2]


def remember(recent: Sequence[str], place: str) -> tuple[str, ...]:
    """With that one first."""
    return (place, *(each for each in recent if each != place))[:MAX_RECENT]


def forget(recent: Sequence[str], place: str) -> tuple[str, ...]:
    """Without that one; the file stays where it is."""
    return tuple(each for each in recent if each != place)


def glance(place: str, reviewer: str) -> RecentSession:
    """A file is opened to read, so that nobody who works with it is disturbed; a server is not
    asked. Not for the window's thread."""
    if "://" in place:
        return RecentSession(place=place)
    try:
        used = datetime.fromtimestamp(Path(place).stat().st_mtime)
    except (OSError, ValueError, OverflowError):
        return RecentSession(place=place, is_there=False)
    try:
        with open_session(Path(place), reviewer, read_only=True) as session:
            found = progress(session, reviewer)
            return RecentSession(
                place=place,
                task=session.task.name,
                done=found.done,
                total=found.total,
                used=used,
            )
    except WorkbenchError as error:
        return RecentSession(place=place, used=used, problem=str(error))
