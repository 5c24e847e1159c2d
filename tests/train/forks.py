"""Tests in processes of their own, forked from one that has everything imported."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.processes import LONG_S


def run_apart(module: str, *places: Path) -> None:
    """A module of the tests as a program, told these places and a port that nobody uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, (*places, port))],
        capture_output=True, text=True, timeout=LONG_S, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]


def forked(run: Callable[[], object]) -> int:
    child = os.fork()
    if not child:
        status = 1
        try:
            run()
            status = 0
        finally:
            os._exit(status)
    return child


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def as_rank(number: int, port: str, run: Callable[[], object]) -> None:
    """With the environment that torchrun and accelerate give their processes."""
    os.environ |= {
        "RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": "2",
        "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
        "ACCELERATE_USE_CPU": "true",
    }  # fmt: skip
    run()
