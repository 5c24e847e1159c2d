"""Starting the server process and reporting why it failed."""

from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

from agent.engines.gguf import llama_server
from agent.engines.gguf.llama_server import ServerProcess
from agent.engines.kind import is_installed
from agent.errors import EngineError
from tests.agent.engines.remote.real_servers import tiny_pair
from tests.processes import LONG_S, runs, wait_until

__all__ = ["tiny_pair"]

pytestmark = pytest.mark.skipif(not is_installed("xllamacpp"), reason="xllamacpp is not installed")


def test_a_process_that_cannot_load_says_why(tmp_path):
    absent = str(tmp_path / "absent.gguf")
    arguments = [absent, absent, "--context", "512", "--threads", "1"]
    with pytest.raises(EngineError, match=r"could not be loaded \(status 1: .*absent\.gguf"):
        ServerProcess.start(arguments, LONG_S)


def test_a_library_the_system_lacks_is_named_with_its_cure(tmp_path, monkeypatch):
    (tmp_path / "xllamacpp.py").write_text(
        "raise ImportError('libgomp.so.1: cannot open shared object file')", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    arguments = ["model.gguf", "mmproj.gguf", "--context", "512", "--threads", "1"]
    with pytest.raises(EngineError, match=r"libgomp\.so\.1.*sudo apt-get install libgomp1"):
        ServerProcess.start(arguments, LONG_S)


def test_a_process_that_is_never_ready_is_ended(tiny_pair):
    arguments = [str(tiny_pair.model), str(tiny_pair.mmproj), "--context", "512", "--threads", "1"]
    with pytest.raises(EngineError, match=r"not ready after 0\.001 s"):
        ServerProcess.start(arguments, 0.001)


def test_it_outlives_the_thread_that_asked_for_it(tiny_pair):
    arguments = [str(tiny_pair.model), str(tiny_pair.mmproj), "--context", "512", "--threads", "1"]
    started = []
    thread = threading.Thread(target=lambda: started.append(ServerProcess.start(arguments, LONG_S)))
    thread.start()
    thread.join()
    (server,) = started
    server.check()
    assert runs(server.pid)
    server.close()
    assert not runs(server.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a process there")
def test_one_that_is_stopped_is_ended_too(tiny_pair, monkeypatch):
    monkeypatch.setattr(llama_server, "EXIT_TIMEOUT_S", 0.5)
    arguments = [str(tiny_pair.model), str(tiny_pair.mmproj), "--context", "512", "--threads", "1"]
    server = ServerProcess.start(arguments, LONG_S)
    os.kill(server.pid, signal.SIGSTOP)
    server.close()
    wait_until(lambda: not runs(server.pid))


def test_a_process_that_does_not_know_its_words_says_so():
    with pytest.raises(EngineError, match=r"could not be loaded \(status 2: usage"):
        ServerProcess.start(["--nonsense"], 60)
