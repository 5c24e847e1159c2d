"""The process that holds llama.cpp's server: started, waited for, watched, ended."""

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
from contextlib import suppress
from pathlib import Path
from typing import IO

import agent
from agent.child_command import child_command
from agent.engines.remote.errors import one_line
from agent.errors import EngineError

CHILD = "agent.engines.gguf.llama_server_child"
OPENMP = "libgomp.so.1"
"""Of the system: the only library llama.cpp needs that pip does not bring."""
OPENMP_CURE = "On Debian or Ubuntu: sudo apt-get install libgomp1"
MAX_LINES = 40
MAX_LINE = 2000
_STAMP = re.compile(r"^[\d.]+ [A-Z] ")
"""The time and level before llama.cpp's log lines."""
END_S = 5.0
"""Each for ending by itself and for ending when told to."""


class ServerProcess:
    """Use `start`. `address` and `key` are what its clients need."""

    def __init__(self, process: subprocess.Popen[bytes], key: str) -> None:
        self.key = key
        self.address = ""
        self._process = process
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert process.stdout is not None
        assert process.stderr is not None
        self._readers = [
            threading.Thread(target=self._hear_answer, args=(process.stdout,), daemon=True),
            threading.Thread(target=self._hear_log, args=(process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @classmethod
    def start(cls, arguments: Sequence[str], ready_s: float) -> ServerProcess:
        """Ready to answer. Raises EngineError with its last words where it never is."""
        key = secrets.token_hex(16)
        own = cls(_spawn(arguments), key)
        try:
            own._say(key)
            own.address = own._await_address(ready_s)
        except BaseException:
            own.close()
            raise
        return own

    @property
    def pid(self) -> int:
        return self._process.pid

    def check(self) -> None:
        """Raises EngineError where the process has ended."""
        if self._process.poll() is not None:
            raise EngineError(f"the model's process has ended ({self._end(slice(-3, None))})")

    def close(self) -> None:
        """End it, first kindly. One that still loads does not listen."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        if not self.address:
            self._process.terminate()
        for end in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(END_S)
                break
            except subprocess.TimeoutExpired:
                end()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _say(self, key: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended already: waiting for its address tells why
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
            self._process.wait()
            end = self._end(slice(3))  # the first complaint is the one that helps
            cure = f". {OPENMP_CURE}" if OPENMP in end else ""
            raise EngineError(f"the model could not be loaded ({end}){cure}") from None
        return str(address)

    def _end(self, lines: slice) -> str:
        """How it ended and some of what it said."""
        for reader in self._readers:
            reader.join(END_S)
        code = self._process.returncode
        how = f"status {code}"
        if code is not None and code < 0:
            with suppress(ValueError):
                how = signal.Signals(-code).name
        words = one_line("; ".join(list(self._lines)[lines]))
        return f"{how}: {words}" if words else how

    def _hear_answer(self, stream: IO[bytes]) -> None:
        self._answers.put(stream.readline(MAX_LINE))

    def _hear_log(self, stream: IO[bytes]) -> None:
        while line := stream.readline(MAX_LINE):
            if text := _STAMP.sub("", line.decode("utf-8", "replace")).strip():
                self._lines.append(text)


def _spawn(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Our Python with our package, and nothing from the folder the user happens to be in."""
    home = str(Path(agent.__file__).parents[1])
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        return subprocess.Popen(
            child_command("llama-server", ["-m", CHILD], *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # a Ctrl-C in the terminal is for us to handle
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise EngineError(f"no process could be started: {error.strerror}") from error
