"""Opens what was fetched from an archive: a list of several spectra, or the only one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.ui.base.background.runner import Runner

if TYPE_CHECKING:
    from app.ui.start.fetching.fetch_dialog import FetchDialog


class ArchiveOpener(QObject):
    """Holds the dialog, which is made when it is first asked for."""

    def __init__(
        self,
        runner: Runner,
        window: QWidget,
        open_lists: Callable[[list[Path]], None],
        open_spectrum: Callable[[Path], None],
    ) -> None:
        super().__init__(window)
        self._runner, self._window = runner, window
        self._open_lists, self._open_spectrum = open_lists, open_spectrum
        self.dialog: FetchDialog | None = None

    def open(self) -> None:
        from app.ui.start.fetching.fetch_dialog import FetchDialog  # brings what the network needs

        if self.dialog is None:
            self.dialog = FetchDialog(self._runner, self._window)
            self.dialog.fetched.connect(self._open_fetched)
        self.dialog.open_page()

    def close(self) -> None:
        if self.dialog is not None:
            self.dialog.reject()

    def _open_fetched(self, path: Path) -> None:
        if path.suffix == ".csv":
            self._open_lists([path])
        else:
            self._open_spectrum(path)
