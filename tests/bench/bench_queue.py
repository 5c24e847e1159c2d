"""How long a page, a filter, an order and "next unjudged" take with 100 to 1,000,000 candidates.

Each figure is the median of calls from random places, in a session half of which is judged: the
better half, so that whoever starts at the top has all of it in front.
"""

from __future__ import annotations

import json
import math
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from app.core.inspections.store import pending_candidates
from app.core.queue import (
    Sort,
    count,
    find,
    neighbours,
    next_unjudged,
    page,
    parse_filter,
    parse_sort,
    previous_row,
    row_of,
)
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, new_session, open_session
from app.core.statistics.pace import ProgressCounter, recent_pace
from tests.bench.measuring import figure_line, ms_of

SIZES = (100, 10_000, 1_000_000)
CALLS = 60
LINES = 25
FEWER = 5
"""Lines asked of a filter, so that a hundred candidates have as many as a million."""
TARGET = 2.0
OF_MANY = ("pace", "reject rates")
"""Of the last hundreds of decisions, which a list of a hundred does not have."""
MODEL = ModelRef(name="nano", sha256="ab")
SCORE = parse_sort("score")

Call = Callable[[int], object]
"""With the number of a candidate to start from."""


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        yield from figures_by_size({size: dict(_measured(Path(folder), size)) for size in SIZES})


def figures_by_size(measured: dict[int, dict[str, float]]) -> Iterator[dict[str, object]]:
    """Of milliseconds by size and name: those of the largest list, which may not grow with it."""
    *sizes, most = measured
    for name, ms in measured[most].items():
        yield figure_line(name, ms, "ms", **{f"at_{size}": measured[size][name] for size in sizes})
        if not name.startswith("once:"):
            base = sizes[name in OF_MANY]
            title = f"{name}: {most:,} candidates against {base:,}"
            baseline = f"the same with {base:,}"
            ratio = ms / measured[base][name]
            yield figure_line(title, ratio, "ratio", baseline=baseline, target=TARGET)


