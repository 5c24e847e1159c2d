"""The list of what was fetched, which opens as any other, and of what was not."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import case, update

from agent.atomic_file import write_file
from app.core.database.tables import MIN_TARGETID, candidates
from app.core.errors import disk_errors
from app.core.fetching.fetch_run import FetchedRow, FetchReport
from app.core.fetching.rows import FetchRow
from app.core.session.records import Change
from app.core.session.session import Session
from app.core.session.spectra_folders import allow_folders

LIST, REST = "fetched.csv", "not_fetched.csv"
FIRST = ("object_id", "path", "ra", "dec", "score", "label", "snr")
LAST = ("archive", "release", "archive_id", "sha256")


def write_lists(report: FetchReport, folder: Path) -> Path | None:
    """Write them atomically; the list of the fetched, or None if there are none."""
    failed = [{**_facts(each.row, ""), "reason": each.reason} for each in report.failed]
    _write(folder / REST, failed, ("reason",))
    return _write(folder / LIST, [_fetched(each) for each in report.fetched], LAST)


def _fetched(fetched: FetchedRow) -> dict[str, Any]:
    record = fetched.record
    last = (record.archive, record.release, record.id, record.sha256)
    return {**_facts(fetched.row, record.file), **dict(zip(LAST, last, strict=True))}


def _facts(row: FetchRow, path: str) -> dict[str, Any]:
    wanted = row.wanted
    first = (wanted.object_id, path, wanted.ra, wanted.dec, row.score, row.label, row.snr)
    return {**row.own, **dict(zip(FIRST, first, strict=True))}


def _write(out: Path, rows: Sequence[dict[str, Any]], last: Sequence[str]) -> Path | None:
    if not rows:
        out.unlink(missing_ok=True)
        return None
    names = dict.fromkeys(name for row in rows for name in row)
    own = [name for name in names if name not in FIRST and name not in last]
    used = [name for name in FIRST if any(row.get(name) not in (None, "") for row in rows)]
    sink = io.StringIO()
    writer = csv.DictWriter(sink, [*used, *own, *last], restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    with disk_errors(out):
        write_file(out, sink.getvalue().encode("utf-8", "replace"))
    return out


def keep_in_session(session: Session, fetched: Sequence[FetchedRow], folder: Path) -> int:
    """Set path and hash of the candidates; how many got a file. The first of several counts."""
    first = {each.row.candidate_id: each for each in reversed(fetched) if each.row.candidate_id}
    if not first:
        return 0
    folder = folder.absolute()
    is_target = candidates.c.row >= MIN_TARGETID  # other rows counted in a file of many
    with session.database.writing() as connection:
        for candidate_id, each in first.items():
            connection.execute(
                update(candidates)
                .where(candidates.c.id == candidate_id)
                .values(
                    row=case((is_target, candidates.c.row), else_=0),
                    path=str(folder / each.record.file),
                    file_sha256=each.record.sha256,
                    fault="",
                )
            )
    allow_folders(session.id, [folder])
    session.changed.emit(Change(aspect="list", candidate_ids=frozenset(first)))
    return len(first)
