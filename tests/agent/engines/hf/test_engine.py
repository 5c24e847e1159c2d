"""Loading an engine: picture sizes, context length, threads and tokens never generated."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from agent.engines.base import SamplingSettings
from agent.engines.hf.engine import TransformersEngine
from agent.errors import EngineError
from agent.rendering.model_image import Sizing
from tests.agent.engines.hf.hf_scenes import begun, engine, engines
from tests.agent.engines.hf.test_weights import folder, load
from tests.small_models import tiny_qwen3, tiny_qwen25

__all__ = ["engine", "engines", "folder", "tiny_qwen3", "tiny_qwen25"]


def test_closed_things_say_so(tiny_qwen25):
    engine = TransformersEngine.load(tiny_qwen25, device="cpu")
    conversation = engine.open()
    conversation.close()
    with pytest.raises(EngineError, match="closed"):
        conversation.append([], [])
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        engine.open()


class TestSizing:
    def test_is_the_folder_s_unless_told(self, tiny_qwen3):
        assert load(tiny_qwen3).sizing == Sizing.of_tokens(32, 8, 1280)
        narrow = Sizing.of_tokens(32, 8, 100)
        assert load(tiny_qwen3, sizing=narrow).sizing == narrow

    def test_must_fit_the_encoder(self, tiny_qwen3):
        with pytest.raises(EngineError, match="multiples of 32"):
            load(tiny_qwen3, sizing=Sizing())


def test_context_length_is_the_model_s_at_most(folder):
    assert load(folder)._require_loaded().context_length == 32768
    assert load(folder, context_length=500)._require_loaded().context_length == 500
    assert load(folder, context_length=10**9)._require_loaded().context_length == 32768
    with pytest.raises(EngineError, match="0 tokens"):
        load(folder, context_length=0)


def test_threads_are_set_only_when_given(tiny_qwen25, monkeypatch):
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    load(tiny_qwen25)
    load(tiny_qwen25, threads=1)
    assert asked == [1]


def test_turns_never_hold_control_tokens(engine):
    """Even if the model strongly prefers them."""
    loaded = engine._require_loaded()
    unwanted = torch.tensor(loaded.suppressed)
    marks = {loaded.tokenizer.token_to_id(name) for name in ("<|image_pad|>", "<|im_start|>")}
    assert marks <= set(map(int, loaded.suppressed))

    def push(_module: object, _inputs: object, output):
        output[..., unwanted] += 1000.0
        return output

    hook = loaded.model.lm_head.register_forward_hook(push)
    try:
        conversation = begun(engine)
        opened = len(conversation.ids)
        conversation.generate(SamplingSettings(temperature=1.0, max_new_tokens=10))
        conversation.append([], [])
    finally:
        hook.remove()
    assert not set(conversation.ids[opened : opened + 10]) & set(map(int, loaded.suppressed))
