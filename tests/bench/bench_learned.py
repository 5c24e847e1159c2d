"""The order that learns: a fit on a thousand verdicts, and ordering a million spectra by it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from sqlalchemy import insert

from app.core.database.tables import judgements, log
from app.core.queue import EVERYTHING, Sort
from app.core.queue.learned_orders import prepare
from app.core.session.verdict_log import reviewer_id
from app.core.similar.features import SIZE
from app.core.similar.index import BLOCK, index_of
from app.core.similar.learner import best_first, learn
from tests.app.core.sessions import fill, made
from tests.bench.measuring import figure_line, median_ms

SPECTRA, VERDICTS = 1_000_000, 1000
_ms = partial(median_ms, calls=7)


def figures() -> Iterator[dict[str, object]]:
    draw = np.random.default_rng(7)
    drawn = draw.integers(-127, 128, (SPECTRA, SIZE), dtype=np.int8)
    units = drawn[:VERDICTS].astype(np.float32)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    is_yes = units[:, 3] + 0.05 * draw.normal(size=VERDICTS) > 0.12
    beside = np.zeros((VERDICTS, 2), np.float32)
    yield from _fits(units, beside, is_yes)
    with tempfile.TemporaryDirectory() as folder, made(Path(folder) / "a.speco3", 0) as session:
        fill(session, SPECTRA)
        index = index_of(session.database)
        index._ids = np.arange(1, SPECTRA + 1)
        index._vectors, index._keys = drawn, np.zeros(SPECTRA, np.uint64)
        index._rows = {number: number - 1 for number in range(1, SPECTRA + 1)}
        index._lengths = np.concatenate(
            [
                np.linalg.norm(drawn[at : at + BLOCK].astype(np.float32), axis=1)
                for at in range(0, SPECTRA, BLOCK)
            ]
        )
        with session.database.writing() as connection:
            ada = reviewer_id(connection, "Ada")
            blank = {"flags": "[]", "comment": "", "at": "2026-01-01T00:00:00+00:00"}
            lines, mine = [], []
            for number, yes in enumerate(is_yes.tolist(), 1):
                said = {"candidate_id": number, "reviewer_id": ada, **blank}
                said["verdict"] = "ACCEPT" if yes else "REJECT"
                lines.append({"id": number, "action": "set", "shown": "{}", **said})
                mine.append({"log_id": number, **said})
            connection.execute(insert(log), lines)
            connection.execute(insert(judgements), mine)
        learned = learn(units, beside, is_yes, from_agent=False)
        plain = _ms(lambda: np.argsort(-index.products(learned.weights)[1]))
        ranking = _ms(lambda: best_first(index.products(learned.weights)[1]))
        title = f"scores and order of {SPECTRA:,} spectra"
        yield _line(title, ranking, "the same scores, numpy argsort", plain)
        for learn_what in ("best", "mixed"):
            sort = Sort("learned", learn=learn_what)
            prepare(session, EVERYTHING, sort, [1])
            whole = _ms(lambda sort=sort: prepare(session, EVERYTHING, sort, [1]))
            title = f"a whole refit, {learn_what}: verdicts read, learned, {SPECTRA:,} ordered"
            yield _line(title, whole, "the same scores, numpy argsort", plain)


def _fits(units: np.ndarray, beside: np.ndarray, is_yes: np.ndarray) -> Iterator[dict[str, object]]:
    one_product = _ms(lambda: units.astype(np.float64).T @ units.astype(np.float64))
    for name, from_agent in (("freely", False), ("beside a p(YES)", True)):
        ms = _ms(lambda on=from_agent: learn(units, beside, is_yes, from_agent=on))
        title = f"a fit on {VERDICTS:,} verdicts, {name}"
        yield _line(title, ms, "one product of the features with themselves", one_product)


def _line(title: str, ms: float, baseline: str, baseline_ms: float) -> dict[str, object]:
    return figure_line(
        title, round(ms / baseline_ms, 2), "ratio", ms=round(ms, 1),
        baseline=baseline, baseline_ms=round(baseline_ms, 2)
    )  # fmt: skip
