"""GGUF pairs of the tiny models, written once in each test process.

A test module takes the fixtures by importing their names, and those of the models they come from:
`from tests.small_models import tiny_qwen3, tiny_qwen25`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("llama_cpp")

from agent.engines.gguf.engine import GgufEngine
from train.export.export import ExportReport, export_gguf

CONTEXT = 4096


def load(report: ExportReport, context_length: int = CONTEXT) -> GgufEngine:
    """One thread: more would wait for each other on a busy machine."""
    files = (report.folder / file.name for file in (report.language_model, report.mmproj))
    return GgufEngine.load(*files, context_length=context_length, threads=1)


@pytest.fixture(scope="session")
def pair_qwen25(tiny_qwen25: Path, tmp_path_factory: pytest.TempPathFactory) -> ExportReport:
    return export_gguf(tiny_qwen25, tmp_path_factory.mktemp("pair25"))


@pytest.fixture(scope="session")
def pair_qwen3(tiny_qwen3: Path, tmp_path_factory: pytest.TempPathFactory) -> ExportReport:
    return export_gguf(tiny_qwen3, tmp_path_factory.mktemp("pair3"))


@pytest.fixture(scope="session")
def engine_qwen25(pair_qwen25: ExportReport) -> Iterator[GgufEngine]:
    engine = load(pair_qwen25)
    yield engine
    engine.close()
