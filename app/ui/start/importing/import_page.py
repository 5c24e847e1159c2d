"""The import page: preview lists, choose the class, import, and see a summary."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from agent.errors import WorkbenchError
from app.core.errors import ImportStopped
from app.core.importing.opening import ImportReport
from app.core.session.session import Session
from app.ui.base.background.runner import LongWork, Runner
from app.ui.base.settings.settings import reviewer_name
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import labelled_line
from app.ui.base.translation.fill_in import fill_in
from app.ui.base.translation.message_texts import translate_message
from app.ui.start.importing.drop_zone import DropZone
from app.ui.start.importing.given_paths import GivenKind, GivenPaths
from app.ui.start.importing.import_work import (
    ImportedSession,
    ImportOrder,
    discard_incomplete,
    make_session,
)
from app.ui.start.importing.list_card import ListCard
from app.ui.start.importing.ready_made_sessions import lists_of
from app.ui.start.importing.session_card import SessionCard
from app.ui.start.importing.task_chooser import TaskChooser
from app.ui.widgets.labels import (
    Space,
    column,
    dialog_button,
    narrow,
    row,
    short_label,
    show_or_hide,
    wrapped_label,
)
from app.ui.widgets.page_parts import PageScrollArea, ProblemLine
from app.ui.widgets.pair_table import show_cells
from app.ui.widgets.text_width import TextWidth

RIGHT_WIDTH, WIDEST = 400, 640
MAX_WIDTH = 1000  # of the summary
WARNED = ("rows_refused", "missing_files", "without_file")


class ImportPage(QWidget):
    session_created = Signal(object)
    """The path of the closed session, after the user has seen the summary; or of the one that the
    user came from."""
    cancelled = Signal()

    def __init__(
        self, settings: SettingsStore, current_theme: CurrentTheme, runner: Runner, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._settings, self._runner = settings, runner
        self._made: ImportedSession | None = None
        self._came_from: Path | str | None = None
        self.is_importing = False
        self.work = LongWork(self)
        self.work.progressed.connect(self._show_progress)
        # Each part is made where it stays: Qt styles whatever is moved anew, with all in it.
        self._stack = QStackedWidget(self)
        self._form = QWidget(self._stack)
        self._side = QWidget(self._form)
        self.list = ListCard(current_theme, runner, self._form)
        self.task = TaskChooser(current_theme, runner, self._side)
        self.session = SessionCard(settings, self._side)
        self.report = ImportReportCard()
        self.problem = ProblemLine()
        self.drops = DropZone(self, current_theme, runner)
        self.drops.dropped.connect(self._open_dropped)
        for part in (self.list, self.task, self.session):
            part.changed.connect(self._check)
        column((self.task, 1), self.session, spacing=12, parent=self._side)
        side = PageScrollArea(self._side)
        TextWidth(side, RIGHT_WIDTH, WIDEST)
        row((PageScrollArea(self.list), 1), side, spacing=12, parent=self._form)
        self._stack.addWidget(self._form)
        summary = QWidget()
        middle = row(1, (self.report, 100), 1, spacing=None)
        column((middle, 100), 1, spacing=None, parent=summary)
        self._stack.addWidget(summary)
        parts = self._top(), (self._stack, 1), self.problem, self._bottom()
        column(*parts, spacing=12, margins=(16, 12, 16, 12), parent=self)
        self._show_form()

    def show_lists(self, paths: Sequence[Path], came_from: Session | None = None) -> None:
        """Start over with these lists, folders of spectra or spectra.

        `came_from` is the session whose lists they are, and to which Back returns.
        """
        roles = {} if came_from is None else lists_of(came_from)
        self._came_from = None if came_from is None else came_from.location
        paths = [path.absolute() for path in paths]
        self.work.stop()
        self.problem.clear()
        self.list.show_lists(paths, roles)
        self.session.reset(paths[0])
        self.task.load("" if roles else paths[0].name)
        self._show_form()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter imports, also from the class that was just chosen."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._made is None:
            self.start_import()
        else:
            super().keyPressEvent(event)

    def stop(self) -> None:
        """Stop background work soon; an unfinished session is deleted."""
        self.work.stop()
        self.list.work.stop()

    def start_import(self) -> None:
        if self.why_not_ready() or self.is_importing:
            return
        task, path = self.task.task, self.session.path
        assert task is not None and path is not None
        order = ImportOrder(
            path=path,
            task=task,
            reviewer=reviewer_name(self._settings.settings),
            lists=self.list.orders,
            spectra=self.session.spectra.path,
            blind=self.session.blind.isChecked(),
        )
        self.problem.clear()
        self.work.begin()
        self._show_importing(True)
        make = partial(make_session, order, self.work.report, self.work.should_stop)
        self._runner.run(make, self._finish, self._fail, owner=self)

    def why_not_ready(self) -> str:
        """Why the lists cannot be imported yet, or ""."""
        if faulty := self.list.faulty:
            return self.tr("{name} cannot be imported as it is").replace("{name}", faulty.name)
        if not self.list.is_ready:
            return self.tr("Reading …")
        if self.task.task is None:
            return self.tr("Choose the class to look for")
        return self.session.problem

    def go_back(self) -> None:
        """Stop the import, return from the summary to the form, or leave the page."""
        if self.is_importing:
            self.work.stop()
        elif self._made is not None:
            discard_incomplete(self._made)
            self._show_form()
            self.session.suggest_path()
        else:
            self.list.work.stop()
            if self._came_from is None:
                self.cancelled.emit()
            else:
                self.session_created.emit(self._came_from)

    def _top(self) -> QHBoxLayout:
        self.back_button = _button(self.tr("← Back"), self.go_back, "quiet")
        self.title = short_label(self.tr("New session"), "page")
        return row(self.back_button, self.title, 1, spacing=12)

    def _bottom(self) -> QHBoxLayout:
        self.hint = narrow(short_label("", "dim"))
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName(self.tr("Import progress"))
        self.bar.setFixedWidth(260)
        self.cancel_button = _button(self.tr("Cancel"), self.work.stop)
        self.import_button = _button(self.tr("Import"), self.start_import, "primary")
        self.judge_button = _button(self.tr("Start judging →"), self._open_session, "primary")
        buttons = self.cancel_button, self.import_button, self.judge_button
        return row(self.bar, (self.hint, 1), *buttons, spacing=12)

    def _show_form(self) -> None:
        self._made = None
        self._stack.setCurrentIndex(0)
        self.title.setText(self.tr("New session"))
        self.judge_button.hide()
        self.import_button.show()
        self._show_importing(False)

    def _show_importing(self, on: bool) -> None:
        self.is_importing = on
        self._form.setEnabled(not on)
        self.bar.setVisible(on)
        self.bar.setRange(0, 0)
        self.cancel_button.setVisible(on)
        self._check()

    def _show_progress(self, done: int, total: object) -> None:
        if not self.is_importing:
            return
        if isinstance(total, int) and total > 0:
            self.bar.setRange(0, total)
            self.bar.setValue(min(done, total))
            text = fill_in(self.tr("{done} of about {total} rows"), total=total)
        else:
            self.bar.setRange(0, 0)
            text = self.tr("{done} row") if done == 1 else self.tr("{done} rows")
        self.hint.setText(fill_in(text, done=done))

    def _check(self) -> None:
        reason = self.why_not_ready()
        self.import_button.setEnabled(not reason and not self.is_importing)
        if self.import_button.isEnabled() and self.back_button.hasFocus():
            self.import_button.setFocus()  # so that Enter imports instead of going back
        self.hint.setText(self.tr("Reading …") if self.is_importing else reason)

    def _finish(self, made: ImportedSession) -> None:
        self._made = made
        self._show_importing(False)
        self.report.show_made(made)
        if self.report.is_plain:  # a page that says no more than that would cost a press
            self._open_session()
            return
        self._stack.setCurrentIndex(1)
        self.title.setText(self.tr("Import summary"))
        self.hint.clear()
        self.import_button.hide()
        self.judge_button.show()
        self.judge_button.setFocus()

    def _fail(self, error: WorkbenchError) -> None:
        self._show_importing(False)
        is_stopped = isinstance(error, ImportStopped)
        self.problem.show_problem("" if is_stopped else translate_message(str(error)))
        if is_stopped:
            self.hint.setText(self.tr("Stopped: nothing was imported"))

    def _open_session(self) -> None:
        if self._made is not None:
            self.session_created.emit(self._made.path)

    def _open_dropped(self, given: GivenPaths) -> None:
        """Replace the lists by dropped ones, or open a dropped session."""
        if self.is_importing:
            return
        if given.kind in (GivenKind.LIST, GivenKind.SPECTRUM):
            self.show_lists(given.paths)
        elif given.kind is GivenKind.SESSION:
            self.session_created.emit(given.paths[0])
        else:
            self.problem.show_problem(given.reason)


def _button(text: str, call: Callable[[], object], role: str = "") -> QPushButton:
    button = dialog_button(text, call, role)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAutoDefault(True)
    return button


# The import summary: rows imported, duplicates, refused rows with reasons, missing spectra.
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
        self.refused_title.setText(fill_in(title, shown=len(rows), count=count))
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
