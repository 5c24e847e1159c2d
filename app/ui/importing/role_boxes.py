"""Combo boxes that assign columns of a list to roles."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QStringListModel, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from app.ui.importing.list_preview import ListPreview
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import column, short_label
from app.ui.widgets.text_width import TextWidth

ROLE_TEXTS = {
    "path": QT_TRANSLATE_NOOP("roles", "Spectrum file"),
    "row": QT_TRANSLATE_NOOP("roles", "Row in the file"),
    "object_id": QT_TRANSLATE_NOOP("roles", "Object"),
    "ra": QT_TRANSLATE_NOOP("roles", "RA"),
    "dec": QT_TRANSLATE_NOOP("roles", "Dec"),
    "score": QT_TRANSLATE_NOOP("roles", "Score"),
    "label": QT_TRANSLATE_NOOP("roles", "Label"),
    "snr": QT_TRANSLATE_NOOP("roles", "S/N"),
}
"""Roles in display order; the same as app.core.importing.roles.ROLES."""


def role_text(role: str) -> str:
    return QCoreApplication.translate("roles", str(ROLE_TEXTS[role]))


CELL_PX, WIDEST_PX = 170, 360
"""Least width of a box: usually four of them are in a row."""


class RoleBoxes(QWidget):
    """One box per role, listing all columns; the first entry means no column."""

    chosen = Signal(str, str)
    """The user chose a column (or "") for a role."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        flow = FlowLayout(self, spacing=8, is_even=True)
        flow.setContentsMargins(0, 0, 0, 0)
        self._names = QStringListModel(self)
        self.boxes: dict[str, QComboBox] = {}
        for role in ROLE_TEXTS:
            part = QWidget(self)
            cell = column(spacing=2, parent=part)
            label = short_label(role_text(role), "dim")
            box = QComboBox(minimumContentsLength=8)
            box.setModel(self._names)
            box.setObjectName(role)
            box.setAccessibleName(role_text(role))
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.activated.connect(self._choose)
            label.setBuddy(box)
            cell.addWidget(label)
            cell.addWidget(box)
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            TextWidth(part, CELL_PX, WIDEST_PX, is_fixed=False)
            flow.addWidget(part)
            self.boxes[role] = box

    def show_preview(self, preview: ListPreview, chosen: Mapping[str, str]) -> None:
        """Show the detected roles, overridden by the choices of the user."""
        columns = {**preview.roles.columns, **chosen}
        reasons = {role: each.reason for role, each in preview.roles.by_role.items()}
        names = [column.name for column in preview.columns]
        if self._names.stringList()[1:] != names:
            self._names.setStringList([self.tr("none"), *names])
        for role, box in self.boxes.items():
            column = columns.get(role, "")
            box.setCurrentIndex(names.index(column) + 1 if column in names else 0)
            box.setToolTip(translate_message(reasons.get(role, "")))
            fixed = preview.format in ("folder", "spectrum")
            box.setEnabled(bool(names) and not fixed)

    def _choose(self, _: int) -> None:
        box = self.sender()
        if isinstance(box, QComboBox):
            self.chosen.emit(box.objectName(), box.currentText() if box.currentIndex() > 0 else "")
