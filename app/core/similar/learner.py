"""What a person wants, learned from some yes and some no: a logistic regression on likeness.

Chosen by measuring on 323 real spectra of known classes (`spec-o3-train evaluate order`). Without
an agent it begins as "More like this" with all yes as examples and all no as counter-examples;
where an agent knows the class it begins as p(YES), and learns so little beside it that a good
p(YES) is not made worse.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.confidence.scores import upper_limit
from app.core.similar.features import SIZE

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

COUNTER = 0.5
"""How much counter-examples count beside examples: what one does not want is more varied."""
BEGINNING = 5.0  # logits per unit of likeness with which learning begins
FREE, BESIDE_AGENT = 3.0, 1.0
"""Scales of the likeness vectors, all with a ridge of 1: freely, and beside a p(YES). Of 3, 5 and
10 the first needs the fewest verdicts, most of all for classes that look various."""
RIDGE, RIDGE_OF_INTERCEPT = 1.0, 1e-3
ROUNDS, SMALLEST_STEP = 12, 1e-4
MOST_LOGIT = 30.0
EXACTLY = 20_000  # so many are sorted by their very numbers, more by one of 65,536 levels
LEVELS = 65_535
MISSED = 0.05  # the bound on what is left is wrong in at most this share of lists


@dataclass(frozen=True, eq=False)
class Learned:
    """The score, in logits, is unit vectors @ weights + columns @ of_columns + intercept."""

    weights: Floats
    of_columns: Floats
    intercept: float
    yes: int
    no: int

    @property
    def is_nothing(self) -> bool:
        return not (self.weights.any() or self.of_columns.any())


def examples_vector(examples: Floats, counter_examples: Floats) -> Floats:
    """What is like the examples and unlike the counter-examples, all unit vectors."""
    wanted = np.zeros(SIZE, np.float32)
    if len(examples):
        wanted += examples.mean(axis=0)
    if len(counter_examples):
        wanted -= COUNTER * counter_examples.mean(axis=0)
    return wanted


def learn(vectors: Floats, columns: Floats, is_yes: Bools, *, from_agent: bool) -> Learned:
    """Learn from verdicts: (n, SIZE) unit vectors, (n, k) columns, and which are yes.

    With `from_agent` the first column is logit p(YES), from which learning begins.
    """
    yes, no = int(is_yes.sum()), int((~is_yes).sum())
    start, of_columns = np.zeros(SIZE, np.float32), np.zeros(columns.shape[1], np.float32)
    if from_agent:
        of_columns[0] = 1.0
    else:
        start = BEGINNING * examples_vector(vectors[is_yes], vectors[~is_yes])
    if not (yes and no):
        return Learned(start, of_columns, 0.0, yes, no)
    scale = BESIDE_AGENT if from_agent else FREE
    offset = vectors @ start + columns @ of_columns
    middle = 0.0 if from_agent else float(offset.mean())
    terms = np.hstack([scale * vectors, columns, np.ones((len(vectors), 1), np.float32)])
    found = _newton(terms.astype(np.float64), offset.astype(np.float64) - middle, is_yes)
    return Learned(
        weights=(start + scale * found[:SIZE]).astype(np.float32),
        of_columns=(of_columns + found[SIZE:-1]).astype(np.float32),
        intercept=float(found[-1]) - middle,
        yes=yes,
        no=no,
    )


def _newton(
    terms: NDArray[np.float64], offset: NDArray[np.float64], is_yes: Bools
) -> NDArray[np.float64]:
    """The ridge fit in which all yes together count as much as all no."""
    share = np.where(is_yes, 0.5 / is_yes.sum(), 0.5 / (~is_yes).sum()) * len(is_yes)
    ridge = np.full(terms.shape[1], RIDGE)
    ridge[-1] = RIDGE_OF_INTERCEPT
    found = np.zeros(terms.shape[1])
    for _ in range(ROUNDS):
        logits = np.clip(terms @ found + offset, -MOST_LOGIT, MOST_LOGIT)
        p = 1.0 / (1.0 + np.exp(-logits))
        slope = terms.T @ (share * (p - is_yes)) + ridge * found
        curvature = (terms * (share * p * (1.0 - p))[:, None]).T @ terms
        curvature[np.diag_indices_from(curvature)] += ridge
        step = np.linalg.solve(curvature, slope)
        found -= step
        if float(np.abs(step).max()) < SMALLEST_STEP:
            break
    return found


def best_first(scores: Floats) -> Indices:
    """Rows by falling score, equal ones as they come; those without a number last."""
    known = np.isfinite(scores)
    if not known.any():
        return np.arange(len(scores))
    if len(scores) <= EXACTLY:
        return np.argsort(np.where(known, -scores, np.inf), kind="stable")
    low, high = float(scores[known].min()), float(scores[known].max())
    scale = (LEVELS - 1) / max(high - low, 1e-12)
    # Sorting small integers takes a fifth of the time that sorting numbers takes.
    levels = np.where(known, (high - scores) * scale, LEVELS).astype(np.uint16)
    return np.argsort(levels, kind="stable")


def at_most_left(hits: int, lefts: list[int], left: int) -> int:
    """A bound (95 %) on how many yes are among the `left` without a verdict.

    `lefts` says for each that was drawn at random how many it was drawn from, `hits` how many of
    them were yes. At each draw at least as many yes were left as are now, so that it was one with
    at least this number over `lefts`, whatever the learner had taken out in between.
    """
    if not lefts:
        return left
    rate = upper_limit(hits, len(lefts), MISSED)
    drawn_from = len(lefts) / sum(1.0 / max(each, 1) for each in lefts)
    return min(left, int(rate * drawn_from))
