"""Run GGUF models without a compiler: llama.cpp's server from a wheel, in a child process."""

from __future__ import annotations

import base64
import json
import os
import queue
import re
import secrets
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from PIL import Image

import agent
from agent.child_process.start_child import child_command, end_child, start_child
from agent.engines.gguf.checks import check_language_model, check_vision_part
from agent.engines.gguf.engine import FEWEST_TOKENS, LONGEST_CONTEXT, MOST_TOKENS, default_threads
from agent.engines.gguf.grammar import turn_grammar
from agent.engines.gguf.header import read_gguf_header
from agent.engines.gguf.llama_server_child import ALIAS
from agent.engines.kind import is_installed
from agent.engines.remote.address import Key, read_address
from agent.engines.remote.client import HttpClient, ServerSession
from agent.engines.remote.engine import RemoteEngine
from agent.engines.remote.errors import RetryPolicy, one_line
from agent.engines.remote.servers import Servers
from agent.engines.remote.stream import read_all, read_json
from agent.errors import EngineError
from agent.protocol.protocol import Turn, chat_parts
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import QWEN25, Sizing
from agent.rendering.render import png_bytes

RETRIES = 2
# A slow machine may read a picture and a long conversation for minutes before the first token
SILENCE_S = 1800.0

CHILD = "agent.engines.gguf.llama_server_child"
# The only system library that llama.cpp needs and pip does not install
OPENMP = "libgomp.so.1"
OPENMP_ADVICE = "On Debian or Ubuntu: sudo apt-get install libgomp1"
# llama.cpp puts these around each picture itself
VISION_MARKS = ("<|vision_start|>", "<|vision_end|>")
ALTERNATIVES = 20
MAX_ANSWER = 4 * 2**20  # bytes; it repeats the prompt
MAX_LINES = 40
MAX_LINE = 2000
# Time and level at the start of llama.cpp's log lines
_STAMP = re.compile(r"^[\d.]+ [A-Z] ")
# Granted before the process is terminated, and again before it is killed
EXIT_TIMEOUT_S = 5.0


