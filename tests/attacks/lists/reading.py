"""Previews and imports lists as a person would, and tells what came of it and what was opened."""

import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from sqlalchemy import select

from agent.errors import WorkbenchError
from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates
from app.core.importing.child import child, parent
from app.core.importing.importer import import_list, preview
from app.core.session.session import Session, new_session
from tests.attacks import sandbox
from tests.attacks.lists import cases
from tests.attacks.lists.damaged import damaged

OPENED = "opened.log"
SESSION = "night.speco3"
OWN = "own"
"""A folder for settings and temporary files."""


def read_one(name: str, folder: str, is_forked: bool) -> dict[str, Any]:
    """Read a crafted list; `folder` is empty and its parent holds baits."""
    path = cases.CASES[name].make(Path(folder))
    with _reading(Path(folder), is_forked=is_forked) as session:
        return _read(session, path)


def read_damaged(format_: str, first: int, count: int, folder: str) -> list[dict[str, Any]]:
    """Read damaged lists one after the other into one session."""
    results = []
    with _reading(Path(folder), is_forked=True) as session:
        for number in range(first, first + count):
            name, content = damaged(format_, number)
            path = Path(folder, name)
            path.write_bytes(content)
            results.append({"number": number, **_read(session, path)})
            path.unlink()
    return results


def give_time() -> None:
    """Let the sandbox end what hangs: on a slow machine the program would end what does not."""
    parent.START_S = parent.OPENING_S = parent.SILENCE_S = 10_000.0


def _read(session: Session, path: Path) -> dict[str, Any]:
    try:
        found = preview(path)
        report = import_list(session, path)
    except WorkbenchError as error:
        return {"refused": str(error)}
    assert len(found.rows) <= 20
    _check_stored(session, path)
    return {"rows": report.rows_used}


def _check_stored(session: Session, path: Path) -> None:
    """What the rest of the program may rely on; the newest rows are enough."""
    columns = candidates.c.path, candidates.c.own, candidates.c.object_id
    newest = select(*columns).order_by(candidates.c.id.desc()).limit(2000)
    inside = str(path if path.is_dir() else path.parent) + os.sep
    with session.database.reading() as connection:
        for found, own, object_id in connection.execute(newest):
            assert not found or os.path.normpath(found).startswith(inside), found
            assert isinstance(json.loads(own), dict), own
            assert object_id, found


@contextmanager
def _reading(folder: Path, *, is_forked: bool) -> Iterator[Session]:
    give_time()
    if is_forked:
        parent._started = _Forked  # type: ignore[assignment]
        _Forked.log = folder.parent / OPENED
    location = folder.parent / SESSION
    own = folder.parent / OWN
    own.mkdir(exist_ok=True)
    os.environ["XDG_CONFIG_HOME"] = str(own)
    tempfile.tempdir = str(own)
    try:
        with new_session(location, find_task("CV"), "Ada") as session:
            yield session
    finally:
        for each in folder.parent.glob(f"{SESSION}*"):
            each.unlink()


class _Forked:
    """The reading process, forked and not started, as that takes a hundredth of the time.

    It can also tell which files it opens.
    """

    log: Path

    def __init__(self, request: dict[str, Any], stderr: IO[bytes]) -> None:
        out, sink = os.pipe()
        self._code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            os.dup2(sink, 1)
            os.dup2(stderr.fileno(), 2)
            os._exit(self._main(request))
        os.close(sink)
        self.stdout: BinaryIO = os.fdopen(out, "rb")

    def _main(self, request: dict[str, Any]) -> int:
        sys.argv = ["child.py", json.dumps(request)]
        sandbox._record_opened(_Log(self.log))  # type: ignore[arg-type]
        try:
            child.main()
        except BaseException:
            traceback.print_exc()
            return 1
        return 0

    def kill(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


class _Log:
    """A list of names in a file, which outlives the process."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def append(self, name: str) -> None:
        os.write(self._file, json.dumps(name).encode() + b"\n")
