"""Several servers of one model: which one gets a conversation, and what happens when one dies."""

import math
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from agent.child_process.turn_taking import computing
from agent.engines.base import RESTARTED, SamplingSettings
from agent.engines.remote.engine import RemoteEngine
from agent.engines.remote.servers import FIRST_PAUSE_S
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from tests.agent.engines.remote.fake_model import ANSWER, LOOK, ModelServer, serving_models
from tests.agent.engines.remote.fake_server import (
    FakeClock,
    Pieces,
    answered,
    dropped,
    refused,
    serving,
    spoken,
    stalled,
    stream,
)
from tests.agent.engines.remote.remote_scenes import (
    KEY,
    OPENING,
    PICTURE,
    only_servers_take_time,
    opened,
)
from tests.processes import LONG_S

SAMPLING = SamplingSettings(max_new_tokens=64)


@contextmanager
def several(*servers: ModelServer, **options: object) -> Iterator[RemoteEngine]:
    named = {"timeout_s": LONG_S, "key": None, "clock": FakeClock(), "rng": random.Random(1)}
    with serving_models(*servers) as urls:
        engine = RemoteEngine.connect(urls.split(","), **(named | options))
        try:
            yield engine
        finally:
            engine.close()


def chats(server: ModelServer) -> int:
    return sum(request.path.endswith("/chat/completions") for request in server.requests)


def test_a_conversation_goes_where_the_fewest_are_open_and_stays_there():
    one, two = ModelServer(), ModelServer()
    with several(one, two) as engine:
        conversations = [opened(engine) for _ in range(4)]
        for _ in range(2):
            for conversation in conversations:
                conversation.generate(SAMPLING)
                conversation.append([Turn("tool", "Generated.", picture=1)], [PICTURE])
        assert sorted(one.turns.values()) == sorted(two.turns.values()) == [2, 2]
        assert not set(one.turns) & set(two.turns)
        conversations[1].close()
        opened(engine).generate(SAMPLING)
        assert len(one.turns) == 2 and len(two.turns) == 3, "the second had one less open"
        sent = {request.headers["x-session-id"] for request in one.requests if request.body}
        assert sent == {conversations[0].session, conversations[2].session}


def test_others_compute_while_one_waits_for_its_answer():
    """The server answers none before all have asked, and each asks in its turn at computing."""
    server = ModelServer(gate=4)
    with several(server, stream=False) as engine, ThreadPoolExecutor(4) as pool:

        def talk(_: int) -> str:
            with computing():
                return opened(engine).generate(SAMPLING).text

        assert list(pool.map(talk, range(4))) == [LOOK] * 4
        assert server.most == 4


@pytest.mark.parametrize("fault", [
    dropped(Pieces().words("<think>", "Half a")),
    dropped(Pieces()),
    stalled(),
    stalled(Pieces().words("<think>")),
], ids=["mid-turn", "before the first word", "silent", "silent mid-turn"])  # fmt: skip
def test_the_conversations_of_a_server_that_dies_go_on_at_another(fault, caplog):
    caplog.set_level("WARNING")
    dead, good = ModelServer(faults=[fault] * 30), ModelServer()
    with several(dead, good, timeout_s=5.0) as engine, only_servers_take_time(dead):
        conversation = opened(engine)
        pieces: list[str] = []
        assert conversation.generate(SAMPLING, on_text=pieces.append).text == LOOK
        assert "".join(pieces).rpartition(RESTARTED)[2] == LOOK
        conversation.append([Turn("tool", "Generated.", picture=1)], [PICTURE])
        assert conversation.generate(SAMPLING).text == ANSWER
        assert (chats(dead), chats(good)) == (3, 2), "three faults are enough"
        assert dict(good.turns) == {conversation.session: 2}
        opened(engine).generate(SAMPLING)
        assert chats(dead) == 3, "it is left alone"
    assert "going on without it" in caplog.text


def test_a_dead_server_is_asked_again_after_growing_pauses(caplog):
    caplog.set_level("WARNING")
    clock = FakeClock()
    dead, good = ModelServer(faults=[dropped(Pieces())] * 3), ModelServer()
    with several(dead, good, clock=clock) as engine:
        opened(engine).generate(SAMPLING)
        asked = len(dead.requests)
        dead.name = "another model"
        for pause_s in (FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S):
            clock.waited += 0.9 * pause_s
            engine.open().close()
            assert len(dead.requests) == asked, "too early"
            clock.waited += 0.2 * pause_s
            engine.open().close()
            asked += 1
            assert len(dead.requests) == asked, "it serves another model now: not used"
        dead.name = "m"
        clock.waited += 10 * FIRST_PAUSE_S
        one, two = opened(engine), opened(engine)
        one.generate(SAMPLING)
        two.generate(SAMPLING)
        assert one.session in dead.turns or two.session in dead.turns
    assert "answers again" in caplog.text


def test_all_dead_is_one_sentence(caplog):
    caplog.set_level("WARNING")
    servers = [ModelServer(faults=[dropped(Pieces())] * 30) for _ in range(2)]
    with several(*servers) as engine:
        with pytest.raises(EngineError, match=r"127\.0\.0\.1:\d+: the connection broke"):
            opened(engine).generate(SAMPLING)
        with pytest.raises(EngineError, match=r"no server answers .*connection broke.*;") as error:
            opened(engine)
        assert "\n" not in str(error.value)


