"""How far people agree: each pair, and all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from agent.confidence.fleiss import FleissKappa, fleiss_agreement
from agent.confidence.scores import Agreement, agreement
from app.core.statistics.snr_bins import InBin, in_bins
from app.core.statistics.verdicts import WORDS, Bools, Codes, Floats, Verdicts, shared


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two people over the candidates both have a verdict on."""

    first: str
    second: str
    every: Agreement
    by_snr: tuple[InBin[Agreement], ...]


@dataclass(frozen=True, kw_only=True)
class ReviewerAgreement:
    """All reviewers of a session. `several` counts the candidates with two verdicts or more."""

    pairs: tuple[Pair, ...]
    several: FleissKappa
    several_by_snr: tuple[InBin[FleissKappa], ...]


def people(verdicts: Verdicts, seed: int = 0) -> ReviewerAgreement:
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
            InBin(each.low, each.high, _several(verdicts, _within(several, each.found), seed))
            for each in in_bins(verdicts.snr[several])
        ),
    )


def compared(first: Codes, second: Codes, seed: int = 0) -> Agreement:
    """Of two lists of codes, without NONE among them."""
    one, two = ([WORDS[code] for code in codes.tolist()] for codes in (first, second))
    return agreement(one, two, WORDS, seed=seed)


def compared_by_snr(
    first: Codes, second: Codes, snr: Floats, seed: int = 0
) -> tuple[InBin[Agreement], ...]:
    return tuple(
        InBin(each.low, each.high, compared(first[each.found], second[each.found], seed))
        for each in in_bins(snr)
    )


def _pair(verdicts: Verdicts, first: int, second: int, seed: int) -> Pair | None:
    mine, theirs = (np.flatnonzero(verdicts.of(number)) for number in (first, second))
    at, other = shared(verdicts.candidate[mine], verdicts.candidate[theirs])
    mine, theirs = mine[at], theirs[other]
    if not mine.size:
        return None
    codes = verdicts.verdict[mine], verdicts.verdict[theirs]
    return Pair(
        first=verdicts.names[first],
        second=verdicts.names[second],
        every=compared(*codes, seed),
        by_snr=compared_by_snr(*codes, verdicts.snr[mine], seed),
    )


def _shared(verdicts: Verdicts) -> Bools:
    """Where more than one person has a verdict on the candidate."""
    is_same = np.equal(verdicts.candidate[1:], verdicts.candidate[:-1])
    several = np.zeros(len(verdicts), dtype=np.bool_)
    several[1:] |= is_same
    several[:-1] |= is_same
    return several


def _several(verdicts: Verdicts, kept: Bools, seed: int) -> FleissKappa:
    """Fleiss' figures over some of the verdicts, all of a candidate or none."""
    numbers, place = np.unique(verdicts.candidate[kept], return_inverse=True)
    cells = place * len(WORDS) + verdicts.verdict[kept]
    counts = np.bincount(cells, minlength=numbers.size * len(WORDS)).reshape(-1, len(WORDS))
    patterns, times = np.unique(counts, axis=0, return_counts=True)
    found = Counter(dict(zip(map(tuple, patterns.tolist()), times.tolist(), strict=True)))
    return fleiss_agreement(found, WORDS, seed=seed)


def _within(outer: Bools, inner: Bools) -> Bools:
    """Those of `outer` that `inner`, which counts only them, keeps."""
    result = outer.copy()
    result[outer] = inner
    return result
