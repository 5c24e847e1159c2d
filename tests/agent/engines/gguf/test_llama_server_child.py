"""The server in its own process: its chat template, its key and its end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from agent.engines.gguf.llama_server import LlamaServerEngine
from agent.engines.remote.request import RequestTurn, messages, picture_url
from agent.protocol.protocol import chat_parts
from agent.protocol.rules import AS_PUBLISHED
from tests.agent.engines.gguf.test_llama_server import PICTURES, TURNS, client, engine
from tests.agent.engines.remote.real_servers import tiny_pair
from tests.agent.protocol.chat_text import chat_text
from tests.processes import runs, wait_until

__all__ = ["engine", "tiny_pair"]


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
