"""Whole inspections through real servers on loopback, with trouble on the way."""

from collections.abc import Iterator

import httpx
import pytest

from agent.engines.base import RESTARTED, ChoicePoint, Engine, SamplingSettings
from agent.engines.gguf.llama_server import LlamaServerEngine
from agent.engines.kind import is_installed
from agent.engines.remote.engine import RemoteEngine
from agent.errors import ContextFullError, EngineError
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.protocol.protocol import Turn
from agent.rendering.render import COMPACT
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from tests.agent.engines.remote.fake_server import Act, Server, refused, serving, stalled
from tests.agent.engines.remote.real_servers import (
    LOOKS,
    Pair,
    broken_off,
    forwarded,
    llama_cpp_server,
    tiny_pair,
)
from tests.agent.engines.remote.remote_scenes import only_servers_take_time
from tests.agent.scenes import star
from tests.processes import LONG_S

__all__ = ["tiny_pair"]

KEY = "loopback-key"


@pytest.fixture(scope="module")
def xllamacpp_url(tiny_pair: Pair) -> Iterator[tuple[str, str]]:
    if not is_installed("xllamacpp"):
        pytest.skip("xllamacpp is not installed")
    engine = LlamaServerEngine.start(tiny_pair.model, tiny_pair.mmproj, threads=1, context=8192)
    line = engine._servers.first.client
    yield line.address.root.removesuffix("/v1"), line.key.header.removeprefix("Bearer ")
    engine.close()


@pytest.fixture(scope="module")
def llama_cpp_url(tiny_pair: Pair) -> Iterator[tuple[str, str]]:
    with llama_cpp_server(tiny_pair, KEY) as url:
        yield url, KEY


