"""The parent's hold on one child process: messages to it, messages from it, and how it ended.

Three threads keep its pipes moving, so that neither side ever waits for the other to read.
"""

from __future__ import annotations

import logging
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import IO, BinaryIO, cast

from agent.checked_toml import printable
from app.worker.errors import LoadError, WireError
from app.worker.exit_reason import cleaned, how_it_ended, last_words
from app.worker.wire import Message, encode, read_message

QUIT_GRACE_S = 2.0
END_GRACE_S = 0.3
STDERR_LINES, STDERR_LINE = 200, 2_000
INBOX = 256
"""Messages not yet looked at; the child waits when there are more."""

_log = logging.getLogger("app.worker")


class ChildProcess:
    """Any thread may send, wake and kill; one thread receives and closes."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        # Without this a program that has no console would flash one up.
        flags: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        try:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, creationflags=flags
            )
        except OSError as error:
            raise LoadError(f"no worker could be started: {error}") from error
        self._inbox: queue.Queue[Message | None] = queue.Queue(INBOX)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[bytes] = deque(maxlen=STDERR_LINES)
        self._ended = threading.Event()
        self._why_killed = ""
        self._pings = count(1)
        self._pongs: dict[int, threading.Event] = {}
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None
        source = cast(BinaryIO, stdout)  # subprocess promises less than it gives
        self._stderr_reader = self._run(partial(self._read_stderr, stderr), "stderr")
        self._others = [
            self._run(partial(self._write, stdin), "requests"),
            self._run(partial(self._read, source), "answers"),
        ]

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def send(self, message: Message) -> None:
        """Returns at once; what an ended child is sent is dropped."""
        self._outbox.put(encode(message))

    def receive(self, timeout_s: float | None) -> Message | None:
        """The next message; None after a wake, the timeout, or the child's end."""
        if self.ended and self._inbox.empty():
            return None
        try:
            return self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            return None

    @property
    def was_killed(self) -> bool:
        """By us."""
        return bool(self._why_killed)

    @property
    def is_lost(self) -> bool:
        return self.was_killed or self.ended

    @property
    def is_exhausted(self) -> bool:
        """Ended, and all it said has been received."""
        return self.ended and self._inbox.empty()

    def wake(self) -> None:
        """Let `receive` come back."""
        with suppress(queue.Full):  # then it does not wait
            self._inbox.put_nowait(None)

    def ping(self, timeout_s: float) -> float | None:
        """Seconds until the child answered, which it does while it inspects; None if it did not."""
        number, answered = next(self._pings), threading.Event()
        self._pongs[number] = answered
        started = time.perf_counter()
        self.send({"type": "ping", "id": number})
        in_time = answered.wait(timeout_s)
        self._pongs.pop(number, None)
        return time.perf_counter() - started if in_time else None

    def kill(self, why: str) -> None:
        """`why` completes "the worker ..."."""
        self._why_killed = self._why_killed or why
        self._process.kill()

    def close(self) -> None:
        """Ask it to leave, then make it; returns when process, pipes and threads are gone."""
        self.send({"type": "quit"})
        self._outbox.put(None)
        for end_it in (self._process.terminate, self._process.kill):
            if self._ends_within(QUIT_GRACE_S):
                break
            end_it()
        self._ends_within(QUIT_GRACE_S)  # one that hangs in a driver outlives even that
        for thread in (*self._others, self._stderr_reader):
            thread.join(END_GRACE_S)

    @property
    def fate(self) -> str:
        """How it ended; completes "the worker ..."."""
        code = self._process.returncode
        if self._why_killed:
            return f"{self._why_killed} and was ended"
        return how_it_ended(0 if code is None else code)

    @property
    def last_words(self) -> str:
        return last_words(cleaned(list(self._stderr)))

    @property
    def stderr(self) -> str:
        """The last lines it wrote, safe to show in a terminal."""
        return "\n".join(cleaned(list(self._stderr)))

    def _ends_within(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self.ended and (left := until - time.monotonic()) > 0:
            self.receive(left)  # what it still says, so that its reader gets to the end
        return self.ended

    # The threads

    def _run(self, work: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"worker {self.pid} {name}", daemon=True)
        thread.start()
        return thread

    def _read(self, stdout: BinaryIO) -> None:
        with stdout:
            try:
                while (message := read_message(stdout)) is not None:
                    self._sort(message)
            except WireError as error:
                self.kill(f"sent what cannot be read ({error})")
            except OSError:
                pass
            self._reap()

    def _sort(self, message: Message) -> None:
        if message["type"] == "log":
            _tell(message)
        elif message["type"] == "pong":
            answered = self._pongs.get(message.get("id", 0))
            if answered is not None:
                answered.set()
        else:
            self._inbox.put(message)

    def _reap(self) -> None:
        """Its stdout is at the end: so is the process, in a moment."""
        try:
            self._process.wait(END_GRACE_S)
        except subprocess.TimeoutExpired:
            self.kill("stopped answering")
            self._process.wait()
        self._outbox.put(None)
        self._stderr_reader.join(END_GRACE_S)  # for its last words
        self._ended.set()
        self.wake()

    def _write(self, stdin: IO[bytes]) -> None:
        # An OSError says that it has ended, which its reader sees, too.
        with suppress(OSError), stdin:
            while (line := self._outbox.get()) is not None:
                stdin.write(line)
                stdin.flush()

    def _read_stderr(self, stderr: IO[bytes]) -> None:
        with suppress(OSError), stderr:
            while line := stderr.readline(STDERR_LINE):
                self._stderr.append(line)


def _tell(message: Message) -> None:
    """Put into our log what the child logged."""
    level, text = message.get("level"), str(message.get("text", ""))
    _log.log(level if isinstance(level, int) else logging.WARNING, "%s", printable(text, 2_000))
