"""Hostile texts, and a session that is full of them.

What a text might do: have a file or an address opened, be shown as markup, stop the window.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from PySide6.QtGui import QColor, QImage

from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import to_line
from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import new_session, open_session
from tests.app.core.inspected import NANO, OTHER
from tests.app.ui.candidates import take_sample
from tests.app.ui.judge.agent.trajectories import record

MAGENTA = "#fe01fd"
"""The colour of a picture that only a text with markup could show."""
COUNT = 12
"""Candidates of a session, each with a text of its own."""
MB = 1_000_000
TAGS = (
    '<img src="{file}">',
    "<img src='file://{pipe}'>",
    '<img src="{picture}" width=900 height=900>',
    '<img src="file://{picture}">',
    '<img src="{url}/a.png">',
    '<img src="//127.0.0.1/share/a.png">',
    r'<img src="\\127.0.0.1\share\a.png">',
    '<img src="file:////127.0.0.1/share/a.png">',
    '<link rel="stylesheet" href="file://{pipe}">',
    "<style>@import url(file://{pipe}); * {{ color: red }}</style>",
    '<table background="file://{pipe}"><tr><td>cell</td></tr></table>',
    '<body bgcolor="{colour}" background="{picture}">body</body>',
    '<p style="background-image: url(file://{pipe})">p</p>',
    '<a href="file://{pipe}">link</a> <b>bold</b> <font size=7 color="{colour}">big</font>',
    "<!DOCTYPE html><html><head><title>t</title></head><body><h1>h</h1></body></html>",
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="{url}"/></svg>',
    "![picture](file://{pipe}) ![picture]({picture}) [link]({url})",
    "qrc:/a.png :/a.png file://{pipe} {url}",
    "data:image/png;base64,AAAA <img src='data:image/png;base64,AAAA'>",
    "&lt;img src=file://{pipe}&gt; &amp; &#60;b&#62; <br> <!-- -->",
    "<table>" * 300,
    "<b>" * 20_000,
)
LETTERS = (
    "\u202egnp.emit\u202c",
    "\u2066\u2067\u2068\u2069" * 50,
    "\u200b\u200c\u200d\ufeff\u2060" * 40,
    "e" + "\u0301" * 3000,
    "\U000e0041\U000e0042 \ue000 \ufffe \uffff \U0010ffff",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 200,
    "مرحبا שלום नमस्ते 名前 \u2028 \u2029 end",
    "a\0b",
    "\ud800 \udfff",
    "\x1b[31mred\x1b]8;;http://127.0.0.1\x07link\x1b]0;title\x07\x9b31m\x08\x07",
    "one\ntwo\r\nthree\ttab\vvertical\fform",
    "\n" * 3000,
    "%1 %2 %L1 %n %s %(name)s {} {0} {name} {count} {who} {0.__class__} $name \\1 \\g<0>",
    "&File &&& & Al&t",
    "night[*] [*]",
    "' \" ` ; -- \\ / ../../../etc/passwd",
    "=cmd|' /C calc'!A0",
    "",
    " ",
)
SIZES = ("x" * MB, "word " * (MB // 5), "<" * MB, "e\u0301" * (MB // 2), "名" * (MB // 3))


def texts(seed: int, baits: Baits) -> list[str]:
    """One for each candidate: markup, odd letters, great length, or some of them together."""
    random.seed(seed)
    places = {
        "pipe": baits.pipe,
        "file": baits.pipe,
        "picture": baits.picture,
        "url": baits.url,
        "colour": MAGENTA,
    }
    tags = [each.format(**places) for each in TAGS]
    made = []
    for number in range(COUNT):
        kind = (seed * COUNT + number) % 4
        pieces = (tags, LETTERS, [*tags, *LETTERS], [*tags, *SIZES])[kind]
        count = 1 if kind < 2 else random.randint(2, 4)
        made.append(" ".join(random.choices(pieces, k=count))[:MB])
    return made


class Baits:
    """A pipe, a picture and a server that nobody may ask for."""

    def __init__(self, folder: Path) -> None:
        self.pipe, self.picture = folder / "pipe", folder / "picture.png"
        os.mkfifo(self.pipe)
        image = QImage(64, 64, QImage.Format.Format_RGB32)
        image.fill(QColor(MAGENTA))
        assert image.save(str(self.picture))
        self.taken: list[str] = []
        taken = self.taken

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                taken.append(f"requested {self.path}")
                self.send_error(404)

            def log_message(self, *about: object) -> None: ...

        server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            os.close(os.open(self.pipe, os.O_WRONLY))  # returns when somebody opens it to read
            self.taken.append("the pipe was opened")


def hostile_session(folder: Path, made: list[str], *, is_refused: bool) -> Path:
    """A session that says these texts wherever a text is; where it `is_refused`, longer ones than
    its checks let through, too."""
    place = folder / "night.speco3"
    with new_session(place, find_task("CV"), "Ada") as session:
        take_sample(session, COUNT)
        for number in range(1, COUNT + 1):
            session.record_verdict(number, Opinion(verdict=Verdict.ACCEPT, comment="c"))
            for model, verdict in ((NANO, "YES"), (OTHER, "NO")):
                add_inspection(session, number, record(model=model, verdict=verdict))
    with open_session(place, "Bea") as session:
        for number in range(1, COUNT + 1):
            session.record_verdict(number, Opinion(verdict=Verdict.REJECT, flags=("star",)))
    with closing(sqlite3.connect(place)) as connection, connection:
        for number, text in enumerate(made, 1):
            _write_texts(connection, number, text if is_refused else _storable(text))
        for table, column in (("lists", "name"), ("lists", "path"), ("lists", "format")):
            _set(connection, table, column, made[0])
        _set(connection, "facts", "value", made[1][:5000], "key = 'name'")
    return place


def _storable(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode() or "empty"


def _write_texts(connection: sqlite3.Connection, number: int, text: str) -> None:
    here = f"candidate_id = {number}"
    short = text[:5000]
    _set(connection, "candidates", "object_id", text, f"id = {number}")
    _set(connection, "candidates", "label", text, f"id = {number}")
    own = json.dumps({short[:200] or "empty": text, "date": text, "mag": 1.5})
    _set(connection, "candidates", "own", own, f"id = {number}")
    if number == 2:
        _set(connection, "candidates", "path", text, f"id = {number}")
        _set(connection, "candidates", "fault", text, f"id = {number}")
    _set(connection, "candidates", "agent_model", text, f"id = {number}")
    for table in ("judgements", "log"):
        _set(connection, table, "comment", text if "\0" in text else text[:10_000], here)
        _set(connection, table, "flags", json.dumps([short[:40], "star"]), here)
    _set(
        connection, "inspections", "model", short[:200].strip() or "m", f"{here} AND verdict = 'NO'"
    )
    said = record(verdict="YES")
    steps = json.loads(to_line(said))
    line = json.dumps(_filled(steps, text))
    _set(connection, "inspections", "record", line, f"{here} AND verdict = 'YES'")
    with suppress(sqlite3.Error):  # names are unique
        _set(connection, "reviewers", "name", text[:300], "id = 2")


def _filled(value: Any, text: str, name: str = "") -> Any:
    """The record of an inspection with the text in all places of free text."""
    if name not in ("text", "label"):
        text = text[:200]
    if isinstance(value, dict):
        return {key: _filled(each, text, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, text, name) for each in value]
    is_free = name in ("text", "label", "object_id", "name", "replies", "path", "nearest")
    return text if isinstance(value, str) and is_free else value


def _set(
    connection: sqlite3.Connection, table: str, column: str, text: str, where: str = "1"
) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    query = f'UPDATE "{table}" SET "{column}" = CAST(? AS TEXT) WHERE {where}'
    with suppress(sqlite3.IntegrityError):
        connection.execute(query, (raw,))
