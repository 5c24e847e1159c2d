"""Choosing candidates from a table of `spec-o3 find`, and what the choice costs.

How many of the members are kept is told by simulated members that were planted among the spectra,
and by a list of known ones; how many of those kept are members, by their p at the odds of this
survey.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.confidence.scores import Estimate, wilson
from agent.errors import WorkbenchError
from agent.spectra.spectrum import BoolArray, FloatArray
from app.core.finding.looking import FLAGS
from app.core.finding.table import FindTable
from app.core.importing.sky import chord, unit_vectors

ODD = "odd"  # in place of a class: the oddest
USUAL_ODDS = 5.0  # contaminants per member at which p(YES) was fitted
MAX_ROUNDS, TOLERANCE = 200, 1e-4
LEAST_SHARE = 1e-7  # of members in a survey: the search for it ends there
SAME_STAR_ARCSEC = 2.0  # two fibres on one star differ by less, two stars seldom
KNOWN_ARCSEC = 3.0  # catalogues of different epochs
MOST_OTHERS = 8  # other spectra of a star that a row names

Numbers = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class ChoiceRule:
    """What to choose: a class, or the oddest; by number, or by a share that is to be reached."""

    task: str
    keep: int | None = None
    recall: float | None = None
    purity: float | None = None
    least_snr: float | None = None
    without: tuple[str, ...] = ()
    """Flags of quality that a candidate may not have."""

    def __post_init__(self) -> None:
        given = [each for each in (self.keep, self.recall, self.purity) if each is not None]
        if len(given) != 1:
            raise WorkbenchError("give one of --keep, --recall and --purity")
        if not all(0 < share < 1 for share in (self.recall, self.purity) if share is not None):
            raise WorkbenchError("--recall and --purity are shares between 0 and 1, as 0.99")
        if self.task == ODD and self.keep is None:
            raise WorkbenchError("of the oddest only a number can be kept: --keep N")
        if unknown := [flag for flag in self.without if flag not in FLAGS]:
            raise WorkbenchError(f"no flag {unknown[0]!r}: there are {', '.join(FLAGS)}")


@dataclass(frozen=True, kw_only=True)
class FoundChoice:
    """The chosen rows, best first, and what the choice costs; None where nobody can tell."""

    wanted: ChoiceRule
    numbers: Numbers
    """Rows of the table, one for each star."""
    epochs: NDArray[np.int64]
    others: list[list[int]]
    """For each the other rows of the same star."""
    scores: FloatArray
    spectra: int  # in the whole table
    recall: Estimate | None
    purity: Estimate | None
    known: Estimate | None
    members: Estimate | None  # in the whole survey

    def as_json(self) -> dict[str, Any]:
        given = {"recall": self.recall, "purity": self.purity, "known": self.known}
        shares = {k: None if v is None else [v.value, v.low, v.high] for k, v in given.items()}
        return {
            "task": self.wanted.task, "kept": len(self.numbers), "spectra": self.spectra,
            **shares, "least_snr": self.wanted.least_snr, "without": list(self.wanted.without),
        }  # fmt: skip

    @property
    def sentence(self) -> str:
        """The choice as it is said everywhere."""
        what = "oddest" if self.wanted.task == ODD else "likeliest"
        text = f"the {len(self.numbers):,} {what} of {self.spectra:,} spectra"
        for share, words in (
            (self.recall, "of the members (simulated ones, planted)"),
            (self.known, "of the known members given"),
            (self.purity, "of these are members (by their p)"),
        ):
            if share is not None and share.value is not None:
                text += f"; {share_text(share)} {words}"
        return text


def share_text(share: Estimate) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "-"
    low, high = 100 * share.low, 100 * share.high
    return f"{100 * share.value:.1f} % ({low:.1f} to {high:.1f})"


def choose(
    table: FindTable, wanted: ChoiceRule, known: Sequence[tuple[float, float]] = ()
) -> FoundChoice:
    """Choose candidates; `known` are positions of known members in degrees."""
    columns = _columns(table, wanted.task)
    fits = _fits(columns, wanted)
    planted, posterior, members = np.empty(0), None, None
    if wanted.task == ODD:
        scores = np.nan_to_num(columns["oddness"].astype(np.float64), nan=-np.inf)
    else:
        scores = _score_of(columns[f"p_{wanted.task}"], columns[f"quick_{wanted.task}"])
        is_planted = columns["planted"] == wanted.task
        # A member in place of a spectrum that is left out would be left out, too.
        of_planted = _score_of(columns["planted_p"], columns["planted_quick"])
        planted = np.where(fits, of_planted, -np.inf)[is_planted]
        posterior, members = _members(columns[f"p_{wanted.task}"])
    shown = np.where(fits, scores, -np.inf)
    order = np.argsort(-shown, kind="stable")[: int(np.isfinite(shown).sum())]
    count = _count(wanted, order, shown, planted, posterior)
    places = _Places(columns["ra"], columns["dec"])
    numbers, epochs, others = _stars(order, count, places)
    least = float(shown[numbers[-1]]) if len(numbers) else math.inf
    purity = None
    if posterior is not None and len(numbers):
        purity = _purity(posterior[numbers])
    # Of the known members that the survey has a spectrum of, the share that is chosen.
    stars = unit_vectors(*np.array(known, dtype=np.float64).reshape(-1, 2).T)
    near = places.near_points(stars, KNOWN_ARCSEC)
    best = np.array([shown[each].max() for each in near if each])
    return FoundChoice(
        wanted=wanted, numbers=numbers, epochs=epochs, others=others, scores=scores[numbers],
        spectra=len(scores), recall=_share_above(planted, least), purity=purity,
        known=_share_above(best, least), members=members,
    )  # fmt: skip


def _columns(table: FindTable, task: str) -> dict[str, Any]:
    names = ["ra", "dec", "snr", "quality"]
    if task != ODD:
        if task not in (*table.settings.tasks, *table.own_ids):
            known = ", ".join((*table.settings.tasks, *table.own_ids))
            raise WorkbenchError(f"{table.folder} was not searched for {task!r}, but for {known}")
        names += [f"p_{task}", f"quick_{task}", "planted", "planted_p", "planted_quick"]
    else:
        names.append("oddness")
    columns = table.columns(names)
    if not len(columns["snr"]):
        raise WorkbenchError(f"{table.folder} has no spectra yet")
    return columns


def _score_of(p: FloatArray, quick: FloatArray) -> FloatArray:
    """p of a whole inspection, or what a first look says less 1: that is below the cut."""
    less = np.nan_to_num(quick.astype(np.float64), nan=0.0) - 1.0
    return np.where(np.isfinite(p), p, less)


def _fits(columns: dict[str, Any], wanted: ChoiceRule) -> BoolArray:
    fits = np.ones(len(columns["snr"]), dtype=np.bool_)
    if wanted.least_snr is not None:
        fits &= columns["snr"] >= wanted.least_snr
    refused = sum(1 << FLAGS.index(flag) for flag in wanted.without)
    bits = np.nan_to_num(columns["quality"]).astype(np.int64)
    return np.asarray(fits & ((bits & refused) == 0))


def _members(p: FloatArray) -> tuple[FloatArray, Estimate]:
    """The probability of each at the odds of this survey, and the members that there are.

    The odds are those at which the mean of the probabilities is the share of the members, as
    Saerens, Latinne & Decaestecker (2002) do it.
    """
    known = np.where(np.isfinite(p), np.clip(p, 1e-12, 1 - 1e-12), 0.0)
    ratio = USUAL_ODDS * known / (1.0 - known)
    share = 1.0 / (1.0 + USUAL_ODDS)
    for _ in range(MAX_ROUNDS):
        posterior = share * ratio / (share * ratio + 1.0 - share)
        following = max(float(posterior.mean()), LEAST_SHARE)
        if abs(following - share) < TOLERANCE * share:
            break
        share = following
    total = float(posterior.sum())
    spread = 1.96 * math.sqrt(float((posterior * (1.0 - posterior)).sum()))
    return posterior, Estimate(total, max(total - spread, 0.0), total + spread)


def _purity(posterior: FloatArray) -> Estimate:
    n = len(posterior)
    mean = float(posterior.mean())
    spread = 1.96 * math.sqrt(float((posterior * (1.0 - posterior)).sum())) / n
    return Estimate(mean, max(mean - spread, 0.0), min(mean + spread, 1.0))


def _count(
    wanted: ChoiceRule,
    order: Numbers,
    shown: FloatArray,
    planted: FloatArray,
    posterior: FloatArray | None,
) -> int:
    if wanted.keep is not None:
        return wanted.keep
    if wanted.recall is not None:
        if not planted.size:
            raise WorkbenchError("nothing was planted in this table: give --keep or --purity")
        least = np.sort(planted)[int((1.0 - wanted.recall) * planted.size)]
        # With the first one below it the share is reached, whatever lies between two candidates.
        return min(int((shown[order] >= least).sum()) + 1, len(order))
    assert posterior is not None and wanted.purity is not None
    means = np.cumsum(posterior[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(means >= wanted.purity)
    if not enough.size:
        raise WorkbenchError(f"not even the likeliest reach a purity of {wanted.purity:g}")
    return int(enough[-1]) + 1


def _share_above(scores: FloatArray, least: float) -> Estimate | None:
    if not scores.size:
        return None
    hits = int((scores >= least).sum())
    return Estimate(hits / scores.size, *wilson(hits, scores.size))


class _Places:
    """The positions of all rows, to find what lies near one; rows without one lie nowhere."""

    def __init__(self, ra: FloatArray, dec: FloatArray) -> None:
        from scipy.spatial import cKDTree  # takes a moment to import

        self._vectors = unit_vectors(ra.astype(np.float64), dec.astype(np.float64))
        self._rows = np.flatnonzero(np.isfinite(self._vectors).all(axis=1))
        self._tree = cKDTree(self._vectors[self._rows]) if self._rows.size else None

    def near_rows(self, rows: Numbers, arcsec: float) -> list[list[int]]:
        """For each of these rows all that lie so near, itself too; none without a position."""
        near: list[list[int]] = [[] for _ in rows]
        placed = np.flatnonzero(np.isfinite(self._vectors[rows]).all(axis=1))
        found = self.near_points(self._vectors[rows[placed]], arcsec)
        for place, each in zip(placed.tolist(), found, strict=True):
            near[place] = each
        return near

    def near_points(self, vectors: FloatArray, arcsec: float) -> list[list[int]]:
        if self._tree is None:
            return [[] for _ in vectors]
        found = self._tree.query_ball_point(vectors, chord(arcsec))
        return [self._rows[np.array(each, dtype=np.intp)].tolist() for each in found]


def _stars(
    order: Numbers, count: int, places: _Places
) -> tuple[Numbers, NDArray[np.int64], list[list[int]]]:
    """The best spectrum of each of the `count` best stars, and the other spectra of each."""
    numbers: list[int] = []
    others: list[list[int]] = []
    taken: set[int] = set()
    for start in range(0, len(order), max(count, 1)):
        if len(numbers) >= count:
            break
        some = order[start : start + max(count, 1)]
        near = places.near_rows(some, SAME_STAR_ARCSEC)
        for number, around in zip(some.tolist(), near, strict=True):
            if number in taken or len(numbers) >= count:
                continue
            taken.update(around)
            numbers.append(number)
            others.append([other for other in around if other != number])
    epochs = np.array([1 + len(each) for each in others], dtype=np.int64)
    return np.array(numbers, dtype=np.intp), epochs, [each[:MOST_OTHERS] for each in others]
