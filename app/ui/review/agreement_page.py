"""The agreement page: agreement between people and with the agent, and how reliable p(YES) is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QBoxLayout, QComboBox, QWidget

from agent.confidence.calibration import Calibration
from agent.errors import WorkbenchError
from app.core.session.known_answers import HIDDEN_BY
from app.core.statistics.calibration import calibrate, shortage
from app.core.statistics.cut_plan import CutPlan, plan_cut
from app.core.statistics.drift import Drift
from app.core.statistics.number_format import percent
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.fill_in import fill_in
from app.ui.review.agreement_numbers import (
    AgreementModel,
    AgreementNumbers,
    agent_rows,
    compute_numbers,
    people_rows,
    snr_rows,
    subclass_rows,
)
from app.ui.review.figures import (
    Figure,
    FigureRow,
    draw_drift,
    draw_p_yes_histogram,
    draw_reliability,
    draw_rows,
    shortened,
)
from app.ui.review.person_cards import KnownCard, WorkCard
from app.ui.review.refresh import Refresh
from app.ui.review.sentences import (
    calibration_state,
    cut_sentences,
    drift_sentence,
    estimate_text,
    snr_sentence,
)
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    add_parts,
    button,
    clear_layout,
    column,
    row,
    short_label,
    wrapped_label,
)
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.page_parts import EmptyState, PageCard, PageScrollArea
from app.ui.widgets.text_width import OnEvent

MAX_ROWS = 14
LETTERS = 130  # least width for two columns

MAX_PEOPLE = 4
HEIGHT = 130

PRECISION = 95.0
MIN_PRECISION, MAX_PRECISION = 50.0, 99.9
CURVE_PX, HISTOGRAM_PX = 260, 150


class AgreementPage(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._current_theme = context.current, context.current_theme
        self._session = context.current.session
        self._blind_mode = context.current.blind_mode
        self.found: AgreementNumbers | None = None
        kappa = self.tr(
            "Kappa (Fleiss for all, Cohen for two) is agreement beyond chance, with its 95 % "
            "interval: 0 is chance, above 0.8 is almost perfect."
        )
        blind = self.tr(
            "Cohen's kappa with 95 % interval. Grey, “seen”: verdicts given after the agent's "
            "result was shown, which may follow it. They count nowhere else."
        )
        levels = self.tr(
            "Cohen's kappa of what both have accepted and named at least to that level: 1 is "
            "the first key, 2 the second."
        )
        kappas = partial(KappaCard, self._current_theme)
        self.people = kappas(self.tr("Between people"), kappa)
        self.agents = kappas(self.tr("Between people and the agent"), blind)
        self.judge_blind = button(self.tr("Judge blind from now on"))
        self.judge_blind.clicked.connect(partial(context.commands.run, "blind"))
        add_parts(self.agents.body, row(self.judge_blind, 1))
        self.subclasses = kappas(self.tr("Sub-classes, by level"), levels)
        self.by_snr = kappas(self.tr("By signal-to-noise"), "")
        self.drift = DriftCard(context)
        self.work, self.known = WorkCard(context), KnownCard(context)
        self.calibration = CalibrationCard(context)
        inner = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, inner)
        self._columns.setContentsMargins(16, 16, 16, 16)
        self._columns.setSpacing(12)
        # Not while Qt lays out the page.
        self._arranging = QTimer(self, singleShot=True, interval=0)
        self._arranging.timeout.connect(self._arrange)
        OnEvent(self, self._arranging.start, QEvent.Type.Resize, QEvent.Type.FontChange)
        people = (self.people, self.subclasses, self.agents, self.by_snr)
        self._columns.addLayout(column(*people, self.drift, self.known, 1, spacing=None), 1)
        self._columns.addLayout(column(self.work, self.calibration, 1, spacing=None), 1)
        self._cards, self.empty = PageScrollArea(inner), EmptyState(context.commands)
        self.empty.hide()
        column((self._cards, 1), (self.empty, 1), parent=self)
        for card in people:
            card.show_rows([], self.tr("Computing…"))
        for empty in (self.work.empty, self.known.empty):
            empty.setText(self.tr("Computing…"))
        self.refresh = Refresh(
            self, context, lambda: partial(compute_numbers, self._session), self._show
        )

    @property
    def is_blind(self) -> bool:
        """Whether the agent's results are still hidden."""
        return self._blind_mode.is_on and not (self.found and self.found.is_all_judged)

    def _arrange(self) -> None:
        """Put the cards into two columns, or into one where large text leaves too little room."""
        is_wide = self.width() >= LETTERS * self.fontMetrics().averageCharWidth()
        beside, below = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._columns.setDirection(beside if is_wide else below)

    def _show(self, found: AgreementNumbers) -> None:
        self.found = found
        is_empty = not (found.models or found.statistics.working)
        self.empty.setVisible(is_empty)
        self._cards.setVisible(not is_empty)
        if is_empty:
            reason = self.tr("Nobody has judged here, and no agent has inspected anything yet.")
            self.empty.show_reason(reason, "judging_page", "run_queue", "merge")
        everybody, repeats = self.tr("All people (Fleiss)"), self.tr("repeats")
        alone = self.tr(
            "At least two people must judge the same objects. Open the session under another"
            " name, or merge a colleague's session."
        )
        self.people.show_rows(people_rows(found.statistics, everybody, repeats), alone)
        rows = subclass_rows(found.statistics, self.tr("level {n}"))
        self.subclasses.show_rows(rows, "")
        self.subclasses.setVisible(bool(rows))
        rows = [] if self.is_blind else agent_rows(found.statistics, self.tr("seen"))
        self.agents.show_rows(rows, self._why_no_agent())
        has_blind = any(each.blind.n for each in found.statistics.with_agents)
        can_judge = not self._session.is_read_only and not found.is_all_judged
        self.judge_blind.setVisible(can_judge and not (self._blind_mode.is_on or has_blind))
        rows = snr_rows(found.statistics, self.tr("People"), with_agent=not self.is_blind)
        nothing = self.tr("Nothing to compare yet: no object has been judged by two people.")
        self.by_snr.show_rows(rows, nothing)
        bins = found.statistics.people.several_by_snr
        about = self.tr("Kappa with 95 % interval.")
        self.by_snr.note.setText(f"{about} {snr_sentence(bins)}")
        self.drift.show_drift(found.statistics.drift, with_agent=not self.is_blind)
        self.work.show_work(found.statistics.working)
        self.known.show_known(found.statistics.known, self._session.fact(HIDDEN_BY) or "")
        self.calibration.show_models(found.models, is_blind=self.is_blind)

    def _why_no_agent(self) -> str:
        if self.is_blind:
            return self.tr(
                "Blind mode: shown when you have judged everything, or when blind mode is off."
            )
        return self.tr(
            "First judge some objects that the agent has inspected, before its result is shown."
        )


