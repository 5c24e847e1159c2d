"""Programs that use a session until they are killed."""

from __future__ import annotations

import pytest

from tests.app.core.session.recorder import nursery


@pytest.fixture(scope="session")
def children():
    with nursery() as running:
        yield running
