"""Reviews that do not come from the terminal: by a file, or by a model that judges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agent.engines.base import Engine
from agent.errors import EngineError, ToolError
from agent.inspection.engine_loader import load_engine
from agent.models.registry import find_model
from train.curate.judge import Scores, judge
from train.curate.pool import Pool
from train.curate.process import Case
from train.curate.reviews import Review, Role, now
from train.curate.sheet import take_sheet, write_sheet


def review_by_sheet(
    pool: Pool, by: str, role: Role, sheet: Path, *, limit: int | None = None
) -> str:
    """Write the file where there is none, take in what was filled in where there is one."""
    if not sheet.is_file():
        count = write_sheet(pool, by, role, sheet, limit=limit)
        return f"{count} trajectories in {sheet}: fill in approve and the scores, then repeat this"
    taken, left = take_sheet(pool, by, role, sheet)
    return f"{taken} reviews taken from {sheet}, {left} lines left open"


def review_by_model(
    pool: Pool,
    by: str,
    role: Role,
    model: str,
    *,
    limit: int | None = None,
    advance: Callable[[], None] = lambda: None,
) -> str:
    """A model gives the scores. Raises WorkbenchError where there is no such model."""
    place = find_model(model)
    engine = load_engine(place)
    try:
        given, mute = judge_waiting(pool, by, role, engine, limit=limit, advance=advance)
    finally:
        engine.close()
    return f"{given} judged by {place.card.name}, {mute} without usable scores"


def judge_waiting(
    pool: Pool,
    by: str,
    role: Role,
    engine: Engine,
    *,
    limit: int | None = None,
    advance: Callable[[], None] = lambda: None,
) -> tuple[int, int]:
    """How many were judged, and for how many nothing usable came; those wait as before."""
    given = mute = 0
    for case in pool.waiting(role):
        if limit is not None and given + mute == limit:
            break
        if case.refusal(by, role):
            continue
        scores = _scores(pool, case, engine)
        if scores is None:
            mute += 1
        else:
            pool.add(case, _review(case, by, role, scores))
            given += 1
        advance()
    return given, mute


def _scores(pool: Pool, case: Case, engine: Engine) -> Scores | None:
    spectrum = pool.example(case).spectrum
    try:
        return judge(engine, pool.current(case), spectrum, pool.task(case))
    except (EngineError, ToolError):
        return None


def _review(case: Case, by: str, role: Role, scores: Scores) -> Review:
    return Review(
        trajectory=case.id,
        role=role,
        by=by,
        approve=scores.approve,
        version=case.version,
        at=now(),
        coherence=scores.coherence,
        consistency=scores.consistency,
        note=scores.note,
    )
