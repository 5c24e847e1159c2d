"""How the window was left: its place, its panels and what is folded in them, how spectra were
looked at, what was open.

Kept as it changes, so that a crash loses none of it.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, QObject, QTimer
from PySide6.QtWidgets import QMainWindow

from app.ui.candidate.view_options import View, ViewOptions
from app.ui.settings.settings_keeper import SettingsKeeper

if TYPE_CHECKING:
    from app.ui.session_view import SessionView

SAVE_AFTER_MS = 1000
NOTE_PLACE_AFTER_MS = 5000
"""Another candidate comes all the time, and each writing costs a few milliseconds."""
MAX_SIZE = 100_000
"""Pixels: a panel of a stranger's settings file."""
MAX_NUMBER = 2**63 - 1
KEPT = ("lines", "labels", "errors", "mask", "rest_axis", "smoothing", "keep_window")
"""Options of the view; the velocity belongs to the objects of one evening."""
_MOVES = frozenset({QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.WindowStateChange})


@dataclass(frozen=True)
class LeftOpen:
    """A session that nobody closed: the program ended before."""

    location: str
    candidate_id: int | None


class WindowState(QObject):
    def __init__(self, window: QMainWindow, settings: SettingsKeeper) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._session: SessionView | None = None
        self.view = View(_options(settings.settings.view), self)
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)
        self._place_timer = QTimer(self, singleShot=True, interval=NOTE_PLACE_AFTER_MS)
        self._place_timer.timeout.connect(self.save)
        self.view.changed.connect(self._soon)
        found = _read(settings.settings.layout)
        if geometry := _bytes(found.get("geometry")):
            window.restoreGeometry(QByteArray(geometry))
        self._sizes = _sizes(found.get("sizes"))
        self._folded = _folded(found.get("folded"))
        self.left_open = _left_open(found.get("open"))
        """For the program's start; None: it ended as it should."""
        window.installEventFilter(self)

    def meet_session(self, session: SessionView) -> None:
        """Panels as wide and folded as they were left. What belongs to another one's objects
        goes."""
        self._session = session
        self.view.look_at(None)
        fresh = ViewOptions()
        self.view.change(z=fresh.z, template=fresh.template, line_sets=fresh.line_sets)
        splitters = session.judging.splitters()
        for splitter, sizes in zip(splitters, self._sizes, strict=False):
            if len(sizes) == splitter.count():
                splitter.setSizes(sizes)
        for splitter in splitters:
            splitter.splitterMoved.connect(self._soon)
        for name, section in session.judging.operation.sections.items():
            section.set_open(not self._folded.get(name, not section.is_open))
            section.folded.connect(self._soon)
        session.context.current.moved.connect(self._note_place)
        self._soon()

    def leave_session(self) -> None:
        """It is about to be closed, as it should."""
        self.save()
        self._session = None
        self.save()

    def save(self) -> None:
        self._timer.stop()
        self._place_timer.stop()
        session = self._session
        if session is not None and session.judging.shows_panels:
            self._sizes = [splitter.sizes() for splitter in session.judging.splitters()]
        if session is not None:
            sections = session.judging.operation.sections
            self._folded = {name: not each.is_open for name, each in sections.items()}
        geometry = base64.b64encode(self._window.saveGeometry().data()).decode()
        layout = {
            "geometry": geometry,
            "sizes": self._sizes,
            "folded": self._folded,
            "open": _open(session),
        }
        options = asdict(self.view.options)
        kept = {
            name: options[name] for name in KEPT if options[name] != getattr(ViewOptions(), name)
        }
        self._settings.change(layout=_written(layout), view=kept)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES and self._window.isVisible():
            self._soon()
        return False

    def _soon(self) -> None:
        """Not put off for ever by somebody who never rests."""
        if not self._timer.isActive():
            self._timer.start()

    def _note_place(self) -> None:
        if not self._place_timer.isActive():
            self._place_timer.start()


def _open(session: SessionView | None) -> Mapping[str, object] | None:
    if session is None or session.session.is_read_only:
        return None
    location, candidate = session.session.location, session.context.current.candidate
    if not isinstance(location, Path):
        return None  # a server's: who opens it anew should mean it
    number = None if candidate is None else candidate.id
    return {"place": str(location.absolute()), "candidate": number}


def _written(layout: Mapping[str, object]) -> str:
    return base64.b64encode(json.dumps(layout).encode()).decode()


def _read(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(base64.b64decode(text, validate=True) or b"{}")
    except (ValueError, RecursionError, binascii.Error):
        return {}
    return found if isinstance(found, dict) else {}


def _bytes(found: Any) -> bytes:
    try:
        return base64.b64decode(found, validate=True) if isinstance(found, str) else b""
    except (ValueError, binascii.Error):
        return b""


def _left_open(found: Any) -> LeftOpen | None:
    if not isinstance(found, dict) or not isinstance(found.get("place"), str):
        return None
    number = found.get("candidate")
    is_number = type(number) is int and 0 < number <= MAX_NUMBER
    return LeftOpen(found["place"], number if is_number else None)


def _sizes(found: Any) -> list[list[int]]:
    """What splitters can be given; nothing of it where anything is odd."""
    if not isinstance(found, list) or not all(isinstance(each, list) for each in found):
        return []
    sound = all(type(n) is int and 0 <= n <= MAX_SIZE for each in found for n in each)
    return found if sound else []


def _folded(found: Any) -> dict[str, bool]:
    """Sections by name, whether they are shut; what is no such thing is left out."""
    entries = found.items() if isinstance(found, dict) else ()
    return {name: shut for name, shut in entries if isinstance(shut, bool)}


def _options(kept: Any) -> ViewOptions:
    """Only of the kind each option is of: the file may be anybody's."""
    kinds = {field.name: type(getattr(ViewOptions(), field.name)) for field in fields(ViewOptions)}
    known = {
        name: value
        for name, value in dict(kept).items()
        if name in KEPT and type(value) is kinds[name]
    }
    view = View()
    view.change(**known)
    return view.options
