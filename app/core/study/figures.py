"""The figures of a study."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.confidence.scores import Estimate, binomial_tail, wilson
from agent.spectra.spectrum import BoolArray, FloatArray
from app.core.sharing.study_plan import ARMS, Arm
from app.core.statistics.snr_bins import split_by_snr
from app.core.study.readings import ACCEPT, RIGHT, UNSURE, VERDICTS, WRONG, Readings

UNAIDED = ARMS.index("unaided")
SURE = 0.9  # an agent with p(YES) from here on, or as near to 0, counts as sure
CUTS = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""An agent decides alone where p(YES) is below the cut, or above 1 - cut; 0: never, 0.5: always."""
LIKENESS = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.5, 0.5, 1.0]])
"""Of ACCEPT, REJECT and UNSURE: the last is half way between the others."""
BIN_MIN = 15.0
MAX_BINS = 8


@dataclass(frozen=True, kw_only=True)
class ArmFigures:
    """What one person, or all, did in one arm, in all or with some of the candidates."""

    who: str  # empty: all
    arm: Arm
    some: str  # which candidates: an S/N or a class; empty: all
    n: int
    seconds: tuple[float, float, float] | None  # quartiles
    completeness: Estimate
    purity: Estimate
    wrong: Estimate  # the share of wrong verdicts among all
    unsure: Estimate


