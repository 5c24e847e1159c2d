"""Start, watch and end the child process that runs llama.cpp's server."""

from __future__ import annotations

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
from pathlib import Path
from typing import IO

import agent
from agent.child_process.start_child import child_command, end_child, start_child
from agent.engines.remote.errors import one_line
from agent.errors import EngineError

CHILD = "agent.engines.gguf.llama_server_child"
# The only system library that llama.cpp needs and pip does not install
OPENMP = "libgomp.so.1"
OPENMP_ADVICE = "On Debian or Ubuntu: sudo apt-get install libgomp1"
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
        self._read_log(process.stderr)
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

    def _read_log(self, stream: IO[bytes]) -> None:
        while line := stream.readline(MAX_LINE):
            if text := _STAMP.sub("", line.decode("utf-8", "replace")).strip():
                self._lines.append(text)


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
