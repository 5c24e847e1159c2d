"""Checks of modules, resources and llama.cpp."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from agent.engines import kind
from agent.engines.gguf import native, self_test
from agent.errors import EngineError
from app.selftest import installation
from app.selftest.installation import CheckFailed, CheckSkipped
from tests.app.selftest.checks import run

ROOT = Path(__file__).parents[3]


NOT_CHECKED = {
    *("PySide6", "shiboken6", "pyqtgraph"),  # the window's part
    *(
        "fsspec",
        "pyvo",
        "mcp",
        "mcp_types",
        "pydantic",
        "anyio",
        "uvicorn",
        "starlette",
    ),  # said to be missing where they are asked for
    *(
        "numpy",
        "typer",
        "rich",
        "click",
        "platformdirs",
        "psygnal",
        "filelock",
    ),  # nothing goes without
    *("llama_cpp", "xllamacpp", "pyarrow"),  # rows of their own
    *(
        "tokenizers",
        "safetensors",
        "torch",
        "transformers",
        "peft",
        "accelerate",
        "specutils",
        "psycopg",
        "ray",
    ),
}


@pytest.fixture(scope="module")
def imported() -> dict[str, str]:
    """Every module that the program imports anywhere, by the file that does."""
    found = {}
    for path in (path for package in ("agent", "app") for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name: path.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found[node.module] = path.name
    return found


def test_what_is_loaded_late_is_loaded_by_the_selftest(imported):
    """Else a copy of the program could lack it unseen."""
    checked = {name.partition(".")[0] for name in installation.LAZY_IMPORTS} | NOT_CHECKED
    known = sys.stdlib_module_names | checked | {"agent", "app"}
    assert {each: file for each, file in imported.items() if each.split(".")[0] not in known} == {}
    assert {name for name in imported if name.startswith("scipy.")} <= set(
        installation.LAZY_IMPORTS
    )


def test_a_module_that_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr(installation, "PACKAGES", ())
    monkeypatch.setattr(installation, "LAZY_IMPORTS", ("json", "no_such_module"))
    with pytest.raises(CheckFailed, match="no_such_module"):
        run(installation, "modules", tmp_path)
    monkeypatch.setattr(installation, "OPTIONAL", ("no_such_module",))
    assert run(installation, "modules", tmp_path) == "1 loaded, 1 that need torch skipped"


def test_a_resource_that_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr(installation, "FILES", ("tasks/cv.toml", "icons/none.svg"))
    with pytest.raises(CheckFailed, match=r"missing: icons/none\.svg"):
        run(installation, "resources", tmp_path)


def test_llama_cpp_from_a_wheel_is_tried_in_its_own_process(monkeypatch, tmp_path):
    def not_installed() -> None:
        raise EngineError("not installed")

    monkeypatch.setattr(native, "native", not_installed)
    monkeypatch.setattr(kind, "find_spec", lambda name: name == "xllamacpp" or None)
    assert run(installation, "llama.cpp", tmp_path).startswith("xllamacpp 20")
    monkeypatch.setattr(
        self_test,
        "child_command",
        lambda *_: [sys.executable, "-c", "raise SystemExit('wrong size')"],
    )
    with pytest.raises(CheckFailed, match="wrong size"):
        run(installation, "llama.cpp", tmp_path)
    monkeypatch.setattr(kind, "find_spec", lambda name: None)
    with pytest.raises(CheckSkipped, match="not installed"):
        run(installation, "llama.cpp", tmp_path)


def test_llama_cpp_that_is_installed_and_does_not_work_is_a_fault(monkeypatch, tmp_path):
    def broken() -> None:
        raise EngineError("libllama.so: undefined symbol")

    monkeypatch.setattr(native, "native", broken)
    monkeypatch.setattr(kind, "find_spec", lambda name: name == "llama_cpp" or None)
    with pytest.raises(CheckFailed, match="undefined symbol"):
        run(installation, "llama.cpp", tmp_path)
