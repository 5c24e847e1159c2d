"""The curation room: the drafts of a pool, the one on the screen, and what to do with it."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QFileDialog, QSplitter, QWidget

from agent.errors import WorkbenchError
from agent.ratings.rubric import HIGHEST, LOWEST
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.labels import button, column, row, short_label
from app.ui.widgets.page_parts import ProblemLine
from train.review.pool import Exported, Pool, approved_file
from train.review.review_rules import ROLES, Case
from train.review.revision import Revision, canonical_replies
from train.review.window.act_bar import APPROVE_KEY, REFUSE_KEY, SAVE_KEY, Act, ActBar
from train.review.window.case_table import CaseTable
from train.review.window.draft_view import DraftView
from train.review.window.pool_access import OpenDraft, PoolAccess, add_review, keep_work
from train.review.window.room import Room
from train.review.window.stage_words import (
    STATES,
    HistoryCard,
    asking_text,
    state_of,
    state_text,
    waiting_text,
)

KEEP_MS = 400
"""After the last change before it is kept on the disk, so that a crash takes no more than that."""
LIST_PX, SIZE = 330, QSize(1280, 860)
HELP_PAGE = "cold-start"

translate = QCoreApplication.translate
MOST_SHOWN = 3  # drafts that were left out and are named with the reason


class PoolRoom(Room):
    """`by` is the person who reviews."""

    def __init__(self, pool: Pool, by: str, runner: Runner, current_theme: CurrentTheme) -> None:
        super().__init__(HELP_PAGE, SIZE, pool.place)
        title = self.tr("Curation room")
        self.setWindowTitle(f"{title} · {pool.store.location}")
        self.setMinimumSize(1000, 600)
        self.by = by
        self.access = PoolAccess(pool, by, runner, self)
        self.table = CaseTable(by, self)
        self.view = DraftView(runner, current_theme, self)
        self.acts = ActBar(self)
        self.history = HistoryCard(self)
        self.problem = ProblemLine()
        self.result = ProblemLine(mark="✓", tone="accept")
        self.export_line = ExportLine(self.access, self)
        self._after = ""  # the draft after which to go on
        self._keep_timer = QTimer(self, interval=KEEP_MS, singleShot=True)
        self._keep_timer.timeout.connect(self._keep)
        self._lay_out()
        self._add_keys()
        self.table.chosen.connect(self._choose)
        self.access.cases_changed.connect(self._show_cases)
        self.access.draft_opened.connect(self._show_draft)
        self.access.reviewed.connect(self._on_reviewed)
        self.access.failed.connect(self._show_error)
        self.view.revised.connect(self._on_revised)
        self.view.problem.connect(self.problem.show_problem)
        self.acts.decided.connect(self._decide)
        self.acts.given_back.connect(self._give_back)
        self.acts.left.connect(self._focus_list)
        self.export_line.exported.connect(self.result.show_problem)
        self.export_line.failed.connect(self._show_error)
        self.access.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._keep_timer.stop()
        was_busy = self.acts.is_busy
        are_written = self.access.close()
        draft = self.draft
        if draft is not None and self.view.is_editable and not (was_busy and are_written):
            with suppress(WorkbenchError):  # nobody is there to read why
                keep_work(self.access.pool, draft, self.view.revision, self.by)
        super().closeEvent(event)

    def flush(self) -> None:
        """Keep now what would be kept in a moment."""
        if self._keep_timer.isActive():
            self._keep_timer.stop()
            self._keep()

    @property
    def draft(self) -> OpenDraft | None:
        return self.view.draft

    def _lay_out(self) -> None:
        right = QWidget(self)
        column((self.view, 1), self.acts, parent=right)
        left = QSplitter(Qt.Orientation.Vertical, self)
        left.addWidget(self.table)
        left.addWidget(self.history)
        left.setStretchFactor(0, 3)
        left.setStretchFactor(1, 1)
        left.setChildrenCollapsible(False)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setSizes([LIST_PX, SIZE.width() - LIST_PX])
        split.setChildrenCollapsible(False)
        title = short_label(self.tr("Curation room"), "title")
        name = short_label(self.tr("You are {name}").replace("{name}", self.by))
        top = row(title, 1, self.export_line, name, spacing=16)
        column(top, self.problem, self.result, (split, 1), margins=(12, 8, 12, 12), parent=self)

    def _add_keys(self) -> None:
        keys: tuple[tuple[str, Callable[[], object]], ...] = (
            (APPROVE_KEY, self._approve),
            (REFUSE_KEY, self.acts.refuse),
            (SAVE_KEY, self._save),
            ("N", partial(self.table.step, 1)),
            ("B", partial(self.table.step, -1)),
            ("D", self.view.differences.toggle),
            ("Ctrl+Z", self.view.undo),
            *((str(score), partial(self._score, score)) for score in range(LOWEST, HIGHEST + 1)),
        )
        for key, call in keys:
            self.add_key(key, call)

    # Which draft

    def _show_cases(self, cases: list[Case]) -> None:
        self.table.show_cases(cases)
        self.export_line.show_cases(cases)
        after, self._after = self._after, ""
        if after or not self.table.current:
            self.table.go_on(after)
            if after and self.table.current == after:
                self.access.open_draft(after)
        elif (draft := self.draft) is not None:
            self._follow_others(draft, cases)

    def _follow_others(self, draft: OpenDraft, cases: list[Case]) -> None:
        """Open the draft again where somebody else has gone on with it."""
        now = next((case for case in cases if case.id == draft.case.id), None)
        if now is None or self.access.wanted != draft.case.id:  # another one is being opened
            return
        is_taken = now.taken_by not in ("", self.by) and now.taken_by != draft.case.taken_by
        if len(now.reviews) == len(draft.case.reviews) and (not is_taken or self._is_changed()):
            return
        if self._keep_timer.isActive():
            self.flush()
        self.access.open_draft(draft.case.id)

    def _choose(self, number: str) -> None:
        self.flush()
        self.problem.clear()
        self.access.open_draft(number)

    def _show_draft(self, draft: OpenDraft) -> None:
        stage = draft.case.role_for(self.by)
        self.view.show_draft(draft, is_editable=stage == "reviser")
        self.history.show_case(draft.case, self.by)
        self._show_acts(draft)
        if not self.acts.reason.hasFocus():
            self._focus_list()

    def _show_acts(self, draft: OpenDraft) -> None:
        case, stage = draft.case, draft.case.role_for(self.by)
        text = asking_text(case, self.by, stage) if stage else waiting_text(case, self.by)
        replaceable = [each for each in case.awaited if not case.replace_refusal(self.by, each)]
        self.acts.show_stage(
            stage,
            text,
            about=(case.id, case.version, case.rounds),
            is_changed=self._is_changed(),
            silent=next(iter(replaceable), ""),
            author="" if case.take_over_refusal(self.by) else case.author,
        )

    def _is_changed(self) -> bool:
        draft = self.draft
        return draft is not None and self.view.revision.replies != draft.saved.replies

    def _focus_list(self) -> None:
        self.table.table.setFocus(Qt.FocusReason.OtherFocusReason)

    # Revising

    def _on_revised(self, _: Revision) -> None:
        if not self._keep_timer.isActive():  # or somebody who writes on would keep nothing
            self._keep_timer.start()
        self.problem.clear()
        self.acts.back_button.setVisible(self.acts.stage == "reviser" and self._is_changed())

    def _keep(self) -> None:
        if self.draft is not None and self.view.is_editable and not self.acts.is_busy:
            self.access.keep_work(self.draft, self.view.revision)

    def _give_back(self) -> None:
        draft = self.draft
        if draft is not None:
            self._keep_timer.stop()
            self.access.give_back(draft.case.id, partial(self._open_again, draft))

    def _open_again(self, draft: OpenDraft) -> None:
        if draft is self.draft:
            self.access.open_draft(draft.case.id)

    # Reviewing

    def _approve(self) -> None:
        if self.acts.stage != "reviser":
            self.acts.approve()

    def _save(self) -> None:
        if self.acts.stage == "reviser":
            self.acts.approve()

    def _score(self, score: int) -> None:
        if self.acts.has_scores:
            self.acts.scores.press(score)

    def _decide(self, act: Act, reason: str) -> None:
        draft, role = self.draft, self.acts.stage
        if draft is None:
            return
        pool, case = self.access.pool, draft.case
        if act.takes_over:
            self._write(lambda: pool.take_over(case.author, self.by, reason, case.id)[0])
        elif act.replaces:
            self._write(lambda: pool.replace(act.replaces, self.by, reason, case.id)[0])
        if role is None:
            return
        scores = self.acts.scores.scores if self.acts.has_scores else {}
        after = case.replies
        if role == "reviser" and act.approve and self._is_changed():
            after = canonical_replies(self.view.revision.replies)
        review = case.review(
            self.by, role,
            approve=act.approve, changes=act.changes, note=reason, after=after, **scores,
        )  # fmt: skip
        self._keep_timer.stop()
        self._write(partial(add_review, pool, review))

    def _write(self, act: Callable[[], Case]) -> None:
        self.acts.set_busy(True)
        self.access.write(act, self._on_refused)

    def _on_reviewed(self, case: Case) -> None:
        self.acts.set_busy(False)
        self.acts.reason.clear()
        self._focus_list()
        if case.reviews[-1].role not in ROLES:  # who ended the wait may want to go on with it
            self.access.open_draft(case.id)
        else:
            self._after = case.id

    def _on_refused(self, error: WorkbenchError) -> None:
        """Somebody was quicker, or the disk is full: what was written stays on the screen."""
        self.acts.set_busy(False)
        if self.view.is_editable:
            self._keep_timer.start()
        self._show_error(error)

    def _show_error(self, error: WorkbenchError) -> None:
        self.problem.show_problem(translate_message(str(error)))


# How many drafts of the pool are approved, and the button that writes them for training.
class ExportLine(QWidget):
    exported = Signal(str)  # What was written, in words; an empty text when it begins.
    failed = Signal(object)  # a WorkbenchError

    def __init__(self, access: PoolAccess, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._access = access
        access.exported.connect(self._on_exported)
        self._approved, self._is_busy = 0, False
        self.counts = short_label("", "dim")
        self.button = button(self.tr("Export…"), "")
        self.button.clicked.connect(self._export)
        self.setLayout(row(self.counts, self.button))
        self.show_cases(())

    def show_cases(self, cases: Sequence[Case]) -> None:
        """Count the approved ones; without any say what the others wait for."""
        counts = Counter(map(state_of, cases))
        self._approved = counts["approved"]
        text = self.tr("{n} of {all} approved")
        text = text.replace("{n}", str(self._approved)).replace("{all}", str(len(cases)))
        if not self._approved:
            left = [f"{counts[each]} {state_text(each)}" for each in STATES if counts[each]]
            text = " · ".join([text, *left])
        self.counts.setText(text)
        self._show_button()

    def _export(self) -> None:
        proposed = str(approved_file(self._access.pool.place))
        kinds = self.tr("Examples for training") + " (*.jsonl)"
        title = self.tr("Export the approved drafts")
        name, _ = QFileDialog.getSaveFileName(self, title, proposed, kinds)
        if name:
            self.exported.emit("")
            self._is_busy = True
            self._show_button()
            self._access.export(Path(name))

    def _on_exported(self, done: Exported | WorkbenchError) -> None:
        self._is_busy = False
        self._show_button()
        if isinstance(done, Exported):
            self.exported.emit(exported_text(done))
        else:
            self.failed.emit(done)

    def _show_button(self) -> None:
        self.button.setText(self.tr("Exporting…") if self._is_busy else self.tr("Export…"))
        self.button.setEnabled(bool(self._approved) and not self._is_busy)
        hint = self.tr("Write the approved drafts as a file that spec-o3-train sft reads")
        if not self._approved:
            hint = self.tr("Nothing to export yet: a draft is approved by the vote of three")
        self.button.setToolTip(hint)


def exported_text(done: Exported) -> str:
    """What was written, what was not, and how to train on it."""
    text = translate("curation", "{n} approved drafts are in {path}. Train on them with:")
    text = text.replace("{n}", str(done.count)).replace("{path}", str(done.path))
    lines = [text, done.command]
    for reason in done.left_out[:MOST_SHOWN]:
        left_out = translate("curation", "Left out: {reason}")
        lines.append(left_out.replace("{reason}", translate_message(reason)))
    if more := len(done.left_out[MOST_SHOWN:]):
        lines.append(translate("curation", "{n} more are left out").replace("{n}", str(more)))
    return "\n".join(lines)
