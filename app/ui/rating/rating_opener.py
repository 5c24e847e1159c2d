"""Opens the rating room on files of trajectories, and holds its windows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from agent.errors import WorkbenchError
from app.ui.background.runner import Runner
from app.ui.settings.settings import reviewer_name
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.message_texts import translate_message

if TYPE_CHECKING:
    from agent.ratings.desk import RatingDesk
    from app.ui.rating.rating_window import RatingWindow


class Host(Protocol):
    """What the main window lends to the room."""

    runner: Runner
    settings: SettingsStore
    current_theme: CurrentTheme

    def show_guide(self, page: str = "") -> None: ...

    def show_error(self, text: str) -> None: ...


class RatingOpener(QObject):
    def __init__(self, host: Host) -> None:
        assert isinstance(host, QWidget)
        super().__init__(host)
        self._host, self._window = host, host
        self._runner = host.runner
        self.windows: list[RatingWindow] = []

    def choose(self) -> None:
        """Ask for files of trajectories and open the room on them."""
        kinds = self.tr("Inspections") + " (*.jsonl)"
        names, _ = QFileDialog.getOpenFileNames(
            self._window, self.tr("Rate inspections"), "", kinds
        )
        if names:
            self.open([Path(name) for name in names])

    def open(self, files: Sequence[Path]) -> None:
        from agent.ratings.desk import open_desk

        work = partial(open_desk, files, reviewer_name(self._host.settings.settings))
        self._runner.run(work, self.show_desk, self._on_failed, owner=self)

    def show_desk(self, desk: RatingDesk) -> None:
        from app.ui.rating.rating_window import RatingWindow

        made = RatingWindow(desk, self._runner, self._host.current_theme)
        made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        made.help_requested.connect(self._host.show_guide)
        made.closed.connect(partial(self._forget, made))
        self.windows.append(made)
        made.show()

    def close(self) -> None:
        for each in list(self.windows):
            each.close()

    def _forget(self, closed: RatingWindow) -> None:
        self.windows = [each for each in self.windows if each is not closed]

    def _on_failed(self, error: WorkbenchError) -> None:
        self._host.show_error(translate_message(str(error)))
