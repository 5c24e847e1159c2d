import json
import shutil
import socket
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from safetensors.torch import load_file, save_file

from agent.engines.base import SamplingSettings
from agent.engines.hf import weights as transformers_weights
from agent.engines.hf.engine import TransformersEngine
from agent.engines.hf.weights import check_adapter_settings, chosen_dtype
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from tests.small_models import make_folder, tiny_qwen3, tiny_qwen25
from train.models.small_model import TINY

__all__ = ["tiny_qwen3", "tiny_qwen25"]

LANGUAGE_LAYERS = r".*language_model\..*\.(q_proj|v_proj|down_proj)"


@pytest.fixture
def folder(tiny_qwen25: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return shutil.copytree(tiny_qwen25, tmp_path / "model")


def logits(engine: TransformersEngine) -> np.ndarray:
    """After a short chat with a picture."""
    conversation = engine.open()
    side = engine.sizing.factor
    grey = Image.fromarray(np.arange(12 * side * side * 3, dtype=np.uint8).reshape(3 * side, -1, 3))
    conversation.append([Turn("user", "Is this a CV?", picture=0)], [grey])
    assert conversation._state.logits is not None
    return conversation._state.logits.copy()


def load(folder: Path, **how: Any) -> TransformersEngine:
    return TransformersEngine.load(folder, device="cpu", **how)


def forbid_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def rewritten(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_flat_config_as_old_folders_of_the_hub_have_it(folder, tiny_qwen25):
    path = folder / "config.json"
    told = json.loads(path.read_text())
    text, vision = told.pop("text_config"), told.pop("vision_config")
    rope = text.pop("rope_parameters")
    text.pop("model_type")
    flat = {
        **text, **told, "rope_theta": rope["rope_theta"],
        "rope_scaling": {"type": "mrope", "mrope_section": rope["mrope_section"]},
        "vision_config": vision | {"in_chans": 3, "spatial_patch_size": 14},
    }  # fmt: skip
    path.write_text(json.dumps(flat))
    assert np.array_equal(logits(load(folder)), logits(load(tiny_qwen25)))


@pytest.mark.parametrize("name", ["tiny_qwen25", "tiny_qwen3"])
def test_nothing_is_asked_of_the_network(name, request, monkeypatch):
    forbid_network(monkeypatch)
    conversation = load(request.getfixturevalue(name)).open()
    conversation.append([Turn("user", "Hello")], [])
    assert conversation.generate(SamplingSettings(max_new_tokens=3)).tokens == 3


def test_loading_is_silent(tiny_qwen25, capfd, caplog):
    load(tiny_qwen25)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_code_beside_the_weights_is_not_run(folder):
    (folder / "evil.py").write_text("raise SystemExit('it ran')\n")
    evil = {"AutoModel": "evil.Model", "AutoConfig": "evil.Config"}
    rewritten(folder / "config.json", auto_map=evil)
    load(folder).close()
    assert "evil" not in sys.modules


class TestPrecision:
    def test_is_what_was_asked_for(self, tiny_qwen25):
        exact = logits(load(tiny_qwen25))
        rough = logits(load(tiny_qwen25, dtype="bfloat16"))
        assert rough.dtype == np.float32
        assert 0 < np.abs(exact - rough).max() < 1

    @pytest.mark.parametrize(("device", "size", "native", "expected"), [
        ("cpu", 10**8, True, torch.float32),
        ("cpu", 10**10, True, torch.bfloat16),
        ("cpu", 10**10, False, torch.float32),
        ("cuda", 10**6, False, torch.bfloat16),
    ])  # fmt: skip
    def test_suits_the_device(self, monkeypatch, device, size, native, expected):
        monkeypatch.setattr(transformers_weights, "_multiplies_bfloat16", lambda: native)
        assert chosen_dtype("auto", device, size) is expected


class TestRefusals:
    def refused(self, why: str, folder: Path, **how: Any) -> None:
        with pytest.raises(EngineError, match=why):
            TransformersEngine.load(folder, **{"device": "cpu", **how})

    def test_a_device_that_is_not_here(self, tiny_qwen25, monkeypatch):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        self.refused("cuda is not available", tiny_qwen25, device="cuda")

    def test_weights_that_are_missing(self, folder):
        path = folder / "model.safetensors"
        weights = load_file(path)
        name = next(name for name in weights if "layers.2" in name and "q_proj" in name)
        del weights[name]
        save_file(weights, path, {"format": "pt"})
        self.refused("lack", folder)

    def test_weights_of_another_shape(self, folder):
        path = folder / "model.safetensors"
        weights = load_file(path)
        name = next(name for name in weights if name.endswith("embed_tokens.weight"))
        weights[name] = weights[name][:, :5].contiguous()
        save_file(weights, path, {"format": "pt"})
        self.refused("wrong shape for .*embed_tokens", folder)

    @pytest.mark.parametrize("keep", [0, 5, 1000, 500_000])
    def test_a_broken_download(self, folder, keep):
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:keep])
        self.refused("cannot be loaded", folder)

    def test_a_pickle_by_the_name_of_safetensors(self, folder):
        torch.save({"a": torch.zeros(1)}, folder / "model.safetensors")
        self.refused("cannot be loaded", folder)

    def test_a_tokenizer_of_another_model(self, folder):
        rewritten(folder / "config.json", image_token_id=5)
        self.refused("belongs to another model", folder)


