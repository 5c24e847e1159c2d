"""Building blocks of the settings pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

NARROW = 260
"""Width in pixels of a field for a word or a number."""


def plain_label(text: str, role: str = "") -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(role in ("dim", "warning"))
    if role:
        label.setProperty("role", role)
    return label


def form() -> QFormLayout:
    layout = QFormLayout()
    layout.setHorizontalSpacing(16)
    layout.setVerticalSpacing(16)
    layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    layout.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
    return layout


def add_row(rows: QFormLayout, title: str, field: QWidget, *notes: str) -> list[QLabel]:
    """Add a field with its title, and notes below it. Returns the labels of the notes."""
    label = plain_label(title)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    label.setContentsMargins(0, 5, 0, 0)
    label.setBuddy(field)
    field.setAccessibleName(title)
    column = QVBoxLayout()
    column.setSpacing(4)
    column.addWidget(field)
    labels = [plain_label(note, "dim") for note in notes]
    for note_label in labels:
        column.addWidget(note_label)
    rows.addRow(label, column)
    return labels


def choice_box(options: Mapping[Any, str]) -> QComboBox:
    box = QComboBox()
    for value, title in options.items():
        box.addItem(title, value)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    box.setMinimumWidth(NARROW)
    box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return box


class SettingsPage(QScrollArea):
    """A page of settings: a heading above `body`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = plain_label("", "heading")
        inside = QWidget()
        self.body = QVBoxLayout(inside)
        self.body.setContentsMargins(20, 16, 20, 16)
        self.body.setSpacing(12)
        self.body.addWidget(self.heading)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class FileList(QWidget):
    changed = Signal(tuple)
    """The paths."""

    def __init__(self, title: str, kinds: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._kinds = title, kinds
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.list.setFixedHeight(84)
        self.add_button = QPushButton(self.tr("Add…"))
        self.remove_button = QPushButton(self.tr("Remove"))
        self.add_button.clicked.connect(self._ask)
        self.remove_button.clicked.connect(self._remove)
        self.list.itemSelectionChanged.connect(self._follow_selection)
        buttons = QVBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.list, 1)
        layout.addLayout(buttons)
        self._follow_selection()

    def show_paths(self, paths: tuple[str, ...]) -> None:
        if paths != self.paths():
            self.list.clear()
            self.list.addItems(list(paths))

    def paths(self) -> tuple[str, ...]:
        return tuple(self.list.item(row).text() for row in range(self.list.count()))

    def _ask(self) -> None:
        files, _ = QFileDialog.getOpenFileNames(self, self._title, "", self._kinds)
        known = self.paths()
        if files:
            self.show_paths((*known, *(file for file in files if file not in known)))
            self.changed.emit(self.paths())

    def _remove(self) -> None:
        for item in self.list.selectedItems():
            self.list.takeItem(self.list.row(item))
        self.changed.emit(self.paths())

    def _follow_selection(self) -> None:
        self.remove_button.setEnabled(bool(self.list.selectedItems()))
