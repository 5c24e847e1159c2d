"""What an agent could decide alone on this list, how sure that would be, and what it would save."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agent.confidence.abstention import (
    LARGE_SAMPLE,
    Abstention,
    Cut,
    choose_cuts,
    judged_needed,
)
from agent.confidence.calibration import Calibration
from agent.confidence.judged import JudgedScores
from app.core.session.session import Session
from app.core.statistics.calibration import CalibrationSample, calibration_sample, fit_sample
from app.core.statistics.number_format import about, percent
from app.core.statistics.summary import AllVerdicts, stored_calibration

SIGNIFICANT_P = 0.01
"""So rarely do two fair samples differ as much."""


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Why a cut cannot be promised yet."""

    kind: Literal["precision", "recall"]
    wanted: float
    needed: int
    """Judged candidates it takes: from the top of p(YES), or real ones."""
    have: int
    takes: int
    """So many more are to be judged, at the least."""
    left: int
    """Of those, so many can be."""
    may_err: bool = False
    """Whether one of the needed may be a mistake."""
    above: float | None = None
    """p(YES) of those that count; None: any."""

    @property
    def more(self) -> int | None:
        """Candidates still to be judged; None: judging more would not do."""
        return self.takes if self.left >= self.takes else None

    @property
    def words(self) -> str:
        return _no_precision(self) if self.kind == "precision" else _no_recall(self)


@dataclass(frozen=True, kw_only=True)
class CutPlan:
    """Cuts in the model's own p(YES), and what they would do to the candidates not yet judged."""

    abstention: Abstention
    judged: int
    real: int
    """Of the judged."""
    unjudged: int
    """Candidates without a verdict of which the model tells p(YES)."""
    accepted: int
    asked: int
    set_aside: int
    expected_false: float | None
    """Of those accepted, by calibrated p(YES); None where it is not calibrated."""
    expected_lost: float | None
    """Real ones among those set aside, likewise."""
    missing: tuple[Missing, ...]
    is_alike: bool
    """Whether judged and unjudged candidates above the cut look alike in p(YES)."""

    @property
    def most_false(self) -> float | None:
        """Of those accepted, on average, by the promise; None without a cut."""
        cut = self.abstention.precision
        if cut is None or cut.threshold is None:
            return None
        return (1.0 - cut.bound) * self.accepted

    @property
    def words(self) -> tuple[str, ...]:
        """All of it in sentences."""
        told = _promises(self.abstention)
        if not self.unjudged:
            return (*told, "Every candidate with a p(YES) is judged: nothing is left to decide.")
        told += [each.words for each in self.missing]
        told += _work(self)
        if not self.is_alike:
            told.append(
                "Above the cut the judged candidates are unlike the others: judge some of those at "
                "random before you rely on it."
            )
        return tuple(told)


@dataclass(frozen=True, kw_only=True)
class ModelCut:
    """What one model could decide here."""

    model: str
    model_sha256: str
    plan: CutPlan


def plan_model_cuts(
    session: Session, said: AllVerdicts, precision: float | None, recall: float | None
) -> tuple[ModelCut, ...]:
    """Of every model that tells a p(YES), by the verdicts that people gave blind. Where none is
    kept, a calibration is fitted for it alone."""
    found = []
    for agent in said.agents:
        own = calibration_sample(said.verdicts, agent)
        if len(own.judged) or own.unjudged.size:
            kept, _ = stored_calibration(session, agent)
            calibration = fit_sample(session, own) if kept is None else kept
            plan = plan_cut(own, calibration, precision=precision, recall=recall)
            found.append(ModelCut(model=agent.model, model_sha256=agent.model_sha256, plan=plan))
    return tuple(found)


def plan_cut(
    own: CalibrationSample,
    calibration: Calibration | None = None,
    *,
    precision: float | None = None,
    recall: float | None = None,
    delta: float = 0.1,
) -> CutPlan:
    """For a wanted precision of what is accepted, recall of what is not set aside, or both."""
    found = choose_cuts(own.judged, precision=precision, recall=recall, delta=delta)
    counts = found.counts(own.unjudged)
    false, lost = _expected(own, found, calibration)
    missing = []
    if found.precision is not None and found.precision.threshold is None:
        missing.append(_missing_precision(own, found.precision))
    if found.recall is not None and found.recall.threshold is None:
        missing.append(_missing_recall(own.judged, found.recall, int(own.unjudged.size)))
    return CutPlan(
        abstention=found,
        judged=len(own.judged),
        real=own.judged.positives,
        unjudged=int(own.unjudged.size),
        accepted=counts["accept"],
        asked=counts["ask"],
        set_aside=counts["reject"],
        expected_false=false,
        expected_lost=lost,
        missing=tuple(missing),
        is_alike=_is_alike(own, found),
    )


def _expected(
    own: CalibrationSample, found: Abstention, calibration: Calibration | None
) -> tuple[float | None, float | None]:
    """False ones among the accepted and real ones among those set aside."""
    if calibration is None or not calibration.is_fitted:
        return None, None
    p = calibration.apply(own.unjudged)
    accept, reject = found.accept_from, found.reject_below
    false = None if accept is None else float(np.sum(1.0 - p[own.unjudged >= accept]))
    lost = None if reject is None else float(np.sum(p[own.unjudged < reject]))
    return false, lost


