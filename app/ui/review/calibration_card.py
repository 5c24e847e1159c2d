"""What a model's p(YES) is worth here, and what it could decide alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget

from agent.confidence.calibration import Calibration
from agent.errors import WorkbenchError
from app.core.statistics.cut_plan import CutPlan, plan_cut
from app.core.statistics.number_format import percent
from app.ui.review.agreement_numbers import AgreementModel, fit
from app.ui.review.figures import Figure, draw_chances, draw_reliability, short
from app.ui.review.sentences import calibration_state, cut_sentences
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import button, name, row, words
from app.ui.widgets.number_box import NumberBox
from app.ui.widgets.page_parts import PageCard

PRECISION = 95.0
LOWEST, HIGHEST = 50.0, 99.9
CURVE_PX, CHANCES_PX = 260, 150


class CalibrationCard(PageCard):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        title = QCoreApplication.translate("CalibrationCard", "How far p(YES) can be believed")
        super().__init__(title, parent=parent)
        self._session, self._current, self._runner = (
            context.current.session,
            context.current,
            context.runner,
        )
        self._models: tuple[AgreementModel, ...] = ()
        self.plan: CutPlan | None = None
        self.empty = words("", "dim")
        self.choose = QComboBox()
        self.choose.setAccessibleName(self.tr("Model"))
        self.state = words("")
        self.curve = Figure(context.current_theme, self.tr("Reliability curve"))
        self.curve.setFixedHeight(CURVE_PX)
        self.legend = words(
            self.tr("Round: as the model tells it. Diamonds: calibrated, out of fold."), "dim"
        )
        self.figures = words("", "number")
        self.fit = button(self.tr("Fit from my verdicts"), "primary")
        self.wanted = NumberBox(
            self.tr("Wanted precision, per cent"), low=LOWEST, high=HIGHEST, decimals=1
        )
        self.wanted.show_value(PRECISION)
        self.cut = words("")
        self.chances = Figure(context.current_theme, self.tr("Candidates by p(YES)"))
        self.chances.setFixedHeight(CHANCES_PX)
        self.coverage = words("", "dim")
        self.key = words(
            self.tr(
                "Candidates by p(YES): real ones (solid, green), others (dashed, red), not judged"
                " (dotted, grey). Heights grow as the square root of the number; the upright line"
                " is the cut."
            ),
            "dim",
        )
        self._lay_out()
        self.choose.activated.connect(self._show)
        self.fit.clicked.connect(self._fit)
        self.wanted.entered.connect(self._show_plan)
        self.show_models((), is_blind=False)
        self.empty.setText(self.tr("Working it out …"))

    def show_models(self, models: Sequence[AgreementModel], *, is_blind: bool) -> None:
        before = self.model
        self._models = () if is_blind else tuple(models)
        self.choose.clear()
        self.choose.addItems([short(each.figures.model) for each in self._models])
        keys = [each.key for each in self._models]
        if before is not None and before.key in keys:
            self.choose.setCurrentIndex(keys.index(before.key))
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
        grid = QGridLayout(self._inner)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(8)
        parts: tuple[QWidget, ...] = (
            self.choose, self.state, self.curve, self.legend, self.figures,
        )  # fmt: skip
        for part in parts:
            grid.addWidget(part, grid.rowCount(), 0)
        grid.addLayout(row(self.fit, 1), grid.rowCount(), 0)
        line = row(name(self.tr("The cut for a precision of")), self.wanted, name("%", "dim"), 1)
        grid.addLayout(line, grid.rowCount(), 0)
        for part in (self.cut, self.coverage, self.chances, self.key):
            grid.addWidget(part, grid.rowCount(), 0)
        self.body.addWidget(self.empty)
        self.body.addWidget(self._inner)

    def _show(self, *_: object) -> None:
        model = self.model
        if model is None:
            return
        found = model.figures.reliability
        self.state.setText(calibration_state(model))
        self.curve.setVisible(found is not None)
        self.legend.setVisible(found is not None)
        labels = self.tr("p(YES) as told"), self.tr("share that is real")
        if found is not None:
            self.curve.draw(draw_reliability, found.raw, found.calibrated, labels)
        self.figures.setText(self._told(model))
        self._show_plan()

    def _told(self, model: AgreementModel) -> str:
        found = model.figures.reliability
        if found is None:
            return self.tr("No object with a p(YES) has been judged blind yet.")
        judged = self.tr("{count} judged blind, {real} of them real")
        judged = judged.replace("{count}", f"{len(model.own.judged):,}")
        judged = judged.replace("{real}", f"{model.own.judged.positives:,}")
        error = self.tr("mean error (ECE) {error}").replace("{error}", percent(found.raw_error))
        if found.calibrated_error is not None:
            after = self.tr("{error} calibrated")
            error += " → " + after.replace("{error}", percent(found.calibrated_error))
        return " · ".join((judged, error, self.tr("Brier score") + f" {found.raw_brier:.3f}"))

    def _show_plan(self, *_: object) -> None:
        model, wanted = self.model, self.wanted.value
        if model is None or wanted is None:
            return
        work = partial(plan_cut, model.own, model.calibration, precision=wanted / 100.0)
        self._runner.run(work, partial(self._take_plan, model), self._current.tell, owner=self)

    def _take_plan(self, model: AgreementModel, plan: CutPlan) -> None:
        if model is not self.model:
            return
        self.plan = plan
        self.cut.setText("\n".join(cut_sentences(plan)))
        judged = model.own.judged
        real, other = judged.p[judged.label], judged.p[~judged.label]
        cut = plan.abstention.accept_from
        self.chances.draw(draw_chances, real, other, model.own.unjudged, cut, self.tr("p(YES)"))
        told = self.tr("It would decide {share} of what is not judged yet.")
        share = plan.accepted / plan.unjudged if plan.unjudged else 0.0
        self.coverage.setText(told.replace("{share}", percent(share)))
        self.coverage.setVisible(plan.unjudged > 0)

    def _fit(self) -> None:
        model = self.model
        if model is None:
            return
        self.fit.setEnabled(False)
        work = partial(fit, self._session, model.own)
        self._runner.run(work, partial(self._fitted, model), self._could_not, owner=self)

    def _fitted(self, model: AgreementModel, calibration: Calibration) -> None:
        self.fit.setEnabled(True)
        if calibration.is_fitted:
            told = self.tr("p(YES) is calibrated on {count} of your verdicts")
            self._current.said.emit(told.replace("{count}", f"{calibration.n:,}"))
        else:
            self._current.said.emit(calibration_state(model))

    def _could_not(self, error: WorkbenchError) -> None:
        self.fit.setEnabled(True)
        self._current.tell(error)
