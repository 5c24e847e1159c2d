"""The card on how reliable a model's p(YES) is, and what it could decide alone."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QComboBox, QWidget

from agent.confidence.calibration import Calibration
from agent.errors import WorkbenchError
from app.core.statistics.calibration import calibrate, shortage
from app.core.statistics.cut_plan import CutPlan, plan_cut
from app.core.statistics.number_format import percent
from app.ui.review.agreement_numbers import AgreementModel
from app.ui.review.figures import Figure, draw_p_yes_histogram, draw_reliability, shortened
from app.ui.review.sentences import calibration_state, cut_sentences
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import add_parts, button, column, row, short_label, wrapped_label
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.page_parts import PageCard

PRECISION = 95.0
MIN_PRECISION, MAX_PRECISION = 50.0, 99.9
CURVE_PX, HISTOGRAM_PX = 260, 150


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
        self._lay_out()
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
        self.empty.setText(self._why_empty(is_blind))
        self.empty.setVisible(not self._models)
        self._inner.setVisible(bool(self._models))
        self._show()

    @property
    def model(self) -> AgreementModel | None:
        at = self.choose.currentIndex()
        return self._models[at] if 0 <= at < len(self._models) else None

    def _why_empty(self, is_blind: bool) -> str:
        if is_blind:
            return self.tr(
                "Blind mode: shown when you have judged everything, or when blind mode is off."
            )
        return self.tr("No agent has inspected anything in this session yet.")

    def _lay_out(self) -> None:
        self._inner = QWidget()
        title, unit = short_label(self.tr("Cut for a precision of")), short_label("%", "dim")
        fit, wanted = row(self.fit, 1), row(title, self.precision, unit, 1)
        about = self.choose, self.state, self.curve, self.legend, self.figures
        cut = self.cut, self.coverage, self.histogram, self.key
        column(*about, fit, wanted, *cut, parent=self._inner)
        add_parts(self.body, self.empty, self._inner)

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
        judged = self.tr("{count} judged blind, {real} accepted")
        judged = judged.replace("{count}", f"{len(model.own.judged):,}")
        judged = judged.replace("{real}", f"{model.own.judged.positives:,}")
        error = self.tr("calibration error (ECE) {error}")
        error = error.replace("{error}", percent(found.raw_error))
        if found.calibrated_error is not None:
            calibrated = self.tr("{error} after calibration")
            error += " → " + calibrated.replace("{error}", percent(found.calibrated_error))
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
            self._current.message.emit(message.replace("{count}", f"{calibration.n:,}"))
        else:
            self._current.message.emit(calibration_state(model))

    def _fit_failed(self, error: WorkbenchError) -> None:
        self.fit.setEnabled(True)
        self._current.report_error(error)
