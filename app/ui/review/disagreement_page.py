"""The disagreement page: candidates on which people or agents disagree, one by one."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QRect, QSignalBlocker, Qt
from PySide6.QtGui import QColor, QHideEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.core.inspections.store import Confusion
from app.core.queue import QueueRow
from app.core.session.records import Verdict
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.verdict.verdict_text import NAMES, verdict_colour, verdict_mark
from app.ui.review.dispute_summary import (
    MAX_DISPUTES,
    Between,
    DisputeEntry,
    DisputeSummary,
    disputes_between,
)
from app.ui.review.dispute_view import DisputeView
from app.ui.review.figures import shortened
from app.ui.review.refresh import Refresh
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    MAX_NAME,
    ElidedLabel,
    button,
    check_box,
    column,
    cut,
    flow,
    one_line,
    row,
    show_or_hide,
    wrapped_label,
)
from app.ui.widgets.page_parts import EmptyState
from app.ui.widgets.pair_table import Index
from app.ui.widgets.text_width import TextWidth

LIST_PX, WIDEST_PX = 300, 560
VERDICT_KEYS = {name: verdict for verdict, name in NAMES.items()}
"""Verdicts by the names of their actions."""

VERDICTS = Qt.ItemDataRole.UserRole
MARK_PX, EDGE_PX = 24, 8
MAX_MARKS = 4


class DisagreementPage(QWidget):
    """Makes the selected candidate current, and goes back to the former one when it is hidden."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._commands = context.current, context.commands
        self._session = context.current.session
        self._before: int | None = None
        # A candidate that an undo has brought back; it may be disputed again.
        self._to_select: int | None = None
        self.between: Between = "people"
        self._is_chosen = False  # by the person; until then the first list with entries is shown
        self.found: tuple[DisputeEntry, ...] = ()
        self.sides: dict[Between, QPushButton] = {
            "people": button(self.tr("People")),
            "agent": button(self.tr("People and agent")),
            "agents": button(self.tr("Agents")),
        }
        self.only_open = check_box(self.tr("Only unsettled"))
        self.list = DisputeList(context.current_theme)
        self.list.setAccessibleName(self.tr("Disagreements"))
        self.count, self.empty = wrapped_label("", "dim"), EmptyState(context.commands)
        self.who = ElidedLabel("dim")
        self.compared = wrapped_label("", "dim")
        self.view = DisputeView(context)
        self._lay_out()
        self.only_open.clicked.connect(self._reload)
        self.list.currentItemChanged.connect(self._item_selected)
        self.view.open.clicked.connect(self._open)
        self._current.candidate_changed.connect(self._follow_candidate)
        self.refresh = Refresh(self, context, self._prepare, self._show)
        self.view.show_dispute(None)

    @property
    def is_refused(self) -> bool:
        """Whether blind mode forbids this list, which would reveal the agents' verdicts."""
        return self.between == "agents" and self._current.blind_mode.is_on

    def show_between(self, between: Between, *_: object) -> None:
        self._is_chosen = True
        self._turn_to(between)

    def _turn_to(self, between: Between) -> None:
        self.between = between
        for side, each in self.sides.items():
            each.setChecked(side == between)
        self._reload()

    def showEvent(self, event: QShowEvent) -> None:
        """While the page is shown, the keys that judge and move on work along this list.

        The candidate that it showed last becomes current again, so that it can be judged.
        """
        super().showEvent(event)
        if self.view.shown is not None:
            self._remember_current()
            self.view.show_dispute(self.view.shown)
        calls: dict[str, Callable[[], object]]
        calls = {"next": partial(self._step, 1), "previous": partial(self._step, -1)}
        calls |= {"undo": self._current.undo, "redo": self._current.redo}
        for action, verdict in VERDICT_KEYS.items():
            calls[action] = partial(self._judge, verdict)
            calls[f"{action}_stay"] = partial(self.view.judge, verdict)
        self._commands.override(calls)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._commands.override({})
        before, self._before = self._before, None
        shown = self.view.shown
        is_current = shown is not None and self._current.candidate_id == shown.id
        if before is not None and is_current:
            self._current.go_to(before)

    def _lay_out(self) -> None:
        group = QButtonGroup(self)
        for side, each in self.sides.items():
            each.setCheckable(True)
            each.setChecked(side == self.between)
            each.clicked.connect(partial(self.show_between, side))
            group.addButton(each)
        left = QWidget()
        TextWidth(left, LIST_PX, WIDEST_PX)
        sides, counts = flow(*self.sides.values(), spacing=4), row((self.count, 1), self.who)
        column(sides, self.only_open, self.compared, counts, (self.list, 1), parent=left)
        right = column((self.empty, 1), (self.view, 1), spacing=None)
        row(left, (right, 1), spacing=16, margins=16, parent=self)

    def _reload(self, *_: object) -> None:
        self.only_open.setEnabled(self.between == "people")
        self.refresh.ask()

    def _prepare(self) -> Callable[[], DisputeSummary]:
        if self.is_refused:
            return partial(DisputeSummary, self.between, ())
        only_open = self.between == "people" and self.only_open.isChecked()
        return partial(disputes_between, self._session, self.between, only_open=only_open)

    def _show(self, summary: DisputeSummary) -> None:
        found = summary.disputes
        blind_mode = self._current.blind_mode
        if summary.between == "agent":
            found = tuple(each for each in found if not blind_mode.hides(each.row))
        if not self._is_chosen:
            self._is_chosen = bool(found) or self.between == "agents"
            if not self._is_chosen:
                self._turn_to("agent" if self.between == "people" else "agents")
                return
            if not found:
                self._turn_to("people")
                return
        self.found = found
        shown = self.view.shown
        with QSignalBlocker(self.list):
            self.list.show_disputes(found)
        self.who.show_text(one_line(self.list.who))
        show_or_hide(self.compared, "\n".join(map(self._compare, summary.models)))
        self.list.setVisible(bool(found))
        is_cut = len(found) == MAX_DISPUTES
        total = self.tr("First {count}") if is_cut else self.tr("Total: {count}")
        self.count.setText(total.replace("{count}", f"{len(found):,}") if found else "")
        self.empty.show_reason(*self._why_empty())
        to_select, self._to_select = self._to_select, None
        index = None if to_select is None else self._index_of(to_select)
        if index is None and shown is not None:
            index = self._index_of(shown.id)
        if index is None and found:
            index = 0
            self._remember_current()
        self._select(index)
        self.view.show_dispute(None if index is None else found[index])
        self.empty.setVisible(index is None)

    def _compare(self, both: Confusion) -> str:
        """How often two models agree on the candidates that both have inspected."""
        text = self.tr(
            "{first} and {second} both inspected {n}: same verdict on {alike}, "
            "opposite verdicts on {opposed}"
        )
        text = text.replace("{n}", f"{both.n:,}").replace("{alike}", f"{both.agreeing:,}")
        text = text.replace("{opposed}", f"{both.opposed:,}")
        first, second = shortened(both.first.name), shortened(both.second.name)
        return text.replace("{first}", first, 1).replace("{second}", second, 1)

    def _why_empty(self) -> tuple[str, ...]:
        """The reason, and the actions that help."""
        if self.is_refused:
            return self.tr("Blind mode: the agents' verdicts are not shown."), "blind"
        if self.between == "people":
            reason = self.tr(
                "No disagreement on any object that two people have judged. For second opinions, "
                "share the list out, open the session under another name, or merge a "
                "colleague's session."
            )
            return reason, "share_out", "merge"
        if self.between == "agent":
            agree = self.tr("You and the agent agree on every object that both have judged.")
            return agree, "run_queue", "judging_page"
        return self.tr("At least two models must inspect the same objects."), "judging_page"

    def _index_of(self, candidate_id: int) -> int | None:
        ids = [each.id for each in self.found]
        return ids.index(candidate_id) if candidate_id in ids else None

    def _select(self, index: int | None) -> None:
        with QSignalBlocker(self.list):
            if index is None:
                self.list.clearSelection()
            else:
                self.list.setCurrentRow(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _item_selected(self, item: QListWidgetItem | None, *_: object) -> None:
        index = self.list.row(item) if item is not None else -1
        if not 0 <= index < len(self.found):
            return
        self._remember_current()
        self.empty.hide()
        self.view.show_dispute(self.found[index])

    def _judge(self, verdict: Verdict) -> None:
        """Judge the shown candidate and go on to the next one."""
        if self.view.judge(verdict):
            self._step(1)

    def _step(self, by: int) -> None:
        index = None if self.view.shown is None else self._index_of(self.view.shown.id)
        if index is None:
            return
        if 0 <= index + by < len(self.found):
            self.list.setCurrentRow(index + by)
        elif by > 0:
            self._current.message.emit(self.tr("This was the last disagreement"))
        else:
            self._current.message.emit(self.tr("This is the first disagreement"))

    def _follow_candidate(self, row: QueueRow | None) -> None:
        """Show the candidate that an undo has made current."""
        shown = self.view.shown
        if row is None or not self.isVisible() or (shown and shown.id == row.candidate.id):
            return
        self._to_select = row.candidate.id
        if (index := self._index_of(row.candidate.id)) is not None:
            self._select(index)
            self.view.show_dispute(self.found[index])

    def _remember_current(self) -> None:
        """Remember the current candidate before the first of this list becomes current."""
        if self._before is None:
            self._before = self._current.candidate_id

    def _open(self) -> None:
        self._before = None
        self._commands.run("judging_page")


class DisputeList(QListWidget):
    """A list of disputes. It never shows the agent's mark, which blind mode may hide."""

    def __init__(self, current_theme: CurrentTheme) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_MarksDelegate(current_theme, self))
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.who = ""
        """Names of the people whose marks are shown, if they are the same for all rows."""

    def show_disputes(self, found: Sequence[DisputeEntry]) -> None:
        self.clear()
        people = {tuple(given.reviewer for given in each.dispute.judgements) for each in found}
        self.who = ", ".join(people.pop()) if len(people) == 1 else ""
        for each in found:
            self.addItem(_item(each))


class _MarksDelegate(QStyledItemDelegate):
    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        verdicts = index.data(VERDICTS)
        width = MARK_PX * len(verdicts)
        whole = QRect(option.rect)
        super().paint(painter, option, index)
        painter.save()
        left = whole.right() - EDGE_PX - width
        for number, verdict in enumerate(verdicts):
            area = QRect(left + number * MARK_PX, whole.top(), MARK_PX, whole.height())
            painter.setPen(QColor(verdict_colour(self._current_theme.theme, verdict)))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, verdict_mark(verdict) or "–")
        painter.restore()


def _item(entry: DisputeEntry) -> QListWidgetItem:
    given = entry.dispute.judgements
    item = QListWidgetItem(cut(entry.row.candidate.object_id, MAX_NAME) or f"#{entry.id}")
    item.setData(VERDICTS, tuple(each.opinion.verdict for each in given[:MAX_MARKS]))
    names = ", ".join(f"{each.reviewer} {verdict_mark(each.opinion.verdict)}" for each in given)
    item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, names)
    item.setToolTip(names)
    return item
