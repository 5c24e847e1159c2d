"""What has been seen before, against a plain set."""

from __future__ import annotations

import random

import pytest

from app.core.importing import storing
from app.core.importing.storing import DuplicateFilter


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
