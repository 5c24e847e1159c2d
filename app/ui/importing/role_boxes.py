"""Which column is what: the guess, and the user's own choice."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QStringListModel, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from app.ui.importing.list_preview import ListPreview

ROLE_WORDS = {
    "path": QT_TRANSLATE_NOOP("roles", "Spectrum file"),
    "row": QT_TRANSLATE_NOOP("roles", "Row in the file"),
    "object_id": QT_TRANSLATE_NOOP("roles", "Object"),
    "ra": QT_TRANSLATE_NOOP("roles", "RA"),
    "dec": QT_TRANSLATE_NOOP("roles", "Dec"),
    "score": QT_TRANSLATE_NOOP("roles", "Score"),
    "label": QT_TRANSLATE_NOOP("roles", "Label"),
    "snr": QT_TRANSLATE_NOOP("roles", "S/N"),
}
"""In the order they are shown; the same roles as app.core.importing.roles.ROLES."""


def role_words(role: str) -> str:
    return QCoreApplication.translate("roles", str(ROLE_WORDS[role]))


ACROSS = 4


class RoleBoxes(QWidget):
    """A box for each role, all over the same names; the first entry: no column."""

    chosen = Signal(str, str)
    """A role and the name of its column, by the user; empty: none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self._names = QStringListModel(self)
        self.boxes: dict[str, QComboBox] = {}
        for number, role in enumerate(ROLE_WORDS):
            cell = QVBoxLayout()
            cell.setSpacing(2)
            label = QLabel(role_words(role))
            label.setProperty("role", "dim")
            box = QComboBox()
            box.setModel(self._names)
            box.setObjectName(role)
            box.setAccessibleName(role_words(role))
            box.setMinimumContentsLength(8)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.activated.connect(self._choose)
            label.setBuddy(box)
            cell.addWidget(label)
            cell.addWidget(box)
            grid.addLayout(cell, number // ACROSS, number % ACROSS)
            self.boxes[role] = box
        for column in range(ACROSS):
            grid.setColumnStretch(column, 1)

    def show_look(self, look: ListPreview, chosen: Mapping[str, str]) -> None:
        """What is taken for what; where a choice of the user does not work, the choice."""
        taken = {**look.roles.columns, **chosen}
        reasons = {role: found.reason for role, found in look.roles.by_role.items()}
        names = [column.name for column in look.columns]
        if self._names.stringList()[1:] != names:
            self._names.setStringList([self.tr("none"), *names])
        for role, box in self.boxes.items():
            column = taken.get(role, "")
            box.setCurrentIndex(names.index(column) + 1 if column in names else 0)
            box.setToolTip(reasons.get(role, ""))
            fixed = look.format in ("folder", "spectrum")
            box.setEnabled(bool(names) and not fixed)

    def _choose(self, _: int) -> None:
        box = self.sender()
        if isinstance(box, QComboBox):
            column = box.currentText() if box.currentIndex() > 0 else ""
            self.chosen.emit(box.objectName(), column)
