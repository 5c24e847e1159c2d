"""llama.cpp's server in a process of its own: loaded, compared, watched, ended."""

from __future__ import annotations

import os
import signal

import httpx
import pytest
from PIL import Image

from agent.engines.base import SamplingSettings
from agent.engines.gguf import llama_server
from agent.engines.gguf.grammar import CALL_START
from agent.engines.gguf.llama_server import LlamaServerEngine
from agent.engines.kind import is_installed
from agent.errors import EngineError
from agent.protocol.protocol import Turn, opening
from agent.protocol.reply import parse_reply
from agent.rendering.model_image import QWEN3, Sizing
from agent.tasks.catalogue import find_task
from tests.agent.engines.remote.real_servers import Pair, tiny_pair
from tests.agent.scenes import call
from tests.processes import LONG_S

__all__ = ["tiny_pair"]

# Never imported here: it and other packages made with Cython do not bear one another in a process.
if not is_installed("xllamacpp"):
    pytest.skip("xllamacpp is not installed", allow_module_level=True)

GREEDY = SamplingSettings(max_new_tokens=8)
PICTURES = [Image.linear_gradient("L").resize((168, 112)).convert("RGB"),
            Image.radial_gradient("L").resize((84, 140)).convert("RGB")]  # fmt: skip
TURNS = (*opening(find_task("CV")), Turn("assistant", call(6500, 6600)), Turn("tool", "Drawn.", 1))


@pytest.fixture(scope="module")
def engine(tiny_pair: Pair):
    engine = LlamaServerEngine.start(tiny_pair.model, tiny_pair.mmproj, threads=1, context=8192)
    yield engine
    engine.close()


def client(engine: LlamaServerEngine) -> httpx.Client:
    """As the engine itself asks."""
    client = engine._servers.first.client
    headers = {"authorization": client.key.header}
    return httpx.Client(base_url=client.address.root[:-3], headers=headers, trust_env=False)


def test_it_says_what_the_other_gguf_engine_says(engine, tiny_pair):
    """The same turns and pictures through llama-cpp-python's functions."""
    pytest.importorskip("llama_cpp")
    from agent.engines.gguf.engine import GgufEngine

    other = GgufEngine.load(tiny_pair.model, tiny_pair.mmproj, threads=1, context_length=8192)
    texts = []
    for each in (engine, other):
        conversation = each.open()
        conversation.append(TURNS[:2], PICTURES[:1])
        start = conversation.mark()
        said = [conversation.generate(GREEDY).text]
        conversation.rewind(start)
        conversation.append(TURNS[2:], PICTURES[1:])
        said.append(conversation.generate(GREEDY).text)
        texts.append(said)
        conversation.close()
    other.close()
    assert texts[0] == texts[1]
    assert texts[0][0] != texts[0][1]


def test_what_was_read_is_not_read_again(engine):
    """Pictures and prompt stay in the server's memory from turn to turn, and over a rewind."""
    conversation = engine.open()
    conversation.append(TURNS[:2], PICTURES[:1])
    start = conversation.mark()
    for _ in range(2):
        conversation.rewind(start)
        conversation.generate(GREEDY, choice_point=None)
        conversation.append(TURNS[3:], PICTURES[1:])
        conversation.generate(GREEDY, choice_point=None)
    used = conversation.usage
    assert used.images == 6 * 4 + 2 * 3 * 5
    assert used.prompt > 1000
    assert used.evaluated <= 1.02 * (used.prompt + used.generated)
    conversation.close()


def test_a_stop_string_in_the_middle_leaves_the_counts_known(engine):
    conversation = engine.open()
    conversation.append([Turn("user", "Q")], [])
    start = conversation.mark()
    whole = conversation.generate(SamplingSettings(max_new_tokens=40)).text
    conversation.rewind(start)
    stop = whole[10:12]
    said = conversation.generate(SamplingSettings(max_new_tokens=40), stop=(stop,))
    assert said.text == whole[: whole.index(stop) + 2]
    assert conversation.usage.evaluated > 0


def test_a_call_cannot_be_misspelt(engine, monkeypatch):
    """Nearly uniform chance after `<tool_call>` still gives a call the tool understands."""
    with client(engine) as asked:
        (token,) = asked.post("/tokenize", json={"content": CALL_START}).json()["tokens"]
    conversation = engine.open()
    conversation.append(TURNS[:2], PICTURES[:1])
    start = conversation.mark()
    kinds = {}
    for grammar in (True, False):
        extras = {**engine._servers.first.extras, "logit_bias": [[token, 1000.0]]}
        if not grammar:
            del extras["grammar"]
        monkeypatch.setattr(engine._servers.first, "extras", extras)
        replies = []
        for seed in range(6):
            conversation.rewind(start)
            sampling = SamplingSettings(temperature=4.0, max_new_tokens=1500 if grammar else 60)
            said = conversation.generate(sampling, seed, choice_point=None)
            replies.append(parse_reply(said.text))
        kinds[grammar] = {reply.kind for reply in replies}
        if grammar:
            assert all(len(reply.arguments["wavelength_range"]) == 2 for reply in replies)
    conversation.close()
    assert kinds[True] == {"call"}
    assert "call" not in kinds[False]


def test_a_crash_is_told_and_not_waited_out(tiny_pair):
    """A server that is only silent is waited for half an hour."""
    engine = LlamaServerEngine.start(tiny_pair.model, tiny_pair.mmproj, threads=1, context=2048)
    conversation = engine.open()
    conversation.append([Turn("user", "Q")], [])
    pieces: list[str] = []

    def listener(piece: str) -> None:
        if not pieces:
            os.kill(engine.pid, signal.SIGKILL)
        pieces.append(piece)

    with pytest.raises(EngineError, match="process has ended"):
        conversation.generate(SamplingSettings(max_new_tokens=2000), on_text=listener)
    engine.close()
    engine.close()


def test_closing_ends_the_process(tiny_pair, monkeypatch):
    monkeypatch.setattr(llama_server, "EXIT_TIMEOUT_S", LONG_S)
    engine = LlamaServerEngine.start(tiny_pair.model, tiny_pair.mmproj, threads=1, context=2048)
    process = engine._process._process
    assert process.poll() is None
    engine.close()
    assert process.returncode == 0


def test_files_that_are_no_model_are_refused(tiny_pair, tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(tiny_pair.model.read_bytes()[:3000])
    for model, mmproj in (
        (tmp_path / "absent.gguf", tiny_pair.mmproj),
        (broken, tiny_pair.mmproj),
        (tiny_pair.model, broken),
        (tiny_pair.mmproj, tiny_pair.model),
    ):
        with pytest.raises(EngineError) as refusal:
            LlamaServerEngine.start(model, mmproj)
        assert str(refusal.value).isprintable()


@pytest.mark.parametrize("sizing", [QWEN3, Sizing(28, 28 * 28), Sizing.of_tokens(28, 8, 5000)])
def test_pictures_it_would_resize_are_refused(tiny_pair, sizing):
    with pytest.raises(EngineError, match="pictures of 8 to 4096 squares of 28"):
        LlamaServerEngine.start(tiny_pair.model, tiny_pair.mmproj, sizing=sizing)
