"""Turns, pictures and scripted replies for the tests of the GGUF engine."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from PIL import Image

from agent.engines import local_conversation
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.engines.sampling import Logits
from agent.protocol.protocol import Turn

QUESTION = Turn("user", "Is this a cataclysmic variable? Look at H alpha.", picture=0)
LOOK = Turn("tool", "Generated spectral visualization focused on (6500, 6600) Å.", picture=1)
NEAR = 0.02
"""Tolerance for logits after reading the same tokens in other chunks; logits spread by about 3."""


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


def script_reply(monkeypatch: pytest.MonkeyPatch, engine: GgufEngine, *texts: str) -> None:
    """Make the model generate these texts in its next turns."""
    vocabulary = engine._shared.vocabulary
    end = min(vocabulary.end_tokens)
    script = iter([token for text in texts for token in (*vocabulary.plain_ids(text), end)])
    monkeypatch.setattr(local_conversation, "choose", lambda logits, sampling, random: next(script))


def logits_after(
    engine: GgufEngine, turns: Sequence[Turn], pictures: Sequence[Image.Image]
) -> Logits:
    """Return the logits after whole turns, read in a fresh conversation."""
    fresh = engine.open()
    try:
        return fresh.read_scored(turns, pictures)[1][-1]
    finally:
        fresh.close()


def equals_fresh_reading(
    conversation: GgufConversation, engine: GgufEngine, turns: Sequence[Turn],
    pictures: Sequence[Image.Image],
) -> bool:  # fmt: skip
    """Whether the conversation is in the state of a fresh one that reads these turns at once."""
    fresh = engine.open()
    try:
        fresh.append(turns, pictures)
        difference = np.abs(conversation._state.logits - fresh._state.logits).max()
        return bool(difference < NEAR and fresh.context_tokens == conversation.context_tokens)
    finally:
        fresh.close()