@pytest.fixture(scope="module")
def adapter(tiny_qwen25: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA adapter with weights that matter."""
    peft = pytest.importorskip("peft")
    model = load(tiny_qwen25)._require_loaded().model
    config = peft.LoraConfig(r=4, target_modules=LANGUAGE_LAYERS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft's, about transformers
        adapted = peft.get_peft_model(model, config)
    randomness = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.normal_(0, 0.2, generator=randomness)
    folder = tmp_path_factory.mktemp("adapter")
    adapted.save_pretrained(folder, save_embedding_layers=False)  # else it asks the hub
    return folder


class TestAdapter:
    def test_is_not_sought_in_the_network(self, tiny_qwen25, adapter, monkeypatch):
        forbid_network(monkeypatch)
        load(tiny_qwen25, adapter=adapter)

    def test_changes_the_model_as_it_does_beside_it(self, tiny_qwen25, adapter):
        plain = logits(load(tiny_qwen25))
        merged = logits(load(tiny_qwen25, adapter=adapter))
        engine = load(tiny_qwen25)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # peft's, about transformers
            peft = pytest.importorskip("peft")
            peft.PeftModel.from_pretrained(engine._require_loaded().model, str(adapter))
        beside = logits(engine)
        assert np.abs(merged - plain).max() > 0.1
        assert np.abs(merged - beside).max() < 1e-3

    @pytest.mark.parametrize("change", [{"layers": 3}, {"layers": 5}, {"ffn": 200}])
    def test_of_another_model_is_refused(self, tmp_path, adapter, change):
        other = make_folder(tmp_path / "other", "qwen2.5-vl", replace(TINY, **change))
        refusal = r"made for another model|not an adapter of this model"
        with pytest.raises(EngineError, match=refusal):
            load(other, adapter=adapter)

    def test_that_lacks_weights_is_refused(self, tiny_qwen25, adapter, tmp_path):
        broken = shutil.copytree(adapter, tmp_path / "adapter")
        path = broken / "adapter_model.safetensors"
        weights = load_file(path)
        del weights[next(iter(weights))]
        save_file(weights, path, {"format": "pt"})
        with pytest.raises(EngineError, match="made for another model"):
            load(tiny_qwen25, adapter=broken)

    def test_that_can_run_code_is_refused(self, tiny_qwen25, adapter, tmp_path):
        broken = shutil.copytree(adapter, tmp_path / "adapter")
        (broken / "adapter_model.safetensors").rename(broken / "adapter_model.bin")
        with pytest.raises(EngineError, match="convert them to safetensors"):
            load(tiny_qwen25, adapter=broken)

    @pytest.mark.parametrize("change", [{"peft_type": "IA3"}, {"megatron_config": {"a": 1}}])
    def test_of_another_kind_is_refused(self, tiny_qwen25, adapter, tmp_path, change):
        broken = shutil.copytree(adapter, tmp_path / "adapter")
        rewritten(broken / "adapter_config.json", **change)
        with pytest.raises(EngineError, match="not a plain LoRA adapter"):
            load(tiny_qwen25, adapter=broken)


# Only a plain LoRA adapter is given to peft.
PLAIN: dict[str, Any] = {
    "peft_type": "LORA", "r": 16, "lora_alpha": 32,
    "target_modules": r".*language_model\..*\.(q_proj|k_proj|v_proj)", "init_lora_weights": True,
    "megatron_config": None, "modules_to_save": None,
    "auto_mapping": {"base_model_class": "A", "parent_library": "b"}, "rank_pattern": {},
}  # fmt: skip


def refused(**changes: object) -> str:
    with pytest.raises(EngineError, match="adapter is not a plain LoRA adapter: ") as caught:
        check_adapter_settings(Path("adapter"), {**PLAIN, **changes})
    return str(caught.value)


def test_plain_adapters_are_accepted() -> None:
    for changes in (
        {},
        {"target_modules": ["q_proj", "v_proj"]},
        {"target_modules": "all-linear"},
        {"init_lora_weights": "gaussian"},
        {"rank_pattern": {"layers.0.*q_proj": 8}, "alpha_pattern": {"q_proj": 8}},
    ):
        check_adapter_settings(Path("adapter"), {**PLAIN, **changes})


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "((a|b)*)*", "(a|a)*b", "(x?){50}", ".*.*.*.*.*q", "a" * 3000, ["(a*)*"], 7, [7]],
)
@pytest.mark.parametrize("name", ["target_modules", "exclude_modules", "layers_pattern"])
def test_a_pattern_that_may_take_for_ever_is_refused(name: str, pattern: object) -> None:
    assert name in refused(**{name: pattern})


@pytest.mark.parametrize("rank", [0, -1, 10**9, 1.5, "8", None, True])
def test_an_odd_rank_is_refused(rank: object) -> None:
    assert "rank" in refused(r=rank)
    assert "rank" in refused(rank_pattern={"q_proj": rank})


@pytest.mark.parametrize(("name", "value"), [
    ("peft_type", "ADALORA"),
    ("peft_type", None),
    ("megatron_config", {"a": 1}),
    ("layer_replication", [[0, 10**9]]),
    ("modules_to_save", ["lm_head"]),
    ("init_lora_weights", "pissa_niter_1000000"),
    ("init_lora_weights", ["eva"]),
    ("loftq_config", {"loftq_bits": 4}),
    ("rank_pattern", {"(a*)*": 8}),
    ("alpha_pattern", {"(a*)*": 8}),
])  # fmt: skip
def test_settings_of_other_adapters_are_refused(name: str, value: object) -> None:
    refused(**{name: value})
