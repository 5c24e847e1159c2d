"""Of a session to come: who judges, where its file goes, where its spectra lie, blind or not."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QVBoxLayout, QWidget

from app.core.database.database import SUFFIX
from app.ui.importing.session_place import place_problem, session_place
from app.ui.settings.settings import Settings
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.widgets.file_dialogs import choose_folder, choose_new_file
from app.ui.widgets.file_field import FileField
from app.ui.widgets.reviewer_name import ReviewerName
from app.ui.widgets.typed_paths import is_folder


class SessionCard(QFrame):
    changed = Signal()

    def __init__(self, settings: SettingsKeeper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._listed = Path()
        self.setProperty("role", "card")
        title = QLabel(self.tr("The session"))
        title.setProperty("role", "title")
        self.reviewer = ReviewerName(settings)
        self.file = FileField(self.tr("Session file"), partial(_ask_for_place, self))
        self.file.changed.connect(self._check)
        self.spectra = FileField(
            self.tr("Folder of the spectra, if not beside the list"), partial(_ask_folder, self)
        )
        self.spectra.edit.setPlaceholderText(self.tr("beside the list"))
        self.spectra.changed.connect(self._check)
        self.blind = QCheckBox(self.tr("Blind: the agent's opinion stays hidden until I judge"))
        self.blind.clicked.connect(self._choose)
        self._is_own_choice = False
        settings.changed.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(8)
        for part in (title, self.reviewer, self.file, self.spectra, self.blind):
            layout.addWidget(part)

    @property
    def path(self) -> Path | None:
        """Where the session goes, named as sessions are."""
        path = self.file.path
        if path is None or path.suffix == SUFFIX:
            return path
        return path.with_name(path.name + SUFFIX) if path.name else path

    @property
    def problem(self) -> str:
        """Why no session can be made so; empty: one can."""
        return self.file.problem.text() or self.spectra.problem.text()

    def begin(self, listed: Path) -> None:
        """As it is best for that list."""
        self._listed = listed
        self.find_place()
        self.spectra.set_path(None)
        self._is_own_choice = False
        self._follow(self._settings.settings)

    def find_place(self) -> None:
        """A free name beside the list."""
        self.file.set_path(session_place(self._listed))

    def _choose(self, _: bool) -> None:
        self._is_own_choice = True

    def _follow(self, settings: Settings) -> None:
        """The settings say how new sessions begin, until something else is chosen for this one."""
        if not self._is_own_choice:
            self.blind.setChecked(settings.blind)

    def _check(self) -> None:
        path = self.path
        self.file.say(
            self.tr("Give the session file a name") if path is None else place_problem(path)
        )
        folder = self.spectra.path
        missing = folder is not None and not is_folder(folder)
        self.spectra.say(self.tr("This is no folder") if missing else "")
        self.changed.emit()


def _ask_for_place(parent: QWidget, wanted: Path | None) -> Path | None:
    kinds = QCoreApplication.translate("choosing", "Sessions") + f" (*{SUFFIX})"
    return choose_new_file(parent, wanted or Path.home() / f"session{SUFFIX}", kinds)


def _ask_folder(parent: QWidget, folder: Path | None) -> Path | None:
    return choose_folder(parent, "" if folder is None else str(folder))
