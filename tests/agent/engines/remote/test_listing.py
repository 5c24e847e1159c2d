"""What a server says of its models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agent.engines.remote.address import read_address
from agent.engines.remote.client import HttpClient
from agent.engines.remote.errors import TransientError
from agent.engines.remote.listing import only_model, require_model
from agent.errors import EngineError
from tests.agent.engines.remote.fake_clock import FakeClock
from tests.agent.engines.remote.fake_server import Act, answered, refused, serving


@contextmanager
def asking(*acts: Act) -> Iterator[HttpClient]:
    with serving(*acts) as server:
        client = HttpClient(read_address(server.url), None, FakeClock(), 5.0)
        try:
            yield client
        finally:
            client.close()


def listing(*names: object) -> Act:
    return answered(200, {"data": [{"id": name} for name in names]})


def test_the_only_model_is_named():
    with asking(listing("m"), listing("m", "n"), listing(), refused(404, "no")) as client:
        assert only_model(client) == "m"
        with pytest.raises(EngineError, match=r"lists 2 models: add one .* as #MODEL \(m, n\)"):
            only_model(client)
        with pytest.raises(EngineError, match="lists 0 models"):
            only_model(client)
        with pytest.raises(EngineError, match=r"does not list its models: .*404.*; add #MODEL"):
            only_model(client)


def test_a_model_is_required_where_models_are_listed():
    with asking(listing("m", 7, "n"), refused(404, "no"), listing(), listing("n")) as client:
        require_model(client, "m")
        require_model(client, "m")  # it lists nothing, but it answers
        require_model(client, "m")
        with pytest.raises(EngineError, match="does not serve m, but n"):
            require_model(client, "m")


def test_a_server_that_is_busy_may_answer_later():
    with asking(answered(503, {}, retry_after="3")) as client:
        with pytest.raises(TransientError) as fault:
            require_model(client, "m")
        assert fault.value.is_busy and fault.value.retry_after_s == 3
