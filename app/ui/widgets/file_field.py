"""A file or a folder: typed, or chosen with the system's dialog."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

Ask = Callable[[Path | None], Path | None]
"""Shows the dialog, starting from what is there; None: nothing was chosen."""


class FileField(QWidget):
    """Its name above, what is wrong with it below."""

    changed = Signal()

    def __init__(self, words: str, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ask = ask
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        label = QLabel(words)
        label.setProperty("role", "dim")
        self.edit = QLineEdit()
        self.edit.setAcceptDrops(False)
        self.edit.setAccessibleName(words)
        self.edit.textChanged.connect(self._tell)
        label.setBuddy(self.edit)
        self.button = QPushButton(self.tr("Choose…"))
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setAccessibleName(self.tr("Choose: {what}").replace("{what}", words))
        self.button.clicked.connect(self._choose)
        self.problem = QLabel()
        self.problem.setProperty("role", "warning")
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setWordWrap(True)
        self.problem.hide()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.edit, 1)
        row.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(label)
        layout.addLayout(row)
        layout.addWidget(self.problem)

    @property
    def path(self) -> Path | None:
        """None while nothing is there, or no path."""
        text = self.edit.text().strip()
        try:
            return Path(text).expanduser() if text else None
        except RuntimeError:  # ~ of nobody
            return None

    def set_path(self, path: Path | None) -> None:
        self.edit.setText("" if path is None else str(path))

    def begin(self) -> None:
        """Ready to be written over."""
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edit.selectAll()

    def say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _choose(self) -> None:
        if (found := self._ask(self.path)) is not None:
            self.set_path(found)

    def _tell(self, _: str) -> None:
        self.changed.emit()
