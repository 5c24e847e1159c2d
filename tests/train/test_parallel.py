"""Work shared among processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from train.parallel import in_order

BUSY_FOR_AN_HOUR = """
import os, time
from train.parallel import in_order

def busy(number):
    print(os.getpid(), flush=True)
    time.sleep(3600)

if __name__ == "__main__":
    list(in_order(busy, range(9), 2))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_jobs(workers: int):
    assert list(in_order(abs, range(-40, 0), workers)) == list(range(40, 0, -1))


def test_a_worker_that_dies_is_told_in_a_sentence():
    with pytest.raises(WorkbenchError, match=r"killed \(out of memory\?\).* fewer --workers"):
        list(in_order(os._exit, [3, 3], 2))


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")
def test_workers_end_with_the_command_that_is_killed(tmp_path: Path):
    script = tmp_path / "busy.py"
    script.write_text(BUSY_FOR_AN_HOUR)
    root = str(Path(__file__).parents[2])
    command = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": root},
        text=True,
    )
    assert command.stdout is not None
    with command, command.stdout as said:
        workers = {int(said.readline()), int(said.readline())}
        assert len(workers) == 2 and command.pid not in workers
        command.send_signal(signal.SIGKILL)
        # the pipe ends when the last process that could write to it has gone
        said.read()
