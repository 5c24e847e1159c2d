"""Building blocks of the settings pages."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.widgets.labels import column, row, short_label, wrapped_label

NARROW = 260  # width in pixels of a field for a word or a number


def plain_label(text: str, role: str = "") -> QLabel:
    return (wrapped_label if role in ("dim", "warning") else short_label)(text, role)


def form() -> QFormLayout:
    layout = QFormLayout(horizontalSpacing=16, verticalSpacing=16)
    layout.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)  # in large text
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
    inner = column(field, spacing=4)
    labels = [plain_label(note, "dim") for note in notes]
    for note_label in labels:
        inner.addWidget(note_label)
    rows.addRow(label, inner)
    return labels


class SettingsPage(QScrollArea):
    """A page of settings: a heading above `body`."""

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        self._shown: dict[str, Callable[[Any], object]] = {}
        """What shows each setting that one widget holds."""
        self.heading = plain_label("", "heading")
        inside = QWidget()
        self.body = column(self.heading, spacing=12, margins=(20, 16, 20, 16), parent=inside)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_settings(self, settings: Settings) -> None:
        for name, show in self._shown.items():
            show(getattr(settings, name))

    def _switch(self, name: str, title: str) -> QCheckBox:
        """A check box for the setting of that name."""
        box = QCheckBox(title)
        box.toggled.connect(partial(self._save, name))
        self._shown[name] = box.setChecked
        return box

    def _choice(self, name: str, options: Mapping[Any, str]) -> QComboBox:
        """A choice for the setting of that name, from its values and their titles."""
        box = QComboBox(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
        for value, title in options.items():
            box.addItem(title, value)
        box.setMinimumWidth(NARROW)
        box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        box.activated.connect(partial(self._save_chosen, name, box))
        self._shown[name] = lambda value: box.setCurrentIndex(box.findData(value))
        return box

    def _save(self, name: str, value: object) -> None:
        self._settings.change(**{name: value})

    def _save_chosen(self, name: str, box: QComboBox, *_: object) -> None:
        self._save(name, box.currentData())


class FileList(QWidget):
    changed = Signal(tuple)  # the paths

    def __init__(self, title: str, kinds: str) -> None:
        super().__init__()
        self._title, self._kinds = title, kinds
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.list.setFixedHeight(84)
        self.add_button = QPushButton(self.tr("Add…"))
        self.remove_button = QPushButton(self.tr("Remove"))
        self.add_button.clicked.connect(self._ask)
        self.remove_button.clicked.connect(self._remove)
        self.list.itemSelectionChanged.connect(self._follow_selection)
        row((self.list, 1), column(self.add_button, self.remove_button, 1), parent=self)
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
