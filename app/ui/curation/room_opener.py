"""Opens curation rooms, each a window of its own, and closes them with the main window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from agent.errors import WorkbenchError
from app.ui.actions.commands import Commands
from app.ui.background.runner import Runner
from app.ui.settings.settings import reviewer_name
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.message_texts import translate_message

if TYPE_CHECKING:
    from agent.curation.pool import Pool
    from app.ui.curation.curation_room import CurationRoom

GUIDE_PAGE = "cold-start"


class RoomOpener(QObject):
    failed = Signal(str)
    """Why a pool cannot be opened, for the user."""
    opened = Signal(object)
    """The room that is now on the screen."""

    def __init__(
        self,
        runner: Runner,
        settings: SettingsStore,
        current_theme: CurrentTheme,
        show_guide: Callable[[str], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._runner, self._settings, self._window = runner, settings, window
        self._current_theme, self._show_guide = current_theme, show_guide
        self.rooms: list[CurationRoom] = []

    def add_commands(self, commands: Commands) -> None:
        commands.add("curation_room", self.ask)

    def ask(self) -> None:
        """Ask for the folder of a pool, and open it."""
        title = self.tr("Open a pool of drafts")
        if name := QFileDialog.getExistingDirectory(self._window, title):
            self.open_pool(Path(name))

    def open_pool(self, place: Path | str, by: str = "") -> None:
        """Open a pool; `by` is who reviews, by default the person of the settings."""
        from agent.curation.pool import open_pool  # brings what draws and measures

        if self._is_open(place):
            return
        by = by or reviewer_name(self._settings.settings)
        self._runner.run(
            partial(open_pool, place), partial(self._show, by), self._report, owner=self
        )

    def close(self) -> None:
        for room in list(self.rooms):
            room.close()

    def _show(self, by: str, pool: Pool) -> None:
        from app.ui.curation.curation_room import CurationRoom

        if self._is_open(pool.place):  # it was asked for twice while the first was being read
            return
        room = CurationRoom(pool, by, self._runner, self._current_theme)
        room.help_requested.connect(partial(self._show_guide, GUIDE_PAGE))
        room.closed.connect(partial(self._forget, room))
        self.rooms.append(room)
        room.show()
        self.opened.emit(room)

    def _is_open(self, place: Path | str) -> bool:
        """Whether there is a room on this pool, which then comes to the front."""
        known = [room for room in self.rooms if room.desk.pool.place == place]
        for room in known:
            room.raise_()
            room.activateWindow()
        return bool(known)

    def _forget(self, room: CurationRoom) -> None:
        self.rooms = [each for each in self.rooms if each is not room]
        room.deleteLater()

    def _report(self, error: WorkbenchError) -> None:
        self.failed.emit(translate_message(str(error)))
