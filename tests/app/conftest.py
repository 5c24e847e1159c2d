"""Children of the program that start quickly, and a server that plays the services."""

import pytest

from tests.app.nursery import nurseries, quick_children

__all__ = ["nurseries", "quick_children"]


@pytest.fixture
def server():
    from tests.app.services.fault_server import fault_server  # which few tests need

    with fault_server() as made:
        yield made
