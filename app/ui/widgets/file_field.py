"""A field for the path of a file or folder, typed or chosen with the system's dialog."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QWidget

from app.ui.widgets.labels import column, flow, narrow, show_or_hide, wrapped_label
from app.ui.widgets.text_width import TextWidth

EDIT_PX, WIDEST_EDIT_PX = 150, 400
Ask = Callable[[Path | None], Path | None]
"""Shows the dialog, starting at the given path; None if it was cancelled."""


class FileField(QWidget):
    """The path, with a label above and a problem, if any, below."""

    changed = Signal()

    def __init__(self, title: str, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ask = ask
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        label = wrapped_label(title, "dim")
        self.edit = QLineEdit()
        self.edit.setAcceptDrops(False)
        self.edit.setAccessibleName(title)
        self.edit.textChanged.connect(self.changed)
        label.setBuddy(self.edit)
        self.button = QPushButton(self.tr("Choose…"))
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setAutoDefault(False)  # Enter in a field of a dialog would press it
        self.button.setAccessibleName(self.tr("Choose: {what}").replace("{what}", title))
        self.button.clicked.connect(self._choose)
        self.problem = narrow(wrapped_label("", "warning"))
        self.problem.hide()
        TextWidth(self.edit, EDIT_PX, WIDEST_EDIT_PX, is_fixed=False)
        line = flow(self.edit, self.button, spacing=8)
        column(label, line, self.problem, spacing=2, parent=self)

    @property
    def path(self) -> Path | None:
        """The path; None while the field is empty or holds no valid path."""
        text = self.edit.text().strip()
        try:
            return Path(text).expanduser() if text else None
        except RuntimeError:  # "~name" of an unknown user
            return None

    def set_path(self, path: Path | None) -> None:
        self.edit.setText("" if path is None else str(path))

    def begin(self) -> None:
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit.selectAll()

    def show_problem(self, problem: str) -> None:
        show_or_hide(self.problem, problem)

    def _choose(self) -> None:
        if (path := self._ask(self.path)) is not None:
            self.set_path(path)


def is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # text that is no path, such as a name that is too long
        return False


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