class KappaCard(PageCard):
    """A card with rows of kappa and their intervals, or the reason why there are none."""

    def __init__(self, current_theme: CurrentTheme, title: str, note: str) -> None:
        super().__init__(title)
        self.figure = Figure(current_theme, title)
        self.empty, self.note = wrapped_label("", "dim"), wrapped_label(note, "dim")
        add_parts(self.body, self.empty, self.figure, self.note)
        self.show_rows([], "")

    def show_rows(self, rows: list[FigureRow], empty: str) -> None:
        shown = rows[:MAX_ROWS]
        self.empty.setText(empty)
        self.empty.setVisible(not shown)
        self.figure.setVisible(bool(shown))
        self.note.setVisible(bool(shown))
        self.figure.draw(draw_rows, shown)
        texts = (f"{each.name}: {estimate_text(each.figure)}" for each in shown)
        self.figure.setAccessibleDescription("; ".join(texts))


class DriftCard(PageCard):
    """The card on drift: whether people's verdicts change in the course of the session."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__(QCoreApplication.translate("DriftCard", "Change over time"))
        self._current_theme = context.current_theme
        none = self.tr("At least fifty verdicts by one person are needed to see a change.")
        self.empty = wrapped_label(none, "dim")
        about = self.tr(
            "Solid: accepted fraction, block by block. Dashed: the agent's mean p(YES)."
        )
        self.legend = wrapped_label(about, "dim")
        self._column = column()
        add_parts(self.body, self.empty, self._column, self.legend)
        self.figures: list[Figure] = []
        self.empty.hide()
        self.legend.hide()

    def show_drift(self, found: Sequence[Drift], *, with_agent: bool) -> None:
        clear_layout(self._column)
        self.figures = []
        long = [each for each in found if len(each.blocks) > 1][:MAX_PEOPLE]
        self.empty.setVisible(not long)
        self.legend.setVisible(bool(long))
        for each in long:
            blocks = each.blocks
            if not with_agent:
                blocks = tuple(replace(block, p_yes=None) for block in blocks)
            figure = Figure(self._current_theme, each.reviewer)
            self.figures.append(figure.below(wrapped_label(each.reviewer), self._column, HEIGHT))
            figure.draw(draw_drift, blocks)
            sentence = drift_sentence(each)
            if sentence and with_agent:
                self._column.addWidget(wrapped_label(sentence, "warning"))


# The card on how reliable a model's p(YES) is, and what it could decide alone.
class CalibrationCard(PageCard):
    def __init__(self, context: SessionContext) -> None:
        super().__init__(QCoreApplication.translate("CalibrationCard", "Reliability"))
        self._current, self._runner = context.current, context.runner
        self._plan_answer = context.runner.latest(self)
        self._session, self._in_use = context.current.session, context.agent.worker_model
        self._models: tuple[AgreementModel, ...] = ()
        self.plan: CutPlan | None = None
        self.empty = wrapped_label("", "dim")
        self.choose = QComboBox()
        self.choose.setAccessibleName(self.tr("Model"))
        self.state = wrapped_label("")
        self.curve = Figure(context.current_theme, self.tr("Reliability curve"))
        self.curve.setFixedHeight(CURVE_PX)
        legend = self.tr("Circles: the model's own p(YES). Diamonds: calibrated, cross-validated.")
        self.legend = wrapped_label(legend, "dim")
        self.figures = wrapped_label("", "number")
        self.fit = button(self.tr("Calibrate from my verdicts"), "primary", self._fit)
        self.precision = NumberBox(
            self.tr("Target precision, per cent"), low=MIN_PRECISION, high=MAX_PRECISION, decimals=1
        )
        self.precision.show_value(PRECISION)
        self.cut = wrapped_label("")
        self.histogram = Figure(context.current_theme, self.tr("Candidates by p(YES)"))
        self.histogram.setFixedHeight(HISTOGRAM_PX)
        self.coverage = wrapped_label("", "dim")
        key = self.tr(
            "Candidates by p(YES): accepted (solid, green), rejected (dashed, red), not judged"
            " (dotted, grey). The height is the square root of the number; the vertical line"
            " is the cut."
        )
        self.key = wrapped_label(key, "dim")
        self._inner = QWidget()
        title, unit = short_label(self.tr("Cut for a precision of")), short_label("%", "dim")
        fit, wanted = row(self.fit, 1), row(title, self.precision, unit, 1)
        about = self.choose, self.state, self.curve, self.legend, self.figures
        cut = self.cut, self.coverage, self.histogram, self.key
        column(*about, fit, wanted, *cut, parent=self._inner)
        add_parts(self.body, self.empty, self._inner)
        self.choose.activated.connect(self._show)
        self.precision.entered.connect(self._update_plan)
        self.show_models((), is_blind=False)
        self.empty.setText(self.tr("Computing…"))

    def show_models(self, models: Sequence[AgreementModel], *, is_blind: bool) -> None:
        before = self.model
        self._models = () if is_blind else tuple(models)
        self.choose.clear()
        self.choose.addItems([shortened(each.figures.model) for each in self._models])
        keys = [each.key for each in self._models]
        if before is not None and before.key in keys:
            self.choose.setCurrentIndex(keys.index(before.key))
        elif (used := (self._in_use.model or self._in_use).name) in (names := [k[0] for k in keys]):
            self.choose.setCurrentIndex(names.index(used))
        none = self.tr("No agent has inspected anything in this session yet.")
        if is_blind:
            none = self.tr(
                "Blind mode: shown when you have judged everything, or when blind mode is off."
            )
        self.empty.setText(none)
        self.empty.setVisible(not self._models)
        self._inner.setVisible(bool(self._models))
        self._show()

    @property
    def model(self) -> AgreementModel | None:
        at = self.choose.currentIndex()
        return self._models[at] if 0 <= at < len(self._models) else None

    def _show(self, *_: object) -> None:
        model = self.model
        if model is None:
            return
        found = model.figures.reliability
        self.state.setText(calibration_state(model))
        self.fit.setVisible(shortage(model.own.judged) is None)
        self.curve.setVisible(found is not None)
        self.legend.setVisible(found is not None)
        labels = self.tr("Predicted p(YES)"), self.tr("Accepted fraction")
        if found is not None:
            self.curve.draw(draw_reliability, found.raw, found.calibrated, labels)
        self.figures.setText(self._summary(model))
        self._update_plan()

    def _summary(self, model: AgreementModel) -> str:
        found = model.figures.reliability
        if found is None:
            return self.tr("No object with a p(YES) has been judged blind yet.")
        own, judged = model.own.judged, self.tr("{count} judged blind, {real} accepted")
        judged = fill_in(judged, count=len(own), real=own.positives)
        error = self.tr("calibration error (ECE) {error}")
        error = fill_in(error, error=percent(found.raw_error))
        if found.calibrated_error is not None:
            calibrated = self.tr("{error} after calibration")
            error += " → " + fill_in(calibrated, error=percent(found.calibrated_error))
        return " · ".join((judged, error, self.tr("Brier score") + f" {found.raw_brier:.3f}"))

    def _update_plan(self, *_: object) -> None:
        model, precision = self.model, self.precision.value
        if model is None or precision is None:
            return
        work = partial(plan_cut, model.own, model.calibration, precision=precision / 100.0)
        self._plan_answer.ask(work, partial(self._show_plan, model), self._current.report_error)

    def _show_plan(self, model: AgreementModel, plan: CutPlan) -> None:
        if model is not self.model:
            return
        self.plan = plan
        self.cut.setText("\n".join(cut_sentences(plan)))
        judged = model.own.judged
        real, other = judged.p[judged.label], judged.p[~judged.label]
        cut = plan.abstention.accept_from
        kinds = real, other, model.own.unjudged
        self.histogram.draw(draw_p_yes_histogram, *kinds, cut, self.tr("p(YES)"))
        coverage = self.tr("{share} of the unjudged candidates would be accepted.")
        share = plan.accepted / plan.unjudged if plan.unjudged else 0.0
        self.coverage.setText(coverage.replace("{share}", percent(share)))
        self.coverage.setVisible(plan.unjudged > 0)

    def _fit(self) -> None:
        model = self.model
        if model is None:
            return
        self.fit.setEnabled(False)
        work = partial(calibrate, self._session, model.own)
        self._runner.run(work, partial(self._fitted, model), self._fit_failed, owner=self)

    def _fitted(self, model: AgreementModel, calibration: Calibration) -> None:
        self.fit.setEnabled(True)
        if calibration.is_fitted:
            message = self.tr("p(YES) is calibrated on {count} of your verdicts")
            self._current.message.emit(fill_in(message, count=calibration.n))
        else:
            self._current.message.emit(calibration_state(model))

    def _fit_failed(self, error: WorkbenchError) -> None:
        self.fit.setEnabled(True)
        self._current.report_error(error)
