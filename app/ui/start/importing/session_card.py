"""Options of a new session: reviewer, session file, folder of the spectra, blind mode."""

import os
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from app.core.database.database import SUFFIX
from app.core.importing.spectrum_files import stem_of
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.widgets.file_dialogs import (
    choose_folder,
    choose_new_file,
    documents_folder,
    session_files,
)
from app.ui.widgets.file_field import FileField, is_folder, is_there
from app.ui.widgets.labels import column, short_label, wrapped_label
from app.ui.widgets.reviewer_name import ReviewerName

translate = QCoreApplication.translate
MAX_TRIES = 1000


class SessionCard(QFrame):
    changed = Signal()

    def __init__(self, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._list_path = Path()
        self.setProperty("role", "card")
        title = short_label(self.tr("Session"), "title")
        self.reviewer = ReviewerName(settings)
        self.file = FileField(self.tr("Session file"), self._ask_for_path)
        self.file.changed.connect(self._check)
        beside = self.tr("Spectra folder, if not next to the list")
        self.spectra = FileField(beside, partial(choose_folder, self))
        self.spectra.edit.setPlaceholderText(self.tr("next to the list"))
        self.spectra.changed.connect(self._check)
        self.blind = QCheckBox(self.tr("Blind mode"))
        about = wrapped_label(self.tr("Hides the agent's verdict until I have judged"), "dim")
        self.blind.clicked.connect(self._keep_choice)
        self._is_blind_chosen = False
        settings.changed.connect(self._follow)
        blind = (self.blind, 0, Qt.AlignmentFlag.AlignLeft)
        parts = title, self.reviewer, self.file, self.spectra, blind, about
        column(*parts, margins=(16, 14, 16, 14), parent=self)

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
        path, unnamed = self.path, self.tr("Give the session file a name")
        self.file.show_problem(unnamed if path is None else session_path_problem(path))
        folder = self.spectra.path
        missing = folder is not None and not is_folder(folder)
        self.spectra.show_problem(self.tr("Not a folder") if missing else "")
        self.changed.emit()

    def _ask_for_path(self, path: Path | None) -> Path | None:
        return choose_new_file(self, path or Path.home() / f"session{SUFFIX}", session_files())


# Proposes and checks the path of a new session.
def suggested_session_path(list_path: Path) -> Path:
    """A free path next to the list or folder of spectra, or in Documents if that is read-only."""
    stem = list_path.name if list_path.is_dir() else _stem(list_path.name)
    folder = list_path.absolute().parent
    if not os.access(folder, os.W_OK):
        folder = documents_folder()
    return free_path(folder / f"{stem or 'session'}{SUFFIX}")


def free_path(path: Path) -> Path:
    """`path` itself, or the first free of `night-2.speco3`, `night-3.speco3`, ..."""
    free = path
    for number in range(2, MAX_TRIES):
        if not is_there(free):
            return free
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def session_path_problem(path: Path) -> str:
    """Why a session cannot be created at `path`, or ""."""
    text = ""
    if not path.name or path.name == SUFFIX:
        text = translate("session_path", "Give the session file a name")
    elif is_there(path):
        text = translate("session_path", "{name} already exists: choose another name")
    elif not is_folder(path.parent):
        text = translate("session_path", "{folder} is not a folder")
    elif not os.access(path.parent, os.W_OK):
        text = translate("session_path", "{folder} is not writable: choose another folder")
    return text.replace("{name}", path.name).replace("{folder}", str(path.parent))


def _stem(name: str) -> str:
    stem = stem_of(name)
    return Path(name).stem if stem == name else stem
