"""Sessions that were tampered with, and everything that can be done with them."""

import json
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from app.core.errors import SessionError
from app.core.session.session import open_session
from tests.app.core.sessions import ACCEPT, REJECT, made


@cache
def whole():
    """The file of a session with three log lines."""
    with tempfile.TemporaryDirectory() as folder:
        location = Path(folder) / "night.speco3"
        with made(location) as session:
            session.record_verdict(1, ACCEPT)
            session.record_verdict(2, REJECT)
            session.undo()
        with closing(sqlite3.connect(location)) as connection:
            connection.executescript("PRAGMA journal_mode = DELETE")
        return location.read_bytes()


def prepare(location, script=""):
    """A session with three log lines, whose file a script was then run on."""
    location.write_bytes(whole())
    with closing(sqlite3.connect(location)) as connection:
        connection.executescript(script)


def use(location, *, read_only=False):
    """Try everything a session can do, then raise the first SessionError."""
    first = None

    def tried(call, *values, **more):
        nonlocal first
        try:
            return call(*values, **more)
        except SessionError as error:
            first = first or error

    with open_session(location, "Ada", read_only=read_only) as session:
        tried(lambda: list(session.history()))
        tried(lambda: list(session.history(1)))
        for number in (1, 2, 5):
            tried(session.judgements, number)
            tried(session.candidate, number)
        if not read_only:
            for number in (1, 2, 3):
                tried(session.record_verdict, number, ACCEPT, shown={"verdict": "YES"})
                tried(session.undo)
                tried(session.undo)
                tried(session.redo)
            tried(session.set_fact, "blind", json.dumps(True))
        tried(session.count)
        assert session.name is not None
    if first is not None:
        raise first
