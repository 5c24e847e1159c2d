"""Runs attacks one by one in forked processes and measures what each one took.

Run as a program it is the process they are forked from, which has everything imported: a case costs
milliseconds. The parent of the tests cannot be forked itself, as Qt has threads.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 240.0
"""Twenty times what the slowest case takes: only what hangs is still there."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one attack did. `peak_mb` counts the largest process, children included."""

    value: Any
    error: str
    """Type and text of an exception that the case did not handle, or that it hangs; '' for none."""
    status: int
    """Exit status; negative for a signal, as -9 after the deadline."""
    peak_mb: int
    opened: list[str]
    """Files that Python code opened, outside the folders of the program and of Python."""
    output: str
    """What was written to standard output and error."""


class Sandbox:
    """Calls `module:function` with the arguments of each case, each in a process of its own.

    One is enough for a module of tests: to import what it attacks takes seconds.
    """

    def __init__(self, function: str, *, address_space_mb: int | None = None) -> None:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.attacks.sandbox", function,
             str(address_space_mb or 0)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(DEADLINE_S)

    def run(self, *arguments: Any, deadline_s: float = DEADLINE_S, function: str = "") -> Outcome:
        """`function` names another one of the same module."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([deadline_s, function, *arguments]), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        assert line, f"the sandbox ended with {self._process.wait()}"
        return Outcome(**json.loads(line))


def read_or_refused(attack: str, made: Path, folder: Path, batch: int, count: int) -> None:
    """Spoilt copies of what was made, of which some are read and some refused in a sentence."""
    kinds: Counter[bool] = Counter()
    with Sandbox(attack) as sandbox:
        for seed in range(batch * count, (batch + 1) * count):
            outcome = sandbox.run(seed, str(made), str(folder / f"{seed}"))
            assert (outcome.error, outcome.status) == ("", 0), (seed, outcome.value, outcome.output)
            assert "Traceback" not in outcome.output, (seed, outcome.output)
            assert outcome.peak_mb <= 600
            kinds[any(outcome.value["told"])] += 1
    assert min(kinds[True], kinds[False]) > count // 12


def main() -> None:
    module, _, name = sys.argv[1].partition(":")
    attacks = import_module(module)
    limit = int(sys.argv[2]) * 1024 * 1024
    with os.fdopen(os.dup(1), "w") as answers:
        for line in sys.stdin:
            deadline_s, other, *arguments = json.loads(line)
            outcome = _run(getattr(attacks, other or name), arguments, deadline_s, limit)
            print(json.dumps(outcome), file=answers, flush=True)


def _run(function: Any, arguments: list[Any], deadline_s: float, limit: int) -> dict[str, Any]:
    result_end, child_result = os.pipe()
    output_end, child_output = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()  # so that its own children end with it
        os.dup2(child_output, 1)
        os.dup2(child_output, 2)
        _case(function, arguments, limit, os.fdopen(child_result, "w"))
    os.close(child_result)
    os.close(child_output)
    collected, hangs = _collect([result_end, output_end], deadline_s)
    if hangs:
        os.killpg(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    text = "" if hangs else collected[result_end].decode()
    error = f"it hangs: killed after {deadline_s:g} s" if hangs else ""
    result = json.loads(text) if text else {"value": None, "error": error, "opened": []}
    return {
        **result,
        "status": os.waitstatus_to_exitcode(status),
        "peak_mb": usage.ru_maxrss // (1024 if sys.platform == "linux" else 1024 * 1024),
        "output": collected[output_end].decode("utf-8", "replace")[-20_000:],
    }


def _collect(ends: list[int], deadline_s: float) -> tuple[dict[int, bytes], bool]:
    """Read the pipes to their ends; whether they had none before the deadline."""
    until = time.monotonic() + deadline_s
    collected = dict.fromkeys(ends, b"")
    open_ends = set(ends)
    while open_ends and (left_s := until - time.monotonic()) > 0:
        ready, _, _ = select.select(list(open_ends), [], [], left_s)
        for end in ready:
            piece = os.read(end, 1 << 16)
            collected[end] += piece
            if not piece:
                open_ends.discard(end)
    for end in ends:
        os.close(end)
    return collected, bool(open_ends)


def _case(function: Any, arguments: list[Any], limit: int, result: Any) -> None:
    opened: list[str] = []
    _record_opened(opened)
    if limit:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    value, error, code = None, "", 0
    try:
        value = function(*arguments)
    except BaseException as raised:
        error, code = f"{type(raised).__name__}: {raised}"[:2000], 1
    json.dump({"value": value, "error": error, "opened": opened[:1000]}, result)
    result.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _record_opened(opened: list[str]) -> None:
    own = (sys.prefix, sys.base_prefix, str(ROOT), "/proc/self", "/sys/", "/dev/null", "/etc/")

    def hook(event: str, details: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(details[0], str | bytes):
            path = os.fsdecode(details[0])
            if path and not str(Path(path).absolute()).startswith(own):
                opened.append(path)

    sys.addaudithook(hook)


if __name__ == "__main__":
    main()
