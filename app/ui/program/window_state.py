"""Stores the state of the window: geometry, panels, view options and the open session.

It is saved as it changes, so that a crash loses nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, QObject, QTimer
from PySide6.QtWidgets import QMainWindow

from app.ui.base.settings.settings_store import SettingsStore
from app.ui.session.candidate.view_options import View, ViewOptions

if TYPE_CHECKING:
    from app.ui.program.session_view import SessionView

SAVE_AFTER_MS = 1000
# The candidate changes all the time, and each save takes a few milliseconds.
SAVE_CANDIDATE_AFTER_MS = 5000
MAX_SCREENS = 20
MAX_RUNS = 12
MAX_NUMBER = 2**63 - 1
SAVED_OPTIONS = (
    *("lines", "labels", "errors", "mask", "rest_axis", "smoothing"),
    *("keep_window", "keep_velocity"),
)
_WINDOW_EVENTS = frozenset({QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.WindowStateChange})


@dataclass(frozen=True)
class LeftOpen:
    """A session that was open when the program crashed."""

    location: str
    candidate_id: int | None


class WindowState(QObject):
    def __init__(self, window: QMainWindow, settings: SettingsStore) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._session: SessionView | None = None
        self.view = View(_options(settings.settings.view), self)
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)
        self._candidate_timer = QTimer(self, singleShot=True, interval=SAVE_CANDIDATE_AFTER_MS)
        self._candidate_timer.timeout.connect(self.save)
        self.view.changed.connect(self._save_soon)
        layout = _decoded(settings.settings.layout)
        if geometry := _bytes(layout.get("geometry")):
            window.restoreGeometry(QByteArray(geometry))
        self._docks = _docks(layout.get("docks"))
        """State of the docks by the size of the screen, as it fits no other."""
        self.left_open = _left_open(layout.get("open"))  # None if the program was closed normally
        self._runs = _runs(layout.get("runs"))
        """Sessions that were left while the agent was inspecting their lists."""
        window.installEventFilter(self)

    def attach(self, session: SessionView) -> None:
        """Restore the panels, and reset options that depend on the session's objects."""
        self._session = session
        self.view.set_window(None)
        fresh = ViewOptions()
        self.view.change(z=fresh.z, template=fresh.template, line_sets=fresh.line_sets)
        if state := self._docks.get(self._screen()):
            session.judging.dock_area.restore(QByteArray(state))
        session.judging.dock_area.layout_changed.connect(self._save_soon)
        session.context.current.candidate_changed.connect(self._save_candidate_later)
        self._save_soon()

    def detach(self) -> None:
        """Save the state before the session is closed normally."""
        self.save()
        self._session = None
        self.save()

    def take_left_open(self) -> LeftOpen | None:
        """The session that a crash left open; a second crash will not open it again."""
        left, self.left_open = self.left_open, None
        if left is not None:
            self.save()
            self._settings.flush()
        return left

    def note_run(self, location: str) -> None:
        self._runs = (location, *(each for each in self._runs if each != location))[:MAX_RUNS]
        self.save()

    def take_run(self, location: str) -> bool:
        """Whether the agent was inspecting this list when it was left; told once."""
        is_there = location in self._runs
        self._runs = tuple(each for each in self._runs if each != location)
        return is_there

    def save(self) -> None:
        self._timer.stop()
        self._candidate_timer.stop()
        session = self._session
        if session is not None:
            self._docks[self._screen()] = bytes(session.judging.dock_area.state().data())
        layout = {
            "geometry": _text(bytes(self._window.saveGeometry().data())),
            "docks": {size: _text(state) for size, state in self._docks.items()},
            "open": _open(session),
            "runs": self._runs,
        }
        options, defaults = asdict(self.view.options), asdict(ViewOptions())
        changed = {name: options[name] for name in SAVED_OPTIONS if options[name] != defaults[name]}
        encoded = base64.b64encode(json.dumps(layout).encode()).decode()
        self._settings.change(layout=encoded, view=changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _WINDOW_EVENTS and self._window.isVisible():
            self._save_soon()
        return False

    def _screen(self) -> str:
        size = self._window.screen().size()
        return f"{size.width()}x{size.height()}"

    def _save_soon(self) -> None:
        if not self._timer.isActive():  # restarting it could delay saving forever
            self._timer.start()

    def _save_candidate_later(self) -> None:
        if not self._candidate_timer.isActive():
            self._candidate_timer.start()


def _open(session: SessionView | None) -> Mapping[str, object] | None:
    if session is None or session.session.is_read_only:
        return None
    location, candidate = session.session.location, session.context.current.candidate
    if not isinstance(location, Path):
        return None  # a session on a server is not reopened without asking
    number = None if candidate is None else candidate.id
    return {"place": str(location.absolute()), "candidate": number}


def _text(state: bytes) -> str:
    return base64.b64encode(state).decode()


# The settings file may be damaged or come from somebody else, so each value is checked.


def _decoded(text: str) -> Mapping[str, Any]:
    try:
        layout = json.loads(base64.b64decode(text, validate=True) or b"{}")
    except (ValueError, RecursionError, binascii.Error):
        return {}
    return layout if isinstance(layout, dict) else {}


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else b""
    except (ValueError, binascii.Error):
        return b""


def _left_open(value: Any) -> LeftOpen | None:
    if not isinstance(value, dict) or not isinstance(value.get("place"), str):
        return None
    number = value.get("candidate")
    is_number = type(number) is int and 0 < number <= MAX_NUMBER
    return LeftOpen(value["place"], number if is_number else None)


def _runs(value: Any) -> tuple[str, ...]:
    found = value[:MAX_RUNS] if isinstance(value, list) else []
    return tuple(each for each in found if isinstance(each, str))


def _docks(value: Any) -> dict[str, bytes]:
    entries = list(value.items())[:MAX_SCREENS] if isinstance(value, dict) else []
    return {size: state for size, text in entries if (state := _bytes(text))}


def _options(saved: Any) -> ViewOptions:
    usual, view = ViewOptions(), View()
    for name, value in dict(saved).items():
        if name in SAVED_OPTIONS and type(value) is type(getattr(usual, name)):
            view.change(**{name: value})
    return view.options
