"""What is written, and that a file written wrongly would be noticed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

import gguf
from safetensors.torch import load_file

from agent.convert.checkpoint import ConversionError, StoredTensor
from agent.models.card_file import read_card, write_card
from agent.models.infer_card import make_card
from agent.models.registry import model_at
from agent.rendering.render import EYE
from tests.agent.convert.folders import copy25, read_gguf
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export import export
from train.export.export import export_gguf, with_parity, write_gguf_card

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


def test_numbers_are_those_of_the_model(tiny_qwen25: Path, tmp_path: Path) -> None:
    report = export_gguf(tiny_qwen25, tmp_path, lm_type="f32", mmproj_type="f32")
    weights = load_file(tiny_qwen25 / "model.safetensors")
    words, pictures = (read_gguf(tmp_path / f"{name}-f32.gguf") for name in ("model", "mmproj"))
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
    words, pictures = (read_gguf(tmp_path / f"{name}-f16.gguf") for name in ("model", "mmproj"))
    norm = weights["model.language_model.layers.0.self_attn.q_norm.weight"].numpy()
    assert np.array_equal(words["blk.0.attn_q_norm.weight"], norm)
    second = weights["model.visual.deepstack_merger_list.1.linear_fc2.weight"].numpy()
    assert np.allclose(pictures["v.deepstack.2.fc2.weight"], second, atol=1e-3)
    places = weights["model.visual.pos_embed.weight"].numpy()
    assert np.array_equal(pictures["v.position_embd.weight"], places)
    header = gguf.GGUFReader(tmp_path / "mmproj-f16.gguf")
    layers = header.get_field("clip.vision.is_deepstack_layers").contents()
    assert layers == [False, True, True, False]


def test_the_report_says_what_lies_there(tiny_qwen25: Path, tmp_path: Path) -> None:
    report = export_gguf(tiny_qwen25, tmp_path / "out", lm_type="q8_0")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["export.json", "mmproj-f16.gguf", "model-q8_0.gguf"]
    told = json.loads((tmp_path / "out" / "export.json").read_text())
    assert told == json.loads(json.dumps(report.to_json()))
    path = tmp_path / "out" / told["language_model"]["name"]
    assert told["language_model"]["bytes"] == path.stat().st_size
    assert told["family"] == "qwen2.5-vl"


def test_the_pair_is_shown_what_the_model_was_trained_with(copy25: Path, tmp_path: Path) -> None:
    out = tmp_path / "pair"
    report = export_gguf(copy25, out)
    assert write_gguf_card(copy25, report) is None  # nothing is known of it
    write_card(make_card(copy25, style=EYE, simulated_only=True, title="Small"), copy25)
    write_gguf_card(copy25, report)
    card = read_card(out)
    assert (card.engine, card.style, card.title) == ("gguf", EYE, "Small") and card.simulated_only
    sizes = {name: (out / name).stat().st_size for name in ("model-f16.gguf", "mmproj-f16.gguf")}
    assert {file.path: file.size for file in card.files} == sizes
    assert model_at(out).is_ready


def test_an_older_file_stays_where_writing_fails(
    tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_gguf(tiny_qwen25, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(self: StoredTensor, start: int, stop: int) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(StoredTensor, "read_rows", full)
    with pytest.raises(ConversionError, match="No space left"):
        export_gguf(tiny_qwen25, tmp_path)
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".part"}
    assert after == before


def test_unknown_types_are_refused(tiny_qwen25: Path, tmp_path: Path) -> None:
    with pytest.raises(ConversionError, match="q4_0"):
        export_gguf(tiny_qwen25, tmp_path, lm_type="q4_0")
    with pytest.raises(ConversionError, match="pictures as q8_0"):
        export_gguf(tiny_qwen25, tmp_path, mmproj_type="q8_0")


def test_wrong_files_are_called_wrong(
    tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pair of one model compared with another."""
    pytest.importorskip("llama_cpp")
    from tests.small_models import lively_model, small_tokenizer
    from train.models.small_model import save_small_model

    monkeypatch.setattr(export, "EPISODES", 1)
    report = export_gguf(tiny_qwen25, tmp_path / "out")
    save_small_model(tmp_path / "other", lively_model("qwen2.5-vl", seed=9), small_tokenizer())
    with pytest.raises(ConversionError, match="does not compute what transformers does"):
        with_parity(report, tmp_path / "other", wanted=True, threads=1)
    assert json.loads((tmp_path / "out" / "export.json").read_text())["parity"]["share"] < 0.9


def test_large_models_are_compared_when_asked(
    tiny_qwen25: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_cpp")
    monkeypatch.setattr(export, "MOST_PARAMETERS", 1000)
    report = with_parity(export_gguf(tiny_qwen25, tmp_path), tiny_qwen25, wanted=None)
    assert report.parity is None and "--parity" in report.parity_note
    assert json.loads((tmp_path / "export.json").read_text())["parity_note"] == report.parity_note
