"""Run llama.cpp without a model, to see that it is whole."""

import subprocess
from importlib import import_module, metadata
from pathlib import Path

from agent.child_process.start_child import child_command
from agent.engines.gguf import native
from agent.engines.gguf.llama_server import CHILD
from agent.engines.kind import is_installed
from agent.errors import EngineError

SERVER_OPTIONS = ("--context", "64", "--threads", "1")
NO_SUCH_MODEL = "failed to load model"  # message of a working llama.cpp about a missing model file
TIMEOUT_S = 120.0  # the library is large, and a network disk gives it slowly


def try_library(no_model: Path) -> str:
    """Return name and version of what runs GGUF models here; `no_model` is a path of no file.

    Raises EngineError with what it printed.
    """
    try:
        native.native()
        return f"llama-cpp-python {import_module('llama_cpp').__version__}"
    except EngineError:
        if is_installed("llama_cpp"):
            raise
    # Start it in a child process, as the program does: it clashes with some libraries.
    command = child_command(
        "llama-server", ["-m", CHILD], str(no_model), str(no_model), *SERVER_OPTIONS
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe) as child:
        assert child.stdin is not None
        assert child.stderr is not None
        child.stdin.write(b"key\n")
        child.stdin.flush()
        try:
            child.wait(TIMEOUT_S)
        finally:
            child.kill()
        output = child.stderr.read().decode(errors="replace")
    if NO_SUCH_MODEL not in output:
        raise EngineError(output)
    return f"xllamacpp {metadata.version('xllamacpp')}"
