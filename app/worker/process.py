"""One child process as its parent sees it: messages to it, messages from it, and how it ended.

Three threads serve its pipes, so that neither side ever waits for the other to read.
"""

import logging
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import IO, BinaryIO, cast

from agent.checked_toml import printable
from agent.child_process.start_child import start_child
from app.worker.errors import LoadError, WireError
from app.worker.wire import Message, encode, read_message

QUIT_GRACE_S = 1.0
END_GRACE_S = 0.3
STDERR_LINES, STDERR_LINE = 200, 2_000
# Unread messages; the child blocks when there are more.
INBOX = 256

_log = logging.getLogger("app.worker")

_SIGNALS = {
    "SIGKILL": "as when memory runs out",
    "SIGSEGV": "native code failed",
    "SIGBUS": "native code failed",
    "SIGILL": "native code is not made for this processor",
    "SIGABRT": "native code gave up",
    "SIGFPE": "native code failed",
}
_WINDOWS = {
    0xC0000005: "an access violation: native code failed",
    0xC000001D: "an illegal instruction: native code is not made for this processor",
    0xC0000017: "memory ran out",
    0xC00000FD: "a stack overflow: native code failed",
    0xC0000135: "a DLL was not found",
    0xC0000409: "a stack buffer overrun: native code failed",
}
_MAX_WORDS = 200
# How crash output begins: "Fatal Python error" when native code fails, "[PYI-" from PyInstaller.
_CRASH_TRACE = ("Fatal Python error", "[PYI-")


