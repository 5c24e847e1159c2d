"""What has been seen before, against a plain set."""

from __future__ import annotations

import random

import pytest
from sqlalchemy import inspect, select

from app.core.database.tables import candidates
from app.core.importing import storing
from app.core.importing.storing import DuplicateFilter
from app.core.queue import LIST_ORDER, page
from tests.app.core.importing.lists import import_text, text_of


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("low_bits", [2**24 - 1, 2**6 - 1])
def test_against_a_set(monkeypatch, seed, low_bits):
    monkeypatch.setattr(storing, "LOW_BITS", low_bits)
    chance = random.Random(seed)
    seen, known = DuplicateFilter(), set()
    for _ in range(60):
        keys = [("o", str(chance.randrange(4000)), 0) for _ in range(chance.randrange(200))]
        fresh = seen.find_new(keys, len(keys)).tolist()
        for key, is_fresh in zip(keys, fresh, strict=True):
            assert is_fresh is (key not in known)
            known.add(key)
    assert sum(run.size for run in seen._runs) == len(known)
    assert len(seen._runs) < 15


def test_indexes_are_there_after_many_rows(session, folder, monkeypatch):
    monkeypatch.setattr(storing, "BULK_ROWS", 100)

    def names():
        with session.database.reading() as connection:
            return {each["name"] for each in inspect(connection).get_indexes("candidates")}

    before = names()
    rows = [(f"o{n}", f"{n}.fits") for n in range(20_000)]
    import_text(session, folder, text_of(rows, ("name", "path")))
    assert names() == before
    with session.database.reading() as connection:
        one = select(candidates.c.id).where(candidates.c.object_id == "o1234")
        assert connection.execute(one).scalar_one() == 1235
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT id FROM candidates WHERE object_id = 'x'"
        )
        assert "candidates_object" in str(plan.all())
    assert len(page(session, sort=LIST_ORDER).rows) > 0
