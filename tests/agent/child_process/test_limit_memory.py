"""A child process gets no more memory than it may have."""

import subprocess
import sys

import pytest

CODE = """
import sys
import numpy
from agent.child_process.limit_memory import limit_memory
limit_memory(300 * 1024**2)
print(len(bytearray(100 * 1024**2)), flush=True)
try:
    bytearray(400 * 1024**2)
except MemoryError:
    print("no more", flush=True)
limit_memory(10**12)  # a limit is not raised
if sys.platform == "darwin":
    import time
    time.sleep(600)  # until it is killed
try:
    bytearray(400 * 1024**2)
except MemoryError:
    print("no more", flush=True)
"""


@pytest.mark.parametrize("threads", ["1", "8"])
def test_a_process_gets_what_it_may_have(threads: str) -> None:
    environment = {"OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=environment
    )
    lines = done.stdout.split()
    assert lines[0] == str(100 * 1024**2), done.stderr
    if sys.platform == "darwin":  # a thread kills it soon after
        assert done.returncode == -9
    else:
        assert done.stdout.splitlines()[1:] == ["no more", "no more"]
        assert done.returncode == 0
