"""Reads a stranger's file in a child process, and hands on what a function yields there.

What such a file takes in time and memory, or a crash of native code, ends the child and not the
program. Values travel as JSON.
"""

import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, cast

from agent.child_process.die_with_parent import die_with_parent
from agent.child_process.limit_memory import limit_memory
from agent.child_process.start_child import child_command, start_child

MEMORY = 512 * 1024**2  # beside the size of the file
SILENCE_S, BYTES_PER_S = 60.0, 1024**2
"""How long the child may send nothing once it has begun; longer for a large file."""
AT_ONCE, SEND_S = 256 * 1024, 0.2  # so many letters, or as long, wait to be sent together
MAX_LINE = 256 * 1024**2
# With the threads and arenas that they take otherwise, libraries reserve more than they need.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
}


def rows_in_child(
    work: Callable[..., Iterable[Any]],
    path: Path,
    *arguments: Any,
    kind: type[Exception],
    memory: int = MEMORY,
) -> Generator[Any]:
    """What `work(path, *arguments)`, a function of a module of ours, yields; raises only `kind`.

    What is not JSON comes as text, but for bytes. Close it to end the child early.
    """
    size = path.stat().st_size if path.is_file() else 0
    request = {
        "work": [work.__module__, work.__name__, str(path), *arguments],
        "kind": [kind.__module__, kind.__name__],
        "memory_bytes": memory + size,
        "silence_s": SILENCE_S + size / BYTES_PER_S,
        "bytes": token_hex(8),  # no key of the file's is taken for it
    }
    with tempfile.TemporaryFile() as given:
        given.write(json.dumps(request).encode())
        given.seek(0)
        process = start_child(
            child_command("row-reader", ["-m", __name__]),
            stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **ENVIRONMENT},
        )  # fmt: skip
    stdout = cast(IO[bytes], process.stdout)
    try:
        while (line := stdout.readline(MAX_LINE)).endswith(b"\n"):
            what, value = json.loads(line, object_hook=lambda found: _with_bytes(found, request))
            if what == "failed":
                raise kind(value)
            if what == "end":
                return
            yield value
        raise kind(f"{path.name}: reading it took too much, or native code failed: it is damaged")
    finally:
        process.kill()
        stdout.close()
        process.wait()


def _with_bytes(found: dict[str, Any], request: dict[str, Any]) -> Any:
    text = found.get(request["bytes"])
    return found if text is None else b64decode(text)


def main() -> None:
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    request = json.load(sys.stdin)
    sink = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # anything printed by libraries goes to stderr, not into the stream
    module, name, path, *arguments = request["work"]
    work = getattr(import_module(module), name)
    kind = getattr(import_module(request["kind"][0]), request["kind"][1])
    limit_memory(request["memory_bytes"])

    def plain(value: object) -> object:
        if isinstance(value, bytes):
            return {request["bytes"]: b64encode(value).decode()}
        return str(value)

    lines: list[str] = []

    def send() -> None:
        faulthandler.cancel_dump_traceback_later()  # the parent may take its time
        sink.write("".join(lines))
        sink.flush()
        lines.clear()
        faulthandler.dump_traceback_later(request["silence_s"], exit=True)

    def add(what: str, value: object) -> None:
        lines.append(json.dumps([what, value], default=plain) + "\n")

    send()
    held, since = 0, time.monotonic()
    try:
        for row in work(Path(path), *arguments):
            add("row", row)
            held += len(lines[-1])
            if held > AT_ONCE or time.monotonic() - since > SEND_S:
                send()
                held, since = 0, time.monotonic()
        add("end", None)
    except kind as error:
        add("failed", str(error))
    except OSError as error:
        add("failed", f"{path} cannot be read: {str(error.strerror or error)[:200]}")
    except MemoryError:
        megabytes = request["memory_bytes"] // 1024**2
        add("failed", f"{Path(path).name}: reading it takes more than {megabytes:,} MB of memory")
    send()


if __name__ == "__main__":
    main()
