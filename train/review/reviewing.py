"""Reviews through a file, or by a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agent.engines.base import Engine
from agent.errors import EngineError, ToolError
from agent.inspection.engine_loader import load_engine
from agent.models.registry import find_model
from agent.ratings.records import timestamp
from train.review.judge import Scores, judge
from train.review.pool import Pool
from train.review.review_rules import Case
from train.review.reviews import Review, Role
from train.review.sheet import import_sheet, write_sheet


def review_by_sheet(
    pool: Pool, by: str, role: Role, sheet: Path, *, limit: int | None = None
) -> str:
    """Write the sheet if it does not exist, otherwise import its reviews; returns a summary."""
    if not sheet.is_file():
        count = write_sheet(pool, by, role, sheet, limit=limit)
        return f"{count} trajectories in {sheet}: fill in approve and the scores, then repeat this"
    imported, left = import_sheet(pool, by, role, sheet)
    return f"{imported} reviews imported from {sheet}, {left} lines left open"


def review_by_model(
    pool: Pool,
    by: str,
    role: Role,
    model: str,
    *,
    limit: int | None = None,
    advance: Callable[[], None] = lambda: None,
) -> str:
    """Let a model give the scores; raises WorkbenchError if there is no such model."""
    location = find_model(model)
    engine = load_engine(location)
    try:
        judged, unusable = judge_cases(pool, by, role, engine, limit=limit, advance=advance)
    finally:
        engine.close()
    return f"{judged} judged by {location.card.name}, {unusable} without usable scores"


def judge_cases(
    pool: Pool,
    by: str,
    role: Role,
    engine: Engine,
    *,
    limit: int | None = None,
    advance: Callable[[], None] = lambda: None,
) -> tuple[int, int]:
    """The numbers of judged and of unusable replies; cases with unusable ones keep waiting."""
    judged = unusable = 0
    for case in pool.cases_at(role):
        if limit is not None and judged + unusable == limit:
            break
        if case.refusal(by, role):
            continue
        scores = _scores(pool, case, engine)
        if scores is None:
            unusable += 1
        else:
            pool.add_review(_review(case, by, role, scores))
            judged += 1
        advance()
    return judged, unusable


def _scores(pool: Pool, case: Case, engine: Engine) -> Scores | None:
    spectrum = pool.example(case).spectrum
    try:
        return judge(engine, pool.current_trajectory(case), spectrum, pool.task(case))
    except (EngineError, ToolError):
        return None


def _review(case: Case, by: str, role: Role, scores: Scores) -> Review:
    return Review(
        trajectory=case.id,
        role=role,
        by=by,
        approve=scores.approve,
        version=case.version,
        at=timestamp(),
        coherence=scores.coherence,
        consistency=scores.consistency,
        note=scores.note,
    )
