"""Tensors of a vision part that are missing or have the wrong shape are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.engines.gguf.header import read_gguf_header
from agent.engines.gguf.shapes import vision_shapes
from agent.errors import EngineError
from tests.agent.engines.gguf.gguf_files import (
    HIDDEN,
    Change,
    checked,
    language,
    pictures,
    set_key,
    set_shape,
    write,
)

SHAPE_FAULTS: dict[str, tuple[Change, str]] = {
    "other patches": (set_key("clip.vision.patch_size", 16), "patch_embd"),
    "more layers than tensors": (set_key("clip.vision.block_count", 2), "v.blk.1"),
    "a layer misshapen": (set_shape("v.blk.0.attn_out.weight", 32, 16), "attn_out"),
    "a merger misshapen": (set_shape("mm.2.weight", 64, HIDDEN), "mm.2"),
    "another middle": (set_key("clip.vision.feed_forward_length", 90), "ffn_up"),
    "no second patch": (lambda keys, tensors: tensors.pop("v.patch_embd.weight.1"), "patch_embd"),
}


@pytest.mark.parametrize("name", SHAPE_FAULTS)
def test_tensors_that_do_not_fit_are_refused(tmp_path: Path, name: str) -> None:
    change, reason = SHAPE_FAULTS[name]
    keys, tensors = pictures()
    change(keys, tensors)
    model = write(tmp_path / "a.gguf", *language())
    with pytest.raises(EngineError, match=reason):
        checked(model, write(tmp_path / "b.gguf", keys, tensors))


def test_qwen3_has_joint_attention_and_deepstack_layers(tmp_path: Path) -> None:
    keys, _ = pictures()
    keys |= {"clip.vision.is_deepstack_layers": [False, True], "clip.vision.block_count": 2}
    header = read_gguf_header(write(tmp_path / "a.gguf", keys, {}))
    shapes = vision_shapes(header, "qwen3vl_merger", HIDDEN)
    assert shapes["v.blk.1.attn_qkv.weight"] == (32, 96)
    assert shapes["v.position_embd.weight"] == (32, 40 * 40)
    assert shapes["v.deepstack.1.fc2.weight"] == (128, HIDDEN)
    assert "v.deepstack.0.fc1.weight" not in shapes
