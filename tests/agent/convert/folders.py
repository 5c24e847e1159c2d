"""Model folders to change, and helpers to export them and read the result."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import pytest

from agent.convert.convert import LanguageType
from train.export.export import export_gguf

Json = dict[str, Any]


@pytest.fixture
def copy25(tiny_qwen25: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_qwen25, tmp_path / "model"))


@pytest.fixture
def copy3(tiny_qwen3: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_qwen3, tmp_path / "model"))


@pytest.fixture(params=["tiny_qwen25", "tiny_qwen3"])
def model(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue(request.param)
    return folder


def edit(folder: Path, name: str, change: Callable[[Json], object]) -> None:
    path = folder / name
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def read_gguf(path: Path) -> dict[str, Any]:
    """The file's tensors as float32."""
    return {
        tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        for tensor in gguf.GGUFReader(path).tensors
    }


def export_pair(model: Path, folder: Path, kind: LanguageType = "f32") -> Path:
    export_gguf(model, folder, lm_type=kind, mmproj_type="f16" if kind == "q8_0" else kind)
    return folder