def test_a_server_that_has_too_much_to_do_is_waited_for():
    clock = FakeClock()
    busy = ModelServer(faults=[answered(429, {}, retry_after="7"), answered(503, {})])
    idle = ModelServer()
    with several(busy, idle, clock=clock) as engine:
        assert opened(engine).generate(SAMPLING).text == LOOK
        assert chats(idle) == 0, "a conversation does not leave its server for that"
        assert engine.busy == 2
        assert clock.waited > 7


def test_a_request_that_a_server_cannot_digest_does_not_put_it_down():
    one = ModelServer(faults=[refused(500, "bug")] * 5)
    two = ModelServer()
    with several(one, two) as engine:
        assert opened(engine).generate(SAMPLING).text == LOOK
        assert (chats(one), chats(two)) == (5, 1)
        opened(engine).generate(SAMPLING)
        assert chats(one) == 6, "it is up"


def test_all_servers_must_serve_the_same_model():
    refused = pytest.raises(EngineError, match=r"serves m, but .* serves other: all addresses must")
    with refused, several(ModelServer("m"), ModelServer("other")):
        pass
    refused = pytest.raises(EngineError, match=r":\d+ does not serve m, but other$")
    with refused, several(ModelServer("m"), ModelServer("other"), model="m"):
        pass


def test_one_that_is_down_at_the_start_is_told_and_does_without(caplog):
    caplog.set_level("WARNING")
    good = ModelServer()
    with serving_models(good) as url:
        named = {"key": None, "clock": FakeClock(), "retries": 0}
        engine = RemoteEngine.connect(["http://127.0.0.1:9", url], **named)
        assert engine.model == "m"
        conversation = engine.open()
        conversation.append(OPENING, [PICTURE])
        assert conversation.generate(SAMPLING).text == LOOK
        engine.close()
        with pytest.raises(EngineError, match=r"127\.0\.0\.1:9: it cannot be reached; 127"):
            RemoteEngine.connect(["http://127.0.0.1:9", "http://127.0.0.1:10"], **named)
    assert "127.0.0.1:9: it cannot be reached; going on without it" in caplog.text


def test_an_answer_that_comes_twice_counts_once():
    twice = Pieces().words(ANSWER).end().words(ANSWER).end()

    with several(ModelServer(faults=[stream(twice)]), ModelServer()) as engine:
        conversation = opened(engine)
        assert conversation.generate(SAMPLING).text == ANSWER
        assert conversation.generate(SAMPLING).text != ""


# The remote engine against a server that plays a script.
@pytest.mark.parametrize(("url", "model", "native"), [
    ("https://api.openai.com", "o3", True),
    ("https://example.org", "Maxwell-Jia/Spec-o3-7B", False),
    ("http://localhost:8000", "gpt-oss", False),
    ("http://192.168.0.9:8000", "qwen", False),
])  # fmt: skip
def test_the_form_of_calls_follows_address_and_name(url, model, native):
    engine = RemoteEngine.connect(url, model, key=None)
    assert engine._servers.first.dialect.native is native
    engine.close()


def test_the_only_model_is_found():
    models = {"data": [{"id": "tiny"}]}
    with serving(refused(503, "starting"), answered(200, models), spoken("a")) as server:
        engine = RemoteEngine.connect(server.url, key=None, clock=FakeClock())
        assert engine.model == "tiny"
        assert [request.path for request in server.requests] == ["/v1/models"] * 2
        engine.close()


@pytest.mark.parametrize(("answer", "words"), [
    (answered(200, {"data": []}), "0 models"),
    (answered(200, {"data": [{"id": "a"}, {"id": "b\x1b"}]}), r"2 models: add one .*\(a, b\)"),
    (answered(200, {"data": [{"id": 7}, None, {}]}), "0 models"),
    (answered(200, {"data": 7}), "0 models"),
    (answered(200, {"data": [{"id": "x" * 1000}]}), "1 models"),
    (answered(200, []), "chat protocol"),
    (answered(200, b"<html>"), "chat protocol"),
    (refused(404, "not here"), "does not list its models.*not here"),
])  # fmt: skip
def test_a_list_without_the_one_model_is_refused(answer, words):
    with serving(answer) as server, pytest.raises(EngineError, match=words):
        RemoteEngine.connect(server.url, key=None)


def test_a_key_never_travels_unencrypted():
    with pytest.raises(EngineError, match="unencrypted") as refusal:
        RemoteEngine.connect("http://192.168.0.9:8000", "m", key=KEY)
    assert KEY not in str(refusal.value)
    asked: list[str] = []
    engine = RemoteEngine.connect("http://192.168.0.9:8000", "m", key=asked.append)
    assert asked == []
    engine.close()
    engine = RemoteEngine.connect("https://example.org", "m", key=lambda host: asked.append(host))
    assert asked == ["example.org"]
    engine.close()


@pytest.mark.parametrize("timeout_s", [0, -1, math.nan, 1e9])
def test_absurd_timeouts_are_refused(timeout_s):
    with pytest.raises(EngineError, match="timeout"):
        RemoteEngine.connect("http://localhost:1", "m", key=None, timeout_s=timeout_s)
