"""Translated sentences that explain the statistics of a session."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from agent.confidence.scores import Estimate, FleissKappa
from app.core.session.own_fields import value_text
from app.core.session.records import Opinion
from app.core.session.subclass_and_fields import subclass_levels
from app.core.statistics.calibration import Shortage, shortage
from app.core.statistics.cut_plan import CutPlan, Missing
from app.core.statistics.drift import Drift, find_unsteadiness
from app.core.statistics.number_format import about, percent, rough_percent, rounded, threshold
from app.core.statistics.snr_bins import SnrBin
from app.ui.base.translation.fill_in import fill_in
from app.ui.review.agreement_numbers import AgreementModel
from app.ui.session.candidate.object_velocity import velocity_translated

translate = QCoreApplication.translate
MIN_TO_COMPARE = 20  # objects in a range of S/N from which its kappa is compared with another's


def calibration_state(model: AgreementModel) -> str:
    """Whether p(YES) is calibrated, and which verdicts are missing if it is not."""
    rule, judged = model.calibration, model.own.judged
    if model.fault:
        return model.fault
    if rule is not None and rule.is_fitted:
        straight = translate(
            "sentences",
            "Calibrated with a straight line on {n} of your verdicts, {k} of them ACCEPT.",
        )
        rising = translate(
            "sentences",
            "Calibrated with a rising curve on {n} of your verdicts, {k} of them ACCEPT.",
        )
        text = straight if rule.method == "platt" else rising
        return fill_in(text, n=rule.n, k=rule.positives)
    state = translate(
        "sentences", "Not calibrated: p(YES) ranks candidates but is not a probability."
    )
    missing = shortage(judged)
    if missing is None:
        return _join(state, translate("sentences", "There are enough verdicts to calibrate it."))
    needed = translate(
        "sentences",
        "Before an agent's result was seen you gave {accept} ACCEPT and {reject} REJECT; {more} "
        "are needed.",
    )
    needed = fill_in(
        needed, accept=str(judged.positives), reject=str(judged.negatives), more=_more_text(missing)
    )
    return _join(state, needed)


def cut_sentences(plan: CutPlan) -> list[str]:
    """What the model could decide alone at the target precision."""
    sentences = _guarantee(plan)
    if not plan.unjudged:
        nothing = translate(
            "sentences", "Every object with a p(YES) is judged: nothing is left to decide."
        )
        return [*sentences, nothing]
    sentences += [_missing_text(each) for each in plan.missing if each.kind == "precision"]
    sentences += _coverage(plan)
    if not plan.is_alike:
        sentences.append(
            translate(
                "sentences",
                "Above the cut the judged objects differ from the unjudged ones: judge a random "
                "sample of those before you rely on the cut.",
            )
        )
    return sentences


def drift_sentence(drift: Drift) -> str:
    """What a reviewer should know about a drift; empty if there is none."""
    found = find_unsteadiness(drift)
    if found is None:
        return ""
    text = {
        "person": translate(
            "sentences",
            "The accepted fraction is not steady: {first} at first, {last} now, from {low} to "
            "{high} overall. Agreement with the agent has changed too: review some objects again.",
        ),
        "list": translate(
            "sentences",
            "The accepted fraction is not steady: {first} at first, {last} now, from {low} to "
            "{high} overall. Agreement with the agent has not changed, so the list may vary.",
        ),
        "unknown": translate(
            "sentences",
            "The accepted fraction is not steady: {first} at first, {last} now, from {low} to "
            "{high} overall. A repeat round would show whether the list or the person varies.",
        ),
    }[found.cause]
    shares = {"first": found.first, "last": found.last, "low": found.lowest, "high": found.highest}
    return fill_in(text, **{name: rough_percent(share) for name, share in shares.items()})


def snr_sentence(bins: Sequence[SnrBin[FleissKappa]]) -> str:
    """Whether people disagree more about noisy spectra: only what the numbers show."""
    known = [each for each in bins if each.high is not None or each.low is not None]
    large = [each for each in known if each.found.n >= MIN_TO_COMPARE]
    if len(large) < 2:
        text = translate(
            "sentences",
            "Too few to tell whether noise matters: at least {n} objects judged by two people are "
            "needed in each of two ranges.",
        )
        return fill_in(text, n=str(MIN_TO_COMPARE))
    noisy, good = large[0], large[-1]
    if noisy.found.kappa.value is None or good.found.kappa.value is None:
        return ""
    values = {
        "noisy": rounded(noisy.found.kappa.value),
        "good": rounded(good.found.kappa.value),
        "n": noisy.found.n,
        "m": good.found.n,
        "snr": f"{noisy.high:g}",
    }
    if noisy.found.kappa.high < good.found.kappa.low:
        text = translate(
            "sentences",
            "People agree less below S/N {snr}: kappa {noisy} on {n} objects, {good} on {m} of the "
            "highest S/N.",
        )
        return fill_in(text, **values)
    return translate("sentences", "No clear difference between noisy and good spectra.")


def marks_of(opinion: Opinion) -> list[str]:
    """What an opinion says beside its verdict: the sub-class, own fields and the velocity."""
    marks = [" › ".join(subclass_levels(opinion.subclass))] if opinion.subclass else []
    marks += [f"{name} = {value_text(value)}" for name, value in opinion.fields]
    return [*marks, velocity_translated(opinion.velocity)] if opinion.velocity else marks


def estimate_text(figure: Estimate) -> str:
    """A value and its interval; a dash where it is not defined."""
    if figure.value is None:
        return "–"
    text = translate("sentences", "{value} ({low} to {high})")
    numbers = (rounded(number) for number in (figure.value, figure.low, figure.high))
    return fill_in(text, **dict(zip(("value", "low", "high"), numbers, strict=True)))


def _join(first: str, second: str) -> str:
    # Translated, because Chinese has no space between sentences.
    return fill_in(translate("sentences", "{first} {second}"), first=first, second=second)


def _more_text(missing: Shortage) -> str:
    accept = fill_in(translate("sentences", "{n} more ACCEPT"), n=str(missing.accept))
    reject = fill_in(translate("sentences", "{n} more REJECT"), n=str(missing.reject))
    if missing.accept and missing.reject:
        both = translate("sentences", "{accept} and {reject}")
        kinds = fill_in(both, accept=accept, reject=reject)
    else:
        kinds = accept if missing.accept else reject if missing.reject else ""
    if not missing.verdicts:
        return kinds
    if not kinds:
        return fill_in(translate("sentences", "{n} more verdicts"), n=str(missing.verdicts))
    among = translate("sentences", "{n} more verdicts, among them at least {kinds}")
    return fill_in(among, n=str(missing.verdicts), kinds=kinds)


def _guarantee(plan: CutPlan) -> list[str]:
    cut = plan.abstention.precision
    if cut is None or cut.threshold is None:
        return []
    text = translate(
        "sentences",
        "From p(YES) {p} upwards, at least {wanted} are real with {sure} confidence: {observed} of "
        "the {n} judged there are.",
    )
    shares = {"wanted": cut.wanted, "sure": 1.0 - cut.delta, "observed": cut.observed}
    values = {name: percent(share) for name, share in shares.items()}
    return [fill_in(text, p=threshold(cut.threshold), n=cut.n, **values)]


def _missing_text(missing: Missing) -> str:
    text = translate(
        "sentences",
        "No cut for a precision of {wanted} yet: it needs {needed} judged candidates with the "
        "highest p(YES) and no mistake among them, and you have {have}.",
    )
    if missing.may_err:
        text = translate(
            "sentences",
            "No cut for a precision of {wanted} yet: it needs {needed} judged candidates with the "
            "highest p(YES) and at most one mistake among them, and you have {have}.",
        )
    needed, have = str(missing.needed), str(missing.have)
    text = fill_in(text, wanted=percent(missing.wanted), needed=needed, have=have)
    if missing.more is not None:
        todo = translate("sentences", "Judge {n} more, the highest p(YES) first.")
        return _join(text, fill_in(todo, n=missing.takes))
    todo = translate(
        "sentences",
        "This takes {n} more, and {left} can still be judged: lower the target or change the "
        "model.",
    )
    if missing.above is not None:
        todo = translate(
            "sentences",
            "This takes {n} more with a p(YES) above {p}, and {left} can still be judged: lower "
            "the target or change the model.",
        )
    above = threshold(missing.above or 0.0)
    return _join(text, fill_in(todo, n=missing.takes, left=missing.left, p=above))


def _coverage(plan: CutPlan) -> list[str]:
    if plan.abstention.accept_from is None:
        return []
    text = translate(
        "sentences", "Of {n} unjudged, {accepted} would be accepted and {asked} left to you."
    )
    text = fill_in(text, n=plan.unjudged, accepted=plan.accepted, asked=plan.asked)
    if not plan.accepted or plan.most_false is None:
        return [text]
    false = translate("sentences", "Guaranteed: at most {n} of those accepted are false.")
    if plan.expected_false is not None:
        false = translate(
            "sentences",
            "Guaranteed: at most {n} of those accepted are false; about {m} by calibrated p(YES).",
        )
        false = fill_in(false, m=about(plan.expected_false))
    return [_join(text, fill_in(false, n=about(plan.most_false)))]