class ServerProcess:
    """A running server, created by `start`; clients need its `address` and `key`."""

    def __init__(self, arguments: Sequence[str], key: str) -> None:
        self.key = key
        self.address = ""
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        started: Future[subprocess.Popen[bytes]] = Future()
        log = threading.Thread(target=self._run, args=(arguments, started), daemon=True)
        log.start()
        self._process = started.result()
        assert self._process.stdout is not None
        answer = threading.Thread(
            target=self._read_answer, args=(self._process.stdout,), daemon=True
        )
        answer.start()
        self._readers = (log, answer)

    @classmethod
    def start(cls, arguments: Sequence[str], ready_s: float) -> ServerProcess:
        """Start a server and wait until it is ready. Raises EngineError with its last output."""
        key = secrets.token_hex(16)
        server = cls(arguments, key)
        try:
            server._send_key(key)
            server.address = server._await_address(ready_s)
        except BaseException:
            server.close()
            raise
        return server

    @property
    def pid(self) -> int:
        return self._process.pid

    def check(self) -> None:
        """Raise EngineError if the process has ended."""
        if self._process.poll() is not None:
            raise EngineError(
                f"the model's process has ended ({self._exit_reason(slice(-3, None))}); "
                "load the model again"
            )

    def close(self) -> None:
        """End the process; close its stdin first and kill it as a last resort."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        if not self.address:  # still loading, when it does not read stdin
            self._process.terminate()
        end_child(self._process, EXIT_TIMEOUT_S)
        for reader in self._readers:
            reader.join(EXIT_TIMEOUT_S)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _run(self, arguments: Sequence[str], started: Future[subprocess.Popen[bytes]]) -> None:
        """Start the child in a thread that outlives it, as `start_child` asks for."""
        try:
            process = _spawn(arguments)
        except BaseException as error:
            started.set_exception(error)
            return
        started.set_result(process)
        assert process.stderr is not None
        while line := process.stderr.readline(MAX_LINE):
            if text := _STAMP.sub("", line.decode("utf-8", "replace")).strip():
                self._lines.append(text)
        process.wait()

    def _send_key(self, key: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it has exited already: `_await_address` reports why
            self._process.stdin.write(key.encode("ascii") + b"\n")
            self._process.stdin.flush()

    def _await_address(self, ready_s: float) -> str:
        try:
            answer = self._answers.get(timeout=ready_s)
        except queue.Empty:
            raise EngineError(f"the model was not ready after {ready_s:g} s") from None
        try:
            address = json.loads(answer)["address"]
        except (ValueError, TypeError, KeyError):
            self._process.terminate()
            end_child(self._process, EXIT_TIMEOUT_S)
            reason = self._exit_reason(slice(3))  # the first error is the informative one
            advice = f". {OPENMP_ADVICE}" if OPENMP in reason else ""
            raise EngineError(f"the model could not be loaded ({reason}){advice}") from None
        return str(address)

    def _exit_reason(self, lines: slice) -> str:
        """Return the exit status or signal with some lines of the log."""
        for reader in self._readers:
            reader.join(EXIT_TIMEOUT_S)
        code = self._process.returncode
        status = f"status {code}"
        if code is not None and code < 0:
            with suppress(ValueError):
                status = signal.Signals(-code).name
        output = one_line("; ".join(list(self._lines)[lines]))
        return f"{status}: {output}" if output else status

    def _read_answer(self, stream: IO[bytes]) -> None:
        self._answers.put(stream.readline(MAX_LINE))


def _spawn(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start the child with our package on its path."""
    home = str(Path(agent.__file__).parents[1])
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        return start_child(
            child_command("llama-server", ["-m", CHILD], *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # Ctrl-C in the terminal goes to us alone
        )
    except OSError as error:
        raise EngineError(f"the server process could not be started: {error.strerror}") from error


class LlamaServerEngine(RemoteEngine):
    """An engine that owns its server process and ends it when closed."""

    def __init__(self, server: ServerSession, process: ServerProcess) -> None:
        """Use `start`."""
        super().__init__(Servers((server,)))
        self._process = process
        at = server.client
        # What is only llama.cpp's own stands beside the paths of the OpenAI protocol.
        self._own = HttpClient(replace(at.address, path=""), at.key, at.clock, SILENCE_S)
        self._marker = ""

    @classmethod
    def start(
        cls,
        model: Path,
        mmproj: Path,
        *,
        context: int = LONGEST_CONTEXT,
        threads: int | None = None,
        sizing: Sizing = QWEN25,
        rules: Rules = OURS,
        ready_s: float = 600.0,
    ) -> LlamaServerEngine:
        """Start a server for a model; `ready_s` limits loading, `context` is in tokens.

        The server ends turns as `rules` say, in all its conversations.
        """
        if not is_installed("xllamacpp"):
            raise EngineError("GGUF models need xllamacpp: pip install xllamacpp")
        language = check_language_model(read_gguf_header(model))
        _check_sizing(sizing, check_vision_part(read_gguf_header(mmproj), language))
        arguments = [str(model.resolve()), str(mmproj.resolve())]
        arguments += ["--context", str(min(context, language.context_length))]
        arguments += ["--threads", str(threads or default_threads())]
        arguments += ["--tight"] if rules.is_published else []
        process = ServerProcess.start(arguments, ready_s)
        try:
            retry_policy = RetryPolicy(RETRIES)
            address = read_address(process.address)
            client = HttpClient(address, Key(process.key), retry_policy.clock, SILENCE_S)
        except BaseException:
            process.close()
            raise
        server = ServerSession(
            client,
            ALIAS,
            retry_policy,
            sizing,
            # sends counts with every piece, so that a turn cut short is counted too
            extras={"timings_per_token": True, "grammar": turn_grammar(rules)},
            check_alive=process.check,
        )
        return cls(server, process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def next_token(
        self, turns: Sequence[Turn], pictures: Sequence[Image.Image], said: str
    ) -> dict[str, float]:
        """Log-probabilities of what would follow `said` in the model's next turn, likeliest first.

        A chat cannot ask for this: its templates do not go on with a turn.
        """
        if not self._marker:
            self._marker = str(self._asked("GET", "/props", None)["media_marker"])
        parts = (part for part in chat_parts(turns) if part.text not in VISION_MARKS)
        prompt = "".join(part.text if part.picture is None else self._marker for part in parts)
        data = [base64.b64encode(png_bytes(picture)).decode("ascii") for picture in pictures]
        body = {
            "prompt": {"prompt_string": prompt + said, "multimodal_data": data},
            "n_predict": 1, "n_probs": ALTERNATIVES, "temperature": 0.0,
        }  # fmt: skip
        # None are told where the turn most likely ends there.
        found = self._asked("POST", "/completion", body).get("completion_probabilities", [])
        likeliest = found[0]["top_logprobs"] if found else []
        return {each["token"]: float(each["logprob"]) for each in likeliest}

    def _asked(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        with self._own.request(method, path, body) as response:
            return read_json(read_all(response.pieces, MAX_ANSWER))

    def close(self) -> None:
        super().close()
        self._own.close()
        self._process.close()


def _check_sizing(sizing: Sizing, factor: int) -> None:
    # llama.cpp pads or resizes other pictures, and the model would see another one
    least, most = FEWEST_TOKENS * factor**2, MOST_TOKENS * factor**2
    if sizing.factor != factor or not least <= sizing.min_pixels <= sizing.max_pixels <= most:
        raise EngineError(
            f"the model takes pictures of {FEWEST_TOKENS} to {MOST_TOKENS} squares of {factor} "
            f"pixels, not {sizing}; change the model card's [sizing]"
        )
