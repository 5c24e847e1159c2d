"""Chooses the format and candidates of a catalogue, and previews its first rows."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QRadioButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from app.core.exporting.plugin_formats import plugin_titles
from app.core.exporting.selection import ChoiceCounts
from app.core.session.records import Change
from app.ui.base.translation.message_texts import translate_message
from app.ui.exchange.export.export_work import SUFFIXES, ExportChoice, ExportPreview, preview_export
from app.ui.session.session_context import SessionContext
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import Space, column, dialog_button, row, short_label, wrapped_label
from app.ui.widgets.pair_table import show_cells

MAX_COLUMNS = 80
MAX_CELL = 120
MAX_WIDTH = 220


class CataloguePanel(QWidget):
    changed = Signal()  # the format or the choice of candidates has changed
    counted = Signal()  # whether there is anything to write is known, or has to be found out anew

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._context = context
        self._answer = context.runner.latest(self)
        self.has_rows = False
        """Whether the choice is known to have rows; also where reading them failed."""
        self._fuller_choice = "all"
        self.selected: tuple[int, ...] = ()
        """Ids of the candidates that were selected before the dialog was opened."""
        self.format = QComboBox()
        self.format.setAccessibleName(self.tr("Format"))
        for name, title in (
            ("csv", self.tr("CSV, units and provenance in a separate file")),
            ("ecsv", self.tr("ECSV, units and provenance in the header")),
            ("fits", self.tr("FITS table")),
            ("votable", self.tr("VOTable")),
            ("parquet", self.tr("Parquet")),
            *plugin_titles(),
        ):
            self.format.addItem(title, name)
        self.format.currentIndexChanged.connect(self.changed)
        self.group = QButtonGroup(self)
        self.buttons: dict[str, QRadioButton] = {}
        self.count = wrapped_label("", "dim")
        self.instead = dialog_button("", lambda: self.buttons[self._fuller_choice].click(), "quiet")
        self.instead.hide()
        self.table = QTableWidget(0, 0)
        self.table.setWordWrap(False)
        show_cells(self.table, self.tr("The first rows of the catalogue"))
        self.table.setHorizontalScrollMode(QTableWidget.ScrollMode.ScrollPerPixel)
        rows = QFormLayout(horizontalSpacing=12, verticalSpacing=8)
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.addRow(short_label(self.tr("Format"), "dim"), self.format)
        rows.addRow(short_label(self.tr("Candidates"), "dim"), self._choices())
        instead = (self.instead, 0, Qt.AlignmentFlag.AlignTop)
        counted = row((self.count, 1), instead, spacing=None)
        column(rows, Space(4), counted, (self.table, 1), parent=self)
        context.current.queue_changed.connect(self._follow)
        context.bridge.changed.connect(self._follow_verdicts)

    @property
    def choice(self) -> ExportChoice:
        chosen = next(name for name, button in self.buttons.items() if button.isChecked())
        return cast(ExportChoice, chosen)

    @property
    def suffix(self) -> str:
        name: str = self.format.currentData()
        return SUFFIXES.get(name, f".{name}")  # a plug-in's format is called by its suffix

    def offer_selected(self, candidate_ids: Sequence[int]) -> None:
        """Offer and choose these candidates; none: offer only the other choices."""
        self.selected = tuple(candidate_ids)
        button = self.buttons["selected"]
        if self.selected:
            text = self.tr("{n} selected candidates")
            button.setText(text.replace("{n}", f"{len(self.selected):,}"))
            button.setChecked(True)
        elif button.isChecked():
            self.buttons["accepted"].setChecked(True)
        button.setVisible(bool(self.selected))

    def set_format(self, name: str) -> None:
        self.format.setCurrentIndex(self.format.findData(name))

    def refresh(self) -> None:
        current = self._context.current
        self.count.setText(self.tr("Reading …"))
        self.instead.hide()
        self._set_has_rows(False)
        asked = current.session, self.choice, current.queue, self.selected
        self._answer.ask(partial(preview_export, *asked), self._show, self._fail)

    def _choices(self) -> FlowLayout:
        titles = {
            "selected": "",
            "accepted": self.tr("Accepted"),
            "judged": self.tr("All judged"),
            "all": self.tr("All"),
            "filtered": self.tr("As currently filtered"),
        }
        row = FlowLayout(spacing=16)
        for name, title in titles.items():
            button = QRadioButton(title)
            self.group.addButton(button)
            self.buttons[name] = button
            row.addWidget(button)
        self.buttons["accepted"].setChecked(True)
        self.buttons["selected"].hide()
        self.group.buttonClicked.connect(self.refresh)
        self.group.buttonClicked.connect(self.changed)
        return row

    def _follow(self, _: object) -> None:
        if self.isVisible() and self.choice == "filtered":
            self.refresh()

    def _follow_verdicts(self, change: Change) -> None:
        if self.isVisible() and change.aspect == "verdict":
            self.refresh()

    def _set_has_rows(self, on: bool) -> None:
        self.has_rows = on
        self.counted.emit()

    def _show(self, preview: ExportPreview) -> None:
        self.count.setText(self._summary(preview))
        self._offer_instead(preview.choices)
        self._set_has_rows(not preview.is_empty)
        is_blind = self._context.current.blind_mode.is_on
        hidden = preview.hidden_when_blind if is_blind else frozenset()
        columns = preview.columns[:MAX_COLUMNS]
        self.table.setColumnCount(len(columns))
        self.table.setRowCount(len(preview.cells))
        titles = [f"{each.name} [{each.unit}]" if each.unit else each.name for each in columns]
        self.table.setHorizontalHeaderLabels(titles)
        for number, cells in enumerate(preview.cells):
            for at in range(len(columns)):
                item = _item(self.tr("hidden") if at in hidden else cells[at])
                self.table.setItem(number, at, item)
        self.table.resizeColumnsToContents()
        for at in range(len(columns)):
            most = max(MAX_WIDTH, self.table.horizontalHeader().sectionSizeHint(at))
            if self.table.columnWidth(at) > most:
                self.table.setColumnWidth(at, most)

    def _summary(self, preview: ExportPreview) -> str:
        text = self.tr("{count} rows, {columns} columns; first rows:")
        if preview.count == "1":
            text = self.tr("{count} row, {columns} columns:")
        if preview.choices is not None:
            text = self._why_empty(preview.choices)
        text = text.replace("{count}", preview.count)
        text = text.replace("{columns}", f"{len(preview.columns):,}")
        if not preview.disputed:
            return text
        disputed = self.tr("Left out: {n} on which reviewers disagree")
        return disputed.replace("{n}", f"{preview.disputed:,}") + "\n" + text

    def _why_empty(self, counts: ChoiceCounts) -> str:
        """What an empty choice would write, and how many candidates there are otherwise."""
        text = {
            "accepted": self.tr("0 of {all} candidates are accepted: nothing to write"),
            "judged": self.tr("0 of {all} candidates are judged: nothing to write"),
            "filtered": self.tr("No candidate matches the filter: nothing to write"),
        }.get(self.choice, self.tr("No candidates: nothing to write"))
        return text.replace("{all}", f"{counts.all:,}")

    def _offer_instead(self, counts: ChoiceCounts | None) -> None:
        """Where this choice is empty, show a button for one that has rows."""
        self.instead.setVisible(counts is not None and counts.all > 0 and self.choice != "all")
        if counts is None:
            return
        is_judged = counts.judged > 0 and self.choice != "judged"
        self._fuller_choice = "judged" if is_judged else "all"
        text = self.tr("Choose the {n} judged") if is_judged else self.tr("Choose all {n}")
        number = counts.judged if is_judged else counts.all
        self.instead.setText(text.replace("{n}", f"{number:,}"))

    def _fail(self, error: WorkbenchError) -> None:
        self.table.setRowCount(0)
        self.count.setText(translate_message(str(error)))
        self._set_has_rows(True)  # writing says what is wrong


def _item(value: Any) -> QTableWidgetItem:
    text = "" if value is None else f"{value:.8g}" if isinstance(value, float) else str(value)
    item = QTableWidgetItem(printable(text, MAX_CELL))
    if isinstance(value, int | float) and not isinstance(value, bool):
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item
