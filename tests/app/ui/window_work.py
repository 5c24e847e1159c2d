"""What the thread of the window does itself, counted.

Seconds tell little on a slow or busy machine. What would hold the window up has a name and can be
counted: a wait for another thread, a file, a process, a connection, a module to import, calls of
what reads, draws and measures, statements of the database, and whatever else a test names.
"""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from sqlalchemy import Engine, event

from app.core.database.database import Database

ROOT = Path(__file__).resolve().parents[3]
AUDITED = {
    "open": "file", "import": "import", "socket.connect": "connection",
    "socket.getaddrinfo": "connection", "subprocess.Popen": "process",
}  # fmt: skip
"""Python's audit events, and what they are counted as."""
MODULES = {
    "agent.inspection.": "inspection", "agent.rendering.render": "picture",
    "agent.rendering.model_image": "picture", "agent.spectra.readers.": "reading",
    "agent.votable.": "reading", "app.core.importing.formats.": "reading",
    "app.services.catalogues.votable_reply": "reading", "app.services.web.client": "connection",
}  # fmt: skip
"""Parts of the program whose calls are counted, by the start of a module's name."""
LOOKED_UP = {"agent.inspection.built_in"}
"""Modules of those parts whose calls are not counted: they only look up a name in a table."""
BLOCKS = ("wait", *dict.fromkeys((*AUDITED.values(), *MODULES.values())))
"""What takes nobody knows how long: a window that goes on leaves it to others."""
SHORT_WAITS = (threading.Thread.start.__code__, Database._write_turn.__wrapped__.__code__)
"""A new thread says at once that it is there; one that writes to the session ends with a commit."""
PLACES = 5


class WindowWork:
    """Counts in the thread that made it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.counts: Counter[str] = Counter()
        self.places: dict[str, list[str]] = {}
        """By kind, which of our lines were running, the first few times."""
        self._patch, self._thread = patch, threading.get_ident()
        self._kinds: dict[CodeType, str] = {}

    def watch(self, owner: Any, name: str, kind: str) -> None:
        """Count the calls of a function or method."""
        original = getattr(owner, name)

        @wraps(original)
        def counting(*arguments: Any, **named: Any) -> Any:
            self.note(kind)
            return original(*arguments, **named)

        self._patch.setattr(owner, name, counting)

    def note(self, kind: str) -> None:
        if threading.get_ident() == self._thread:
            self.counts[kind] += 1
            places = self.places.setdefault(kind, [])
            if len(places) < PLACES:
                places.append(_own_lines())

    def called(self, frame: FrameType, what: str, _: object) -> None:
        """Python's profiler, which tells of every call in this thread."""
        if what != "call":
            return
        kind = self._kinds.get(frame.f_code)
        if kind is None:
            module = str(frame.f_globals.get("__name__"))
            starts = () if module in LOOKED_UP else MODULES.items()
            found = (kind for start, kind in starts if module.startswith(start))
            kind = self._kinds[frame.f_code] = next(found, "")
        if kind:
            self.note(kind)

    def did(self, *kinds: str) -> dict[str, list[str]]:
        """Where it did something of these kinds."""
        return {kind: self.places[kind] for kind in kinds if self.counts[kind]}


_counting: list[WindowWork] = []


def _heard(name: str, arguments: tuple[Any, ...]) -> None:
    if _counting and name in AUDITED and not (name == "open" and _is_of_python(arguments[0])):
        _counting[-1].note(AUDITED[name])


def _is_of_python(path: object) -> bool:
    """A module, a descriptor that is open already, or the system's word on this process."""
    return not isinstance(path, str) or path.endswith((".py", ".pyc", ".so")) or "/proc/" in path


sys.addaudithook(_heard)  # one for good, as Python takes none away


@contextmanager
def counted() -> Iterator[WindowWork]:
    """Counts while it is entered."""
    with pytest.MonkeyPatch.context() as patch:
        work = WindowWork(patch)
        wait = threading.Condition.wait  # events, queues and futures wait so

        def waiting(condition: threading.Condition, timeout: float | None = None) -> bool:
            if timeout != 0 and sys._getframe(2).f_code not in SHORT_WAITS:
                work.note("wait")
            return wait(condition, timeout)

        patch.setattr(threading.Condition, "wait", waiting)
        work.watch(threading.Thread, "join", "wait")
        notes = {
            "before_cursor_execute": lambda *_: work.note("statement"),
            "commit": lambda *_: work.note("commit"),
        }
        for name, note in notes.items():
            event.listen(Engine, name, note)
        _counting.append(work)
        sys.setprofile(work.called)
        try:
            yield work
        finally:
            sys.setprofile(None)
            _counting.remove(work)
            for name, note in notes.items():
                event.remove(Engine, name, note)


def _own_lines() -> str:
    frame, lines = sys._getframe(2), []
    while frame is not None and len(lines) < 6:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and ".venv" not in path.parts and path != Path(__file__):
            lines.append(f"{path.relative_to(ROOT)}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(lines)