class ChildProcess:
    """Any thread may send, wake and kill; one thread, which outlives it, does all else."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = start_child(command, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError as error:
            raise LoadError(f"no worker could be started: {error}") from error
        self._inbox: queue.Queue[Message | None] = queue.Queue(INBOX)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[bytes] = deque(maxlen=STDERR_LINES)
        self._has_ended = threading.Event()
        self._kill_reason = ""
        self._unanswered, self._next_ping = 0, 0.0
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None
        source = cast(BinaryIO, stdout)  # it is binary, but subprocess declares IO[bytes]
        try:
            self._stderr_reader = self._start_thread(partial(self._read_stderr, stderr), "stderr")
            self._pipe_threads = [
                self._start_thread(partial(self._write, stdin), "requests"),
                self._start_thread(partial(self._read, source), "answers"),
            ]
        except RuntimeError as error:  # no more threads, as when memory runs out
            self._process.kill()
            self._process.wait()
            self._outbox.put(None)
            raise LoadError(f"no worker could be started: {error}") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        return self._has_ended.is_set()

    def send(self, message: Message) -> None:
        """Queue a message and return at once; messages to an ended child are dropped."""
        self._outbox.put(encode(message))

    def receive(self, timeout_s: float | None) -> Message | None:
        """Wait for the next message; None after `wake`, a timeout or the child's end."""
        if self.is_exhausted:
            return None
        try:
            return self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            return None

    @property
    def was_killed(self) -> bool:
        return bool(self._kill_reason)

    @property
    def is_lost(self) -> bool:
        return self.was_killed or self.has_ended

    @property
    def is_exhausted(self) -> bool:
        """Ended, and every message has been received."""
        return self.has_ended and self._inbox.empty()

    def wake(self) -> None:
        """Let a waiting `receive` return."""
        with suppress(queue.Full):  # with a full inbox, `receive` does not wait
            self._inbox.put_nowait(None)

    def ask_for_life(self, every_s: float, at_most: int) -> None:
        """Call this often: sends a ping every `every_s`; the child is killed after `at_most` in
        a row without any message from it."""
        # Pings are counted, not seconds, as both processes may sleep: with the machine, or Ctrl-Z.
        if self.is_lost or time.monotonic() < self._next_ping:
            return
        if self._unanswered >= at_most:
            self.kill(f"gave no sign of life for {every_s * at_most:g} s")
            return
        self._unanswered += 1
        self._next_ping = time.monotonic() + every_s
        self.send({"type": "ping", "id": 0})

    def kill(self, reason: str) -> None:
        """Kill the child; `reason` completes the sentence "the worker ..."."""
        self._kill_reason = self._kill_reason or reason
        self._process.kill()

    def close(self) -> None:
        """Ask the child to quit, then force it; waits for process, pipes and threads to end."""
        self.send({"type": "quit"})
        self._outbox.put(None)
        # The window waits for this. A process that was stopped hears neither of the first two.
        for grace_s, end_it in (
            (QUIT_GRACE_S, self._process.terminate),
            (END_GRACE_S, self._process.kill),
        ):
            if self._wait_for_end(grace_s):
                break
            end_it()
        self._wait_for_end(QUIT_GRACE_S)  # a process stuck in a driver outlives even kill
        for thread in (*self._pipe_threads, self._stderr_reader):
            thread.join(END_GRACE_S)

    @property
    def exit_description(self) -> str:
        """How the child ended; completes the sentence "the worker ..."."""
        code = self._process.returncode
        if self._kill_reason:
            return f"{self._kill_reason} and was killed"
        return describe_exit(0 if code is None else code)

    @property
    def last_line(self) -> str:
        return last_line(printable_lines(list(self._stderr)))

    @property
    def stderr(self) -> str:
        """The last lines it wrote, without control characters."""
        return "\n".join(printable_lines(list(self._stderr)))

    def _wait_for_end(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self.has_ended and (left := until - time.monotonic()) > 0:
            self.receive(left)  # empties the inbox, so that the reader thread reaches the end
        return self.has_ended

    # The pipe threads

    def _start_thread(self, work: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"worker {self.pid} {name}", daemon=True)
        thread.start()
        return thread

    def _read(self, stdout: BinaryIO) -> None:
        with stdout:
            try:
                while (message := read_message(stdout)) is not None:
                    self._dispatch(message)
            except WireError as error:
                self.kill(f"sent an unreadable message ({error})")
            except OSError:
                pass
            self._reap()

    def _dispatch(self, message: Message) -> None:
        self._unanswered = 0
        if message["type"] == "log":
            level, text = message.get("level"), printable(str(message.get("text", "")), 2_000)
            _log.log(level if isinstance(level, int) else logging.WARNING, "%s", text)
        elif message["type"] != "pong":
            self._inbox.put(message)

    def _reap(self) -> None:
        """Wait for the process, whose stdout has just closed."""
        try:
            self._process.wait(END_GRACE_S)
        except subprocess.TimeoutExpired:
            self.kill("stopped answering")
            self._process.wait()
        self._outbox.put(None)
        self._stderr_reader.join(END_GRACE_S)  # `last_line` needs all of stderr
        self._has_ended.set()
        self.wake()

    def _write(self, stdin: IO[bytes]) -> None:
        # An OSError means that the child has ended; the reader thread notices that too.
        with suppress(OSError), stdin:
            while (line := self._outbox.get()) is not None:
                stdin.write(line)
                stdin.flush()

    def _read_stderr(self, stderr: IO[bytes]) -> None:
        with suppress(OSError), stderr:
            while line := stderr.readline(STDERR_LINE):
                self._stderr.append(line)


# Describes for users how a process ended.
def describe_exit(code: int) -> str:
    """Complete the sentence "the process ..." for a `subprocess` return code."""
    if code >= 0:
        known = _WINDOWS.get(code)
        return f"died of {known}" if known else f"ended with status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = _SIGNALS.get(name)
    return f"was killed by {name}" + (f" ({why})" if why else "")


def printable_lines(lines: Sequence[bytes]) -> list[str]:
    """Decode stderr lines without control characters; empty lines are dropped."""
    texts = (printable(line.decode("utf-8", "replace").rstrip(), _MAX_WORDS) for line in lines)
    return [text for text in texts if text.strip()]


def last_line(lines: Sequence[str]) -> str:
    """The last line the process itself wrote before it crashed, or an empty string."""
    own = list(takewhile(lambda line: not line.startswith(_CRASH_TRACE), lines))
    return own[-1].strip() if own else ""
