"""A tiny model as GGUF, servers that run it, and a man in the middle who makes trouble.

The model's weights are random, so a grammar puts words into its mouth: which of them, which
verdict, and how sure it is are still its own.
"""

import importlib.util
import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.agent.engines.remote.fake_server import Act, Handler
from tests.processes import LONG_S

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}{{ part.text }}{% endfor %}{% endif %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""For llama_cpp.server, whose pictures come as text parts that hold a marker."""

CALL_GRAMMAR = r"""
root ::= "<think>\n" thought "\n</think>\n<tool_call>\n" call "\n</tool_call>"
thought ::= [A-Za-z ]{5,20}
call ::= "{\"name\": \"spectral_visualization_tool\", \"arguments\": {\"wavelength_range\": [" range
range ::= ("4" | "6") "500, " ("8" | "7") "0" [0-9] "0]}}"
"""
ANSWER_GRAMMAR = r"""
root ::= "<think>\nenough\n</think>\n<answer>\\boxed{" ("YES" | "NO") "} " [a-z ]{3,9} "</answer>"
"""
LOOKS = 2


@dataclass(frozen=True)
class Pair:
    model: Path
    mmproj: Path


@pytest.fixture(scope="session")
def tiny_pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Language model and picture part in full precision."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    from tests.small_models import make_folder
    from train.export.export import export_gguf

    folder = make_folder(tmp_path_factory.mktemp("tiny"), "qwen2.5-vl")
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"chat_template": CHAT_TEMPLATE}
    path.write_text(json.dumps(config), encoding="utf-8")
    out = tmp_path_factory.mktemp("gguf")
    export_gguf(folder, out, lm_type="f32", mmproj_type="f32")
    return Pair(out / "model-f32.gguf", out / "mmproj-f32.gguf")


@contextmanager
def llama_cpp_server(pair: Pair, key: str) -> Iterator[str]:
    """`python -m llama_cpp.server` with this model; its address."""
    for module in ("llama_cpp", "fastapi", "uvicorn", "sse_starlette", "starlette_context"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"llama_cpp.server needs {module}, which is not installed")
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(pair.model)]
    command += ["--clip_model_path", str(pair.mmproj), "--chat_format", "mtmd", "--port", "0"]
    command += ["--model_alias", "tiny", "--n_ctx", "8192", "--n_threads", "1", "--api_key", key]
    command += ["--n_threads_batch", "1", "--host", "127.0.0.1", "--verbose", "False"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert process.stdout is not None
    found: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=_watch, args=(process.stdout, found))
    reader.start()
    try:
        address = found.get(timeout=LONG_S)
        assert address.startswith("http"), address
        yield address
    finally:
        process.terminate()
        process.wait(LONG_S)
        reader.join()
        process.stdout.close()


def _watch(log: Any, found: queue.SimpleQueue[str]) -> None:
    """Read the log to its end, so that the server never waits for a reader."""
    lines = []
    for line in log:
        lines.append(line)
        if match := re.search(r"running on (http://\S+)", line):
            found.put(match.group(1))
    found.put("it ended: " + "".join(lines[-20:]))


def forwarded(
    url: str, *, steered: bool = True, after: Callable[[int], None] = lambda piece: None
) -> Act:
    """Pass the request on, with a grammar, and the reply back piece by piece."""

    def act(handler: Handler) -> None:
        request = handler.server.requests[-1]
        body = request.body | ({"grammar": _grammar(request.body)} if steered else {})
        headers = {"authorization": request.headers["authorization"]}
        with (
            httpx.Client(timeout=LONG_S, trust_env=False) as client,
            client.stream("POST", url + request.path, json=body, headers=headers) as reply,
        ):
            kind = reply.headers["content-type"]
            handler.head(reply.status_code, content_type=kind, transfer_encoding="chunked")
            for number, piece in enumerate(reply.iter_raw()):
                handler.chunk(piece)
                after(number)
        handler.chunk(b"")

    return act


def broken_off(url: str, pieces: int) -> Act:
    """The connection breaks after so many pieces of a real reply."""

    def stop(number: int) -> None:
        if number + 1 >= pieces:
            raise ConnectionResetError

    return forwarded(url, after=stop)


def _grammar(body: dict[str, Any]) -> str:
    said = sum(message["role"] == "assistant" for message in body["messages"])
    return CALL_GRAMMAR if said < LOOKS else ANSWER_GRAMMAR
