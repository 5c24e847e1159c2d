from __future__ import annotations

import pytest

from tests.agent.curation.pools import drafts, example_set, pool

__all__ = ["drafts", "example_set", "numbers", "pool"]


@pytest.fixture
def numbers(pool):
    return [case.id for case in pool.cases()]
