"""The judgement of one judge on one example, stored as a line of JSON."""

import json
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.confidence.judged import JudgedScores
from agent.confidence.reliability import average_precision, expected_calibration_error
from agent.confidence.reliability import reliability_curve as curve_of
from agent.confidence.scores import Counts, Estimate, binary_scores, f1_score, wilson
from agent.errors import WorkbenchError, read_errors, write_errors
from agent.examples.examples import Example
from agent.json_lines import append_lines, read_lines
from agent.protocol.reply import Verdict
from agent.trajectory.trajectory import Trajectory

MAX_LINE = 100_000


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One judgement; a `verdict` of None means that no verdict could be read, and is wrong.

    Tokens and calls are 0 for judges that are not agents; tokens are -1 for engines that do not
    count them.
    """

    key: str
    task: str
    answer: Verdict  # the true answer
    label: str = ""
    survey: str = ""
    snr: float | None = None
    verdict: Verdict | None = None
    p_yes: float | None = None
    well_formed: bool = True
    calls: int = 0
    turns: int = 0
    tokens: int = 0  # generated tokens
    prompt_tokens: int = 0
    seconds: float = 0.0
    stopped_by: str = ""
    shown_answer: Verdict | None = None
    """The true answer for the spectrum in the pictures, where they show another one."""

    @property
    def is_right(self) -> bool:
        return self.verdict == self.answer


NAMES = {field.name for field in fields(Judgement)}


def tasks_with_members(judgements: Iterable[Judgement]) -> list[str]:
    """Tasks with a positive in the set, because F1 needs one."""
    has_member: dict[str, bool] = {}
    for one in judgements:
        has_member[one.task] = has_member.get(one.task, False) or one.answer == "YES"
    return [task for task, has in has_member.items() if has]


def from_trajectory(one: Example, trajectory: Trajectory) -> Judgement:
    return Judgement(
        **_about(one),
        verdict=trajectory.verdict,
        p_yes=trajectory.p_yes,
        well_formed=trajectory.well_formed,
        calls=sum(step.kind == "zoom" for step in trajectory.steps),
        turns=len(trajectory.replies),
        tokens=trajectory.tokens.generated,
        prompt_tokens=trajectory.tokens.prompt,
        seconds=round(trajectory.seconds, 4),
        stopped_by=trajectory.stopped_by,
    )


def from_probability(one: Example, p_yes: float, threshold: float, seconds: float) -> Judgement:
    """Judgement of a specialist network, which always answers."""
    verdict: Verdict = "YES" if p_yes >= threshold else "NO"
    return Judgement(**_about(one), verdict=verdict, p_yes=p_yes, seconds=round(seconds, 6))


def unreadable(one: Example, reason: str) -> Judgement:
    """Judgement of a spectrum that cannot be drawn: a wrong answer, not a missing row."""
    return Judgement(**_about(one), well_formed=False, stopped_by=f"error: {reason}"[:200])


def _about(one: Example) -> dict[str, Any]:
    return {
        "key": one.key,
        "task": one.task,
        "answer": one.answer,
        "label": one.label,
        "survey": one.spectrum.survey,
        "snr": one.spectrum.snr,
    }


def add_judgements(path: Path, judgements: Iterable[Judgement]) -> None:
    with write_errors(path):
        append_lines(path, (json.dumps(asdict(one), allow_nan=False) for one in judgements))


def read_judgements(path: Path) -> Iterator[Judgement]:
    """The judgements in a file; a last line that a crash cut off is skipped."""
    with read_errors(path):
        path.open("rb").close()  # a log need not be there, but a file that was named must be
        yield from read_lines(path, _judgement, MAX_LINE)


def _judgement(line: bytes) -> Judgement:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise WorkbenchError("not a line of JSON") from None
    if not _is_judgement(record):
        raise WorkbenchError("not a judgement")
    return Judgement(**{name: record[name] for name in record if name in NAMES})


def _is_judgement(record: Any) -> bool:
    match record:
        case {
            "key": str(),
            "task": str(),
            "answer": "YES" | "NO",
            "verdict": "YES" | "NO" | None,
            "p_yes": p_yes,
        }:
            known = isinstance(p_yes, int | float) and not isinstance(p_yes, bool)
            return p_yes is None or (known and 0.0 <= p_yes <= 1.0)
        case _:
            return False


# Figures of judgements with their intervals, per task and over all tasks, and of two judges.
DRAWS = 2000
TAIL = 0.025
UNDEFINED = Estimate(None, float("nan"), float("nan"))
"""F1 of a task or bin without a member, which has none."""
_OUTCOMES = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True, kw_only=True)
class TaskFigures:
    task: str
    n: int
    positives: int
    f1: Estimate
    precision: Estimate
    recall: Estimate
    accuracy: Estimate
    unanswered: int
    average_precision: float | None
    calibration_error: float | None


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Cost of judging, per candidate."""

    calls: float
    tokens: float
    prompt_tokens: float
    seconds: float  # median
    well_formed: float  # share of well-formed inspections
    writes: bool = True  # False for networks, whose form and tokens mean nothing


