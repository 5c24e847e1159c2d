"""Review sheets: JSON lines that a person fills in and imports again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent.checked_toml import printable
from agent.errors import WorkbenchError, write_errors
from agent.json_lines import MAX_LINE
from agent.ratings.records import timestamp
from agent.ratings.rubric import CRITERIA
from train.review.pool import Pool
from train.review.review_rules import Role, diff_of, review_from
from train.review.revision import canonical_replies


def review_by_sheet(
    pool: Pool, by: str, role: Role, sheet: Path, *, limit: int | None = None
) -> str:
    """Write the sheet if it does not exist, otherwise import its reviews; returns a summary."""
    if not sheet.is_file():
        count = write_sheet(pool, by, role, sheet, limit=limit)
        return f"{count} trajectories in {sheet}: fill in approve and the scores, then repeat this"
    imported, left = import_sheet(pool, by, role, sheet)
    return f"{imported} reviews imported from {sheet}, {left} lines left open"


def write_sheet(pool: Pool, by: str, role: Role, path: Path, *, limit: int | None = None) -> int:
    """Write one line per case this person may review, with `approve` and the scores null."""
    lines: list[str] = []
    for case in pool.cases_at(role):
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
            **({"changes": False} if role == "auditor" else {}),
            **({"wanted": [each.note for each in case.audits]} if case.is_returned else {}),
            "coherence": None,
            "consistency": None,
            "note": "",
        }
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    with write_errors(path):
        path.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def import_sheet(pool: Pool, by: str, role: Role, path: Path) -> tuple[int, int]:
    """Import the filled-in lines; returns the numbers of imported and of open lines.

    A reviser may have changed `replies`. The first line that breaks a rule stops the import with
    an error; lines before it are imported.
    """
    cases = {case.id: case for case in pool.cases()}
    imported = left = 0
    for number, line in enumerate(_read_lines(path), 1):
        try:
            table = json.loads(line)
            if not isinstance(table, dict):
                raise WorkbenchError("a line should be an object")
            if table.get("approve") is None:
                left += 1
                continue
            case = cases.get(str(table.get("trajectory")))
            if case is None:
                raise WorkbenchError("this pool has no such trajectory")
            given = {key: table.get(key) for key in ("version", "approve", *CRITERIA)}
            given |= {"changes": table.get("changes") or False, "note": table.get("note") or ""}
            given |= {"trajectory": case.id, "role": role, "by": by, "at": timestamp()}
            review = review_from({**given, "replies": table.get("replies", [])})
            # A review stores only changed replies: the pool has the others. They are brought into
            # one form first, so that another way to write the same is no change.
            before, after = case.replies, review.replies or case.replies
            after = canonical_replies(after) if after != before else after
            changed = after if after != before else ()
            pool.add_review(replace(review, replies=changed, diff=diff_of(before, after)))
        except (ValueError, RecursionError, WorkbenchError) as error:
            raise WorkbenchError(f"{path}, line {number}: {printable(str(error), 160)}") from error
        imported += 1
    return imported, left


def _read_lines(path: Path) -> list[str]:
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
