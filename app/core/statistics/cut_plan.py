"""Plans what an agent may decide alone: cuts in p(YES), their certainty and the work they save."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agent.confidence.abstention import LARGE_SAMPLE, Abstention, Cut, choose_cuts, judged_needed
from agent.confidence.calibration import Calibration
from agent.confidence.judged import JudgedScores
from app.core.errors import counted_text
from app.core.session.session import Session
from app.core.statistics.calibration import CalibrationSample, calibration_sample, fit_sample
from app.core.statistics.number_format import about, percent, threshold
from app.core.statistics.summary import AllVerdicts, stored_calibration

SIGNIFICANT_P = 0.01


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Why a cut cannot be guaranteed yet."""

    kind: Literal["precision", "recall"]
    wanted: float
    needed: int  # Number of judged candidates needed: from the highest p(YES) down, or real ones.
    have: int
    takes: int  # at least so many more must be judged
    left: int  # so many of them exist
    may_err: bool = False  # whether one of the needed candidates may be a false one
    above: float | None = None  # Only candidates with p(YES) above this count; None for all.

    @property
    def more(self) -> int | None:
        """How many more to judge; None if there are too few candidates."""
        return self.takes if self.left >= self.takes else None

    @property
    def words(self) -> str:
        return _precision_sentence(self) if self.kind == "precision" else _recall_sentence(self)


@dataclass(frozen=True, kw_only=True)
class CutPlan:
    """Cuts in the model's raw p(YES), and their effect on the unjudged candidates."""

    abstention: Abstention
    judged: int
    real: int  # real ones among the judged
    unjudged: int  # candidates without a verdict but with a p(YES) of the model
    accepted: int
    asked: int
    set_aside: int
    expected_false: float | None
    """Expected false ones among the accepted; None without a calibration."""
    expected_lost: float | None
    """Expected real ones among those set aside; None without a calibration."""
    missing: tuple[Missing, ...]
    is_alike: bool
    """Whether judged and unjudged candidates have the same distribution of p(YES) above the cut."""

    @property
    def most_false(self) -> float | None:
        """Guaranteed upper limit of false ones among the accepted; None without a cut."""
        cut = self.abstention.precision
        if cut is None or cut.threshold is None:
            return None
        return (1.0 - cut.bound) * self.accepted

    @property
    def words(self) -> tuple[str, ...]:
        """The plan as sentences."""
        text = _guarantee_sentences(self.abstention)
        if not self.unjudged:
            return (*text, "Every candidate with a p(YES) is judged: nothing is left to decide.")
        text += [each.words for each in self.missing]
        text += _work_sentences(self)
        if not self.is_alike:
            text.append(
                "Above the cut, the judged candidates differ from the unjudged ones: judge some of "
                "those at random before you rely on the cut."
            )
        return tuple(text)


@dataclass(frozen=True, kw_only=True)
class ModelCut:
    model: str
    model_sha256: str
    plan: CutPlan


def plan_model_cuts(
    session: Session, all_verdicts: AllVerdicts, precision: float | None, recall: float | None
) -> tuple[ModelCut, ...]:
    """Plan cuts for every model with a p(YES), from the blind verdicts.

    A model without a stored calibration gets a temporary one.
    """
    cuts = []
    for agent in all_verdicts.agents:
        sample = calibration_sample(all_verdicts.verdicts, agent)
        if len(sample.judged) or sample.unjudged.size:
            stored, _ = stored_calibration(session, agent)
            calibration = fit_sample(session, sample) if stored is None else stored
            plan = plan_cut(sample, calibration, precision=precision, recall=recall)
            cuts.append(ModelCut(model=agent.model, model_sha256=agent.model_sha256, plan=plan))
    return tuple(cuts)


def plan_cut(
    sample: CalibrationSample,
    calibration: Calibration | None = None,
    *,
    precision: float | None = None,
    recall: float | None = None,
    delta: float = 0.1,
) -> CutPlan:
    """Plan for a precision of the accepted ones, a recall of those not set aside, or both."""
    abstention = choose_cuts(sample.judged, precision=precision, recall=recall, delta=delta)
    counts = abstention.counts(sample.unjudged)
    false, lost = _expected(sample, abstention, calibration)
    missing = []
    if abstention.precision is not None and abstention.precision.threshold is None:
        missing.append(_missing_precision(sample, abstention.precision))
    if abstention.recall is not None and abstention.recall.threshold is None:
        missing.append(_missing_recall(sample.judged, abstention.recall, int(sample.unjudged.size)))
    return CutPlan(
        abstention=abstention,
        judged=len(sample.judged),
        real=sample.judged.positives,
        unjudged=int(sample.unjudged.size),
        accepted=counts["accept"],
        asked=counts["ask"],
        set_aside=counts["reject"],
        expected_false=false,
        expected_lost=lost,
        missing=tuple(missing),
        is_alike=_is_alike(sample, abstention),
    )


def _expected(
    sample: CalibrationSample, abstention: Abstention, calibration: Calibration | None
) -> tuple[float | None, float | None]:
    """Expected false ones among the accepted, and real ones among those set aside."""
    if calibration is None or not calibration.is_fitted:
        return None, None
    p = calibration.apply(sample.unjudged)
    accept, reject = abstention.accept_from, abstention.reject_below
    false = None if accept is None else float(np.sum(1.0 - p[sample.unjudged >= accept]))
    lost = None if reject is None else float(np.sum(p[sample.unjudged < reject]))
    return false, lost


