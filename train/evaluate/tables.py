"""The published tables: their sets and tasks, and their output as Markdown and CSV."""

import csv
import io
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise

import numpy as np

from agent.confidence.abstention import cut_for_precision
from agent.confidence.calibration import fit_calibration
from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import expected_calibration_error, reliability_curve
from agent.confidence.scores import Estimate
from train.evaluate.judgement import JudgeFigures, Judgement, judge_figures, judged_scores

RARE = ("CV", "CS", "SS", "MG", "WD")
HOT = ("O", "B", "A")
SNR_EDGES = (0.0, 5.0, 10.0, 20.0, 50.0, math.inf)
COLUMNS = (
    "set", "judge", "task", "n", "positives", "accuracy", "f1", "f1_low", "f1_high", "precision",
    "recall", "unanswered", "average_precision", "calibration_error",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TableKind:
    name: str
    title: str
    sets: tuple[tuple[str, str], ...] = ()
    """Files of the bench, and their names in the table; none where the command sets them."""
    tasks: tuple[str, ...]


KINDS = {
    kind.name: kind
    for kind in (
        TableKind(name="main", title="Main table", sets=(("test.parquet", "test"),), tasks=RARE),
        TableKind(
            name="cross-survey",
            title="Objects observed by another survey",
            sets=(("survey-SDSS.parquet", "SDSS"), ("survey-DESI.parquet", "DESI")),
            tasks=RARE,
        ),
        TableKind(
            name="cross-task",
            title="Classes never trained on",
            sets=(("cross.parquet", "cross"),),
            tasks=HOT,
        ),
        TableKind(
            name="library", title="Labelled real spectra, each judged for every class", tasks=RARE
        ),
        TableKind(name="library-hot", title="The same spectra, judged for hot stars", tasks=HOT),
        TableKind(name="set", title="Labelled spectra", tasks=(*RARE, *HOT)),
        TableKind(name="ablation", title="Ablation", sets=(("test.parquet", "test"),), tasks=RARE),
    )
}
Rows = dict[str, Sequence[Judgement]]  # judgements by judge


def set_markdown(title: str, rows: Rows, seed: int = 0) -> list[str]:
    """One set's table: accuracy and F1 of each task in per cent, their means, and the effort."""
    figures = [judge_figures(name, judgements, seed) for name, judgements in rows.items()]
    tasks = [one.task for one in figures[0].tasks]
    head = ["judge", *(f"{task} {what}" for task in tasks for what in ("Acc", "F1"))]
    head += ["mean Acc", "mean F1 (95 %)", "well-formed", "calls", "tokens", "s"]
    return [f"### {title}", "", *table_lines(head, map(_cells, figures)), ""]


def _cells(one: JudgeFigures) -> list[str]:
    cells = [one.judge]
    for task in one.tasks:
        cells += [percent(task.accuracy.value), percent(task.f1.value)]
    cells += [percent(one.mean_accuracy), with_interval(one.mean_f1)]
    effort = one.effort
    written = [percent(effort.well_formed), f"{effort.calls:.1f}", f"{effort.tokens:.0f}"]
    return [*cells, *(written if effort.writes else "---"), f"{effort.seconds:.3g}"]


def parts_markdown(
    title: str, rows: Rows, part_of: Callable[[Judgement], str], parts: Sequence[str]
) -> list[str]:
    """Mean accuracy and F1 over tasks for parts of the set, such as surveys or S/N bins."""
    first = next(iter(rows.values()))
    counts = Counter(map(part_of, first))
    present = [part for part in parts if counts[part]]
    if not present:
        return []
    head = ["judge"]
    for part in present:
        head += [f"{part} (n = {counts[part]}) Acc", "F1"]
    table = []
    for name, judgements in rows.items():
        cells = [name]
        for part in present:
            own = [one for one in judgements if part_of(one) == part]
            figures = judge_figures(name, own)
            cells += [percent(figures.mean_accuracy), with_interval(figures.mean_f1)]
        table.append(cells)
    return [f"#### {title}", "", *table_lines(head, table), ""]


def survey_of(one: Judgement) -> str:
    return "SDSS" if one.survey == "BOSS" else one.survey or "unknown"


def snr_bin_of(one: Judgement) -> str:
    if one.snr is None:
        return "unknown"
    return snr_bins()[bisect_right(SNR_EDGES[1:-1], one.snr)]


def snr_bins() -> list[str]:
    return [
        f"{low:g} to {high:g}" if math.isfinite(high) else f"above {low:g}"
        for low, high in pairwise(SNR_EDGES)
    ]


def as_csv(sets: dict[str, Rows]) -> str:
    """One row per set, judge and task; figures are fractions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, rows in sets.items():
        for judge, judgements in rows.items():
            for task in judge_figures(judge, judgements).tasks:
                f1, shares = task.f1, (task.accuracy.value, task.precision.value, task.recall.value)
                accuracy, precision, recall = map(_plain, shares)
                f1s = map(_plain, (f1.value, f1.low, f1.high))
                rest = map(_plain, (task.average_precision, task.calibration_error))
                counts = (task.task, task.n, task.positives)
                row = [accuracy, *f1s, precision, recall, task.unanswered, *rest]
                writer.writerow([name, judge, *counts, *row])
    return text.getvalue()


def figure_json(figure: Estimate) -> dict[str, float | None]:
    if figure.value is None:
        return {"value": None, "low": None, "high": None}
    return {"value": figure.value, "low": figure.low, "high": figure.high}


def percent(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{100 * value:.1f}"


def with_interval(figure: Estimate) -> str:
    """A figure in per cent with its interval; a dash where it is undefined."""
    if figure.value is None:
        return percent(None)
    if figure.low == figure.high:  # all draws are alike, as of few candidates: no interval is known
        return f"{percent(figure.value)} (no interval)"
    return f"{percent(figure.value)} ({percent(figure.low)} to {percent(figure.high)})"


def _plain(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.4f}"


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown, with numbers in all columns but the first."""
    ruler = ("---", *["---:"] * (len(head) - 1))
    return ["| " + " | ".join(cells) + " |" for cells in (head, ruler, *rows)]


# Calibration of p(YES), measured on candidates that were not used to fit it.
PRECISION = 0.95
MIN_CANDIDATES = 40  # Minimum number of candidates with a p(YES)


@dataclass(frozen=True, kw_only=True)
class CalibrationFigures:
    """Figures of each half under the calibration and cut fitted on the other half."""

    n: int
    error: float  # expected calibration error of the raw p(YES)
    error_calibrated: float
    accepted: float  # share of the candidates above the cut that promises `PRECISION`
    precision: float | None  # share of real ones among the accepted
    recall: float  # share of accepted ones among the real


def calibration_figures(
    judgements: Sequence[Judgement], seed: int = 0
) -> CalibrationFigures | None:
    """Calibration of one judge; None for too few candidates."""
    whole = judged_scores(judgements)
    if len(whole) < MIN_CANDIDATES or not (whole.positives and whole.negatives):
        return None
    half = np.zeros(len(whole), dtype=np.bool_)
    half[np.random.default_rng(seed).permutation(len(whole))[: len(whole) // 2]] = True
    calibrated, accepted = np.empty(len(whole)), np.zeros(len(whole), dtype=np.bool_)
    for used in (half, ~half):
        fitted, other = whole.where(used), ~used
        calibrated[other] = fit_calibration(fitted).apply(whole.p[other])
        cut = cut_for_precision(fitted, PRECISION).threshold
        if cut is not None:
            accepted[other] = whole.p[other] >= cut
    hits = int(np.sum(accepted & whole.label))
    return CalibrationFigures(
        n=len(whole),
        error=expected_calibration_error(reliability_curve(whole)),
        error_calibrated=expected_calibration_error(
            reliability_curve(JudgedScores(calibrated, whole.label))
        ),
        accepted=float(np.mean(accepted)),
        precision=hits / int(accepted.sum()) if accepted.any() else None,
        recall=hits / whole.positives,
    )


def calibration_markdown(title: str, rows: Rows, seed: int) -> list[str]:
    every = ((name, calibration_figures(judged, seed)) for name, judged in rows.items())
    found = {name: figures for name, figures in every if figures is not None}
    if not found:
        return []
    head = ("judge", "ECE", "ECE calibrated", "accepted", "precision", "recall")
    # All figures of a judge but the number of candidates.
    table = [(name, *map(percent, astuple(figures)[1:])) for name, figures in found.items()]
    return [
        f"#### {title}",
        "",
        f"Expected calibration error (ECE) in points. The cut accepts candidates so that "
        f"{100 * PRECISION:g} % of them are real.",
        "Calibration and cut are fitted on one half of the candidates and measured on the other.",
        "",
        *table_lines(head, table),
        "",
    ]
