"""The card that weighs catalogues by the task's claims, beside the p(YES) of the spectrum."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from agent.tasks.task import Task
from agent.trajectory.p_yes import combined_p, probability_text
from app.core.evidence.said_values import Gap
from app.core.evidence.weighing import WeighedClaim, weigh
from app.services.catalogues.answer import Answer
from app.ui.evidence.weighed_texts import (
    NOTHING_WEIGHED,
    claim_text,
    signed,
    source_text,
    weight_text,
)
from app.ui.translation.data_texts import task_text
from app.ui.widgets.folding_card import FoldingCard
from app.ui.widgets.labels import MAX_REASON, cut, narrow, short_label, wrapped_label

UNKNOWN = "–"


class WeighedCard(FoldingCard):
    """Hidden where the task has no claims about catalogues."""

    def __init__(self, task: Task, parent: QWidget) -> None:
        super().__init__("", parent)
        self._title = self.tr("Weighed for this class")
        self._show_heading()
        narrow(self.heading).setWordWrap(True)
        self.head.setStretch(0, 1)
        self._task = task
        self.spectrum, self.combined = short_label(""), short_label("", "title")
        self.weights: list[QLabel] = []
        self.sentences: list[QLabel] = []
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        names = self.tr("p(YES) of the spectrum"), self.tr("with catalogues, not calibrated")
        values = self.spectrum, self.combined
        for line, (name, value) in enumerate(zip(names, values, strict=True)):
            grid.addWidget(value, line, 0, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(narrow(wrapped_label(name)), line, 1)
        for line, _ in enumerate(task.catalogue, len(names)):
            weight, sentence = short_label(""), narrow(wrapped_label("", "dim"))
            self.weights.append(weight)
            self.sentences.append(sentence)
            grid.addWidget(weight, line, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            grid.addWidget(sentence, line, 1)
        self.inside.addLayout(grid)
        text = self.tr(
            "Weights are natural log-odds, a judgement made beforehand: nobody has fitted them to "
            "known stars. What was not asked, failed or is not there counts nothing."
        )
        self.inside.addWidget(narrow(wrapped_label(text, "small")))

    def show_weights(
        self,
        answers: Mapping[str, Answer],
        p_yes: float | None,
        *,
        is_opinion_hidden: bool,
        hides: Callable[[str], bool],
    ) -> None:
        """Weigh these answers; `hides` says of a service whether blind mode hides its answer."""
        weighed = weigh(self._task, answers)
        claims = weighed.claims
        hidden = [_has_answer(each) and any(map(hides, each.claim.services)) for each in claims]
        lines = zip(self.weights, self.sentences, claims, hidden, strict=True)
        for weight, sentence, each, is_hidden in lines:
            weight.setText(NOTHING_WEIGHED if is_hidden else weight_text(each))
            sentence.setText(cut(self._hidden_text(each) if is_hidden else claim_text(each)))
            for label in (weight, sentence):
                label.setToolTip(cut(source_text(each.claim), MAX_REASON))
        self._show_p(p_yes, weighed.log_odds, is_opinion_hidden or any(hidden), is_opinion_hidden)

    def _show_p(
        self, p_yes: float | None, log_odds: float | None, has_hidden: bool, is_opinion_hidden: bool
    ) -> None:
        combined = None if log_odds is None or has_hidden else combined_p(p_yes, log_odds)
        self.spectrum.setText(_p_text(None if is_opinion_hidden else p_yes))
        self.combined.setText(_p_text(combined))
        if has_hidden:
            self.note.setText(self.tr("hidden"))
        else:
            self.note.setText(self.tr("nothing to weigh") if log_odds is None else signed(log_odds))

    def _hidden_text(self, weighed: WeighedClaim) -> str:
        text = self.tr("{label}: hidden until your verdict")
        return text.replace("{label}", task_text(weighed.claim.label))


def _has_answer(weighed: WeighedClaim) -> bool:
    """Whether a service has answered, if only that it has nothing."""
    return weighed.gap not in (Gap.NOT_ASKED, Gap.FAILED, Gap.UNKNOWN)


def _p_text(p: float | None) -> str:
    return UNKNOWN if p is None else probability_text(p)
