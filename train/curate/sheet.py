"""Reviews by editing a file: what waits for a person goes out as JSON lines and comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from train.curate.one_form import one_form
from train.curate.pool import Pool
from train.curate.reviews import MAX_LINE, Review, Role, diff_of, now, review_from


def write_sheet(pool: Pool, by: str, role: Role, path: Path, *, limit: int | None = None) -> int:
    """What this person may review now, a line each, with `approve` and the scores left null."""
    lines: list[str] = []
    for case in pool.waiting(role):
        if case.refusal(by, role):
            continue
        if limit is not None and len(lines) == limit:
            break
        line: dict[str, Any] = {
            "trajectory": case.id,
            "version": case.version,
            "task": case.trajectory.task,
            "spectrum": case.trajectory.spectrum.path,
            "truth": pool.example(case).answer,
            "replies": list(case.replies),
            "approve": None,
            "coherence": None,
            "consistency": None,
            "note": "",
        }
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error
    return len(lines)


def take_sheet(pool: Pool, by: str, role: Role, path: Path) -> tuple[int, int]:
    """The lines that were filled in, as reviews; how many, and how many were left null.

    A reviser may have changed `replies`. The first line that breaks a rule stops it by number;
    those above it are taken.
    """
    cases = {case.id: case for case in pool.cases()}
    taken = left = 0
    for number, line in enumerate(_lines(path), 1):
        try:
            table = json.loads(line)
            if not isinstance(table, dict):
                raise WorkbenchError("a line should be an object")
            if table.get("approve") is None:
                left += 1
                continue
            case = cases.get(str(table.get("trajectory")))
            if case is None:
                raise WorkbenchError("there is no such trajectory in this pool")
            before = case.replies
            given = {key: table.get(key) for key in ("approve", "coherence", "consistency")}
            review = review_from(
                {
                    **given,
                    "trajectory": case.id,
                    "version": table.get("version"),
                    "role": role,
                    "by": by,
                    "at": now(),
                    "note": table.get("note") or "",
                    "replies": table.get("replies", []),
                }
            )
            pool.add(case, _with_changes(review, before))
        except (ValueError, RecursionError, WorkbenchError) as error:
            raise WorkbenchError(f"{path}, line {number}: {printable(str(error), 160)}") from error
        taken += 1
    return taken, left


def _with_changes(review: Review, before: tuple[str, ...]) -> Review:
    """Only what a reviser changed is kept: the words themselves are in the pool."""
    after = review.replies or before
    if after != before:
        after = one_form(after)
    changed = after if after != before else ()
    return replace(review, replies=changed, diff=diff_of(before, after))


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            lines: list[str] = []
            while line := file.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    raise WorkbenchError(f"{path}, line {len(lines) + 1}: too long")
                if line.strip():
                    lines.append(line.decode("utf-8-sig"))
            return lines
    except (OSError, UnicodeDecodeError) as error:
        raise WorkbenchError(f"{path} cannot be read: {error}") from error
