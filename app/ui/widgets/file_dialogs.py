"""The system's dialogs for choosing files and folders."""

from pathlib import Path

from platformdirs import user_documents_path
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.database.database import SUFFIX

translate = QCoreApplication.translate
_last = ""
"""The folder in which the last dialog ended, and the next one begins."""


def last_folder() -> str:
    return _last


def note_chosen(name: Path | str) -> None:
    """The next dialog begins where this file or folder was chosen."""
    global _last
    if name:
        _last = str(Path(name) if Path(name).is_dir() else Path(name).parent)


def choose_lists(parent: QWidget) -> list[Path]:
    return _open_files(parent, translate("choosing", "Open a list of candidates"))


def choose_labelled(parent: QWidget, start: Path | None) -> Path | None:
    return _open_file(parent, translate("choosing", "Open a list of spectra with labels"), start)


def choose_folder(parent: QWidget) -> Path | None:
    return _open_folder(parent, translate("choosing", "Choose a folder of spectra"))


def choose_folder_for_files(parent: QWidget) -> Path | None:
    return _open_folder(parent, translate("choosing", "Choose a folder for the files"))


def choose_session(parent: QWidget) -> Path | None:
    return _open_file(parent, translate("choosing", "Open a session"), kinds=session_files())


def choose_sessions_to_merge(parent: QWidget) -> list[Path]:
    title = translate("choosing", "Merge sessions of colleagues")
    return _open_files(parent, title, session_files())


def choose_task_file(parent: QWidget) -> Path | None:
    tasks = translate("choosing", "Task files") + " (*.toml)"
    return _open_file(parent, translate("choosing", "Open a task file"), kinds=tasks)


def choose_new_file(parent: QWidget, proposed: Path, kinds: str) -> Path | None:
    # The field that shows the name warns of an existing file, so the dialog need not ask.
    options = QFileDialog.Option.DontConfirmOverwrite
    title = translate("choosing", "Save as")
    return _path(QFileDialog.getSaveFileName(parent, title, str(proposed), kinds, "", options)[0])


def session_files() -> str:
    return translate("choosing", "Sessions") + f" (*{SUFFIX})"


def documents_folder() -> Path:
    """Documents, or the home folder where there is none."""
    documents = user_documents_path()
    return documents if documents.is_dir() else Path.home()


def _open_files(parent: QWidget, title: str, kinds: str = "") -> list[Path]:
    names, _ = QFileDialog.getOpenFileNames(parent, title, last_folder(), kinds)
    note_chosen(names[0] if names else "")
    return [Path(name) for name in names]


def _open_file(
    parent: QWidget, title: str, start: Path | None = None, kinds: str = ""
) -> Path | None:
    return _path(QFileDialog.getOpenFileName(parent, title, str(start or last_folder()), kinds)[0])


def _open_folder(parent: QWidget, title: str) -> Path | None:
    return _path(QFileDialog.getExistingDirectory(parent, title, last_folder()))


def _path(name: str) -> Path | None:
    note_chosen(name)
    return Path(name) if name else None
