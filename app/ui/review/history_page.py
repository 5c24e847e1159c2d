"""The history page: every verdict, undo and redo of the session, newest first."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from agent.errors import WorkbenchError
from agent.trajectory.p_yes import probability_text
from app.core.inspections.seen import BY_SCRIPT
from app.core.session.records import LogEntry
from app.core.session.session import PAGE, LogLine, older_lines
from app.core.statistics.working_time import local_time
from app.ui.judge.verdict.verdict_text import confidence_meaning, mark_and_word
from app.ui.review.refresh import Refresh
from app.ui.review.sentences import marks_of
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import button, column, keep_current, row, with_key, wrapped_label
from app.ui.widgets.page_parts import EmptyState
from app.ui.widgets.pair_table import Index, RowsModel, fit_rows, show_rows
from app.ui.widgets.text_width import OnEvent, how_much_larger

WIDTHS = (150, 110, 190, 250, 70, 200)
ROW_MARGIN_PX = 10
NEAR_THE_END = 20  # rows from the end at which older entries are loaded
MAX_RELOADED = 1000  # entries read again after a change

MAX_TEXT = 300


class HistoryPage(QWidget):
    """A table of the log; a click goes to the object."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._runner = context.current, context.runner
        self._session, self._keymap = context.current.session, context.keymap
        self._is_loading, self._is_complete, self._limit = False, False, PAGE
        run = context.commands.run
        self.undo, self.redo = (button("", "", partial(run, name)) for name in ("undo", "redo"))
        self.empty = EmptyState(context.commands)
        nothing = self.tr("Nothing has been judged in this session yet.")
        self.empty.show_reason(nothing, "judging_page")
        self.model = HistoryModel(self._session.reviewer, self)
        self.table = QTableView()
        self._lay_out()
        self.table.clicked.connect(self._go_to)
        self.table.verticalScrollBar().valueChanged.connect(self._load_more)
        keep_current(self._show_keys, self._keymap.changed)
        self.refresh = Refresh(self, context, self._prepare, self._show)

    def _fit_font(self) -> None:
        """Give rows and columns the room that the text needs."""
        table, header = self.table, self.table.horizontalHeader()
        fit_rows(table, ROW_MARGIN_PX)
        header.setMinimumSectionSize(header.sectionSizeHint(len(WIDTHS)))
        for at, width in enumerate(WIDTHS):
            wanted = round(how_much_larger(table) * width)
            table.setColumnWidth(at, max(wanted, header.sectionSizeHint(at)))

    def _lay_out(self) -> None:
        table = self.table
        table.setModel(self.model)
        show_rows(table, self.tr("History"))
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        OnEvent(table, self._fit_font, QEvent.Type.FontChange)
        self._fit_font()
        table.horizontalHeader().setSectionResizeMode(len(WIDTHS), QHeaderView.ResizeMode.Stretch)
        top = row(wrapped_label(self.tr("History"), "title"), 1, self.undo, self.redo)
        note = self.tr(
            "Entries are never deleted; an undo is an entry too. Click one to go to its object."
        )
        parts = top, wrapped_label(note, "dim"), (self.empty, 1), (table, 1)
        column(*parts, margins=16, parent=self)

    def _prepare(self) -> Callable[[], tuple[LogLine, ...]]:
        """Read as many entries as are shown, within limits."""
        self._limit = min(max(PAGE, len(self.model.rows)), MAX_RELOADED)
        return partial(older_lines, self._session, limit=self._limit)

    def _show(self, found: tuple[LogLine, ...]) -> None:
        scrolled = self.table.verticalScrollBar().value()
        self._is_complete = len(found) < self._limit
        self.model.is_blind = self._current.blind_mode.is_on
        self.model.reset(found)
        self.table.verticalScrollBar().setValue(scrolled)
        self.empty.setVisible(not found)
        self.table.setVisible(bool(found))
        for each in (self.undo, self.redo):
            each.setEnabled(not self._session.is_read_only)

    def _load_more(self, value: int) -> None:
        """Load older entries shortly before the end is scrolled into view."""
        room = self.table.verticalScrollBar().maximum() - value
        if self._is_loading or self._is_complete or room > NEAR_THE_END * self.table.rowHeight(0):
            return
        if not self.model.rows:
            return
        self._is_loading = True
        last = self.model.rows[-1].entry.id
        work = partial(older_lines, self._session, last)
        self._runner.run(work, partial(self._append, last), self._load_failed, owner=self)

    def _append(self, last: int, found: tuple[LogLine, ...]) -> None:
        self._is_loading = False
        if self.model.rows and self.model.rows[-1].entry.id == last:
            self._is_complete = len(found) < PAGE
            self.model.append(found)

    def _go_to(self, index: QModelIndex) -> None:
        self._current.go_to(self.model.rows[index.row()].entry.candidate_id)

    def _show_keys(self) -> None:
        self.undo.setText(with_key(self.tr("Undo"), self._keymap.label("undo")))
        self.redo.setText(with_key(self.tr("Redo"), self._keymap.label("redo")))

    def _load_failed(self, error: WorkbenchError) -> None:
        self._is_loading = False
        self._current.report_error(error)


# Table model of the log of verdicts.
class HistoryModel(RowsModel):
    """Log entries, newest first. In blind mode the results shown to people other than `me` are
    hidden."""

    rows: Sequence[LogLine]

    def __init__(self, me: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._me = me
        self.is_blind = False
        self.titles = (
            self.tr("When"),
            self.tr("Who"),
            self.tr("Object"),
            self.tr("Verdict"),
            self.tr("Seconds"),
            self.tr("Agent's result was shown"),
            self.tr("Comment"),
        )

    def append(self, lines: Sequence[LogLine]) -> None:
        """Add older entries at the end."""
        if lines:
            first = len(self.rows)
            self.beginInsertRows(QModelIndex(), first, first + len(lines) - 1)
            self.rows = [*self.rows, *lines]
            self.endInsertRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._cells(self.rows[index.row()])[index.column()][:MAX_TEXT]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == 4:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _cells(self, line: LogLine) -> tuple[str, ...]:
        entry = line.entry
        return (
            local_time(entry.at) or entry.at[:19],
            entry.reviewer,
            line.object_id,
            self._verdict_text(entry),
            "" if entry.seconds is None else f"{entry.seconds:.1f}",
            self._shown_text(entry),
            " ".join(entry.opinion.comment[: 2 * MAX_TEXT].split()),
        )

    def _verdict_text(self, entry: LogEntry) -> str:
        opinion = entry.opinion
        parts = [mark_and_word(opinion.verdict)]
        if opinion.confidence is not None:
            parts.append(confidence_meaning(opinion.confidence))
        if opinion.flags:
            parts.append(", ".join(opinion.flags))
        text = " · ".join([*parts, *marks_of(opinion)])
        if entry.action == "undo":
            return self.tr("undone, now: {what}").replace("{what}", text)
        if entry.action == "redo":
            return self.tr("redone: {what}").replace("{what}", text)
        return text

    def _shown_text(self, entry: LogEntry) -> str:
        if not entry.shown or entry.action != "set":
            return ""
        if self.is_blind and entry.reviewer != self._me:
            return self.tr("hidden in blind mode")
        verdict, p_yes = entry.shown.get("verdict"), entry.shown.get("p_yes")
        parts = [str(each) for each in (verdict, entry.shown.get("model")) if each]
        if isinstance(p_yes, float):
            parts.insert(1 if verdict else 0, probability_text(p_yes))
        if entry.shown.items() >= BY_SCRIPT.items():
            parts.append(self.tr("to a script, perhaps"))
        return " · ".join(parts)
