"""What confidence costs over 100,000 candidates, beside scikit-learn; and what the promise of a
cut costs: how often it breaks, and how much of the reachable recall it keeps."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score

from agent.confidence.abstention import cut_for_precision
from agent.confidence.calibration import fit_isotonic
from agent.confidence.reliability import average_precision
from tests.agent.confidence.judged_samples import sample_judged
from tests.bench.measuring import figure_line, ms_of

CANDIDATES = 100_000
ROUNDS = 7
DRAWS = 1000


def figures() -> Iterator[dict[str, object]]:
    rng = np.random.default_rng(7)
    judged = sample_judged(rng, CANDIDATES, apart=2.0)
    label = judged.label.astype(float)
    yield _ratio(
        "isotonic fit", "scikit-learn IsotonicRegression.fit", lambda: fit_isotonic(judged),
        lambda: IsotonicRegression().fit(judged.p, label)
    )  # fmt: skip
    yield _ratio(
        "average precision", "sklearn.metrics.average_precision_score",
        lambda: average_precision(judged), lambda: average_precision_score(judged.label, judged.p)
    )  # fmt: skip
    yield from _promises(rng)


def _promises(rng: np.random.Generator) -> Iterator[dict[str, object]]:
    """Precision 0.9 promised with delta 0.1, from 1,000 judged candidates at 1:5."""
    field = sample_judged(rng, 1_000_000)
    order = np.argsort(-field.p)
    real = np.cumsum(field.label[order])
    precision, recall = real / np.arange(1, real.size + 1), real / real[-1]
    reachable = float(recall[np.flatnonzero(precision >= 0.9)[-1]])
    falling = -field.p[order]
    broken, kept = 0, []
    for _ in range(DRAWS):
        cut = cut_for_precision(sample_judged(rng, 1000), 0.9, 0.1).threshold
        at = -1 if cut is None else int(np.searchsorted(falling, -cut, side="right")) - 1
        broken += at >= 0 and precision[at] < 0.9
        kept.append(recall[at] if at >= 0 else 0.0)
    title = "promised precision not kept"
    yield figure_line(title, broken / DRAWS, "share of draws", baseline="at most 0.1, as promised")
    baseline = "reachable by who knows the field"
    title = "recall kept under the promise"
    value = float(np.mean(kept))
    yield figure_line(title, value, "recall", baseline=baseline, baseline_recall=reachable)


def _ratio(
    figure: str, baseline: str, ours: Callable[[], object], theirs: Callable[[], object]
) -> dict[str, object]:
    pairs = [(ms_of(ours), ms_of(theirs)) for _ in range(ROUNDS)]
    mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
    return figure_line(
        figure, mine / other, "times the baseline's time", baseline=baseline, ours_ms=mine,
        baseline_ms=other, candidates=CANDIDATES
    )  # fmt: skip
