"""What a claim about catalogues says of an object, as the panel words it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.tasks.catalogue_evidence import CatalogueEvidence
from app.core.evidence.said_values import Gap
from app.core.evidence.weighing import WeighedClaim
from app.services.catalogues.service import all_services
from app.ui.translation.data_texts import service_text, task_text

translate = QCoreApplication.translate
NOTHING_WEIGHED = "–"


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
        return NOTHING_WEIGHED
    return signed(weighed.log_odds)


def signed(log_odds: float) -> str:
    return f"{log_odds:+.1f}".replace("-", "\N{MINUS SIGN}")
