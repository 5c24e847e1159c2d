"""A scripted server with an engine that talks to it."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from unittest import mock

import pytest
from PIL import Image

from agent.engines.base import SamplingSettings
from agent.engines.remote.engine import RemoteEngine
from agent.errors import EngineError
from agent.protocol.protocol import Turn, system_text
from agent.web import transport as http
from tests.agent.engines.remote.fake_server import Act, FakeClock, Server, serving
from tests.processes import LONG_S

GREEDY = SamplingSettings(max_new_tokens=64)
PICTURE = Image.new("RGB", (112, 56), (200, 30, 90))
OPENING = (Turn("system", system_text()), Turn("user", "What is it?", picture=0))
KEY = "sesame-0123456789"


@contextmanager
def talking(*acts: Act, **options: object) -> Iterator[tuple[Server, RemoteEngine]]:
    """A server with this script and an engine that knows it."""
    named = {"timeout_s": LONG_S, "key": None, "clock": FakeClock(), "rng": random.Random(1)}
    with serving(*acts) as server:
        engine = RemoteEngine.connect(server.url, "m", **(named | options))
        try:
            yield server, engine
        finally:
            engine.close()


@contextmanager
def only_servers_take_time(*servers: Server) -> Iterator[None]:
    """A second passes for the client with each tick of a server that stalls, and none otherwise."""
    clock = FakeClock()

    def tick() -> None:
        clock.waited += 1.0

    for server in servers:
        server.tick = tick
    with mock.patch.object(http, "time", SimpleNamespace(monotonic=clock.now)):
        yield


def opened(engine: RemoteEngine):
    conversation = engine.open()
    conversation.append(OPENING, [PICTURE])
    return conversation


def usage(prompt: int, said: int, cached: int | None = None) -> dict:
    counts = {"prompt_tokens": prompt, "completion_tokens": said}
    return counts | ({"prompt_tokens_details": {"cached_tokens": cached}} if cached else {})


def refusal_of(*acts, **options) -> str:
    """What the engine says of a server that plays this."""
    with talking(*acts, retries=1, **options) as (_, engine):
        with pytest.raises(EngineError) as refusal:
            opened(engine).generate(GREEDY)
        words = str(refusal.value)
        assert words.isprintable()
        assert len(words) < 500
        return words
