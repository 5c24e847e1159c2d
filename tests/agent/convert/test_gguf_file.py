"""A GGUF file is checked after it is written: any wrong key or number is found."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

from safetensors.torch import load_file, save_file

from agent.convert import gguf_file
from agent.convert.checkpoint import ConversionError
from agent.convert.gguf_file import Contents, write_gguf
from agent.convert.metadata import Value
from agent.convert.targets import TensorTarget
from tests.agent.convert.folders import Json, copy25
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.export import export_gguf

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


def _changed_value(metadata: Json, targets: list[TensorTarget]) -> None:
    metadata["qwen2vl.rope.freq_base"] = Value("f32", 9999.0)


def _missing_key(metadata: Json, targets: list[TensorTarget]) -> None:
    del metadata["qwen2vl.block_count"]


def _missing_tensor(metadata: Json, targets: list[TensorTarget]) -> None:
    targets.pop()


def _swapped_tensors(metadata: Json, targets: list[TensorTarget]) -> None:
    names = {
        "blk.0.ffn_up.weight": "blk.0.ffn_gate.weight",
        "blk.0.ffn_gate.weight": "blk.0.ffn_up.weight",
    }
    targets[:] = [
        TensorTarget(names.get(each.name, each.name), each.source, each.source_shape)
        for each in targets
    ]


@pytest.mark.parametrize("spoil", [_changed_value, _missing_key, _missing_tensor, _swapped_tensors])
@pytest.mark.parametrize("kind", ["f32", "f16", "q8_0"])
def test_a_file_written_wrongly_is_noticed(
    tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Json, list[TensorTarget]], None], kind: str,
) -> None:  # fmt: skip
    def write_spoilt(path: Path, contents: Contents, *rest: Any) -> None:
        metadata, targets = dict(contents.metadata), list(contents.targets)
        if "qwen2vl.block_count" in metadata:
            spoil(metadata, targets)
        write_gguf(path, replace(contents, metadata=metadata, targets=targets), *rest)

    monkeypatch.setattr("agent.convert.convert.write_gguf", write_spoilt)
    with pytest.raises(ConversionError, match="written incorrectly"):
        export_gguf(tiny_qwen25, tmp_path, lm_type=kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["f32", "f16", "q8_0"])
def test_one_number_off_is_noticed(
    tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    encode = gguf_file.encoded

    def nudged(weights: Any, kept: Any, name: str) -> Any:
        if name == "blk.3.ffn_down.weight":
            weights = weights.copy()
            weights[7, 11] += 0.02 * np.abs(weights[7]).max()
        return encode(weights, kept, name)

    monkeypatch.setattr(gguf_file, "encoded", nudged)
    with pytest.raises(ConversionError, match=r"blk\.3\.ffn_down\.weight differs"):
        export_gguf(tiny_qwen25, tmp_path, lm_type=kind)


def test_weights_no_float16_holds(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    weights["model.layers.0.mlp.up_proj.weight"][3, 3] = 1e6
    save_file(weights, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="too large for float16"):
        export_gguf(copy25, copy25 / "out")
    export_gguf(copy25, copy25 / "out", lm_type="f32")
    weights["model.layers.0.mlp.up_proj.weight"][3, 3] = float("nan")
    save_file(weights, copy25 / "model.safetensors")
    with pytest.raises(ConversionError, match="not finite"):
        export_gguf(copy25, copy25 / "out", lm_type="f32")
