"""Agreement between reviewers: of each pair and of all."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from agent.confidence.scores import Agreement, FleissKappa, agreement, fleiss_agreement
from agent.spectra.spectrum import BoolArray
from app.core.statistics.snr_bins import SnrBin, by_snr
from app.core.statistics.verdicts import VERDICTS, CodeArray, Verdicts, common_indexes


@dataclass(frozen=True, kw_only=True)
class ReviewerPair:
    first: str
    second: str
    every: Agreement
    by_snr: tuple[SnrBin[Agreement], ...]


@dataclass(frozen=True, kw_only=True)
class ReviewerAgreement:
    """Agreement of all reviewers; `several` covers candidates with two or more verdicts."""

    pairs: tuple[ReviewerPair, ...]
    several: FleissKappa
    several_by_snr: tuple[SnrBin[FleissKappa], ...]


def reviewer_agreement(verdicts: Verdicts) -> ReviewerAgreement:
    """Compute the agreement of all reviewers; pairs without a common candidate are excluded."""
    pairs = (_pair(verdicts, *both) for both in combinations(verdicts.reviewers, 2))
    several = _has_several(verdicts)
    return ReviewerAgreement(
        pairs=tuple(pair for pair in pairs if pair is not None),
        several=_fleiss(verdicts, several),
        several_by_snr=by_snr(
            verdicts.snr[several], lambda some: _fleiss(verdicts, _subset(several, some))
        ),
    )


def verdict_agreement(first: CodeArray, second: CodeArray) -> Agreement:
    """Agreement of two arrays of verdict codes, without NONE."""
    one, two = ([VERDICTS[code] for code in codes.tolist()] for codes in (first, second))
    return agreement(one, two, VERDICTS)


def _pair(verdicts: Verdicts, first: int, second: int) -> ReviewerPair | None:
    mine, theirs = (np.flatnonzero(verdicts.of(number)) for number in (first, second))
    at, other = common_indexes(verdicts.candidate[mine], verdicts.candidate[theirs])
    mine, theirs = mine[at], theirs[other]
    if not mine.size:
        return None
    one, two = verdicts.verdict[mine], verdicts.verdict[theirs]
    return ReviewerPair(
        first=verdicts.names[first],
        second=verdicts.names[second],
        every=verdict_agreement(one, two),
        by_snr=by_snr(verdicts.snr[mine], lambda some: verdict_agreement(one[some], two[some])),
    )


def _has_several(verdicts: Verdicts) -> BoolArray:
    """Which verdicts are on candidates that several reviewers judged."""
    is_same = np.equal(verdicts.candidate[1:], verdicts.candidate[:-1])
    several = np.zeros(len(verdicts), dtype=np.bool_)
    several[1:] |= is_same
    several[:-1] |= is_same
    return several


def _fleiss(verdicts: Verdicts, kept: BoolArray) -> FleissKappa:
    """Fleiss' kappa of the kept verdicts; a candidate's verdicts must be kept all or none."""
    numbers, index = np.unique(verdicts.candidate[kept], return_inverse=True)
    cells = index * len(VERDICTS) + verdicts.verdict[kept]
    counts = np.bincount(cells, minlength=numbers.size * len(VERDICTS)).reshape(-1, len(VERDICTS))
    patterns, times = np.unique(counts, axis=0, return_counts=True)
    found = Counter(dict(zip(map(tuple, patterns.tolist()), times.tolist(), strict=True)))
    return fleiss_agreement(found, VERDICTS)


def _subset(outer: BoolArray, inner: BoolArray) -> BoolArray:
    """Apply the mask `inner` to the elements selected by `outer`."""
    result = outer.copy()
    result[outer] = inner
    return result
