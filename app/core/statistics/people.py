"""How far people agree: each pair, and all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from agent.confidence.fleiss import FleissKappa, fleiss_agreement
from agent.confidence.scores import Agreement, agreement
from app.core.statistics.snr_bins import SnrBin, split_by_snr
from app.core.statistics.verdicts import (
    VERDICTS,
    BoolArray,
    CodeArray,
    FloatArray,
    Verdicts,
    common_indexes,
)


@dataclass(frozen=True, kw_only=True)
class ReviewerPair:
    """Two people over the candidates both have a verdict on."""

    first: str
    second: str
    every: Agreement
    by_snr: tuple[SnrBin[Agreement], ...]


@dataclass(frozen=True, kw_only=True)
class ReviewerAgreement:
    """All reviewers of a session. `several` counts the candidates with two verdicts or more."""

    pairs: tuple[ReviewerPair, ...]
    several: FleissKappa
    several_by_snr: tuple[SnrBin[FleissKappa], ...]


def reviewer_agreement(verdicts: Verdicts, seed: int = 0) -> ReviewerAgreement:
    """Pairs without a candidate in common are left out."""
    pairs = (
        _pair(verdicts, first, second, seed)
        for first, second in combinations(verdicts.reviewers, 2)
    )
    several = _shared(verdicts)
    return ReviewerAgreement(
        pairs=tuple(pair for pair in pairs if pair is not None),
        several=_several(verdicts, several, seed),
        several_by_snr=tuple(
            SnrBin(each.low, each.high, _several(verdicts, _within(several, each.found), seed))
            for each in split_by_snr(verdicts.snr[several])
        ),
    )


def verdict_agreement(first: CodeArray, second: CodeArray, seed: int = 0) -> Agreement:
    """Of two lists of codes, without NONE among them."""
    one, two = ([VERDICTS[code] for code in codes.tolist()] for codes in (first, second))
    return agreement(one, two, VERDICTS, seed=seed)


def verdict_agreement_by_snr(
    first: CodeArray, second: CodeArray, snr: FloatArray, seed: int = 0
) -> tuple[SnrBin[Agreement], ...]:
    return tuple(
        SnrBin(each.low, each.high, verdict_agreement(first[each.found], second[each.found], seed))
        for each in split_by_snr(snr)
    )


def _pair(verdicts: Verdicts, first: int, second: int, seed: int) -> ReviewerPair | None:
    mine, theirs = (np.flatnonzero(verdicts.of(number)) for number in (first, second))
    at, other = common_indexes(verdicts.candidate[mine], verdicts.candidate[theirs])
    mine, theirs = mine[at], theirs[other]
    if not mine.size:
        return None
    codes = verdicts.verdict[mine], verdicts.verdict[theirs]
    return ReviewerPair(
        first=verdicts.names[first],
        second=verdicts.names[second],
        every=verdict_agreement(*codes, seed),
        by_snr=verdict_agreement_by_snr(*codes, verdicts.snr[mine], seed),
    )


def _shared(verdicts: Verdicts) -> BoolArray:
    """Where more than one person has a verdict on the candidate."""
    is_same = np.equal(verdicts.candidate[1:], verdicts.candidate[:-1])
    several = np.zeros(len(verdicts), dtype=np.bool_)
    several[1:] |= is_same
    several[:-1] |= is_same
    return several


def _several(verdicts: Verdicts, kept: BoolArray, seed: int) -> FleissKappa:
    """Fleiss' figures over some of the verdicts, all of a candidate or none."""
    numbers, place = np.unique(verdicts.candidate[kept], return_inverse=True)
    cells = place * len(VERDICTS) + verdicts.verdict[kept]
    counts = np.bincount(cells, minlength=numbers.size * len(VERDICTS)).reshape(-1, len(VERDICTS))
    patterns, times = np.unique(counts, axis=0, return_counts=True)
    found = Counter(dict(zip(map(tuple, patterns.tolist()), times.tolist(), strict=True)))
    return fleiss_agreement(found, VERDICTS, seed=seed)


def _within(outer: BoolArray, inner: BoolArray) -> BoolArray:
    """Those of `outer` that `inner`, which counts only them, keeps."""
    result = outer.copy()
    result[outer] = inner
    return result
