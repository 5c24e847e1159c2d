"""The row of menus, with the top bar of the session beside them where both fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QAction

from app.core.database.locations import shown_location
from app.ui.keys.menus import Menus
from app.ui.top_bar import TopBar

if TYPE_CHECKING:
    from app.ui.main_window import MainWindow
    from app.ui.session_view import SessionView

OPTIONS = ("lines", "labels", "errors", "mask", "rest_axis")
MAX_RECENT = 10
MAX_NAME = 60


class MenuRow(QObject):
    """Also what the menus ask of the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.menus = Menus(window.menuBar(), window.commands, window.keymap.label, self)
        # Widgets are not moved while Qt lays them out, which ends in a crash.
        self._placing = QTimer(self, singleShot=True, interval=0)
        self._placing.timeout.connect(self.place)
        window.installEventFilter(self)

    def is_available(self, name: str) -> bool:
        return self._window.is_available(name)

    def is_checked(self, name: str) -> bool | None:
        view = self._window.view
        if name == "full_screen":
            return self._window.isFullScreen()
        if view is None:
            return None
        if name == "blind":
            return view.context.current.blind_mode.is_on
        if name == "template":
            return bool(view.context.view.options.template)
        return getattr(view.context.view.options, name) if name in OPTIONS else None

    def panel_actions(self) -> Sequence[QAction]:
        view = self._window.view
        return () if view is None else view.judging.panel_actions()

    def recent(self) -> Sequence[tuple[str, Callable[[], object]]]:
        window, found = self._window, []
        for location in window.settings.settings.recent[:MAX_RECENT]:
            place = shown_location(location) if "://" in location else Path(location)
            name = place if isinstance(place, str) else place.stem
            found.append((name[:MAX_NAME], partial(window.open_session, place)))
        return found

    def place(self) -> None:
        """Put the top bar beside the menus if both fit, else below them."""
        view, bar = self._window.view, self._window.menuBar()
        if view is None:
            return
        menus = bar.actionGeometry(bar.actions()[-1]).right()
        needed = menus + view.top.sizeHint().width()
        if needed <= self._window.width() and not bar.isNativeMenuBar():
            bar.setCornerWidget(view.top)  # again, too: its wanted size may have changed
            view.top.show()
        else:
            self.take_out(view)

    def follow(self, view: SessionView) -> None:
        """Place the top bar of a new session, and again whenever it wants another size."""
        view.top.installEventFilter(self)
        self.place()

    def take_out(self, view: SessionView) -> None:
        """Give the top bar back to its session."""
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
