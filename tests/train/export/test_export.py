"""What is written, and that a file written wrongly would be noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

import gguf
import torch
from safetensors.torch import load_file, save_file

from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.export.folders import Json, copy25, edit
from train.export import gguf_file
from train.export.checkpoint import StoredTensor, open_checkpoint
from train.export.export import export_gguf
from train.export.gguf_file import stored_type, write_gguf
from train.export.metadata import Value
from train.export.shapes import read_shape
from train.export.targets import TensorTarget
from train.export.vocabulary import SPLIT
from train.models.errors import ExportError
from train.models.small_model import SPLIT as MADE_WITH

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


def read(path: Path) -> dict[str, Any]:
    """The file's tensors as float32."""
    return {
        tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        for tensor in gguf.GGUFReader(path).tensors
    }


def test_numbers_are_those_of_the_model(tiny_qwen25: Path, tmp_path: Path) -> None:
    report = export_gguf(tiny_qwen25, tmp_path, lm_type="f32", mmproj_type="f32")
    weights = load_file(tiny_qwen25 / "model.safetensors")
    words, pictures = read(tmp_path / "model-f32.gguf"), read(tmp_path / "mmproj-f32.gguf")
    assert np.array_equal(words["token_embd.weight"], weights["model.embed_tokens.weight"])
    assert "output.weight" not in words  # tied
    layer = weights["model.layers.2.self_attn.k_proj.bias"].numpy()
    assert np.array_equal(words["blk.2.attn_k.bias"], layer)
    fused = weights["visual.blocks.1.attn.qkv.weight"].numpy()
    assert np.array_equal(pictures["v.blk.1.attn_k.weight"], fused[64:128])
    patches = weights["visual.patch_embed.proj.weight"].numpy()
    assert np.array_equal(pictures["v.patch_embd.weight.1"], patches[:, :, 1])
    counted = sum(array.size for array in (*words.values(), *pictures.values()))
    assert counted == sum(tensor.numel() for tensor in weights.values())
    assert report.language_model.tensors == len(words)
    assert report.language_model.parameters + report.mmproj.parameters == counted


def test_qwen3_numbers_are_those_of_the_model(tiny_qwen3: Path, tmp_path: Path) -> None:
    export_gguf(tiny_qwen3, tmp_path)
    weights = load_file(tiny_qwen3 / "model.safetensors")
    words, pictures = read(tmp_path / "model-f16.gguf"), read(tmp_path / "mmproj-f16.gguf")
    norm = weights["model.language_model.layers.0.self_attn.q_norm.weight"].numpy()
    assert np.array_equal(words["blk.0.attn_q_norm.weight"], norm)
    second = weights["model.visual.deepstack_merger_list.1.linear_fc2.weight"].numpy()
    assert np.allclose(pictures["v.deepstack.2.fc2.weight"], second, atol=1e-3)
    assert np.array_equal(
        pictures["v.position_embd.weight"], weights["model.visual.pos_embed.weight"].numpy()
    )
    header = gguf.GGUFReader(tmp_path / "mmproj-f16.gguf")
    layers = header.get_field("clip.vision.is_deepstack_layers").contents()
    assert layers == [False, True, True, False]


def test_the_report_says_what_lies_there(tiny_qwen25: Path, tmp_path: Path) -> None:
    report = export_gguf(tiny_qwen25, tmp_path / "out", lm_type="q8_0")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "export.json",
        "mmproj-f16.gguf",
        "model-q8_0.gguf",
    ]
    told = json.loads((tmp_path / "out" / "export.json").read_text())
    assert told == json.loads(json.dumps(report.to_json()))
    path = tmp_path / "out" / told["language_model"]["name"]
    assert told["language_model"]["bytes"] == path.stat().st_size
    assert told["family"] == "qwen2.5-vl"


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_half_precision_weights_are_read_without_torch(copy25: Path, kind: str) -> None:
    weights = load_file(copy25 / "model.safetensors")
    halved = {name: tensor.to(getattr(torch, kind)) for name, tensor in weights.items()}
    save_file(halved, copy25 / "model.safetensors")
    export_gguf(copy25, copy25 / "out", lm_type="f32", mmproj_type="f32")
    words = read(copy25 / "out" / "model-f32.gguf")
    wanted = halved["model.layers.0.mlp.up_proj.weight"].float().numpy()
    assert np.array_equal(words["blk.0.ffn_up.weight"], wanted)


