"""The import summary: rows imported, duplicates, refused rows with reasons, missing spectra."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
)

from app.core.importing.opening import ImportReport
from app.ui.base.translation.data_texts import labelled_line
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.importing.import_work import ImportedSession
from app.ui.widgets.labels import Space, column, narrow, short_label, show_or_hide, wrapped_label
from app.ui.widgets.pair_table import show_cells

MAX_WIDTH = 1000
WARNED = ("rows_refused", "missing_files", "without_file")


class ImportReportCard(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setMaximumWidth(MAX_WIDTH)
        self.is_plain = False  # whether all rows were imported and nothing else is to be told
        self.title = narrow(short_label("", "heading"))
        self.path = narrow(short_label("", "dim"))
        self.path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._numbers = QGridLayout()
        self._numbers.setHorizontalSpacing(12)
        self.values: dict[str, QLabel] = {}
        kinds = {
            "rows_read": self.tr("rows read"),
            "rows_used": self.tr("imported"),
            "duplicates": self.tr("duplicates"),
            "rows_refused": self.tr("refused"),
            "missing_files": self.tr("file not found"),
            "without_file": self.tr("without a spectrum"),
        }
        for number, (key, text) in enumerate(kinds.items()):
            self._numbers.addLayout(self._number(key, text), 0, number)
            self._numbers.setColumnStretch(number, 1)
        self.notes = narrow(short_label("", "dim"))
        self.notes.setWordWrap(True)
        self.refused_title = narrow(short_label("", "title"))
        self.refused = QTableWidget(0, 3)
        titles = [self.tr("List"), self.tr("Row"), self.tr("Reason")]
        self.refused.setHorizontalHeaderLabels(titles)
        show_cells(self.refused, self.tr("Refused rows"))
        self.refused.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.all_imported = narrow(short_label(self.tr("All rows were imported."), "dim"))
        above = self.title, self.path, Space(4), self._numbers, self.notes, Space(4)
        below = self.all_imported, self.refused_title, (self.refused, 100), 1
        column(*above, *below, spacing=12, margins=(24, 20, 24, 20), parent=self)

    def show_made(self, made: ImportedSession) -> None:
        reports = made.reports
        text = self.tr("{count} candidates are ready")
        if made.candidates == 1:
            text = self.tr("{count} candidate is ready")
        self.title.setText(text.replace("{count}", f"{made.candidates:,}"))
        self.path.setText(str(made.path))
        for key, label in self.values.items():
            count = sum(int(getattr(each, key)) for each in reports)
            label.setText(f"{count:,}")
            label.setEnabled(count > 0)
            label.setProperty("role", "warning" if count and key in WARNED else "number")
            label.style().polish(label)
        notes = _notes(reports)
        if any(each.missing_files for each in reports):
            missing = self.tr(
                "Missing files are looked for again when you open their candidate: "
                "their disk may not be mounted."
            )
            notes.append(missing)
        if outside := sum(each.outside.rows for each in reports):
            text = self.tr("{count} rows name spectra in folders you have not allowed.")
            if outside == 1:
                text = self.tr("{count} row names a spectrum in a folder you have not allowed.")
            how = self.tr("Go back to allow them and import again.")
            notes.append(f"{text} {how}".replace("{count}", f"{outside:,}"))
        counted = ("rows_read", "rows_used")
        faults = (label for key, label in self.values.items() if key not in counted)
        self.is_plain = not notes and not any(map(QLabel.isEnabled, faults))
        show_or_hide(self.notes, "\n".join(notes))
        self._show_refused(reports)

    def _number(self, key: str, text: str) -> QVBoxLayout:
        value = narrow(short_label("", "heading"))
        value.setObjectName(key)
        value.setAccessibleName(text)
        about = narrow(wrapped_label(text, "dim"))
        about.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.values[key] = value
        return column(value, (about, 1), spacing=2)

    def _show_refused(self, reports: Sequence[ImportReport]) -> None:
        rows = [
            (each.name, row.line, translate_message(row.reason))
            for each in reports
            for row in each.refused
        ]
        count = sum(each.rows_refused for each in reports)
        title = self.tr("Refused rows")
        if count > len(rows):
            title = self.tr(
                "Refused rows: first {shown} of {count}; the session stores more of them"
            )
        title = title.replace("{shown}", f"{len(rows):,}").replace("{count}", f"{count:,}")
        self.refused_title.setText(title)
        self.refused_title.setVisible(count > 0)
        self.refused.setVisible(count > 0)
        self.all_imported.setVisible(count == 0)
        tall = QSizePolicy.Policy.Expanding if count else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Expanding, tall)
        self.refused.setRowCount(len(rows))
        for number, cells in enumerate(rows):
            for at, cell in enumerate(cells):
                item = QTableWidgetItem()
                item.setData(Qt.ItemDataRole.DisplayRole, cell)
                self.refused.setItem(number, at, item)
        self.refused.resizeColumnsToContents()


def _notes(reports: Sequence[ImportReport]) -> list[str]:
    if len(reports) == 1:
        return list(map(translate_message, reports[0].warnings))
    return [
        labelled_line(each.name, translate_message(warning))
        for each in reports
        for warning in each.warnings
    ]
