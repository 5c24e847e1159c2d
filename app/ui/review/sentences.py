"""What the figures of a session come to, in sentences, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.confidence.scores import Estimate
from app.core.statistics.calibration import Shortage, shortage
from app.core.statistics.cut_plan import CutPlan, Missing
from app.core.statistics.drift import Drift, oddity
from app.core.statistics.number_format import about, percent, rough_percent, rounded
from app.ui.review.agreement_numbers import AgreementModel

translate = QCoreApplication.translate


def calibration_state(model: AgreementModel) -> str:
    """Whether p(YES) is a probability here, and what is missing where it is not."""
    rule, judged = model.calibration, model.own.judged
    if model.fault:
        return model.fault
    if rule is not None and rule.is_fitted:
        told = (
            translate(
                "sentences",
                "Calibrated with a straight line on {n} of your verdicts, {k} of them ACCEPT.",
            )
            if rule.method == "platt"
            else translate(
                "sentences",
                "Calibrated with a rising curve on {n} of your verdicts, {k} of them ACCEPT.",
            )
        )
        return filled(told, n=f"{rule.n:,}", k=f"{rule.positives:,}")
    told = translate("sentences", "Not calibrated: p(YES) ranks, but is no probability.")
    short = shortage(judged)
    if short is None:
        return _after(told, translate("sentences", "There are verdicts enough to fit."))
    more = translate(
        "sentences", "You have {accept} ACCEPT and {reject} REJECT; {more} are needed."
    )
    more = filled(
        more, accept=str(judged.positives), reject=str(judged.negatives), more=_more(short)
    )
    return _after(told, more)


def cut_sentences(plan: CutPlan) -> list[str]:
    """For a wanted precision of what the model accepts alone."""
    told = _promise(plan)
    if not plan.unjudged:
        nothing = translate(
            "sentences", "Every object with a p(YES) is judged: nothing is left to decide."
        )
        return [*told, nothing]
    told += [_missing(each) for each in plan.missing if each.kind == "precision"]
    told += _work(plan)
    if not plan.is_alike:
        told.append(
            translate(
                "sentences",
                "Above the cut the judged objects are unlike the others: judge some of those at "
                "random before you rely on it.",
            )
        )
    return told


def drift_sentence(drift: Drift) -> str:
    """What a person should know of it; empty where nothing is odd."""
    odd = oddity(drift)
    if odd is None:
        return ""
    told = {
        "person": translate(
            "sentences",
            "The share accepted is not steady: {first} at first, {last} now, from {low} to {high} "
            "over all, and agreement with the agent has changed, too: look at some again.",
        ),
        "list": translate(
            "sentences",
            "The share accepted is not steady: {first} at first, {last} now, from {low} to {high} "
            "over all; agreement with the agent is as before, so it may be the list.",
        ),
        "unknown": translate(
            "sentences",
            "The share accepted is not steady: {first} at first, {last} now, from {low} to {high} "
            "over all: objects shown again would tell whether it is the list or the person.",
        ),
    }[odd.cause]
    return filled(
        told,
        first=rough_percent(odd.first),
        last=rough_percent(odd.last),
        low=rough_percent(odd.lowest),
        high=rough_percent(odd.highest),
    )


def with_interval(figure: Estimate) -> str:
    """The figure and its interval; a dash where it is not defined."""
    if figure.value is None:
        return "–"
    told = translate("sentences", "{value} ({low} to {high})")
    numbers = (rounded(number) for number in (figure.value, figure.low, figure.high))
    return filled(told, **dict(zip(("value", "low", "high"), numbers, strict=True)))


def filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _after(first: str, second: str) -> str:
    """Two sentences: Chinese has no space between them."""
    return filled(translate("sentences", "{first} {second}"), first=first, second=second)


def _more(short: Shortage) -> str:
    accept = filled(translate("sentences", "{n} more ACCEPT"), n=str(short.accept))
    reject = filled(translate("sentences", "{n} more REJECT"), n=str(short.reject))
    if short.accept and short.reject:
        both = translate("sentences", "{accept} and {reject}")
        kinds = filled(both, accept=accept, reject=reject)
    else:
        kinds = accept if short.accept else reject if short.reject else ""
    if not short.verdicts:
        return kinds
    if not kinds:
        return filled(translate("sentences", "{n} more verdicts"), n=str(short.verdicts))
    among = translate("sentences", "{n} more verdicts, among them at least {kinds}")
    return filled(among, n=str(short.verdicts), kinds=kinds)


def _promise(plan: CutPlan) -> list[str]:
    cut = plan.abstention.precision
    if cut is None or cut.threshold is None:
        return []
    told = translate(
        "sentences",
        "From p(YES) {p} on at least {wanted} are real, with {sure} certainty: of {n} judged there "
        "{observed} are.",
    )
    return [
        filled(
            told,
            p=f"{cut.threshold:.3g}",
            wanted=percent(cut.wanted),
            sure=percent(1.0 - (cut.delta or 0.0)),
            n=f"{cut.n:,}",
            observed=percent(cut.observed),
        )
    ]


def _missing(missing: Missing) -> str:
    told = (
        translate(
            "sentences",
            "No cut for a precision of {wanted} yet: it takes {needed} judged objects from the top "
            "of p(YES) with at most one mistake, and you have {have}.",
        )
        if missing.may_err
        else translate(
            "sentences",
            "No cut for a precision of {wanted} yet: it takes {needed} judged objects from the top "
            "of p(YES) without a mistake, and you have {have}.",
        )
    )
    told = filled(
        told, wanted=percent(missing.wanted), needed=str(missing.needed), have=str(missing.have)
    )
    if missing.more is not None:
        todo = translate("sentences", "Judge {n} more, the highest p(YES) first.")
        return _after(told, filled(todo, n=f"{missing.takes:,}"))
    todo = (
        translate(
            "sentences",
            "This takes {n} more, and {left} can still be judged: want less, or ask another model.",
        )
        if missing.above is None
        else translate(
            "sentences",
            "This takes {n} more with a p(YES) above {p}, and {left} can still be judged: want "
            "less, or ask another model.",
        )
    )
    values = {
        "n": f"{missing.takes:,}",
        "left": f"{missing.left:,}",
        "p": f"{missing.above or 0:.3g}",
    }
    return _after(told, filled(todo, **values))


def _work(plan: CutPlan) -> list[str]:
    if plan.abstention.accept_from is None:
        return []
    told = translate(
        "sentences", "Of {n} not yet judged, {accepted} would be accepted; {asked} left to you."
    )
    counts = {"n": plan.unjudged, "accepted": plan.accepted, "asked": plan.asked}
    text = filled(told, **{name: f"{count:,}" for name, count in counts.items()})
    if not plan.accepted or plan.most_false is None:
        return [text]
    wrong = translate("sentences", "Of those accepted at most {n} are false by the promise.")
    if plan.expected_false is not None:
        wrong = translate(
            "sentences",
            "Of those accepted at most {n} are false by the promise, about {m} by calibrated "
            "p(YES).",
        )
        wrong = filled(wrong, m=about(plan.expected_false))
    return [_after(text, filled(wrong, n=about(plan.most_false)))]
