"""The system's dialogs for choosing files and folders."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.database.database import SUFFIX

translate = QCoreApplication.translate


def choose_lists(parent: QWidget) -> list[Path]:
    names, _ = QFileDialog.getOpenFileNames(
        parent, translate("choosing", "Open a list of candidates")
    )
    return [Path(name) for name in names]


def choose_labelled(parent: QWidget, start: Path | None) -> Path | None:
    title = translate("choosing", "Open a list of spectra with labels")
    name, _ = QFileDialog.getOpenFileName(parent, title, "" if start is None else str(start))
    return Path(name) if name else None


def choose_folder(parent: QWidget, start: str = "") -> Path | None:
    name = QFileDialog.getExistingDirectory(
        parent, translate("choosing", "Choose a folder of spectra"), start
    )
    return Path(name) if name else None


def choose_folder_for_files(parent: QWidget) -> Path | None:
    title = translate("choosing", "Choose a folder for the files")
    name = QFileDialog.getExistingDirectory(parent, title)
    return Path(name) if name else None


def choose_session(parent: QWidget) -> Path | None:
    title = translate("choosing", "Open a session")
    name, _ = QFileDialog.getOpenFileName(parent, title, "", _session_files())
    return Path(name) if name else None


def choose_sessions_to_merge(parent: QWidget) -> list[Path]:
    title = translate("choosing", "Merge sessions of colleagues")
    names, _ = QFileDialog.getOpenFileNames(parent, title, "", _session_files())
    return [Path(name) for name in names]


def _session_files() -> str:
    return translate("choosing", "Sessions") + f" (*{SUFFIX})"


def choose_new_file(parent: QWidget, proposed: Path, kinds: str) -> Path | None:
    # The field that shows the name warns of an existing file, so the dialog need not ask.
    options = QFileDialog.Option.DontConfirmOverwrite
    name, _ = QFileDialog.getSaveFileName(
        parent, translate("choosing", "Save as"), str(proposed), kinds, "", options
    )
    return Path(name) if name else None


def choose_task_file(parent: QWidget) -> Path | None:
    tasks = translate("choosing", "Task files") + " (*.toml)"
    name, _ = QFileDialog.getOpenFileName(
        parent, translate("choosing", "Open a task file"), "", tasks
    )
    return Path(name) if name else None
