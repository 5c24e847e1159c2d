"""llama.cpp's server in a process of its own: loaded, compared, watched, ended."""

import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from PIL import Image

from agent.engines.base import SamplingSettings
from agent.engines.gguf import llama_server
from agent.engines.gguf.grammar import CALL_START
from agent.engines.gguf.llama_server import LlamaServerEngine, ServerProcess
from agent.engines.kind import is_installed
from agent.engines.remote.request import RequestTurn, messages, picture_url
from agent.errors import EngineError
from agent.protocol import turn_form
from agent.protocol.protocol import Turn, chat_parts, opening
from agent.protocol.reply import parse_reply
from agent.protocol.rules import AS_PUBLISHED
from agent.rendering.model_image import QWEN3, Sizing
from agent.tasks.catalogue import find_task
from tests.agent.engines.form_scenes import check_forms
from tests.agent.engines.remote.real_servers import Pair, tiny_pair
from tests.agent.protocol.chat_text import chat_text
from tests.agent.scenes import call
from tests.processes import LONG_S, runs, wait_until

__all__ = ["tiny_pair"]


# Never imported here: it and other packages made with Cython do not bear one another in a process.
if not is_installed("xllamacpp"):
    pytest.skip("xllamacpp is not installed", allow_module_level=True)

LIMITS = ("--context", "512", "--threads", "1")
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


def test_nothing_follows_where_the_turn_would_end(engine, monkeypatch):
    monkeypatch.setattr(engine, "_marker", "<picture>")
    monkeypatch.setattr(engine, "_asked", lambda *_: {"content": "", "stop_type": "eos"})
    assert engine.next_token(TURNS[:2], PICTURES[:1], "The end.") == {}


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


# Starting the server process and reporting why it failed.
def test_a_process_that_cannot_load_says_why(tmp_path):
    absent = str(tmp_path / "absent.gguf")
    arguments = [absent, absent, *LIMITS]
    with pytest.raises(EngineError, match=r"could not be loaded \(status 1: .*absent\.gguf"):
        ServerProcess.start(arguments, LONG_S)


def test_a_library_the_system_lacks_is_named_with_its_cure(tmp_path, monkeypatch):
    (tmp_path / "xllamacpp.py").write_text(
        "raise ImportError('libgomp.so.1: cannot open shared object file')", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    arguments = ["model.gguf", "mmproj.gguf", *LIMITS]
    with pytest.raises(EngineError, match=r"libgomp\.so\.1.*sudo apt-get install libgomp1"):
        ServerProcess.start(arguments, LONG_S)


def test_a_process_that_is_never_ready_is_ended(tiny_pair):
    arguments = [str(tiny_pair.model), str(tiny_pair.mmproj), *LIMITS]
    with pytest.raises(EngineError, match=r"not ready after 0\.001 s"):
        ServerProcess.start(arguments, 0.001)


def test_it_outlives_the_thread_that_asked_for_it(tiny_pair):
    arguments = [str(tiny_pair.model), str(tiny_pair.mmproj), *LIMITS]
    started = []
    thread = threading.Thread(target=lambda: started.append(ServerProcess.start(arguments, LONG_S)))
    thread.start()
    thread.join()
    (server,) = started
    server.check()
    assert runs(server.pid)
    server.close()
    assert not runs(server.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a process there")
def test_one_that_is_stopped_is_ended_too(tiny_pair, monkeypatch):
    monkeypatch.setattr(llama_server, "EXIT_TIMEOUT_S", 0.5)
    arguments = [str(tiny_pair.model), str(tiny_pair.mmproj), *LIMITS]
    server = ServerProcess.start(arguments, LONG_S)
    os.kill(server.pid, signal.SIGSTOP)
    server.close()
    wait_until(lambda: not runs(server.pid))


def test_a_process_that_does_not_know_its_words_says_so():
    with pytest.raises(EngineError, match=r"could not be loaded \(status 2: usage"):
        ServerProcess.start(["--nonsense"], 60)


# The server in its own process: its chat template, its key and its end.
def test_the_model_meets_the_protocol_byte_for_byte(engine):
    pictures = iter(PICTURES)
    said = [
        RequestTurn(t, picture_url(next(pictures)) if t.picture is not None else "") for t in TURNS
    ]
    with client(engine) as web:
        reply = web.post("/apply-template", json={"messages": messages(said, native=False)})
    marked = re.sub(
        r"<__\w+__>", "<|vision_start|><|image_pad|><|vision_end|>", reply.json()["prompt"]
    )
    assert marked == chat_text(TURNS)


def test_nobody_else_may_use_it(engine):
    server = engine._servers.first.client
    assert server.address.host == "127.0.0.1"
    url = f"{server.address.root}/chat/completions"
    assert httpx.post(url, json={"messages": []}, trust_env=False).status_code == 401
    assert server.key.header.split()[1] not in " ".join(_command_line(engine.pid))


def _command_line(pid: int) -> list[str]:
    path = Path(f"/proc/{pid}/cmdline")
    if not path.exists():
        pytest.skip("needs /proc")
    return path.read_text().split("\0")


def test_it_dies_with_its_parent(tiny_pair):
    """However the parent ends."""
    script = (
        "import os, sys\nfrom pathlib import Path\n"
        "from agent.engines.gguf.llama_server import LlamaServerEngine\n"
        "engine = LlamaServerEngine.start(Path(sys.argv[1]), Path(sys.argv[2]), threads=1)\n"
        "print(engine.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", script, str(tiny_pair.model), str(tiny_pair.mmproj)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as parent:
        out, _ = parent.communicate()
    assert parent.returncode == -signal.SIGKILL
    wait_until(lambda: not runs(int(out)))


def test_by_the_published_rules_no_line_ends_after_the_models_turn(tiny_pair):
    engine = LlamaServerEngine.start(
        tiny_pair.model, tiny_pair.mmproj, threads=1, context=2048, rules=AS_PUBLISHED
    )
    said = (TURNS[0], replace(TURNS[1], picture=None), *TURNS[2:3], replace(TURNS[3], picture=None))
    with closing(engine), client(engine) as web:
        sent = messages([RequestTurn(turn) for turn in said], native=False)
        prompt = web.post("/apply-template", json={"messages": sent}).json()["prompt"]
    parts = chat_parts(said, reply_end=AS_PUBLISHED.reply_end)
    assert prompt == "".join(part.text for part in parts) != chat_text(said)


def test_a_turn_of_a_form_is_nothing_else(engine, monkeypatch):
    monkeypatch.setattr(turn_form, "MOST_BYTES", 60)
    conversation = engine.open()
    conversation.append(TURNS[:2], PICTURES[:1])
    check_forms(conversation)
    conversation.close()