@dataclass(frozen=True, kw_only=True)
class JudgeFigures:
    """Figures of one judge on one set; `mean_f1` is over tasks with a positive, if there is any."""

    judge: str
    tasks: tuple[TaskFigures, ...]
    mean_f1: Estimate
    mean_accuracy: float
    effort: Effort


def judge_figures(name: str, judgements: Sequence[Judgement], seed: int = 0) -> JudgeFigures:
    by_task = group_by_task(judgements)
    shares = [sum(one.is_right for one in rows) / len(rows) for rows in by_task.values()]
    return JudgeFigures(
        judge=name,
        tasks=tuple(task_figures(task, rows, seed) for task, rows in by_task.items()),
        mean_f1=mean_f1(judgements, seed),
        mean_accuracy=statistics.fmean(shares),
        effort=Effort(
            calls=statistics.fmean(one.calls for one in judgements),
            tokens=statistics.fmean(one.tokens for one in judgements),
            prompt_tokens=statistics.fmean(one.prompt_tokens for one in judgements),
            seconds=statistics.median(one.seconds for one in judgements),
            well_formed=statistics.fmean(one.well_formed for one in judgements),
            writes=any(one.turns or one.stopped_by for one in judgements),
        ),
    )


def group_by_task(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    found: dict[str, list[Judgement]] = {}
    for one in judgements:
        found.setdefault(one.task, []).append(one)
    return found


def task_figures(task: str, rows: Sequence[Judgement], seed: int = 0) -> TaskFigures:
    scores = binary_scores(confusion(rows), seed=seed)
    right = sum(one.is_right for one in rows)
    judged = judged_scores(rows)
    both = judged.positives > 0 and judged.negatives > 0
    positives = sum(one.answer == "YES" for one in rows)
    return TaskFigures(
        task=task,
        n=len(rows),
        positives=positives,
        f1=scores.f1 if positives else UNDEFINED,
        precision=scores.precision,
        recall=scores.recall,
        accuracy=Estimate(right / len(rows), *wilson(right, len(rows))),
        unanswered=sum(one.verdict is None for one in rows),
        average_precision=average_precision(judged) if both else None,
        calibration_error=expected_calibration_error(curve_of(judged)) if len(judged) else None,
    )


def judged_scores(rows: Iterable[Judgement]) -> JudgedScores:
    """p(YES) and truth of the judgements that have a p(YES)."""
    scored = [one for one in rows if one.p_yes is not None]
    return JudgedScores(
        np.array([one.p_yes for one in scored], dtype=np.float64),
        np.array([one.answer == "YES" for one in scored], dtype=np.bool_),
    )


def confusion(rows: Sequence[Judgement]) -> Counts:
    """[[true NO, false YES], [false NO, true YES]]; no answer counts as NO."""
    table = np.zeros((2, 2), dtype=np.int64)
    for one in rows:
        table[int(one.answer == "YES"), int(one.verdict == "YES")] += 1
    return table


def mean_f1(judgements: Sequence[Judgement], seed: int = 0) -> Estimate:
    by_task = group_by_task(judgements)
    tables = [confusion(by_task[task]) for task in tasks_with_members(judgements)]
    return mean_f1_of(tables, seed) if tables else UNDEFINED


def mean_f1_of(tables: Sequence[Counts], seed: int = 0) -> Estimate:
    """Mean F1 over tasks, with an interval from resampling each task's positives and negatives."""
    value = _mean_f1(np.array(tables))
    rng = np.random.default_rng(seed)
    drawn = np.array([_resampled(table, rng) for table in tables])
    low, high = np.quantile(_mean_f1(drawn.swapaxes(0, 1)), [TAIL, 1.0 - TAIL])
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))


