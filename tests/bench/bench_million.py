"""A million inspected candidates: session size, open, pages, filters, orders, export, memory.

The records are those of the measured inspector on the sample, over and over. Each size is measured
in a process of its own. Nothing may grow faster than the list, so by more than 10 a step. Run it by
name: `python -m tests.bench million` takes two gigabytes of disk and a quarter of an hour.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.spectra.readers.registry import read
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from app.core.exporting import export
from app.core.inspections.store import (
    add_inspection,
    count_pending,
    inspections_of,
    models_of,
    pending_candidates,
)
from app.core.queue import LIST_ORDER, Sort, count, page, parse_filter, parse_sort
from app.core.session.session import Session, open_session
from tests.app.core.importing.memory import peak_mb
from tests.bench.bench_inspection import sample_rows
from tests.bench.bench_queue import fill
from tests.bench.measuring import figure_line, ms_of, seconds_of, told_by

SIZES = (10_000, 100_000, 1_000_000)
STEP = 10
KNOWN = 60
CALLS = 9
MOST_MS = 2000.0
LINES = 25
MIB = 2**20
OTHER = ModelRef(name="nano", sha256="ab")

COPIES = f"""
    INSERT INTO inspections
      (candidate_id, model, model_sha256, at, verdict, p_yes, stopped_by, well_formed, record)
    SELECT c.id, i.model, i.model_sha256, i.at, c.agent_verdict, c.agent_p_yes, i.stopped_by,
      i.well_formed, i.record
    FROM candidates c JOIN inspections i ON i.candidate_id = 1 + c.id % {KNOWN}
    WHERE c.id > {KNOWN}
"""
# One in a hundred is a candidate on which agents differ.
OPINIONS = (
    "UPDATE candidates SET agent_p_yes = abs(random() % 1000000) / 1e6, agent_model = 'measured', "
    f"agent_stopped_by = 'answer', agents_differ = id % 100 = 0 WHERE id > {KNOWN}",
    "UPDATE candidates SET agent_verdict = CASE WHEN agent_p_yes > 0.5 THEN 'YES' ELSE 'NO' END, "
    f"surprise = abs(agent_p_yes - score) WHERE id > {KNOWN}",
)


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        measured = {size: _of_size(Path(folder), size) for size in SIZES}
    for name, (_, unit) in measured[SIZES[-1]].items():
        values = [measured[size][name][0] for size in SIZES]
        growth = max(later / max(sooner, 1e-9) for sooner, later in pairwise(values))
        smaller = {f"at_{size}": value for size, value in zip(SIZES[:-1], values, strict=False)}
        yield figure_line(name, values[-1], unit, **smaller, growth=growth, target=STEP)


def _of_size(folder: Path, size: int) -> dict[str, tuple[float, str]]:
    place = folder / f"{size}.speco3"
    seconds = seconds_of(partial(_fill, place, size))
    print(f"{size:,} filled in {seconds:.0f} s", file=sys.stderr)
    bytes_before = place.stat().st_size
    found: dict[str, tuple[float, str]] = told_by("-m", "tests.bench.bench_million", str(place))
    place.unlink()
    print(json.dumps(found), file=sys.stderr)  # it takes long until all are there
    return {"size of the session": (bytes_before / MIB, "MiB"), **found}


def _fill(place: Path, size: int) -> None:
    fill(place, size)
    with open_session(place, "Ada") as session:
        for number, record in enumerate(_records(), 1):
            add_inspection(session, number, record)
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for statement in (*OPINIONS, COPIES):
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@cache
def _records() -> list[Trajectory]:
    inspector, task = MeasuredInspector(), find_task("CV")
    return [run(inspector.inspect(read(*row), task)) for row in sample_rows()[:KNOWN]]


def measure(place: Path) -> Iterator[tuple[str, float, str]]:
    """Name, value and unit of each figure of a session that is there."""
    yield "open", ms_of(lambda: open_session(place, "Ada").close()), "ms"
    with open_session(place, "Ada") as session:
        yield "memory when open", peak_mb(), "MiB"
        for name, call in _cases(session).items():
            yield f"once: {name}", ms_of(call), "ms"
            yield name, _median_ms(call), "ms"
        yield "memory after pages, filters and orders", peak_mb(), "MiB"
        for suffix in ("csv", "fits"):
            out = place.with_suffix(f".{suffix}")
            yield f"export {suffix}", ms_of(partial(export, session, out, which="all")), "ms"
            yield f"memory after export {suffix}", peak_mb(), "MiB"
            out.unlink()


def _cases(session: Session) -> dict[str, Callable[[], object]]:
    filters = (
        *("agent:yes", "p_yes:0.4..0.6", "agent:yes p_yes<0.6", "disagree:agents"),
        *("disagree:agent", "verdict:unjudged agent:yes"),
        *("inspected:measured", "not inspected:measured"),
    )
    orders = ("list", "p_yes", "uncertain", "surprising", "disagreeing")
    model = models_of(session)[0]
    return {
        **{f"first page by {order}": _page(session, parse_sort(order)) for order in orders},
        **{f"first page of {text}": _page(session, LIST_ORDER, text) for text in filters},
        "first page of agent:yes by p_yes": _page(session, parse_sort("p_yes"), "agent:yes"),
        "count of agent:yes, to 1,000": partial(count, session, parse_filter("agent:yes"), 1000),
        "count of all agent:yes": partial(count, session, parse_filter("agent:yes")),
        "records of a candidate": partial(inspections_of, session, 1 + session.count() // 2),
        "models": partial(models_of, session),
        "count what is pending": partial(count_pending, session, model),
        "next five for another model": lambda: list(pending_candidates(session, OTHER, 5)),
    }


def _page(session: Session, sort: Sort, text: str = "") -> Callable[[], object]:
    return partial(page, session, parse_filter(text), sort, limit=LINES)


def _median_ms(call: Callable[[], object]) -> float:
    """Of some calls; of fewer where each takes seconds."""
    times = [ms_of(call)]
    while len(times) < CALLS and sum(times) < MOST_MS:
        times.append(ms_of(call))
    return statistics.median(times)


if __name__ == "__main__":
    print(json.dumps({name: (value, unit) for name, value, unit in measure(Path(sys.argv[1]))}))
