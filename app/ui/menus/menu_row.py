"""The row of menus, with the top bar of the session beside them where both fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from app.core.database.locations import shown_location
from app.ui.actions.commands import Commands
from app.ui.candidate.view_options import AXIS_SWITCHES
from app.ui.keys.keymap import Keymap
from app.ui.menus.menus import Menus
from app.ui.session_view import SessionView
from app.ui.settings.settings_store import SettingsStore
from app.ui.top_bar import TopBar

OPTIONS = ("lines", "labels", "errors", "mask", "rest_axis", "flux_zero", "flux_log")
MAX_RECENT = 10
MAX_NAME = 60


class MenuRow(QObject):
    """Also what the menus ask of the window."""

    def __init__(
        self,
        window: QMainWindow,
        settings: SettingsStore,
        commands: Commands,
        keymap: Keymap,
    ) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._view: SessionView | None = None
        self.menus = Menus(window.menuBar(), commands, keymap.label, self)
        # Widgets are not moved while Qt lays them out, which ends in a crash.
        self._placing = QTimer(self, singleShot=True, interval=0)
        self._placing.timeout.connect(self.place)
        window.installEventFilter(self)

    def ask(
        self, is_available: Callable[[str], bool], open_session: Callable[[Path | str], None]
    ) -> None:
        """Set who knows whether an action is available, and who opens a session."""
        self._is_available, self._open_session = is_available, open_session

    def is_available(self, name: str) -> bool:
        return self._is_available(name)

    def is_checked(self, name: str) -> bool | None:
        view = self._view
        if name == "full_screen":
            return self._window.isFullScreen()
        if name == "samp":
            return self._settings.settings.samp
        if view is None:
            return None
        if name == "blind":
            return view.context.current.blind_mode.is_on
        options = view.context.view.options
        if name == "template":
            return bool(options.template)
        if name == "velocity_axis":
            return options.velocity_line is not None
        if name in AXIS_SWITCHES:
            option, value = AXIS_SWITCHES[name]
            return bool(getattr(options, option) == value)
        return getattr(options, name) if name in OPTIONS else None

    def panel_actions(self) -> Sequence[QAction]:
        view = self._view
        return () if view is None else view.judging.dock_area.panel_actions()

    def recent(self) -> Sequence[tuple[str, Callable[[], object]]]:
        found: list[tuple[str, Callable[[], object]]] = []
        for location in self._settings.settings.recent[:MAX_RECENT]:
            place = shown_location(location) if "://" in location else Path(location)
            name = place if isinstance(place, str) else place.stem
            found.append((name[:MAX_NAME], partial(self._open_session, place)))
        return found

    def place(self) -> None:
        """Put the top bar beside the menus if both fit, else below them."""
        view, bar = self._view, self._window.menuBar()
        if view is None:
            return
        menus = bar.actionGeometry(bar.actions()[-1]).right()
        needed = menus + view.top.sizeHint().width()
        if needed <= self._window.width() and not bar.isNativeMenuBar():
            bar.setCornerWidget(view.top)  # again, too: its wanted size may have changed
            view.top.show()
        else:
            self._take_out(view)

    def follow(self, view: SessionView) -> None:
        """Place the top bar of a new session, and again whenever it wants another size."""
        self._view = view
        view.top.installEventFilter(self)
        self.place()

    def leave(self) -> None:
        """Give the top bar back to its session, which is about to close."""
        if self._view is not None:
            self._take_out(self._view)
            self._view = None

    def _take_out(self, view: SessionView) -> None:
        bar = self._window.menuBar()
        if bar.cornerWidget() is view.top:
            bar.setCornerWidget(None)  # type: ignore[arg-type]
            view.take_top_bar()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Resize or (
            kind == QEvent.Type.LayoutRequest and isinstance(watched, TopBar)
        ):
            self._placing.start()
        return False