@dataclass(frozen=True, kw_only=True)
class Overturned:
    """First verdicts and those of the same people with the agent, where the answer is known.

    `counts[i][j]`: first RIGHT, WRONG or undecided (i), then with the agent (j).
    """

    agent_is_wrong: bool
    agent_is_sure: bool
    counts: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What the agent does to people, with an interval and the chance of it if it did nothing."""

    estimate: Estimate
    p: float


@dataclass(frozen=True, kw_only=True)
class CutFigures:
    """The agent decides alone where it is sure, people the rest with the agent."""

    cut: float
    left: float  # the share of candidates that people still judge
    wrong: Estimate


@dataclass(frozen=True, kw_only=True)
class Fatigue:
    """What an hour at work does, and what happened in each quarter of an hour."""

    wrong_per_hour: Effect
    seconds_per_hour: Effect  # of the logarithm of the seconds
    bins: tuple[tuple[float, int, float | None, Estimate], ...]
    """From which minute on, number of readings, median seconds, share of wrong verdicts."""


@dataclass(frozen=True, kw_only=True)
class AgreementFigures:
    arm: Arm
    candidates: int
    alpha: Estimate
    ac2: Estimate


@dataclass(frozen=True, kw_only=True)
class VoteFigures:
    """How often several people judge a candidate wrong by vote; an unsure verdict is no vote."""

    arm: Arm
    candidates: int
    one: Estimate  # of these people
    majority: Estimate
    weighted: Estimate  # a vote counts as much as its person is right about the other candidates


@dataclass(frozen=True, kw_only=True)
class StudyFigures:
    arms: tuple[ArmFigures, ...]
    overturned: tuple[Overturned, ...]  # empty where nobody judged a candidate twice
    bias: Effect
    """Of what is not judged wrong without the agent, the share its wrong advice makes wrong."""
    reliance: Effect
    """Of what is not judged right without the agent, the share its right advice makes right."""
    time_ratio: Estimate  # of the seconds with the agent to those without
    agreement: tuple[AgreementFigures, ...]
    together: tuple[VoteFigures, ...]
    fatigue: Fatigue
    cuts: tuple[CutFigures, ...]


def study_figures(readings: Readings) -> StudyFigures:
    return StudyFigures(
        arms=tuple(_all_arms(readings)),
        overturned=tuple(_overturned(readings)),
        bias=effect(readings, when_wrong=True),
        reliance=effect(readings, when_wrong=False),
        time_ratio=_time_ratio(readings),
        agreement=tuple(_agreement(readings)),
        together=tuple(_together(readings)),
        fatigue=_fatigue(readings),
        cuts=tuple(_cuts(readings)),
    )


def _all_arms(readings: Readings) -> Iterator[ArmFigures]:
    """All readings, those of some candidates, those of each person; of each its arms in turn."""
    kinds = [("", np.full(readings.snr.size, True))]
    if len(bins := list(split_by_snr(readings.snr))) > 1:
        kinds += [(each.name, each.found) for each in bins]
    classes = np.array(readings.class_name, dtype=object)
    kinds += [(name, np.equal(classes, name)) for name in sorted({*readings.class_name} - {""})]
    groups = [("", some, which[readings.candidate]) for some, which in kinds]
    groups += [(name, "", readings.person == who) for who, name in enumerate(readings.people)]
    arms = [(arm, readings.arm == number) for number, arm in enumerate(ARMS)]
    for who, some, kept in groups:
        for arm, own in arms:
            if own.any():
                yield _arm(readings, who, arm, some, own & kept)


def _arm(readings: Readings, who: str, arm: Arm, some: str, kept: BoolArray) -> ArmFigures:
    result, verdict = readings.result, readings.verdict
    accepted = verdict == VERDICTS.index(ACCEPT)
    known = kept & np.isfinite(result)
    member = readings.is_member[readings.candidate] == 1.0
    seconds = readings.seconds[kept & np.isfinite(readings.seconds)]
    return ArmFigures(
        who=who,
        arm=arm,
        some=some,
        n=int(kept.sum()),
        seconds=tuple(np.quantile(seconds, (0.25, 0.5, 0.75)).tolist()) if seconds.size else None,
        completeness=_share(readings, known & member, accepted),
        purity=_share(readings, known & accepted, member),
        wrong=_share(readings, known, result == WRONG),
        unsure=_share(readings, kept, verdict == VERDICTS.index(UNSURE)),
    )


def _share(readings: Readings, kept: BoolArray, hit: BoolArray) -> Estimate:
    """The share of hits among the kept readings."""
    return share(_sums(readings, kept & hit), _sums(readings, kept))


def _sums(readings: Readings, weights: BoolArray | FloatArray) -> FloatArray:
    return by_candidate(readings.candidate, weights.astype(np.float64), readings.is_member.size)


def _overturned(readings: Readings) -> Iterator[Overturned]:
    first, second = readings.pairs()
    result = readings.result
    before, after = result[first], result[second]
    candidate = readings.candidate[first]
    is_wrong = readings.agent_wrong[candidate]
    p = readings.p_yes[candidate]
    is_sure = np.maximum(p, 1.0 - p) >= SURE
    for wrong in (True, False):
        for sure in (True, False):
            kept = (is_wrong == wrong) & (is_sure == sure)
            cells = (before[kept] * 3 + after[kept]).astype(np.int64)
            if cells.size:
                counts = np.bincount(cells, minlength=9).reshape(3, 3).tolist()
                table = tuple((int(a), int(b), int(c)) for a, b, c in counts)
                yield Overturned(agent_is_wrong=wrong, agent_is_sure=sure, counts=table)


def effect(readings: Readings, *, when_wrong: bool) -> Effect:
    """How much more often people judge as the agent does once they know what it says.

    As a share of those verdicts that it can change: 0 means that it changes nothing, 1 that they
    always follow, less than 0 that they shun it.
    """
    result = readings.result
    about = readings.agent_wrong[readings.candidate] == float(when_wrong)
    follows = result == (WRONG if when_wrong else RIGHT)
    if readings.design == "unaided-first":
        return _overturns(readings, about, follows)
    unaided = readings.arm == UNAIDED
    arms = (about & unaided, about & ~unaided)
    columns = [_sums(readings, each) for arm in arms for each in (arm, arm & follows)]

    def moved(sums: FloatArray) -> FloatArray:
        before, after = (sums[..., at + 1] / sums[..., at] for at in (0, 2))
        return np.asarray((after - before) / (1.0 - before))

    estimate, p = jackknife(np.column_stack(columns), moved)
    return Effect(estimate=estimate, p=p)


def _overturns(readings: Readings, about: BoolArray, follows: BoolArray) -> Effect:
    """Of a person's first verdicts that are not the agent's, those that became so in the second.

    Their p-value is that of as many candidates with changes the other way.
    """
    first, second = readings.pairs()
    first, second = first[about[first]], second[about[first]]
    size, candidate = readings.is_member.size, readings.candidate[first]
    came = follows[second].astype(np.float64) - follows[first]
    open_to = (~follows[first]).astype(np.float64)
    net = by_candidate(candidate, came, size)
    return Effect(
        estimate=share(
            by_candidate(candidate, np.maximum(came, 0.0), size),
            by_candidate(candidate, open_to, size),
        ),
        p=sign_test(int(np.sum(net > 0)), int(np.sum(net < 0))),
    )


def _time_ratio(readings: Readings) -> Estimate:
    timed = readings.seconds > 0.0
    log = np.log(np.where(timed, readings.seconds, 1.0))
    aided = readings.arm != UNAIDED
    # Of each person what they take longer or shorter, as not all judge as many in each arm.
    columns = [
        column
        for who in range(len(readings.people))
        for arm in (~aided, aided)
        for kept in [timed & arm & (readings.person == who)]
        for column in (_sums(readings, kept), _sums(readings, np.where(kept, log, 0.0)))
    ]

    def longer(sums: FloatArray) -> FloatArray:
        by_person = sums.reshape(*sums.shape[:-1], len(readings.people), 2, 2)
        mean = by_person[..., 1] / by_person[..., 0]
        ratio = mean[..., 1] - mean[..., 0]
        known = np.isfinite(ratio)
        return np.asarray(np.where(known, ratio, 0.0).sum(axis=-1) / known.sum(axis=-1))

    estimate, _ = jackknife(np.column_stack(columns), longer)
    if estimate.value is None:
        return estimate
    return Estimate(
        *(float(np.exp(each)) for each in (estimate.value, estimate.low, estimate.high))
    )


def _agreement(readings: Readings) -> Iterator[AgreementFigures]:
    for number, arm in enumerate(ARMS):
        kept = readings.arm == number
        counts = np.column_stack(
            [_sums(readings, kept & (readings.verdict == code)) for code in range(len(VERDICTS))]
        )
        several = int(np.sum(counts.sum(axis=1) > 1))
        if several:
            yield AgreementFigures(
                arm=arm,
                candidates=several,
                alpha=krippendorff_alpha(counts),
                ac2=gwet_ac2(counts, LIKENESS),
            )


def _together(readings: Readings) -> Iterator[VoteFigures]:
    size = readings.is_member.size, len(readings.people)
    for number, arm in enumerate(ARMS):
        kept = (readings.arm == number) & np.isin(readings.result, (RIGHT, WRONG))
        votes = np.zeros(size)
        votes[readings.candidate[kept], readings.person[kept]] = np.where(
            readings.result[kept] == RIGHT, 1.0, -1.0
        )
        several = np.count_nonzero(votes, axis=1) > 1
        if not several.any():
            continue
        # Of each person from all but the candidate; one more of each, as none is never wrong. Who
        # is wrong more often than right has no vote.
        right, wrong = (
            np.sum(votes == sign, axis=0) - (votes == sign) + 1.0 for sign in (1.0, -1.0)
        )
        weighted = (votes * np.log(np.maximum(right / wrong, 1.0)))[several]
        votes = votes[several]
        yield VoteFigures(
            arm=arm,
            candidates=len(votes),
            one=share(np.sum(votes < 0.0, axis=1), np.count_nonzero(votes, axis=1)),
            majority=_outvoted(votes),
            weighted=_outvoted(weighted),
        )


def _outvoted(votes: FloatArray) -> Estimate:
    """The share of candidates on which the votes decide wrong; a tie counts as half wrong."""
    wrong = 0.5 - 0.5 * np.sign(votes.sum(axis=1).round(9))
    return share(wrong, np.ones(len(votes)))


def _fatigue(readings: Readings) -> Fatigue:
    result, minute = readings.result, readings.minute
    timed = np.isfinite(minute)
    wrong = (result == WRONG).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        log = np.log(readings.seconds)
    known, spent = timed & np.isfinite(result), timed & np.isfinite(log)
    bins = []
    for number in range(MAX_BINS):
        inside = timed & (minute >= number * BIN_MIN)
        if number < MAX_BINS - 1:
            inside &= minute < (number + 1) * BIN_MIN
        if inside.any():
            seconds = readings.seconds[inside & spent]
            median = float(np.median(seconds)) if seconds.size else None
            wrongs = _share(readings, inside & known, result == WRONG)
            bins.append((number * BIN_MIN, int(inside.sum()), median, wrongs))
    return Fatigue(
        wrong_per_hour=_slope(readings, known, wrong),
        seconds_per_hour=_slope(readings, spent, log),
        bins=tuple(bins),
    )


def _slope(readings: Readings, kept: BoolArray, y: FloatArray) -> Effect:
    """The slope per hour of the sitting, each person beside their own mean."""
    hours = np.where(kept, readings.minute / 60.0, 0.0)
    for who in range(len(readings.people)):
        own = kept & (readings.person == who)
        if own.any():
            hours[own] -= hours[own].mean()
    y = np.where(kept, y, 0.0)
    columns = np.column_stack([_sums(readings, hours * y), _sums(readings, hours**2)])
    estimate, p = jackknife(columns, lambda sums: sums[..., 0] / sums[..., 1])
    return Effect(estimate=estimate, p=p)


def _cuts(readings: Readings) -> Iterator[CutFigures]:
    """Wrong verdicts expected where the agent decides alone what it is sure of.

    Between the cuts stand people's verdicts with the agent.
    """
    aided = (readings.arm != UNAIDED) & np.isfinite(readings.result)
    n, wrong = _sums(readings, aided), _sums(readings, aided & (readings.result == WRONG))
    known = (n > 0) & np.isfinite(readings.agent_wrong)
    if not known.any():
        return
    by_people = np.divide(wrong, n, out=np.zeros_like(n), where=n > 0)
    for cut in CUTS:
        p = readings.p_yes
        alone = (p < cut) | (p > 1.0 - cut) | (cut == CUTS[-1])
        expected = np.where(alone, readings.agent_wrong, by_people)[known]
        yield CutFigures(
            cut=cut,
            left=float(np.mean(~alone[known])),
            wrong=share(expected, np.ones(expected.size)),
        )


def least_wrong(cuts: Sequence[CutFigures]) -> CutFigures | None:
    """The cut with the fewest wrong verdicts; of two the one that leaves people less."""
    return min(cuts, key=lambda each: (each.wrong.value or 0.0, each.left), default=None)


# Estimates with intervals that allow for readings of the same candidate being alike. The people are
# taken as they are, and the candidates as a sample: what is said holds for these people and other
# candidates of the kind.
Statistic = Callable[[FloatArray], FloatArray]
NONE = Estimate(None, float("nan"), float("nan"))
MIN_CANDIDATES = 3  # with a contribution; the spread of fewer says nothing


def share(hits: FloatArray, n: FloatArray) -> Estimate:
    """The share of hits, from hits and numbers by candidate, with Wilson's interval.

    Its number of readings is divided by how much more the shares of candidates vary than those of
    independent readings would, as Kish has it.
    """
    total = float(n.sum())
    if not total:
        return NONE
    value = float(hits.sum()) / total
    count = int(np.sum(n > 0))
    alone = value * (1.0 - value) / total
    design_effect = 1.0
    if count > 1 and alone > 0.0:
        spread = float(np.sum((hits - value * n) ** 2)) / total**2
        design_effect = max(1.0, spread * count / (count - 1) / alone)
    effective = total / design_effect
    low, high = wilson(value * effective, effective)
    return Estimate(value, low, high)


def jackknife(terms: FloatArray, statistic: Statistic) -> tuple[Estimate, float]:
    """A statistic of the sums of (candidates, k) terms, with an interval and a p-value.

    The interval is Student's, from leaving out one candidate after the other. The p-value is of
    the statistic being 0; it is never smaller than the signs of so few candidates can make it.
    """
    from scipy.special import stdtr, stdtrit

    terms = terms[np.any(terms != 0.0, axis=1)]
    count = len(terms)
    if count < MIN_CANDIDATES:
        return NONE, 1.0
    total = terms.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # then there is no figure
        value, without = float(statistic(total)), statistic(total - terms)
    if not np.isfinite(value) or not np.all(np.isfinite(without)):
        return NONE, 1.0
    error = float(np.sqrt((count - 1) / count * np.sum((without - without.mean()) ** 2)))
    half = float(stdtrit(count - 1, 0.975)) * error
    if value == 0.0:
        p = 1.0
    else:
        by_t = 2.0 * float(stdtr(count - 1, -abs(value) / error)) if error else 0.0
        p = min(1.0, max(by_t, 2.0 ** (1 - count)))
    return Estimate(value, value - half, value + half), p


def sign_test(one_way: int, other_way: int) -> float:
    """The chance of a difference as large if both ways were equally likely."""
    n = one_way + other_way
    return min(1.0, 2.0 * float(binomial_tail(min(one_way, other_way), n, 0.5))) if n else 1.0


def by_candidate(candidate: NDArray[np.int64], weights: FloatArray, size: int) -> FloatArray:
    """The sum of the weights of each candidate's readings."""
    return np.bincount(candidate, weights=weights, minlength=size).astype(np.float64)