def _missing_precision(sample: CalibrationSample, cut: Cut) -> Missing:
    """The guarantee needs an uninterrupted run of real ones from the highest p(YES) down."""
    allowed = int(len(sample.judged) >= LARGE_SAMPLE)
    needed = judged_needed(cut.wanted, cut.delta, allowed)
    run, stop = _run_from_top(sample.judged, allowed)
    return Missing(
        kind="precision",
        wanted=cut.wanted,
        needed=needed,
        have=run,
        takes=needed - run,
        left=int(np.sum(sample.unjudged > stop)),
        may_err=bool(allowed),
        above=stop if stop >= 0 else None,
    )


def _precision_sentence(missing: Missing) -> str:
    mistakes = "with at most one mistake" if missing.may_err else "without a mistake"
    text = (
        f"No cut for a precision of {percent(missing.wanted)} yet: it needs {missing.needed} judged"
        f" candidates with the highest p(YES) {mistakes}, and you have {missing.have}."
    )
    if missing.more is not None:
        return f"{text} Judge {missing.takes:,} more, the highest p(YES) first."
    where = "" if missing.above is None else f" with a p(YES) above {threshold(missing.above)}"
    some = f"only {missing.left:,}" if missing.left else "none"
    text += f" Of the {missing.takes:,} more{where} that it needs, {some} can still be judged"
    return f"{text}: lower the target or change the model."


def _run_from_top(judged: JudgedScores, allowed: int) -> tuple[int, float]:
    """How many judged candidates precede one mistake too many, and its p(YES), or -1."""
    p, group = np.unique(-judged.p, return_inverse=True)
    wrong = np.cumsum(np.bincount(group, weights=~judged.label, minlength=p.size))
    n = np.cumsum(np.bincount(group, minlength=p.size))
    good = int(np.searchsorted(wrong, allowed, side="right"))
    return int(n[good - 1]) if good else 0, -float(p[good]) if good < p.size else -1.0


def _missing_recall(judged: JudgedScores, cut: Cut, left: int) -> Missing:
    needed = judged_needed(cut.wanted, cut.delta)
    real, have = needed - judged.positives, judged.positives
    takes = math.ceil(real * len(judged) / have) if have else real
    left = left if have else real  # without any, their rate is unknown
    return Missing(
        kind="recall", wanted=cut.wanted, needed=needed, have=have, takes=takes, left=left
    )


def _recall_sentence(missing: Missing) -> str:
    text = (
        f"No cut for a recall of {percent(missing.wanted)} yet: it needs {missing.needed} real ones"
        f" among the judged candidates, and you have {missing.have}."
    )
    takes = f"{missing.takes:,}"
    if not missing.have:
        return f"{text} Judge until {missing.takes} more are real."
    if missing.more is None:
        text += f" That would take about {takes} more, and {missing.left:,} can still be judged"
        return f"{text}: lower the target."
    return f"{text} Judge about {takes} more."


def _guarantee_sentences(abstention: Abstention) -> list[str]:
    text = []
    for cut in (abstention.precision, abstention.recall):
        if cut is None or cut.threshold is None:
            continue
        sure = f"with {percent(1.0 - cut.delta)} certainty"
        if cut is abstention.precision:
            text.append(
                f"From p(YES) {threshold(cut.threshold)} on, at least {percent(cut.wanted)} are "
                f"real, {sure}: of the {cut.n:,} judged there, {percent(cut.observed)} are."
            )
        else:
            text.append(
                f"Below p(YES) {threshold(cut.threshold)} are at most "
                f"{percent(1.0 - cut.wanted)} of the real ones, {sure}: of the {cut.n:,} judged "
                f"real ones, {percent(1.0 - cut.observed)} are."
            )
    return text


def _work_sentences(plan: CutPlan) -> list[str]:
    if plan.abstention.accept_from is None and plan.abstention.reject_below is None:
        return []
    done = []
    if plan.abstention.accept_from is not None:
        done.append(f"{plan.accepted:,} would be accepted{_contamination(plan)}")
    done.append(f"{plan.asked:,} left to you")
    if plan.abstention.reject_below is not None:
        lost = plan.expected_lost
        hint = "" if lost is None else f" (about {about(lost)} of them real)"
        done.append(f"{plan.set_aside:,} set aside{hint}")
    unjudged = counted_text(plan.unjudged, "unjudged candidate")
    return [f"Of the {unjudged}, {'; '.join(done)}."]


def _contamination(plan: CutPlan) -> str:
    if not plan.accepted or plan.most_false is None:
        return ""
    text = f"at most {about(plan.most_false)} of them false, guaranteed"
    if plan.expected_false is not None:
        text += f", about {about(plan.expected_false)} by calibrated p(YES)"
    return f" ({text})"


def _is_alike(sample: CalibrationSample, abstention: Abstention) -> bool:
    """Two-sample Kolmogorov-Smirnov test on p(YES) above the cut, where the guarantee is used."""
    from scipy.special import kolmogorov

    if abstention.accept_from is None:
        return True
    judged, unjudged = (
        np.sort(p[p >= abstention.accept_from]) for p in (sample.judged.p, sample.unjudged)
    )
    if not judged.size or not unjudged.size:
        return True
    at = np.concatenate([judged, unjudged])
    shares = [np.searchsorted(each, at, side="right") / each.size for each in (judged, unjudged)]
    apart = float(np.max(np.abs(shares[0] - shares[1])))
    both = judged.size * unjudged.size / (judged.size + unjudged.size)
    return float(kolmogorov(math.sqrt(both) * apart)) >= SIGNIFICANT_P