def _missing_precision(own: CalibrationSample, cut: Cut) -> Missing:
    """The search starts from the top with so many; until these are real, nothing is shown."""
    allowed = int(len(own.judged) >= LARGE_SAMPLE)
    needed = judged_needed(cut.wanted, cut.delta, allowed)
    run, stop = _run_from_the_top(own.judged, allowed)
    return Missing(
        kind="precision",
        wanted=cut.wanted,
        needed=needed,
        have=run,
        takes=needed - run,
        left=int(np.sum(own.unjudged > stop)),
        may_err=bool(allowed),
        above=stop if stop >= 0 else None,
    )


def _no_precision(missing: Missing) -> str:
    mistakes = "with at most one mistake" if missing.may_err else "without a mistake"
    told = (
        f"No cut for a precision of {percent(missing.wanted)} yet: it takes {missing.needed} judged"
        f" candidates from the top of p(YES) {mistakes}, and you have {missing.have}."
    )
    if missing.more is not None:
        return f"{told} Judge {missing.takes:,} more, the highest p(YES) first."
    where = "" if missing.above is None else f" with a p(YES) above {missing.above:.3g}"
    some = f"only {missing.left:,}" if missing.left else "none"
    told += f" Of the {missing.takes:,} more{where} that this takes {some} can still be judged"
    return f"{told}: want less, or ask another model."


def _run_from_the_top(judged: JudgedScores, allowed: int) -> tuple[int, float]:
    """How many judged candidates come before one mistake too many, and its p(YES); -1: none."""
    p, group = np.unique(-judged.p, return_inverse=True)
    wrong = np.cumsum(np.bincount(group, weights=~judged.label, minlength=p.size))
    n = np.cumsum(np.bincount(group, minlength=p.size))
    good = int(np.searchsorted(wrong, allowed, side="right"))
    return int(n[good - 1]) if good else 0, -float(p[good]) if good < p.size else -1.0


def _missing_recall(judged: JudgedScores, cut: Cut, left: int) -> Missing:
    needed = judged_needed(cut.wanted, cut.delta)
    real, have = needed - judged.positives, judged.positives
    takes = math.ceil(real * len(judged) / have) if have else real
    left = left if have else real  # how rare they are is not known
    return Missing(
        kind="recall", wanted=cut.wanted, needed=needed, have=have, takes=takes, left=left
    )


def _no_recall(missing: Missing) -> str:
    told = (
        f"No cut for a recall of {percent(missing.wanted)} yet: it takes {missing.needed} real ones"
        f" among the judged candidates, and you have {missing.have}."
    )
    takes = f"{missing.takes:,}"
    if not missing.have:
        return f"{told} Judge until {missing.takes} more are real."
    if missing.more is None:
        told += f" That would take about {takes} more, and {missing.left:,} can still be judged"
        return f"{told}: want less."
    return f"{told} Judge about {takes} more."


def _promises(found: Abstention) -> list[str]:
    told = []
    for cut in (found.precision, found.recall):
        if cut is None or cut.threshold is None:
            continue
        sure = f"with {percent(1.0 - cut.delta)} certainty"
        if cut is found.precision:
            told.append(
                f"From p(YES) {cut.threshold:.3g} on at least {percent(cut.wanted)} are real, "
                f"{sure}: of {cut.n:,} judged there {percent(cut.observed)} are."
            )
        else:
            told.append(
                f"Below p(YES) {found.reject_below:.3g} lie at most {percent(1.0 - cut.wanted)} of "
                f"the real ones, {sure}: of {cut.n:,} judged real ones "
                f"{percent(1.0 - cut.observed)} do."
            )
    return told


def _work(plan: CutPlan) -> list[str]:
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
    return [f"Of {plan.unjudged:,} not yet judged, {'; '.join(done)}."]


def _contamination(plan: CutPlan) -> str:
    if not plan.accepted or plan.most_false is None:
        return ""
    told = f"at most {about(plan.most_false)} of them false by the promise"
    if plan.expected_false is not None:
        told += f", about {about(plan.expected_false)} by calibrated p(YES)"
    return f" ({told})"


def _is_alike(own: CalibrationSample, found: Abstention) -> bool:
    """Smirnov's test on p(YES) above the cut, for there the promise is drawn on."""
    from scipy.special import kolmogorov

    if found.accept_from is None:
        return True
    ours, others = (np.sort(p[p >= found.accept_from]) for p in (own.judged.p, own.unjudged))
    if not ours.size or not others.size:
        return True
    at = np.concatenate([ours, others])
    shares = [np.searchsorted(each, at, side="right") / each.size for each in (ours, others)]
    apart = float(np.max(np.abs(shares[0] - shares[1])))
    both = ours.size * others.size / (ours.size + others.size)
    return float(kolmogorov(math.sqrt(both) * apart)) >= SIGNIFICANT_P