# Agreement of several people, from (candidates, verdicts) counts.
def krippendorff_alpha(counts: FloatArray) -> Estimate:
    """For words without an order; candidates with fewer than two verdicts are left out."""
    counts = counts[counts.sum(axis=1) > 1]
    if not len(counts):
        return NONE
    n = counts.sum(axis=1)
    differing = (n**2 - np.sum(counts**2, axis=1)) / (n - 1.0)

    def alpha(sums: FloatArray) -> FloatArray:
        verdicts = sums[..., 1:]
        total = verdicts.sum(axis=-1)
        observed = sums[..., 0] / total
        expected = (total**2 - np.sum(verdicts**2, axis=-1)) / (total * (total - 1.0))
        return np.asarray(1.0 - observed / expected)

    return jackknife(np.column_stack([differing, counts]), alpha)[0]


def gwet_ac2(counts: FloatArray, weights: FloatArray) -> Estimate:
    """Gwet's coefficient, which stays high for rare classes; `weights` say how alike two verdicts
    are, 1 on the diagonal. Candidates with one verdict count in the agreement by chance."""
    counts = counts[counts.sum(axis=1) > 0]
    n = counts.sum(axis=1)
    several = n > 1
    if not several.any():
        return NONE
    pairs = np.where(several, n * (n - 1.0), 1.0)
    agreeing = np.sum(counts * (counts @ weights - 1.0), axis=1) / pairs
    columns = np.ones(len(n)), several, np.where(several, agreeing, 0.0), counts / n[:, None]
    size = len(weights)

    def coefficient(sums: FloatArray) -> FloatArray:
        pi = sums[..., 3:] / sums[..., :1]
        chance = weights.sum() / (size * (size - 1)) * np.sum(pi * (1.0 - pi), axis=-1)
        return np.asarray((sums[..., 2] / sums[..., 1] - chance) / (1.0 - chance))

    return jackknife(np.column_stack(columns), coefficient)[0]
