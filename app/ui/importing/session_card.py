"""Options of a new session: reviewer, session file, folder of the spectra, blind mode."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from app.core.database.database import SUFFIX
from app.ui.importing.session_path import session_path_problem, suggested_session_path
from app.ui.settings.settings import Settings
from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.file_dialogs import choose_folder, choose_new_file
from app.ui.widgets.file_field import FileField, is_folder
from app.ui.widgets.labels import column, short_label, wrapped_label
from app.ui.widgets.reviewer_name import ReviewerName


class SessionCard(QFrame):
    changed = Signal()

    def __init__(self, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._list_path = Path()
        self.setProperty("role", "card")
        title = short_label(self.tr("Session"), "title")
        self.reviewer = ReviewerName(settings)
        self.file = FileField(self.tr("Session file"), partial(_ask_for_path, self))
        self.file.changed.connect(self._check)
        self.spectra = FileField(
            self.tr("Spectra folder, if not next to the list"), partial(_ask_folder, self)
        )
        self.spectra.edit.setPlaceholderText(self.tr("next to the list"))
        self.spectra.changed.connect(self._check)
        self.blind = QCheckBox(self.tr("Blind mode"))
        about = wrapped_label(self.tr("Hides the agent's verdict until I have judged"), "dim")
        self.blind.clicked.connect(self._keep_choice)
        self._is_blind_chosen = False
        settings.changed.connect(self._follow)
        column(
            title,
            self.reviewer,
            self.file,
            self.spectra,
            (self.blind, 0, Qt.AlignmentFlag.AlignLeft),
            about,
            margins=(16, 14, 16, 14),
            parent=self,
        )

    @property
    def path(self) -> Path | None:
        """The session file, with the suffix of sessions."""
        path = self.file.path
        if path is None or path.suffix == SUFFIX:
            return path
        return path.with_name(path.name + SUFFIX) if path.name else path

    @property
    def problem(self) -> str:
        """Why the session cannot be created, or ""."""
        return self.file.problem.text() or self.spectra.problem.text()

    def reset(self, list_path: Path) -> None:
        self._list_path = list_path
        self.suggest_path()
        self.spectra.set_path(None)
        self._is_blind_chosen = False
        self._follow(self._settings.settings)

    def suggest_path(self) -> None:
        """Propose a free name next to the list."""
        self.file.set_path(suggested_session_path(self._list_path))

    def _keep_choice(self, _: bool) -> None:
        self._is_blind_chosen = True

    def _follow(self, settings: Settings) -> None:
        """Use the default from the settings until the user chooses otherwise."""
        if not self._is_blind_chosen:
            self.blind.setChecked(settings.blind)

    def _check(self) -> None:
        path = self.path
        self.file.show_problem(
            self.tr("Give the session file a name") if path is None else session_path_problem(path)
        )
        folder = self.spectra.path
        missing = folder is not None and not is_folder(folder)
        self.spectra.show_problem(self.tr("Not a folder") if missing else "")
        self.changed.emit()


def _ask_for_path(parent: QWidget, path: Path | None) -> Path | None:
    kinds = QCoreApplication.translate("choosing", "Sessions") + f" (*{SUFFIX})"
    return choose_new_file(parent, path or Path.home() / f"session{SUFFIX}", kinds)


def _ask_folder(parent: QWidget, folder: Path | None) -> Path | None:
    return choose_folder(parent, "" if folder is None else str(folder))