def _mean_f1(tables: NDArray[Any]) -> NDArray[np.float64]:
    """Mean F1 over the last axis; a task without positives and without YES has F1 0."""
    return np.nan_to_num(f1_score(tables)).mean(axis=-1)


def _resampled(table: Counts, rng: np.random.Generator) -> NDArray[np.float64]:
    """DRAWS tables with the same numbers of positives and negatives."""
    rows = []
    for missed, hit in table.tolist():
        # Smoothing would shift all tasks the same way and their mean out of its own interval. Only
        # 0 of n and n of n, which a binomial would repeat forever, get half a candidate on both
        # sides.
        n = missed + hit
        if n and not (missed and hit):
            yes = n * rng.beta(hit + 0.5, missed + 0.5, DRAWS)
        else:
            yes = rng.binomial(n, hit / max(n, 1), DRAWS).astype(np.float64)
        rows.append(np.stack([n - yes, yes], axis=-1))
    return np.stack(rows, axis=-2)


# Whether one judge is better than another on the same candidates.
@dataclass(frozen=True, kw_only=True)
class JudgeComparison:
    first: str
    second: str
    n: int
    only_first: int  # number of candidates on which only the first is right
    only_second: int
    p_value: float  # McNemar's exact test, two-sided
    f1_difference: Estimate
    """Difference of the mean F1 over tasks, with a paired bootstrap interval."""


def compare(
    first: str, second: str, ours: Sequence[Judgement], theirs: Sequence[Judgement], seed: int = 0
) -> JudgeComparison:
    other = {one.key: one for one in theirs}
    pairs = [(one, other[one.key]) for one in ours if one.key in other]
    if not pairs:
        raise WorkbenchError(f"{first} and {second} have no candidate in common")
    only_first = sum(one.is_right and not two.is_right for one, two in pairs)
    only_second = sum(two.is_right and not one.is_right for one, two in pairs)
    return JudgeComparison(
        first=first,
        second=second,
        n=len(pairs),
        only_first=only_first,
        only_second=only_second,
        p_value=mcnemar(only_first, only_second),
        f1_difference=_difference(pairs, seed),
    )


def mcnemar(one: int, other: int) -> float:
    """Two-sided exact p-value of the numbers of candidates on which only one judge is right."""
    from scipy.stats import binomtest

    return float(binomtest(min(one, other), one + other).pvalue) if one + other else 1.0


def _difference(pairs: Sequence[tuple[Judgement, Judgement]], seed: int) -> Estimate:
    """Paired bootstrap within task and answer: both judges get the same candidates."""
    tasks = tasks_with_members(one for one, _ in pairs)
    if not tasks:
        return UNDEFINED
    strata: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for one, two in pairs:
        if one.task in tasks:
            verdicts = (one.verdict == "YES", two.verdict == "YES")
            strata.setdefault((one.task, one.answer), []).append(verdicts)
    rng = np.random.default_rng(seed)
    found = np.zeros((2, len(tasks), 2, 2))
    drawn = np.zeros((2, DRAWS, len(tasks), 2, 2))
    for (task, answer), verdict_pairs in strata.items():
        row, column = tasks.index(task), int(answer == "YES")
        yes = np.array(verdict_pairs).T
        # Drawing counts of the four pairs of verdicts equals drawing candidates, and is faster.
        kinds = np.array([int(((yes[0] == a) & (yes[1] == b)).sum()) for a, b in _OUTCOMES])
        counts = rng.multinomial(kinds.sum(), kinds / kinds.sum(), DRAWS)
        for judge in range(2):
            is_yes = np.array([kind[judge] for kind in _OUTCOMES])
            found[judge, row, column] = kinds[~is_yes].sum(), kinds[is_yes].sum()
            drawn[judge, :, row, column, 0] = counts[:, ~is_yes].sum(axis=1)
            drawn[judge, :, row, column, 1] = counts[:, is_yes].sum(axis=1)
    value, draws = (np.nan_to_num(f1_score(each)).mean(axis=-1) for each in (found, drawn))
    low, high = np.quantile(draws[0] - draws[1], [TAIL, 1.0 - TAIL])
    return Estimate(float(value[0] - value[1]), float(low), float(high))
