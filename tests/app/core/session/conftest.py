"""Programs that use a session until they are killed."""

import pytest

from tests.app.core.session.recorder import nursery


@pytest.fixture(scope="session")
def children():
    with nursery() as running:
        yield running
