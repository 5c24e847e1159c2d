"""The question whether a list may name spectra outside its own folder, by absolute paths."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from agent.checked_toml import printable
from app.core.importing.outside_paths import OutsidePaths
from app.ui.widgets.labels import column, escape_mnemonics, narrow, wrapped_label

MAX_LENGTH = 200
MAX_IN_BOX = 48
"""Characters of a folder that fit into the check box; a longer one stands above it in full."""


class OutsideBox(QWidget):
    """Hidden where a list names no such folder. Nothing is read from them before the yes."""

    chosen = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.about = narrow(wrapped_label("", "warning"))
        self.box = QCheckBox()
        self.box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.box.clicked.connect(self.chosen)
        column(self.about, self.box, spacing=4, parent=self)
        self.hide()

    def show_outside(self, outside: OutsidePaths, is_allowed: bool) -> None:
        self.setVisible(bool(outside.folders))
        folders = [printable(each, MAX_LENGTH) for each in outside.folders]
        is_short = len(folders) == 1 and len(folders[0]) <= MAX_IN_BOX
        about = self.tr("This list names spectra outside its own folder by absolute paths:")
        if is_short:
            about = self.tr("This list names spectra outside its own folder by absolute paths.")
        self.about.setText("\n".join([about, *([] if is_short else folders)]))
        text = self.tr("Allow {folder} ({rows})") if is_short else self.tr("Allow these ({rows})")
        one, many = self.tr("{count} row"), self.tr("{count} rows")
        if not outside.is_complete:
            one, many = self.tr("at least {count} row"), self.tr("at least {count} rows")
        rows = (one if outside.rows == 1 else many).replace("{count}", f"{outside.rows:,}")
        text = text.replace("{rows}", rows)
        # In a check box, & marks the letter that presses it.
        text = text.replace("{folder}", escape_mnemonics(folders[0])) if is_short else text
        self.box.setText(text)
        self.box.setAccessibleName(self.box.text())
        self.box.setChecked(is_allowed)
