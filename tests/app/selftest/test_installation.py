"""Checks of modules, resources and llama.cpp."""

import ast
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from agent.engines import kind
from agent.engines.gguf import native, self_test
from agent.errors import EngineError
from agent.spectra.readers import read
from app.selftest import inspection, installation, session, spectra, window
from app.selftest.installation import CheckFailed, CheckSkipped
from app.selftest.spectra import LAYOUTS
from app.worker import supervisor


def run(part, name, folder):
    return next(check for check in part.checks() if check.name == name).run(folder)


ROOT = Path(__file__).parents[3]


NOT_CHECKED = {
    *("PySide6", "shiboken6", "pyqtgraph"),  # the window's part
    # said to be missing where they are asked for
    *("fsspec", "pyvo", "mcp", "mcp_types", "pydantic", "anyio", "uvicorn", "starlette"),
    # nothing goes without
    *("numpy", "typer", "rich", "click", "platformdirs", "psygnal", "filelock"),
    *("llama_cpp", "xllamacpp", "pyarrow"),  # rows of their own
    *("tokenizers", "safetensors", "torch", "transformers", "peft", "accelerate"),
    *("specutils", "psycopg", "ray"),
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
    assert run(installation, "modules", tmp_path) == "1 loaded, 1 that need more packages skipped"


@pytest.mark.parametrize("extra", ["astropy_healpix", "specutils", "psycopg"])
def test_what_the_program_alone_does_not_bring_may_be_missing(monkeypatch, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    assert not installation._loads(extra)


def test_a_resource_that_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr(installation, "FILES", ("tasks/cv.toml", "icons/none.svg"))
    with pytest.raises(CheckFailed, match=r"missing: icons/none\.svg"):
        run(installation, "resources", tmp_path)


def test_llama_cpp_from_a_wheel_is_tried_in_its_own_process(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "native", Mock(side_effect=EngineError("not installed")))
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
    monkeypatch.setattr(
        native, "native", Mock(side_effect=EngineError("libllama.so: undefined symbol"))
    )
    monkeypatch.setattr(kind, "find_spec", lambda name: name == "llama_cpp" or None)
    with pytest.raises(CheckFailed, match="undefined symbol"):
        run(installation, "llama.cpp", tmp_path)


# The checks of session and export.
def test_parquet_may_be_left_out_but_not_of_a_bundle(monkeypatch, tmp_path):
    monkeypatch.setattr(session, "find_spec", lambda name: None)
    with pytest.raises(CheckSkipped, match="pyarrow is not installed"):
        run(session, "parquet", tmp_path)
    monkeypatch.setattr(session, "is_frozen", lambda: True)
    assert "read back as Parquet" in run(session, "parquet", tmp_path)


def test_an_export_that_loses_rows_is_found_out(monkeypatch, tmp_path):
    export = session.export
    monkeypatch.setattr(session, "export", lambda session, out, which: export(session, out))
    with pytest.raises(CheckFailed, match="3 of 6 rows were read back"):
        run(session, "csv", tmp_path)


# The check that files are read correctly.
def test_a_reader_that_reads_wrong_is_found_out(monkeypatch, tmp_path):
    def off(path, spectrum):
        rows = zip(spectrum.wavelength, 1.1 * spectrum.flux, strict=True)
        path.write_text("wavelength,flux\n" + "".join(f"{w},{f}\n" for w, f in rows))

    monkeypatch.setattr(spectra, "LAYOUTS", {"text": ("table.csv", off)})
    with pytest.raises(CheckFailed, match=r"10\.0 % off"):
        run(spectra, "text", tmp_path)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_read_as_what_it_is(name, tmp_path):
    file_name, write = LAYOUTS[name]
    write(tmp_path / file_name, spectra.first_of("LAMOST"))
    found = read(tmp_path / file_name).format
    assert name in found or (name, found) == ("text", "CSV")


# The check of the inspectors.
def test_an_inspector_that_says_no_to_a_plain_one(monkeypatch, tmp_path):
    flat = spectra.first_of("LAMOST")
    flat = type(flat)(wavelength=flat.wavelength, flux=np.ones(len(flat)), ivar=flat.ivar)
    monkeypatch.setattr(inspection, "first_of", lambda survey: flat)
    with pytest.raises(CheckFailed, match="it answered NO to a clear"):
        run(inspection, "measured", tmp_path)


def test_a_worker_that_does_not_start(monkeypatch, tmp_path):
    monkeypatch.setattr(
        supervisor, "worker_command", lambda: [sys.executable, "-c", "raise SystemExit(3)"]
    )
    with pytest.raises(Exception, match="status 3"):
        run(inspection, "measured", tmp_path)


def test_without_a_model_in_the_box(monkeypatch, tmp_path):
    monkeypatch.setattr(inspection, "bundled_models", list)
    with pytest.raises(CheckSkipped, match="no model is bundled"):
        run(inspection, "model", tmp_path)


# The check that opens the window.
def test_a_window_that_dies_is_a_row_with_its_last_words(monkeypatch, tmp_path):
    words = "import os, sys; print('a library is missing', file=sys.stderr, flush=True); os.abort()"
    monkeypatch.setattr(window, "child_command", lambda *_: [sys.executable, "-c", words])
    with pytest.raises(CheckFailed, match=r"it was killed by SIGABRT .*: a library is missing"):
        run(window, "offscreen", tmp_path)
