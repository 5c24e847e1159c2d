"""A model that judges inspections on the rubric that people use, from the whole conversation.

In a pool it is a reviewer like others; beside a file of inspections it writes ratings.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from agent.checked_toml import printable
from agent.engines.base import Engine, SamplingSettings
from agent.engines.kind import LoadOptions
from agent.errors import (
    ContextFullError,
    EngineError,
    SpectrumError,
    ToolError,
    TrajectoryError,
    WorkbenchError,
)
from agent.inspection.inspector_factory import load_engine
from agent.inspection.pictures import PictureMaker
from agent.models.registry import find_model
from agent.protocol.protocol import Turn
from agent.ratings.records import MAX_NOTE, Rating, subject_of, timestamp, trajectory_id
from agent.ratings.rubric import CRITERIA, HIGHEST, LOWEST, rubric_text
from agent.rendering.render import Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.turns import turns_of
from train.review.pool import Pool
from train.review.rating_round import Spectra, add_records, read_records
from train.review.review_rules import Case, Role

ASK = f"""The inspection ends here. You are now its referee, not its author. Judge it against the \
pictures and the guideline, without kindness.
{rubric_text()}
Answer with one line of JSON and nothing else:
{{"coherence": 0, "consistency": 0, "approve": false, "note": "the worst fault, in a sentence"}}"""
# A judge that gives no `approve` approves when both scores reach this.
MIN_APPROVED_SCORE = 4
MAX_TEXT = 100_000
MAX_OBJECTS = 50

Subject = TypeVar("Subject")
Read = Callable[[Subject], tuple[Trajectory, Spectrum, Task]]
Advance = Callable[[], None]


@dataclass(frozen=True, kw_only=True)
class ModelJudge:
    """Who judges; with a server several conversations may be held at the same time."""

    engine: Engine
    name: str
    seed: int = 0
    at_once: int = 1


@dataclass(frozen=True)
class Scores:
    coherence: int
    consistency: int
    approve: bool
    note: str = ""


@dataclass
class JudgeCounts:
    rated: int = 0
    known: int = 0  # rated before by the same judge
    unusable: int = 0  # without a spectrum, or a reply without scores
    first_fault: str = ""


@contextmanager
def opened_judge(
    model: str, name: str = "", seed: int = 0, at_once: int = 1
) -> Iterator[tuple[ModelJudge, str]]:
    """A judge by its model's name, path or server, and what the model is called."""
    location = find_model(model)
    if at_once > 1 and location.card.server is None:
        raise WorkbenchError("--at-once is for a model on a server")
    engine = load_engine(location, LoadOptions(side_by_side=at_once > 1))
    called = location.card.name
    with closing(engine):
        yield ModelJudge(engine=engine, name=name or called, seed=seed, at_once=at_once), called


def judge_pool(
    judge: ModelJudge,
    pool: Pool,
    role: Role,
    limit: int | None = None,
    advance: Advance = lambda: None,
) -> JudgeCounts:
    """Review what waits for this role; what has no usable scores keeps waiting.

    Raises EngineError if the engine fails: what was reviewed is saved, and a second call goes on.
    """

    def read(case: Case) -> tuple[Trajectory, Spectrum, Task]:
        return pool.current_trajectory(case), pool.example(case).spectrum, pool.task(case)

    def keep(case: Case, found: Scores) -> None:
        pool.add_review(case.review(judge.name, role, **vars(found)))

    open_cases = (case for case in pool.cases_at(role) if not case.refusal(judge.name, role))
    return _judge_all(judge, islice(open_cases, limit), read, keep, advance)


