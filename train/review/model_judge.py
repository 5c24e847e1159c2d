"""A model that rates inspections on the rubric that people use, and writes their records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from agent.engines.base import Engine
from agent.errors import ContextFullError, SpectrumError, ToolError, TrajectoryError
from agent.ratings.records import Rating, subject_of, timestamp, trajectory_id
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from train.review.judge import judge
from train.review.ratings_file import add_records, read_records
from train.review.spectra import Spectra


@dataclass(frozen=True, kw_only=True)
class JudgeRun:
    """Who judges, with which spectra, and the file of ratings, which may be begun."""

    engine: Engine
    name: str
    spectra: Spectra
    out: Path
    seed: int = 0
    at_once: int = 1
    """Conversations held at the same time, with a server."""


@dataclass
class JudgeCounts:
    rated: int = 0
    known: int = 0
    """Rated before by the same judge."""
    unusable: int = 0
    """Without a spectrum, or a reply without scores."""
    first_fault: str = ""


def rate_all(
    run: JudgeRun,
    trajectories: Sequence[Trajectory],
    *,
    advance: Callable[[], None] = lambda: None,
) -> JudgeCounts:
    """Rate what this judge has not rated yet; each rating is saved when it is given.

    Raises EngineError if the server fails: what was rated is saved, and a second call goes on.
    """
    counts = JudgeCounts()
    done = {
        each.subject.trajectory
        for each in read_records(run.out)
        if isinstance(each, Rating) and each.by_model and each.by == run.name
    }
    waiting = [one for one in trajectories if trajectory_id(one) not in done]
    counts.known = len(trajectories) - len(waiting)
    for rating in _in_threads(run, waiting):
        if isinstance(rating, Rating):
            add_records(run.out, [rating])
            counts.rated += 1
        else:
            counts.unusable += 1
            counts.first_fault = counts.first_fault or rating
        advance()
    return counts


def _in_threads(run: JudgeRun, waiting: Iterable[Trajectory]) -> Iterator[Rating | str]:
    """The ratings in order, a few at a time, so that a failure loses few replies."""
    if run.at_once == 1:
        yield from map(partial(_rate, run), waiting)
        return
    left = iter(waiting)
    with ThreadPoolExecutor(run.at_once) as threads:
        while some := list(islice(left, run.at_once)):
            yield from threads.map(partial(_rate, run), some)


def _rate(run: JudgeRun, trajectory: Trajectory) -> Rating | str:
    """The rating, or why there is none."""
    try:
        spectrum = run.spectra.of(trajectory.spectrum)
        task = find_task(trajectory.task)
        scores = judge(run.engine, trajectory, spectrum, task, seed=run.seed)
    except (TrajectoryError, SpectrumError, ToolError, ContextFullError) as error:
        return str(error)
    if scores is None:
        return "the reply has no scores"
    return Rating(
        subject=subject_of(trajectory),
        by=run.name,
        by_model=True,
        coherence=scores.coherence,
        consistency=scores.consistency,
        note=scores.note,
        at=timestamp(),
    )
