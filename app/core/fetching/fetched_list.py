"""The list of what was fetched, which opens as any other, and of what was not."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent.atomic_file import write_file
from app.core.errors import disk_errors
from app.core.fetching.fetch_run import FailedRow, FetchedRow, FetchReport
from app.core.fetching.rows import FetchRow

LIST, REST = "fetched.csv", "not_fetched.csv"
FIRST = ("object_id", "path", "ra", "dec", "score", "label", "snr")
LAST = ("archive", "release", "archive_id", "sha256")


def write_lists(report: FetchReport, folder: Path) -> Path | None:
    """Write them atomically; the list of the fetched, or None if there are none."""
    _write(folder / REST, [_failed(each) for each in report.failed], ("reason",))
    rows = [_fetched(each) for each in report.fetched]
    return _write(folder / LIST, rows, LAST)


def _fetched(fetched: FetchedRow) -> dict[str, Any]:
    record = fetched.record
    return {
        **_facts(fetched.row, record.file),
        **{"archive": record.archive, "release": record.release},
        **{"archive_id": record.id, "sha256": record.sha256},
    }


def _failed(failed: FailedRow) -> dict[str, Any]:
    return {**_facts(failed.row, ""), "reason": failed.reason}


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
