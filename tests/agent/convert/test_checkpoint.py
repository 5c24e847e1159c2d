"""A transformers folder is read without torch, and damaged ones are refused."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, save_file

from agent.convert.checkpoint import ConversionError
from tests.agent.convert.folders import Json, copy25, read_gguf
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.export import export_gguf

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_half_precision_weights_are_read_without_torch(copy25: Path, kind: str) -> None:
    weights = load_file(copy25 / "model.safetensors")
    halved = {name: tensor.to(getattr(torch, kind)) for name, tensor in weights.items()}
    save_file(halved, copy25 / "model.safetensors")
    export_gguf(copy25, copy25 / "out", lm_type="f32", mmproj_type="f32")
    words = read_gguf(copy25 / "out" / "model-f32.gguf")
    wanted = halved["model.layers.0.mlp.up_proj.weight"].float().numpy()
    assert np.array_equal(words["blk.0.ffn_up.weight"], wanted)


def test_folders_that_hold_no_model(tmp_path: Path, copy25: Path) -> None:
    with pytest.raises(ConversionError, match="not a folder"):
        export_gguf(tmp_path / "none", tmp_path)
    with pytest.raises(ConversionError, match=r"no config\.json"):
        export_gguf(tmp_path, tmp_path)
    config = (copy25 / "config.json").read_text()
    (copy25 / "config.json").write_text("{")
    with pytest.raises(ConversionError, match="not valid JSON"):
        export_gguf(copy25, tmp_path / "out")
    (copy25 / "config.json").write_text(config)
    (copy25 / "tokenizer.json").unlink()
    with pytest.raises(ConversionError, match=r"no tokenizer\.json"):
        export_gguf(copy25, tmp_path / "out")
    (copy25 / "model.safetensors").rename(copy25 / "pytorch_model.bin")
    with pytest.raises(ConversionError, match="convert them to safetensors"):
        export_gguf(copy25, tmp_path / "out")


def test_an_adapter_alone_is_refused_with_the_command(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "Qwen/base"}')
    with pytest.raises(ConversionError, match=r"spec-o3-train export Qwen/base OUT --adapter"):
        export_gguf(tmp_path, tmp_path / "out")


def _stored_header(header: Json, data: bytes = b"") -> bytes:
    encoded = json.dumps(header).encode()
    return struct.pack("<Q", len(encoded)) + encoded + data


HOSTILE_WEIGHTS = {
    "nothing": b"",
    "an endless header": struct.pack("<Q", 1 << 60) + b"{}",
    "no JSON": struct.pack("<Q", 4) + b"{{{{",
    "a list": struct.pack("<Q", 2) + b"[]",
    "past the end": _stored_header({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}),
    "before the start": _stored_header(
        {"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}, bytes(8)
    ),
    "another length": _stored_header(
        {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}, bytes(8)
    ),
    "a negative side": _stored_header(
        {"a": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}, bytes(8)
    ),
    "no offsets": _stored_header({"a": {"dtype": "F32", "shape": [1]}}, bytes(8)),
    "no table": _stored_header({"a": 1}),
}


@pytest.mark.parametrize("name", HOSTILE_WEIGHTS)
def test_hostile_weight_files(copy25: Path, name: str) -> None:
    (copy25 / "model.safetensors").write_bytes(HOSTILE_WEIGHTS[name])
    with pytest.raises(ConversionError, match=r"model\.safetensors"):
        export_gguf(copy25, copy25 / "out")


def test_an_index_may_not_name_files_elsewhere(copy25: Path) -> None:
    index = {"weight_map": {"a": "../model.safetensors"}}
    (copy25 / "model.safetensors").rename(copy25.parent / "model.safetensors")
    (copy25 / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ConversionError, match="not a weight file beside it"):
        export_gguf(copy25, copy25 / "out")
    index = {"weight_map": {str(number): f"{number}.safetensors" for number in range(1001)}}
    (copy25 / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ConversionError, match="more than a model has"):
        export_gguf(copy25, copy25 / "out")