def _measured(folder: Path, size: int) -> Iterator[tuple[str, float]]:
    """Figure and milliseconds."""
    place = folder / f"{size}.speco3"
    yield "once: a session of so many by direct inserts", ms_of(partial(fill, place, size))
    with open_session(place, "Ada") as session:
        first = partial(page, session, sort=SCORE)
        yield "once: the first page in a new order", ms_of(first)
        for name, call in _cases(session).items():
            call(1 + size // 2)
            draw = random.Random(7)
            calls = (partial(call, draw.randint(1, size)) for _ in range(CALLS))
            yield name, statistics.median(ms_of(each) for each in calls)


def _cases(session: Session) -> dict[str, Call]:
    tally = ProgressCounter(session)
    orders = ("list", "score", "p_yes", "uncertain", "snr", "ra", "object", "random:5")
    filters = {
        "verdict:accept": ("list", "score"),
        "agent:yes": ("score",),
        "verdict:unjudged p_yes>0.3 snr>=10 own.mag_r<18": ("score",),
        "p_yes:0.4..0.6": ("p_yes",),
        "flag:star": ("score",),
        "comment:binary": ("score",),
        "disagree:agent": ("score",),
    }
    return {
        **{f"page by {order}": _page(session, parse_sort(order)) for order in orders},
        "page by score, backwards": _page(session, SCORE, backwards=True),
        "page of the unjudged by score": _page(session, SCORE, "verdict:unjudged"),
        **{
            f"first lines of {text} by {order}": _first(session, parse_sort(order), text)
            for text, with_orders in filters.items()
            for order in with_orders
        },
        **{
            f"next unjudged by {order}": _next(session, order)
            for order in ("list", "score", "uncertain")
        },
        "next unjudged by score that the agent calls YES": _next(session, "score", "agent:yes"),
        "previous by score": partial(_previous, session),
        "count of verdict:unjudged, to 50": _count(session),
        "find a name": lambda n: find(session, f"J{n:09d}"),
        "find the beginning of a name": lambda _: find(session, "j0000000", FEWER),
        "neighbours within 3 arcsec": lambda n: neighbours(session, session.candidate(n)),
        "progress": lambda _: tally.progress(),
        "pace": lambda _: recent_pace(session),
        "next five for another model": lambda _: list(pending_candidates(session, MODEL, FEWER)),
        "a verdict on the disk and the next unjudged by score": partial(_press, session),
    }


def _page(session: Session, sort: Sort, text: str = "", backwards: bool = False) -> Call:
    tree = parse_filter(text)

    def call(number: int) -> object:
        place = row_of(session, number, sort).position
        return page(session, tree, sort, after=place, limit=LINES, backwards=backwards)

    return call


def _first(session: Session, sort: Sort, text: str) -> Call:
    tree = parse_filter(text)
    return lambda _: page(session, tree, sort, limit=FEWER)


def _next(session: Session, order: str, text: str = "") -> Call:
    sort, tree = parse_sort(order), parse_filter(text)
    return lambda _: next_unjudged(session, tree, sort)


def _count(session: Session) -> Call:
    tree = parse_filter("verdict:unjudged")
    return lambda _: count(session, tree, 50)


def _previous(session: Session, number: int) -> object:
    return previous_row(session, sort=SCORE, before=row_of(session, number, SCORE).position)


def _press(session: Session, number: int) -> object:
    session.record_verdict(number, Opinion(verdict=Verdict.REJECT, comment=str(time.time())))
    return next_unjudged(session, sort=SCORE)


COLUMNS = (
    "id, list_id, line, object_id, path, row, ra, dec, score, label, snr, own, file_sha256, fault,"
    "judged_by, agent_verdict, agent_p_yes, agent_model, agent_stopped_by"
)
INSERT = f"INSERT INTO candidates ({COLUMNS}) VALUES ({', '.join('?' * 19)})"
LIST = "INSERT INTO lists VALUES (1, 'list.csv', '/list.csv', 'ab', 'csv', ?, ?, '{}', '[]', '')"
# The better half by score is judged, one in ten of it accepted; ten stars, ten comments.
JUDGE = (
    """
    CREATE TEMP TABLE better AS SELECT row_number() OVER () AS n, id FROM (
      SELECT id FROM candidates ORDER BY coalesce(-(score), 1e300), id LIMIT :size / 2)
    """,
    """
    INSERT INTO log (id, at, reviewer_id, action, candidate_id, verdict, flags, comment, shown,
      origin, below_id)
    SELECT n, strftime('%Y-%m-%dT%H:%M:%f+00:00', 1.8e9 + 4 * n, 'unixepoch'), 1, 'set', id,
      CASE WHEN n % 10 = 3 THEN 'ACCEPT' ELSE 'REJECT' END,
      CASE WHEN n % (:size / 20) = 0 THEN '["star"]' ELSE '[]' END,
      CASE WHEN n % (:size / 20) = 1 THEN 'a binary?' ELSE '' END, '{}', '', n - 1 FROM better
    """,
    """
    INSERT INTO judgements (candidate_id, reviewer_id, log_id, verdict, flags, comment, at)
    SELECT candidate_id, 1, id, verdict, flags, comment, at FROM log
    """,
    "UPDATE candidates SET judged_by = 1 WHERE id IN (SELECT id FROM better)",
)


def fill(place: Path, size: int) -> None:
    """As an import, an agent and a person would leave it, written straight into the tables."""
    new_session(place, find_task("CV"), "Ada").close()
    draw = random.Random(size)
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.execute(LIST, (size, size))
        connection.execute("INSERT INTO reviewers VALUES (1, 'Ada', '')")
        connection.executemany(INSERT, (_row(draw, number) for number in range(1, size + 1)))
        for statement in JUDGE:
            connection.execute(statement, {"size": size} if ":size" in statement else {})
        connection.execute("COMMIT")


def _row(draw: random.Random, number: int) -> tuple[object, ...]:
    score = None if number % 10 == 0 else round(draw.random(), 3)
    p_yes = draw.random() if number % 2 else None
    own = {"mag_r": round(14 + 6 * draw.random(), 2), "class": "STAR", "note": "seen twice"}
    return (
        *(number, 1, number, f"J{number:09d}", f"/data/dr10/spectra/{number}.fits", 0),
        *(360 * draw.random(), math.degrees(math.asin(2 * draw.random() - 1)), score, ""),
        *(draw.lognormvariate(3, 0.8), json.dumps(own), "", "", 0),
        *(None if p_yes is None else "YES" if p_yes > 0.5 else "NO", p_yes),
        *("" if p_yes is None else "nano", "" if p_yes is None else "answer"),
    )