def test_shards_untied_heads_and_older_names(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    (copy25 / "model.safetensors").unlink()
    head = torch.randn(768, 128, generator=torch.Generator().manual_seed(0))
    shards = {
        "a.safetensors": {name: t for name, t in weights.items() if name.startswith("visual.")},
        "b.safetensors": {
            name.replace("model.", "model.language_model."): tensor
            for name, tensor in weights.items()
            if not name.startswith("visual.")
        }
        | {"lm_head.weight": head},
    }
    for name, content in shards.items():
        save_file(content, copy25 / name)
    index = {"weight_map": {key: name for name, content in shards.items() for key in content}}
    (copy25 / "model.safetensors.index.json").write_text(json.dumps(index))
    edit(
        copy25,
        "config.json",
        lambda config: config["text_config"].update(tie_word_embeddings=False),
    )
    export_gguf(copy25, copy25 / "out", lm_type="f32")
    assert np.array_equal(read(copy25 / "out" / "model-f32.gguf")["output.weight"], head.numpy())


def test_a_head_that_is_the_embedding_is_written_once(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    head = {"lm_head.weight": weights["model.embed_tokens.weight"].clone()}
    save_file(weights | head, copy25 / "model.safetensors")
    export_gguf(copy25, copy25 / "out")
    assert "output.weight" not in read(copy25 / "out" / "model-f16.gguf")


def test_two_configs_that_differ_do_not_lose_the_head(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    head = {"lm_head.weight": weights["model.embed_tokens.weight"] + 0.5}
    save_file(weights | head, copy25 / "model.safetensors")
    with pytest.raises(ExportError, match="ties head and embedding"):
        export_gguf(copy25, copy25 / "out")
    edit(copy25, "config.json", lambda config: config.update(tie_word_embeddings=False))
    export_gguf(copy25, copy25 / "out")
    assert "output.weight" in read(copy25 / "out" / "model-f16.gguf")


def test_flat_configs_of_the_hub(copy25: Path) -> None:
    def flatten(config: Json) -> None:
        text = config.pop("text_config")
        rope = text.pop("rope_parameters")
        text.pop("model_type")
        config.update(text)
        config.update(
            rope_theta=rope["rope_theta"],
            rope_scaling={"type": "mrope", "mrope_section": rope["mrope_section"]},
        )

    before = read_shape(open_checkpoint(copy25).config)
    edit(copy25, "config.json", flatten)
    assert read_shape(open_checkpoint(copy25).config) == before


def test_rows_no_block_fits_stay_float16() -> None:
    assert stored_type(TensorTarget("a", "a", (8, 64)), "q8_0") is gguf.GGMLQuantizationType.Q8_0
    assert stored_type(TensorTarget("a", "a", (8, 50)), "q8_0") is gguf.GGMLQuantizationType.F16
    assert stored_type(TensorTarget("a", "a", (64,)), "q8_0") is gguf.GGMLQuantizationType.F32
    assert (
        stored_type(TensorTarget("a", "a", (8, 3, 14, 14)), "f16") is gguf.GGMLQuantizationType.F16
    )


def test_split_is_the_one_models_are_made_with() -> None:
    assert SPLIT == MADE_WITH


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
    tiny_qwen25: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Json, list[TensorTarget]], None],
    kind: str,
) -> None:
    def write_spoilt(path: Path, metadata: Json, targets: list[TensorTarget], *rest: Any) -> None:
        metadata, targets = dict(metadata), list(targets)
        if "qwen2vl.block_count" in metadata:
            spoil(metadata, targets)
        write_gguf(path, metadata, targets, *rest)

    monkeypatch.setattr("train.export.export.write_gguf", write_spoilt)
    with pytest.raises(ExportError, match="written incorrectly"):
        export_gguf(tiny_qwen25, tmp_path, lm_type=kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["f32", "f16", "q8_0"])
def test_one_number_off_is_noticed(
    tiny_qwen25: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    encode = gguf_file.encoded

    def nudged(weights: Any, kept: Any, name: str) -> Any:
        if name == "blk.3.ffn_down.weight":
            weights = weights.copy()
            weights[7, 11] += 0.02 * np.abs(weights[7]).max()
        return encode(weights, kept, name)

    monkeypatch.setattr(gguf_file, "encoded", nudged)
    with pytest.raises(ExportError, match=r"blk\.3\.ffn_down\.weight differs"):
        export_gguf(tiny_qwen25, tmp_path, lm_type=kind)


def test_an_older_file_stays_where_writing_fails(
    tiny_qwen25: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    export_gguf(tiny_qwen25, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(self: StoredTensor) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(StoredTensor, "read", full)
    with pytest.raises(ExportError, match="No space left"):
        export_gguf(tiny_qwen25, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_pair_is_shown_what_the_model_was_trained_with(copy25: Path, tmp_path: Path) -> None:
    from agent.models.card_file import read_card, write_card
    from agent.models.infer_card import make_card
    from agent.models.registry import model_at
    from agent.rendering.render import NANO
    from train.export.gguf_card import write_gguf_card

    out = tmp_path / "pair"
    report = export_gguf(copy25, out)
    assert write_gguf_card(copy25, report) is None  # nothing is known of it
    write_card(make_card(copy25, style=NANO, simulated_only=True, title="Small"), copy25)
    write_gguf_card(copy25, report)
    card = read_card(out)
    assert (card.engine, card.style, card.title, card.simulated_only) == (
        "gguf",
        NANO,
        "Small",
        True,
    )
    assert {file.path: file.size for file in card.files} == {
        name: (out / name).stat().st_size for name in ("model-f16.gguf", "mmproj-f16.gguf")
    }
    assert model_at(out).is_ready