def rate_all(
    judge: ModelJudge,
    trajectories: Iterable[Trajectory],
    spectra: Spectra,
    out: Path,
    advance: Advance = lambda: None,
) -> JudgeCounts:
    """Rate what this judge has not rated yet, into a file of ratings that may be begun.

    Raises EngineError if the server fails: what was rated is saved, and a second call goes on.
    """

    def read(trajectory: Trajectory) -> tuple[Trajectory, Spectrum, Task]:
        return trajectory, spectra.of(trajectory.spectrum), find_task(trajectory.task)

    def keep(trajectory: Trajectory, found: Scores) -> None:
        rating = Rating(
            subject=subject_of(trajectory), coherence=found.coherence,
            consistency=found.consistency, note=found.note,
            by=judge.name, by_model=True, at=timestamp(),
        )  # fmt: skip
        add_records(out, [rating])

    every = list(trajectories)
    ratings = (each for each in read_records(out) if isinstance(each, Rating) and each.by_model)
    done = {each.subject.trajectory for each in ratings if each.by == judge.name}
    waiting = [one for one in every if trajectory_id(one) not in done]
    counts = _judge_all(judge, waiting, read, keep, advance)
    counts.known = len(every) - len(waiting)
    return counts


def _judge_all(
    judge: ModelJudge,
    subjects: Iterable[Subject],
    read: Read[Subject],
    keep: Callable[[Subject, Scores], None],
    advance: Advance,
) -> JudgeCounts:
    def scores_or_why(subject: Subject) -> Scores | str:
        try:
            scores = scores_of(judge.engine, *read(subject), seed=judge.seed)
        except (TrajectoryError, SpectrumError, ToolError, ContextFullError) as error:
            return str(error)
        return scores or "the reply has no scores"

    counts, left = JudgeCounts(), iter(subjects)
    with ThreadPoolExecutor(judge.at_once) as threads:
        # One conversation at a time is held in this thread.
        run: Callable[..., Iterable[Scores | str]] = map if judge.at_once == 1 else threads.map
        # A few at a time, so that a failure loses few replies.
        while some := list(islice(left, judge.at_once)):
            for subject, found in zip(some, run(scores_or_why, some), strict=True):
                if isinstance(found, Scores):
                    keep(subject, found)
                    counts.rated += 1
                else:
                    counts.unusable += 1
                    counts.first_fault = counts.first_fault or found
                advance()
    return counts


def scores_of(
    engine: Engine, trajectory: Trajectory, spectrum: Spectrum, task: Task, *, seed: int = 0
) -> Scores | None:
    """The model's scores; None if its reply holds none. Raises EngineError."""
    turns = [*turns_of(task, trajectory), Turn("user", ASK)]
    style = Style.from_table(trajectory.style)
    maker = PictureMaker.of(spectrum, trajectory.spectrum, style, engine.sizing)
    pictures = [maker.overview(), *map(maker.redraw, trajectory.looks)]
    with closing(engine.open()) as conversation:
        conversation.append(turns, pictures)
        sampling = SamplingSettings(max_new_tokens=600)
        generated = conversation.generate(sampling, seed, choice_point=None)
    if generated.finish == "cancelled":
        raise EngineError("the judge was stopped")
    return read_scores(generated.text)


def read_scores(text: str) -> Scores | None:
    """The scores of the last JSON object in a reply that holds both."""
    found = None
    for table in _objects(text[-MAX_TEXT:]):
        coherence, consistency = (_score(table.get(name)) for name in CRITERIA)
        if coherence is None or consistency is None:
            continue
        value = table.get("approve")
        is_good = min(coherence, consistency) >= MIN_APPROVED_SCORE
        approve = value if isinstance(value, bool) else is_good
        note = table.get("note", "")
        told = printable(note, MAX_NOTE) if isinstance(note, str) else ""
        found = Scores(coherence, consistency, approve, told)
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects in a text, in order; a model may write anything around them."""
    decoder, at = json.JSONDecoder(), 0
    for _ in range(MAX_OBJECTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        at = end
        if isinstance(found, dict):
            yield found


def _score(value: object) -> int | None:
    """A whole number from 0 to 5, also if written as 4.0, "4" or "4/5"."""
    if isinstance(value, str):
        head = value.strip().partition("/")[0].strip()
        value = float(head) if head.replace(".", "", 1).isdigit() and len(head) < 6 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(value) if LOWEST <= value <= HIGHEST else None