@pytest.fixture(scope="module", params=["xllamacpp_url", "llama_cpp_url"])
def real(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Address and key of either server."""
    return request.getfixturevalue(request.param)


def inspected(engine: Engine, pieces: list[str]) -> Trajectory:
    inspector = ModelInspector(engine, ModelRef(name="tiny"), style=COMPACT)
    inspector.sampling = SamplingSettings(max_new_tokens=200)
    return run(inspector.inspect(star(), find_task("CV"), seed=3, on_text=pieces.append))


def through(server: Server, key: str, **options: object) -> RemoteEngine:
    return RemoteEngine.connect(server.url, "tiny", key=key, **options)


def check(record: Trajectory, pieces: list[str]) -> None:
    """The episode ran as a trained model's would."""
    assert record.stopped_by == "answer", record.stop_reason
    assert len(record.looks) == LOOKS
    assert record.verdict in ("YES", "NO")
    assert record.well_formed
    shown = "".join(pieces)
    assert shown.rpartition(RESTARTED)[2].endswith(record.replies[-1])
    assert len(pieces) > 20  # it streamed


@pytest.fixture(scope="module")
def calm(real) -> Trajectory:
    """A whole inspection without trouble."""
    url, key = real
    with serving(forwarded(url)) as server:
        engine = through(server, key)
        pieces: list[str] = []
        record = inspected(engine, pieces)
        engine.close()
        check(record, pieces)
        assert "".join(pieces) == "".join(record.replies)
        assert len(server.requests) == 3  # nothing had to be asked twice
        assert engine._servers.first.dialect.dropped == frozenset()
    return record


def test_trouble_on_the_way_changes_nothing(real, calm: Trajectory):
    """One 500, one connection dropped in the middle, one silence: the same inspection."""
    url, key = real
    good = forwarded(url)
    trouble: list[Act] = [
        refused(500, "forced"), good, broken_off(url, pieces=9), good, stalled(), good,
    ]  # fmt: skip
    with serving(*trouble) as server, only_servers_take_time(server):
        engine = through(server, key)
        pieces: list[str] = []
        troubled = inspected(engine, pieces)
        engine.close()
        check(troubled, pieces)
        assert len(server.requests) == 6
    assert troubled.replies == calm.replies
    assert troubled.steps[-1].verdict == calm.steps[-1].verdict


def test_the_choice_is_the_servers_own(real):
    """Streamed and found in the text, against what the server lists for that very place."""
    url, key = real
    compared = 0
    engine = RemoteEngine.connect(url, "tiny", key=key)
    for number in range(20):
        question = {"role": "user", "content": f"Question {number}"}
        entries = _listed(url, key, question)
        if len(entries) != 2:
            continue  # it ended its turn
        first, second = entries
        options = [word for word, _ in second["top"] if word.strip().isalpha()][:2]
        if first["token"] in second["token"] or len(options) < 2 or not first["token"].isalpha():
            continue
        stripped = tuple(word.strip() for word in options)
        if any(len(_beginning(second["top"], word)) != 1 for word in stripped):
            continue  # two tokens begin the same word: their sum is tested elsewhere
        conversation = engine.open()
        conversation.append([Turn("user", question["content"])], [])
        choice_point = ChoicePoint(first["token"], stripped)
        short = SamplingSettings(max_new_tokens=2)
        generated = conversation.generate(short, choice_point=choice_point)
        assert generated.text == first["token"] + second["token"]
        for word in stripped:
            expected = _beginning(second["top"], word)[0]
            assert generated.choices[word] == pytest.approx(expected, abs=0.01)
        compared += 1
        conversation.close()
    engine.close()
    assert compared >= 2


def _listed(url: str, key: str, question: dict) -> list[dict]:
    """The two likeliest tokens of an answer and what else could have stood there."""
    body = {"messages": [question], "max_tokens": 2, "temperature": 0, "repeat_penalty": 1.0}
    reply = httpx.post(
        f"{url}/v1/chat/completions",
        json=body | {"logprobs": True, "top_logprobs": 20, "model": "tiny"},
        headers={"authorization": f"Bearer {key}"},
        trust_env=False,
        timeout=LONG_S,
    )
    found = reply.json()["choices"][0]["logprobs"]["content"]
    for entry in found:
        entry["top"] = [(other["token"], other["logprob"]) for other in entry["top_logprobs"]]
    return found


def _beginning(top: list[tuple[str, float]], word: str) -> list[float]:
    """Log-probabilities of the listed tokens that begin this word, or that it begins."""
    stripped = ((token.strip(), logprob) for token, logprob in top)
    fitting = ((token, logprob) for token, logprob in stripped if token)
    begins = str.startswith
    return [logprob for token, logprob in fitting if begins(word, token) or begins(token, word)]


def test_a_conversation_that_is_too_long_is_told(real):
    url, key = real
    engine = RemoteEngine.connect(url, "tiny", key=key)
    conversation = engine.open()
    conversation.append([Turn("user", "6563 " * 4000)], [])
    with pytest.raises(ContextFullError):
        conversation.generate(SamplingSettings(max_new_tokens=5))
    engine.close()


def test_the_server_says_which_model_it_has(real):
    url, key = real
    engine = RemoteEngine.connect(url, key=key)
    assert engine.model in ("tiny", "model")
    engine.close()


def test_a_wrong_key_is_refused(real):
    url, _ = real
    engine = RemoteEngine.connect(url, "tiny", key="wrong-one")
    conversation = engine.open()
    conversation.append([Turn("user", "Q")], [])
    with pytest.raises(EngineError, match="requires a valid API key"):
        conversation.generate(SamplingSettings(max_new_tokens=5))
    engine.close()


def test_a_stop_ends_the_work(real):
    url, key = real
    engine = RemoteEngine.connect(url, "tiny", key=key)
    conversation = engine.open()
    conversation.append([Turn("user", "Q")], [])
    pieces: list[str] = []
    generated = conversation.generate(
        SamplingSettings(temperature=1.0, max_new_tokens=4000),
        on_text=pieces.append,
        should_stop=lambda: len(pieces) > 10,
    )
    assert generated.finish in ("cancelled", "stop")
    assert len(pieces) < 4000
    conversation.append([Turn("user", "Go on.")], [])
    assert conversation.generate(SamplingSettings(max_new_tokens=3)).tokens <= 4
    engine.close()
