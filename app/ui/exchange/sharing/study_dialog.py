"""The dialog that plans a reader study, and for whoever leads it writes its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from app.core.session.session import Session
from app.core.sharing.known.labelled_list import read_labelled
from app.core.sharing.study_plan import Arm, Design, StudyPlan, new_study, readings_left, study_of
from app.core.study.report import write_study_page
from app.ui.base.translation.data_texts import window_language
from app.ui.base.translation.fill_in import fill_in
from app.ui.exchange.sharing.dialog_parts import SharingDialog, form_of, names_in
from app.ui.review.person_cards import NumberGrid
from app.ui.session.session_context import SessionContext
from app.ui.widgets.file_dialogs import choose_labelled, choose_new_file
from app.ui.widgets.file_field import FileField
from app.ui.widgets.labels import button, cut, one_line, wrapped_label
from app.ui.widgets.number_box import NumberBox

SIZE = 640, 560
MAX_LINE = 4000  # characters of all names, or labels


class StudyDialog(SharingDialog):
    """Before there is a study it asks for one; from then on it says how far it is."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.setWindowTitle(self.tr("Reader study"))
        self.people = self._line(MAX_LINE, self.tr("Names separated by commas"))
        self.design = QComboBox()
        for design, text in design_texts().items():
            self.design.addItem(text, design)
        self.shown = QComboBox()
        self.shown.addItem(self.tr("All that it says"), "advice")
        self.shown.addItem(self.tr("Its verdict alone"), "verdict")
        title = self.tr("List with labels, of those whose answer is known")
        self.labels = FileField(title, partial(choose_labelled, self), self)
        self.members = self._line(MAX_LINE, self._session.task.id)
        self.seed = NumberBox(self.tr("Seed"), low=0, high=999_999, decimals=0)
        self.seed.show_value(0.0)
        about = self.tr(
            "Measures what people find without the agent and with it. Who judges what in which"
            " way is drawn by lot, written into a plan and frozen: nobody may have judged before,"
            " and the agent must have inspected the list. From then on the window shows each of"
            " these people one object after the other, and nothing that the plan hides."
        )
        self.form = QWidget()
        fields = form_of(
            (self.tr("People"), self.people),
            (self.tr("Each object"), self.design),
            (self.tr("Shown of the agent"), self.shown),
            (self.tr("Labels of the class"), self.members),
            (self.tr("Seed"), self.seed),
        )
        self.form.setLayout(fields)
        self.about = wrapped_label(about, "dim")
        self.plan = wrapped_label("")
        self.progress = NumberGrid()
        self.outcome = wrapped_label("", "dim")
        self.freeze = button(self.tr("Freeze the plan"), "primary", self._freeze)
        self.report = button(self.tr("Write the report…"), "primary", self._choose_file)
        self.close_button = button(self.tr("Close"), "", self.hide)
        parts = self.about, self.form, self.labels, self.plan, self.progress
        buttons = self.close_button, self.freeze, self.report
        self._lay_out(parts, (self.outcome,), buttons, SIZE)
        self.people.textChanged.connect(self._check)
        self._show(StudyProgress(None))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.people.setFocus(Qt.FocusReason.PopupFocusReason)
        self.labels.begin()
        self._run(partial(read_progress, self._session), self._show)

    def _freeze(self) -> None:
        work = partial(
            make_study,
            self._session,
            names_in(self.people.text()),
            self.design.currentData(),
            aided=self.shown.currentData(),
            labels=self.labels.path,
            members=names_in(self.members.text()),
            seed=round(self.seed.value or 0.0),
        )
        self._run(work, self._show)

    def _choose_file(self) -> None:
        proposed = Path(f"{self._session.name}-study.html")
        if (out := choose_new_file(self, proposed, "HTML (*.html)")) is not None:
            self.write(out)

    def write(self, out: Path) -> None:
        work = partial(write_study_page, self._session, out, window_language())
        self._run(work, partial(self._written, out))

    def _written(self, out: Path, _: object) -> None:
        self.outcome.setText(cut(self.tr("Written: {name}").replace("{name}", out.name)))
        self.outcome.show()
        self._check()
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(out)))

    def _show(self, progress: StudyProgress) -> None:
        plan = progress.plan
        for part in (self.form, self.labels, self.freeze, self.about):
            part.setVisible(plan is None)
        for part in (self.plan, self.progress, self.report):
            part.setVisible(plan is not None)
        self.outcome.hide()
        if plan is not None:
            text = self.tr(
                "{count} objects. {design}. Frozen at {at} (UTC); SHA-256 of the plan {hash}"
            )
            text = fill_in(text, count=len(plan.answers), design=design_texts()[plan.design])
            self.plan.setText(fill_in(text, at=plan.frozen_at[:16], hash=plan.sha256))
            rows = [
                (one_line(name), f"{total - left:,}", f"{left:,}")
                for name, (left, total) in progress.left.items()
            ]
            self.progress.show_rows(["", self.tr("judged"), self.tr("left")], rows)
        self._check()

    def _check(self) -> None:
        self.freeze.setEnabled(self.may_write and bool(names_in(self.people.text())))
        self.report.setEnabled(not self.is_busy)


def design_texts() -> dict[Design, str]:
    translate = QCoreApplication.translate
    return {
        "unaided-first": translate("study", "Judged without the agent, and at once again with it"),
        "crossover": translate("study", "Judged twice, with the agent and without, far apart"),
        "split": translate("study", "Judged once, with the agent or without"),
    }


# What the dialog does outside the GUI thread.
@dataclass(frozen=True)
class StudyProgress:
    """The plan of the session's study, and how much each person has still to judge, of how much."""

    plan: StudyPlan | None
    left: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def read_progress(session: Session) -> StudyProgress:
    plan = study_of(session)
    return StudyProgress(plan, {} if plan is None else readings_left(session, plan))


def make_study(
    session: Session,
    people: Sequence[str],
    design: Design,
    *,
    aided: Arm,
    labels: Path | None,
    members: Sequence[str],
    seed: int,
) -> StudyProgress:
    labelled = read_labelled(labels, session.task, members=members) if labels else ()
    new_study(session, people, design, aided=aided, seed=seed, labelled=labelled)
    return read_progress(session)
