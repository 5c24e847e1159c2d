"""Engines with tiny models, and transformers' own forward to compare with."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from agent.engines.base import SamplingSettings
from agent.engines.hf.engine import TransformersConversation, TransformersEngine
from agent.protocol.protocol import Turn

GREEDY = SamplingSettings(max_new_tokens=12)
FAMILIES = ("qwen25", "qwen3")


@pytest.fixture(scope="module")
def engines(tiny_qwen25: Path, tiny_qwen3: Path) -> Iterator[dict[str, TransformersEngine]]:
    made = {
        "qwen25": TransformersEngine.load(tiny_qwen25, device="cpu"),
        "qwen3": TransformersEngine.load(tiny_qwen3, device="cpu"),
    }
    yield made
    for engine in made.values():
        engine.close()


@pytest.fixture(params=FAMILIES)
def engine(
    request: pytest.FixtureRequest, engines: dict[str, TransformersEngine]
) -> TransformersEngine:
    return engines[request.param]


@pytest.fixture
def engine25(engines: dict[str, TransformersEngine]) -> TransformersEngine:
    return engines["qwen25"]


def picture(engine: TransformersEngine, across: int, down: int, seed: int = 0) -> Image.Image:
    """Noise of so many image tokens."""
    side = engine.sizing.factor
    noise = np.random.default_rng(seed).integers(0, 256, (down * side, across * side, 3))
    return Image.fromarray(noise.astype(np.uint8))


def first_turns(words: str = "Is this a CV?") -> list[Turn]:
    return [Turn("system", "You are a helpful assistant."), Turn("user", words, picture=0)]


def begun(engine: TransformersEngine, words: str = "Is this a CV?") -> TransformersConversation:
    """A conversation that has read the first turns."""
    conversation = engine.open()
    conversation.append(first_turns(words), [picture(engine, 5, 4)])
    return conversation


class Episode:
    """A chat with the engine, and all that it was shown."""

    def __init__(self, engine: TransformersEngine) -> None:
        self.engine = engine
        self.conversation = engine.open()
        self.pictures: list[Image.Image] = []

    def append(self, turns: list[Turn], *pictures: Image.Image) -> None:
        self.conversation.append(turns, pictures)
        self.pictures += pictures

    def three_turns(self) -> None:
        self.append(first_turns(), picture(self.engine, 9, 5))
        self.conversation.generate(GREEDY)
        self.append([Turn("tool", "Generated.", picture=1)], picture(self.engine, 4, 6, seed=1))
        self.conversation.generate(SamplingSettings(temperature=1.0, max_new_tokens=20), seed=3)
        self.append([Turn("tool", "Generated.", picture=2)], picture(self.engine, 7, 3, seed=2))
        self.conversation.generate(GREEDY)


def stock_logits(engine: TransformersEngine, ids: tuple[int, ...], pictures: list[Image.Image]):
    """transformers' own reading of the whole chat at once: (tokens, vocabulary)."""
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    model = engine._require_loaded().model
    seen = Qwen2VLImageProcessorPil.from_pretrained(engine.folder)(pictures, return_tensors="pt")
    numbers = torch.tensor([ids])
    kinds = (numbers == model.config.image_token_id).int()
    with torch.no_grad():
        out = model(
            input_ids=numbers,
            attention_mask=torch.ones_like(numbers),
            mm_token_type_ids=kinds,
            pixel_values=seen["pixel_values"],
            image_grid_thw=seen["image_grid_thw"],
            use_cache=False,
        )
    return out.logits[0].numpy()


@pytest.fixture
def all_logits(engine: TransformersEngine) -> Iterator[list[np.ndarray]]:
    """Logits at every position the engine evaluates, call by call."""
    model = engine._require_loaded().model
    gathered: list[np.ndarray] = []

    def gather(_module: object, _inputs: object, output) -> None:
        gathered.append(model.lm_head(output.last_hidden_state)[0].numpy())

    hook = model.model.language_model.register_forward_hook(gather)
    yield gathered
    hook.remove()


def tokenizer_of(engine: TransformersEngine):
    return engine._require_loaded().tokenizer


def decoded(engine: TransformersEngine, ids) -> str:
    return tokenizer_of(engine).decode(list(ids), skip_special_tokens=False)
