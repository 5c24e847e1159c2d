"""Check that all modules, resources and engines are installed and load."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module, metadata, resources
from importlib.util import find_spec
from pathlib import Path

from agent.child_process.child_command import child_command
from agent.engines.gguf.llama_server_process import CHILD
from agent.errors import EngineError
from agent.spectra.lines import builtin_lines
from agent.tasks.catalogue import load_tasks
from app.selftest.check import Check, CheckFailed, CheckSkipped, require
from app.worker.exit_reason import last_line

PACKAGES = ("agent", "app.cli", "app.core", "app.worker")
OPTIONAL = (
    *("torch", "transformers", "tokenizers", "safetensors", "peft", "accelerate"),
    *("specutils", "psycopg"),
)
"""Optional dependencies; own modules that need a missing one are skipped."""
LAZY_IMPORTS = (
    *(
        "astropy.io.fits",
        "gguf",
        "httpcore",
        "httpx",
        "huggingface_hub",
        "keyring",
        "matplotlib",
        "PIL",
    ),
    *(
        "scipy.linalg",
        "scipy.optimize",
        "scipy.signal",
        "scipy.spatial",
        "scipy.special",
        "sqlalchemy",
        "yaml",
    ),
)
"""Dependencies that the code imports only when needed."""
SERVER_OPTIONS = ("--context", "64", "--threads", "1")
NO_SUCH_MODEL = "failed to load model"
"""Message of a working llama.cpp about a missing model file."""
TIMEOUT_S = 120.0
FILES = (
    *("icons/spec-o3.svg", "icons/light/check.svg", "icons/dark/check.svg"),
    *("sample/candidates.csv", "sample/truth.csv", "templates/index.json"),
    *("translations/spec_o3_zh.qm", "weights/kinds.toml", "weights/tasks.toml"),
    *("indices/m_stars.toml", "models/spec-o3-7b/model.toml", "help/images"),
)
"""One resource file of each kind."""


def checks() -> Iterator[Check]:
    yield Check(part="parts", name="modules", run=_modules)
    yield Check(part="parts", name="resources", run=_resources)
    yield Check(part="parts", name="llama.cpp", run=_llama)


def is_frozen() -> bool:
    return bool(getattr(sys, "frozen", False))


def sample() -> Path:
    return Path(str(resources.files("resources"))) / "sample"


def _modules(folder: Path) -> str:
    loaded = left_out = 0
    for name in (*_own_modules(), *LAZY_IMPORTS):
        if _loads(name):
            loaded += 1
        else:
            left_out += 1
    return f"{loaded} loaded" + (f", {left_out} that need torch skipped" if left_out else "")


def _loads(name: str) -> bool:
    """Whether the module loads; False if it needs a missing optional dependency."""
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise CheckFailed(f"{name}: {error}") from error
        return False
    return True


def _own_modules() -> Iterator[str]:
    """Our modules except app.ui, which is checked by opening the window."""
    for package in PACKAGES:
        path = import_module(package).__path__
        for found in pkgutil.walk_packages(path, f"{package}."):
            if not found.name.endswith("__main__"):
                yield found.name


def _resources(folder: Path) -> str:
    home = sample().parent
    missing = [name for name in FILES if not (home / name).exists()]
    require(not missing, f"missing: {', '.join(missing)}")
    tasks, lines = load_tasks(), builtin_lines()
    require(len(tasks) >= 8, f"{len(tasks)} tasks, not 8")
    require(lines, "no spectral lines")
    return f"{len(tasks)} tasks, {sum(1 for _ in sample().rglob('*.fits.gz'))} files of spectra"


def _llama(folder: Path) -> str:
    """Check the llama.cpp engine without a model."""
    from agent.engines.gguf import llama_server, native

    try:
        native.native()
        return f"llama-cpp-python {import_module('llama_cpp').__version__}"
    except EngineError as error:
        if find_spec("llama_cpp") is not None:
            raise
        if not llama_server.is_installed():
            raise CheckSkipped("not installed; needed for GGUF models") from error
    return f"xllamacpp {_try_server(folder / 'none.gguf')}"


def _try_server(model: Path) -> str:
    """Start it in a child process, as the program does: it clashes with some libraries."""
    command = child_command("llama-server", ["-m", CHILD], str(model), str(model), *SERVER_OPTIONS)
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
    require(NO_SUCH_MODEL in output, last_line(output.splitlines()) or "it printed nothing")
    return metadata.version("xllamacpp")
