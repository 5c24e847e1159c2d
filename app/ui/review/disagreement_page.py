"""Where people differ, or they and the agent, or two agents: one after the other, side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from agent.errors import WorkbenchError
from app.core.inspections.store import Confusion
from app.core.queue import QueueRow
from app.core.session.records import Verdict
from app.ui.review.dispute_list import DisputeList
from app.ui.review.dispute_view import DisputeView
from app.ui.review.disputes_found import MOST, Between, Disputed, DisputeSummary, found_between
from app.ui.review.figures import short
from app.ui.review.refresh import Refresh
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, check, name, row, words

LIST_PX = 300
VERDICT_KEYS = {
    "accept": Verdict.ACCEPT,
    "reject": Verdict.REJECT,
    "unsure": Verdict.UNSURE,
}
"""By the names of their actions."""
SIDES: tuple[Between, ...] = ("people", "agent", "agents")


class DisagreementPage(QWidget):
    """What is chosen here lies on the desk; the desk goes back to where it was afterwards."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._current, self._commands = (
            context.current.session,
            context.current,
            context.commands,
        )
        self._came_from: int | None = None
        self._wanted: int | None = None
        """What undoing has brought back: it may be disputed again."""
        self.between: Between = "people"
        self.found: tuple[Disputed, ...] = ()
        self.sides: dict[Between, QPushButton] = {
            "people": button(self.tr("People")),
            "agent": button(self.tr("People and agent")),
            "agents": button(self.tr("Agents")),
        }
        self.only_open = check(self.tr("Only those not settled"))
        self.list = DisputeList(context.current_theme)
        self.list.setAccessibleName(self.tr("Disagreements"))
        self.empty, self.hint = words("", "dim"), words("", "dim")
        self.who = name("", "dim")
        self.compared = words("", "dim")
        self.view = DisputeView(context)
        self._lay_out()
        self.only_open.clicked.connect(self._other)
        self.list.currentItemChanged.connect(self._choose)
        self.view.opened.connect(self._open)
        self._current.moved.connect(self._follow_desk)
        self.refresh = Refresh(self, context, self._prepare, self._show, self._could_not)
        self.view.show_dispute(None)

    @property
    def is_refused(self) -> bool:
        """What agents say of objects nobody here has judged is not for a blind person."""
        return self.between == "agents" and self._current.blind_mode.is_on

    def show_between(self, between: Between, *_: object) -> None:
        self.between = between
        for side, each in self.sides.items():
            each.setChecked(side == between)
        self._other()

    def showEvent(self, event: QShowEvent) -> None:
        """The keys that judge and go on do so along this list."""
        super().showEvent(event)
        self._commands.lend(
            {
                **{name: partial(self._judge, each) for name, each in VERDICT_KEYS.items()},
                **{
                    f"{name}_stay": partial(self.view.judge, each)
                    for name, each in VERDICT_KEYS.items()
                },
                "undo": self._current.undo,
                "redo": self._current.redo,
                "next": partial(self._step, 1),
                "previous": partial(self._step, -1),
            }
        )

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._commands.lend({})
        came_from, self._came_from = self._came_from, None
        chosen = self.view.shown
        candidate = self._current.candidate
        is_still = chosen is not None and candidate is not None and candidate.id == chosen.id
        if came_from is not None and is_still:
            self._current.go_to(came_from)

    def _lay_out(self) -> None:
        group = QButtonGroup(self)
        for side, each in self.sides.items():
            each.setCheckable(True)
            each.setChecked(side == self.between)
            each.clicked.connect(partial(self.show_between, side))
            group.addButton(each)
        left = QWidget()
        left.setFixedWidth(LIST_PX)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(row(*self.sides.values(), 1, spacing=4))
        column.addWidget(self.only_open)
        column.addWidget(self.compared)
        counted = row(self.empty, self.who)
        counted.setStretch(0, 1)
        column.addLayout(counted)
        column.addWidget(self.list, 1)
        right = QVBoxLayout()
        right.addWidget(self.hint)
        right.addWidget(self.view, 1)
        whole = row(left, spacing=16)
        whole.setContentsMargins(16, 16, 16, 16)
        whole.addLayout(right, 1)
        self.setLayout(whole)

    def _other(self, *_: object) -> None:
        self.only_open.setEnabled(self.between == "people")
        self.refresh.soon()
        self.refresh.now()

    def _prepare(self) -> Callable[[], DisputeSummary]:
        if self.is_refused:
            return partial(DisputeSummary, self.between, ())
        only_open = self.between == "people" and self.only_open.isChecked()
        return partial(found_between, self._session, self.between, only_open=only_open)

    def _show(self, told: DisputeSummary) -> None:
        found = told.disputes
        if told.between != self.between:
            self.refresh.soon()
            return
        blind_mode = self._current.blind_mode
        if told.between == "agent":
            found = tuple(each for each in found if not blind_mode.hides(each.line))
        self.found = found
        chosen = self.view.shown
        self.list.blockSignals(True)
        self.list.show_disputes(found)
        self.list.blockSignals(False)
        self.who.setText(self.list.who)
        self.compared.setText("\n".join(map(self._beside, told.models)))
        self.compared.setVisible(bool(told.models))
        self.list.setVisible(bool(found))
        self.empty.setText(self._why_empty() if not found else self._how_many())
        self.hint.setText(self.tr("Choose one at the left") if found else "")
        wanted, self._wanted = self._wanted, None
        kept = None if wanted is None else self._place_of(wanted)
        if kept is None and chosen is not None:
            kept = self._place_of(chosen.id)
        if kept is None and found:
            kept = 0
            self._note_the_desk()
        self._select(kept)
        self.view.show_dispute(None if kept is None else found[kept])
        self.hint.setVisible(kept is None)

    def _beside(self, both: Confusion) -> str:
        """Two models over all that both have inspected."""
        text = self.tr(
            "{first} and {second} inspected {n} both: the same verdict on {alike}, "
            "opposite ones on {opposed}"
        )
        text = text.replace("{n}", f"{both.n:,}").replace("{alike}", f"{both.alike:,}")
        text = text.replace("{opposed}", f"{both.opposed:,}")
        first, second = short(both.first.name), short(both.second.name)
        return text.replace("{first}", first, 1).replace("{second}", second, 1)

    def _how_many(self) -> str:
        if len(self.found) == MOST:
            return self.tr("The first {count}").replace("{count}", f"{MOST:,}")
        return self.tr("{count} of them").replace("{count}", f"{len(self.found):,}")

    def _why_empty(self) -> str:
        if self.is_refused:
            return self.tr("Blind mode: what agents say is not shown before you have judged.")
        if self.between == "people":
            return self.tr(
                "No disagreement. Two people must have judged the same objects first: open the"
                " session under another name, or merge a colleague's."
            )
        if self.between == "agent":
            return self.tr("You and the agent agree wherever both have said something.")
        return self.tr("Two models must have inspected the same objects first.")

    def _place_of(self, candidate_id: int) -> int | None:
        numbers = [each.id for each in self.found]
        return numbers.index(candidate_id) if candidate_id in numbers else None

    def _select(self, place: int | None) -> None:
        self.list.blockSignals(True)
        if place is None:
            self.list.clearSelection()
        else:
            self.list.setCurrentRow(place, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.list.blockSignals(False)

    def _choose(self, item: QListWidgetItem | None, *_: object) -> None:
        place = self.list.row(item) if item is not None else -1
        if not 0 <= place < len(self.found):
            return
        self._note_the_desk()
        self.hint.hide()
        self.view.show_dispute(self.found[place])

    def _judge(self, verdict: Verdict) -> None:
        """And go on to the next that is disputed."""
        if self.view.judge(verdict):
            self._step(1)

    def _step(self, by: int) -> None:
        place = None if self.view.shown is None else self._place_of(self.view.shown.id)
        if place is None:
            return
        if 0 <= place + by < len(self.found):
            self.list.setCurrentRow(place + by)
        elif by > 0:
            self._current.said.emit(self.tr("This was the last one of them"))
        else:
            self._current.said.emit(self.tr("This is the first one of them"))

    def _follow_desk(self, line: QueueRow | None) -> None:
        """Undoing brings back its object, here, too."""
        shown = self.view.shown
        if line is None or not self.isVisible() or (shown and shown.id == line.candidate.id):
            return
        self._wanted = line.candidate.id
        place = self._place_of(line.candidate.id)
        if place is not None:
            self._select(place)
            self.view.show_dispute(self.found[place])

    def _note_the_desk(self) -> None:
        """What lay on it before the first of these did."""
        if self._came_from is None and self._current.candidate is not None:
            self._came_from = self._current.candidate.id

    def _open(self) -> None:
        """It stays on the desk."""
        self._came_from = None
        self._commands.run("judging_page")

    def _could_not(self, error: WorkbenchError) -> None:
        self._current.tell(error)
