"""The dialog that shares the list out among people, with their progress."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLayout, QWidget

from app.core.queue import FilterError, combine, conjuncts
from app.core.queue.filter_parser import MAX_LENGTH
from app.core.queue.filters import MINE
from app.core.session.assignments import Part, parts
from app.core.session.session import Session
from app.core.sharing.parts import PartFile, split
from app.core.sharing.share_out import (
    SharePlan,
    ShareReport,
    assign_second_opinions,
    parsed_rule,
    plan_of,
    share_out,
)
from app.ui.base.background.runner import Done
from app.ui.base.translation.fill_in import fill_in
from app.ui.exchange.sharing.dialog_parts import SharingDialog, form_of, names_in
from app.ui.review.person_cards import NumberGrid
from app.ui.session.session_context import SessionContext
from app.ui.widgets.file_dialogs import choose_folder_for_files
from app.ui.widgets.labels import button, check_box, cut, one_line, show_or_hide, wrapped_label
from app.ui.widgets.number_box import NumberBox

SIZE = 640, 560
MAX_PEOPLE = 4000  # characters of all names


class ShareDialog(SharingDialog):
    """Whoever opens a session with an assignment begins with what is theirs."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._current = context.current
        self._waiting: partial[Shares] | None = None
        """What was asked for while something else was done."""
        self.setWindowTitle(self.tr("Share the list out"))
        self.people = self._line(MAX_PEOPLE, self.tr("Names separated by commas"))
        self.overlap = NumberBox(self.tr("Given to two people, %"), low=0, high=100, decimals=0)
        self.overlap.show_value(0.0)
        self.rule = self._line(MAX_LENGTH, "confidence<=2 or disagree:agent")
        self.seed = NumberBox(self.tr("Seed"), low=0, high=999_999, decimals=0)
        self.seed.show_value(0.0)
        self.anew = check_box(self.tr("Take back first what people have not judged"))
        self.pack = check_box(self.tr("Put the spectra into the files"))
        self.outcome = wrapped_label("", "dim")
        self.empty = wrapped_label(self.tr("Not shared out yet: everybody has all of it."), "dim")
        self.progress = NumberGrid()
        self.split = button(self.tr("Write one file for each…"), "", self._choose_folder)
        self.share = button(self.tr("Share out"), "primary", self.share_out)
        self.close_button = button(self.tr("Close"), "", self.hide)
        parts = *self._fields(), self.anew, self.pack, self.empty, self.progress
        buttons = self.split, self.close_button, self.share
        self._lay_out(parts, (self.outcome,), buttons, SIZE)
        for field in (self.people, self.rule):
            field.textChanged.connect(self._check)
            field.returnPressed.connect(self.share_out)
        self._check()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.people.setFocus(Qt.FocusReason.PopupFocusReason)
        self.read()

    def read(self) -> None:
        self._ask(partial(read_shares, self._session))

    def share_out(self) -> None:
        if self.share.isEnabled():
            self._ask(partial(make_shares, self._session, self.plan, self.anew.isChecked()))

    def write_files(self, folder: Path) -> None:
        self._ask(partial(write_parts, self._session, folder, self.pack.isChecked()))

    @property
    def plan(self) -> SharePlan:
        """As the fields say."""
        return SharePlan(
            people=names_in(self.people.text()),
            overlap=self.overlap.value or 0.0,
            second_when=self.rule.text(),
            seed=round(self.seed.value or 0.0),
        )

    def _fields(self) -> tuple[QWidget | QLayout, ...]:
        about = self.tr(
            "Each object goes to one person, by chance; some go to two, to measure how well people"
            " agree. Names are those under which people judge. Another person is asked where the"
            " rule is true of a verdict."
        )
        form = form_of(
            (self.tr("People"), self.people),
            (self.tr("Given to two people, %"), self.overlap),
            (self.tr("Second opinion when"), self.rule),
            (self.tr("Seed"), self.seed),
        )
        return wrapped_label(about, "dim"), form

    def _check(self) -> None:
        """Offer to share out once the fields make sense."""
        self.problem.clear()
        try:
            parsed_rule(self._session, self.rule.text())
        except FilterError as error:
            self.problem.show_error(error)
            self.share.setEnabled(False)
            return
        self.share.setEnabled(self.may_write and bool(self.plan.people))
        self.split.setEnabled(self.may_write and bool(self.progress.rows))

    def _choose_folder(self) -> None:
        if (folder := choose_folder_for_files(self)) is not None:
            self.write_files(folder)

    def _ask(self, work: partial[Shares]) -> None:
        if self.is_busy:
            self._waiting = work
        else:
            self._run(work, self._show)

    def _end(self, tell: Done, outcome: Any) -> None:
        self.is_busy = False
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._run(waiting, self._show)
        tell(outcome)

    def _show(self, shares: Shares) -> None:
        plan = shares.plan
        if plan is not None and not self.people.text():
            self.people.setText(", ".join(plan.people))
            self.overlap.show_value(plan.overlap)
            self.rule.setText(plan.second_when)
            self.seed.show_value(float(plan.seed))
        head = ["", self.tr("given"), self.tr("judged"), self.tr("left")]
        rows = []
        for each in shares.parts:
            counts = each.assigned, each.judged, each.left, each.second
            rows.append((one_line(each.reviewer), *(f"{count:,}" for count in counts)))
        self.progress.show_rows([*head, self.tr("second opinions")], rows)
        self.empty.setVisible(not rows)
        has_files = self._session.database.is_file
        self.split.setVisible(has_files)
        self.pack.setVisible(has_files and bool(rows))
        show_or_hide(self.outcome, self._outcome(shares))
        self._check()
        if shares.report is not None:
            self._show_mine(shares)

    def _show_mine(self, shares: Shares) -> None:
        """Begin with what is now this person's."""
        queue = self._current.queue
        has_part = any(each.reviewer == self._session.reviewer for each in shares.parts)
        if has_part and MINE not in conjuncts(queue.tree):
            self._current.set_queue(combine(MINE, queue.tree), queue.sort)

    def _outcome(self, shares: Shares) -> str:
        if shares.files:
            text = self.tr("{n} files written, the first is {path}")
            return cut(fill_in(text, n=str(len(shares.files)), path=shares.files[0].path))
        if shares.report is None:
            return ""
        text = self.tr("{n} given out, {two} of them to two people")
        given = sum(shares.report.given.values()) - shares.report.to_two
        return fill_in(text, n=given, two=shares.report.to_two)


# What the dialog of shares does outside the GUI thread.
@dataclass(frozen=True)
class Shares:
    """How the list is shared out now."""

    plan: SharePlan | None
    parts: tuple[Part, ...]
    report: ShareReport | None = None
    files: tuple[PartFile, ...] = ()


def read_shares(session: Session) -> Shares:
    """Read them, after the rule has asked for what second opinions it wants by now."""
    assign_second_opinions(session)
    return Shares(plan_of(session), parts(session))


def make_shares(session: Session, plan: SharePlan, anew: bool) -> Shares:
    report = share_out(session, plan, anew=anew)
    return Shares(report.plan, parts(session), report)


def write_parts(session: Session, folder: Path, with_spectra: bool) -> Shares:
    files = split(session, folder, with_spectra=with_spectra)
    return Shares(plan_of(session), parts(session), files=tuple(files))
