"""What the agent gets wrong: low ratings first, then verdicts that people contradict."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app.core.inspections.ratings import AgentFault, agent_faults
from app.ui.judge.verdict.verdict_text import verdict_word
from app.ui.review.refresh import Refresh
from app.ui.session.session_context import SessionContext
from app.ui.widgets.agent_parts import short_name
from app.ui.widgets.labels import column, one_line, wrapped_label
from app.ui.widgets.page_parts import EmptyState
from app.ui.widgets.pair_table import fit_rows, show_rows

NONE = "–"
ROW_MARGIN_PX = 10


class AgentFaultsPage(QWidget):
    """A table; a click or Enter goes to the object."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._commands = context.current, context.commands
        self._session = context.current.session
        self.found: tuple[AgentFault, ...] = ()
        self.count, self.empty = wrapped_label("", "dim"), EmptyState(context.commands)
        none = self.tr("Nothing yet: no low rating, and no verdict against the agent's.")
        self.empty.show_reason(none, "judging_page")
        self.table = QTableWidget(0, 6)
        self._lay_out()
        self.table.clicked.connect(self._open)
        self.refresh = Refresh(
            self, context, lambda: partial(agent_faults, self._session), self._show
        )

    def _lay_out(self) -> None:
        table = self.table
        titles = [self.tr("Object"), self.tr("Rating"), self.tr("Agent"), self.tr("Person")]
        table.setHorizontalHeaderLabels([*titles, self.tr("By"), self.tr("Model")])
        show_rows(table, self.tr("What the agent gets wrong"))
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        note = self.tr(
            "Inspections rated 0 to 2 come first, then verdicts that a person contradicts. Click "
            "one to go to its object. `spec-o3-train lessons` makes training data from them."
        )
        title = wrapped_label(self.tr("What the agent gets wrong"), "title")
        texts = title, wrapped_label(note, "dim"), self.count
        column(*texts, (self.empty, 1), (table, 1), margins=16, parent=self)

    def _show(self, found: Sequence[AgentFault]) -> None:
        if self._current.blind_mode.is_on:  # of others' objects nothing is given away
            found = [each for each in found if each.by == self._session.reviewer]
        self.found = tuple(found)
        self.count.setText(self.tr("Total: {count}").replace("{count}", f"{len(found):,}"))
        self.count.setVisible(bool(found))
        self.empty.setVisible(not found)
        self.table.setVisible(bool(found))
        self.table.setRowCount(len(found))
        fit_rows(self.table, ROW_MARGIN_PX)
        for row, each in enumerate(self.found):
            for at, text in enumerate(_cells(each)):
                self.table.setItem(row, at, QTableWidgetItem(text))

    def _open(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self.found):
            self._current.go_to(self.found[index.row()].candidate_id)
            self._commands.run("judging_page")


def _cells(fault: AgentFault) -> tuple[str, ...]:
    return (
        one_line(fault.object_id) or str(fault.candidate_id),
        NONE if fault.score is None else str(fault.score),
        fault.agent or NONE,
        NONE if fault.person is None else verdict_word(fault.person),
        one_line(fault.by),
        one_line(short_name(fault.model)) or NONE,
    )
