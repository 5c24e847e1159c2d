"""What confidence costs over 100,000 candidates, beside scikit-learn."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score

from agent.confidence.calibration import fit_isotonic
from agent.confidence.reliability import average_precision
from tests.agent.confidence.judged_samples import sample_judged
from tests.bench.measuring import figure_line, ms_of

CANDIDATES = 100_000
ROUNDS = 7


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


def _ratio(
    figure: str, baseline: str, ours: Callable[[], object], theirs: Callable[[], object]
) -> dict[str, object]:
    pairs = [(ms_of(ours), ms_of(theirs)) for _ in range(ROUNDS)]
    mine, other = (statistics.median(times) for times in zip(*pairs, strict=True))
    return figure_line(
        figure, mine / other, "times the baseline's time", baseline=baseline, ours_ms=mine,
        baseline_ms=other, candidates=CANDIDATES
    )  # fmt: skip
