"""What the tests of the GGUF engine share: turns, pictures, and a way to choose its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from PIL import Image

from agent.engines.gguf import generate_turn
from agent.engines.gguf.conversation import GgufConversation
from agent.engines.gguf.engine import GgufEngine
from agent.engines.sampling import Logits
from agent.protocol.protocol import Turn

QUESTION = Turn("user", "Is this a cataclysmic variable? Look at H alpha.", picture=0)
LOOK = Turn("tool", "Generated spectral visualization focused on (6500, 6600) Å.", picture=1)
NEAR = 0.02
"""How far logits may differ when the same is read in pieces of another length; they spread by 3."""


def picture(seed: int = 0, across: int = 6, down: int = 4) -> Image.Image:
    pixels = np.random.default_rng(seed).integers(0, 256, (down * 28, across * 28, 3), np.uint8)
    return Image.fromarray(pixels)


@pytest.fixture
def engine(engine_qwen25: GgufEngine) -> GgufEngine:
    return engine_qwen25


@pytest.fixture
def conversation(engine: GgufEngine) -> Iterator[GgufConversation]:
    opened = engine.open()
    yield opened
    opened.close()


def says(monkeypatch: pytest.MonkeyPatch, engine: GgufEngine, *texts: str) -> None:
    """Make the model's next turns these, whatever it would have said."""
    vocabulary = engine._shared.vocabulary
    end = min(vocabulary.ends)
    script = iter([token for text in texts for token in (*vocabulary.plain_ids(text), end)])
    monkeypatch.setattr(generate_turn, "choose", lambda logits, sampling, random: next(script))


def logits_after(
    engine: GgufEngine, turns: Sequence[Turn], pictures: Sequence[Image.Image]
) -> Logits:
    """After the last token of whole turns, read in a conversation of their own."""
    fresh = engine.open()
    try:
        return fresh.read_scored(turns, pictures)[1][-1]
    finally:
        fresh.close()


def is_as_if_told(
    conversation: GgufConversation,
    engine: GgufEngine,
    turns: Sequence[Turn],
    pictures: Sequence[Image.Image],
) -> bool:
    """Whether the model stands where it would after reading these turns at once."""
    fresh = engine.open()
    try:
        fresh.append(turns, pictures)
        away = np.abs(conversation._state.logits - fresh._state.logits).max()
        return bool(away < NEAR and fresh.context_tokens == conversation.context_tokens)
    finally:
        fresh.close()
