"""The card that weighs catalogues by the task's claims, beside the p(YES) of the spectrum."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from agent.tasks.catalogue_evidence import CatalogueEvidence
from agent.tasks.task import Task
from agent.trajectory.p_yes import combined_p, probability_text
from app.core.evidence.said_values import Gap
from app.core.evidence.weighing import WeighedClaim, weigh
from app.services.catalogues.answer import Answer
from app.services.catalogues.service import all_services
from app.ui.base.translation.data_texts import service_text, task_text
from app.ui.widgets.labels import MAX_REASON, cut, narrow, short_label, wrapped_label
from app.ui.widgets.page_parts import FoldingCard

translate = QCoreApplication.translate
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
        hidden_text = self.tr("{label}: hidden until your verdict")
        lines = zip(self.weights, self.sentences, claims, hidden, strict=True)
        for weight, sentence, each, is_hidden in lines:
            weight.setText(UNKNOWN if is_hidden else weight_text(each))
            text = hidden_text.replace("{label}", task_text(each.claim.label))
            sentence.setText(cut(text if is_hidden else claim_text(each)))
            for label in (weight, sentence):
                label.setToolTip(cut(source_text(each.claim), MAX_REASON))
        log_odds, has_hidden = weighed.log_odds, is_opinion_hidden or any(hidden)
        combined = None if log_odds is None or has_hidden else combined_p(p_yes, log_odds)
        self.spectrum.setText(_p_text(None if is_opinion_hidden else p_yes))
        self.combined.setText(_p_text(combined))
        if has_hidden:
            self.note.setText(self.tr("hidden"))
        else:
            self.note.setText(self.tr("nothing to weigh") if log_odds is None else signed(log_odds))


def _has_answer(weighed: WeighedClaim) -> bool:
    """Whether a service has answered, if only that it has nothing."""
    return weighed.gap not in (Gap.NOT_ASKED, Gap.FAILED, Gap.UNKNOWN)


def _p_text(p: float | None) -> str:
    return UNKNOWN if p is None else probability_text(p)


# What a claim about catalogues says of an object, as the panel words it.
def claim_text(weighed: WeighedClaim) -> str:
    """The claim's sentence with its numbers, or why it contributes nothing."""
    claim, label = weighed.claim, task_text(weighed.claim.label)
    if weighed.gap is not None or weighed.said is None:
        names, why = _service_names(claim), gap_text(weighed)
        if label == names and names in why:
            return why
        text = translate("weighed", "{label}: {why}")
        return text.replace("{label}", label).replace("{why}", why)
    value = weighed.said.value
    if weighed.log_odds is None:
        text = translate("weighed", "{label} {value}: tells nothing of this class")
        shown = value if isinstance(value, str) else f"{value:.2f}"
        return text.replace("{label}", label).replace("{value}", shown)
    text = claim.sentence(task_text(weighed.template), label, value, weighed.limit)
    if (freed := weighed.said_without_dust) is not None and isinstance(freed.value, float):
        dust = translate("weighed", "{value} without all dust: the smaller weight counts")
        text = f"{text} ({dust.replace('{value}', f'{freed.value:.2f}')})"
    if weighed.said.matches > 1:
        nearest = translate("weighed", "nearest of {n}").replace("{n}", str(weighed.said.matches))
        text = f"{text} ({nearest})"
    if weighed.is_repeat:
        repeat = translate("weighed", "counts no more: it repeats another claim")
        text = f"{text} ({repeat})"
    return text


def source_text(claim: CatalogueEvidence) -> str:
    """Where the limit is from, and that the weights are from nowhere."""
    text = translate("weighed", "{source}. Weights, by judgement: {found} or {absent}")
    text = text.replace("{found}", signed(claim.weight_for))
    text = text.replace("{absent}", signed(claim.weight_against))
    return text.replace("{source}", task_text(claim.source))


def gap_text(weighed: WeighedClaim) -> str:
    """Why there is nothing to weigh, in the words of the cards."""
    text = {
        Gap.NOT_ASKED: translate("weighed", "{services} not asked"),
        Gap.FAILED: translate("weighed", "{services} failed, so nobody knows"),
        Gap.NOTHING: translate("weighed", "{services} has nothing there, which counts nothing"),
        Gap.NO_VALUE: translate("weighed", "{services} gives no such value"),
        Gap.POOR_PARALLAX: translate("weighed", "the parallax is too poor to tell"),
        Gap.UNKNOWN: translate("weighed", "no catalogue has such a value"),
        None: translate("weighed", "not weighed"),
    }[weighed.gap]
    return text.replace("{services}", _service_names(weighed.claim))


def _service_names(claim: CatalogueEvidence) -> str:
    services = all_services()
    return ", ".join(
        service_text(services[each].name) if each in services else each for each in claim.services
    )


def weight_text(weighed: WeighedClaim) -> str:
    """The weight in nats with its sign."""
    if weighed.log_odds is None or weighed.is_repeat:
        return UNKNOWN
    return signed(weighed.log_odds)


def signed(log_odds: float) -> str:
    return f"{log_odds:+.1f}".replace("-", "\N{MINUS SIGN}")
