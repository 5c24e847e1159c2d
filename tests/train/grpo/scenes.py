"""Spectra, a model's folder and what rollouts need of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from agent.engines.chat_tokens import plain_ids
from agent.engines.families import read_folder
from agent.examples.examples import Example, example
from agent.models.card_file import write_card
from agent.models.infer_card import make_card, read_or_infer_card
from agent.rendering.render import COMPACT
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from train.grpo.generate import (
    CachedGenerator,
    ConversationTokens,
    GeneratedTurn,
    OpenTurn,
    TurnTokens,
    turn_tokens,
)
from train.grpo.packing import Packed, RolloutRow, pack
from train.grpo.pictures import PictureCache
from train.grpo.rollout import Limits, Rollout
from train.grpo.setup import SpectrumProcessor
from train.models.model_folder import load_trainable

CV = find_task("CV")
LIMITS = Limits(turn=200, rollout=6000)


def star(number: int = 0, **more: Any) -> Example:
    rng = np.random.default_rng(number)
    wavelength = np.linspace(3800.0, 9000.0, 900)
    flux = 1.0 + 0.05 * rng.normal(size=900)
    flux += (number % 2) * 2.0 * np.exp(-0.5 * ((wavelength - 6564.6) / 15.0) ** 2)
    about = {"path": f"star-{number}.fits", "simulated": True, **more}
    spectrum = Spectrum(wavelength=wavelength, flux=flux, **about)
    return example(spectrum, task="CV", answer="YES" if number % 2 else "NO")


@dataclass(frozen=True, eq=False)
class Stage:
    """A model and all that its rollouts share."""

    folder: Path
    model: Any
    tokens: TurnTokens
    pictures: PictureCache

    def rollout(self, one: Example, limits: Limits = LIMITS) -> Rollout:
        return Rollout(self.pictures.maker(one), CV, self.tokens, limits)

    def pictures_of(self, rollout: Rollout) -> dict[str, torch.Tensor]:
        processor = SpectrumProcessor(self.folder, self.pictures)
        return processor.image_processor(rollout.conversation.pictures)

    def generator(self, temperature: float = 0.0, seed: int = 0) -> CachedGenerator:
        chance = torch.Generator().manual_seed(seed)
        return CachedGenerator(self.model, self.tokens, self.pictures.patches, chance, temperature)


def with_card(folder: Path) -> Path:
    """Compact pictures: quick to draw, few tokens."""
    write_card(make_card(folder, style=COMPACT), folder)
    return folder


def stage_of(folder: Path) -> Stage:
    model = load_trainable(folder)
    card = read_or_infer_card(folder)
    pictures = PictureCache(card.style, card.sizing, read_folder(folder).vision)
    return Stage(folder, model, turn_tokens(folder, model.config), pictures)


@pytest.fixture(scope="module")
def stage(tiny_qwen25: Path) -> Stage:
    return stage_of(with_card(tiny_qwen25))


class Script:
    """A speaker that says what it was told to, each line its own replies. `<cut>` at the end of
    one stands for the limit of the turn."""

    def __init__(self, tokens: TurnTokens, *replies: Sequence[str]) -> None:
        self._tokens = tokens
        self._replies = [list(each) for each in replies]
        self._lines: list[ConversationTokens] = []

    def __call__(
        self, lines: Sequence[ConversationTokens], limits: Sequence[int]
    ) -> list[GeneratedTurn]:
        self._lines = self._lines or list(lines)
        return [self._say(line) for line in lines]

    def _say(self, line: ConversationTokens) -> GeneratedTurn:
        text = self._replies[self._lines.index(line)].pop(0)
        ids = plain_ids(self._tokens.tokenizer, text.removesuffix("<cut>"))
        turn = OpenTurn(self._tokens, len(ids) if text.endswith("<cut>") else 10_000)
        for token in [*ids, self._tokens.end]:
            turn.add(token)
            if turn.end is not None:
                break
        return turn.finish()


def pixels(pictures: Sequence[Image.Image]) -> list[bytes]:
    return [picture.tobytes() for picture in pictures]


def packed_logits(
    stage: Stage, rows: Sequence[RolloutRow], pictures: Sequence[torch.Tensor]
) -> tuple[Packed, torch.Tensor, torch.Tensor]:
    """What was packed, the model's logits at all tokens but the last, and the next tokens."""
    packed = pack(rows, pictures, stage.model.config)
    grids = torch.tensor([grid for row in rows for grid in row.grids])
    logits = stage.model(
        input_ids=packed.ids, position_ids=packed.position_ids, packs=packed.layouts,
        pixel_values=torch.cat([pictures[number] for number in packed.pictures]),
        image_grid_thw=grids[packed.pictures],
    ).logits  # fmt: skip
    return packed, logits[:, :-1], packed.labels[:, 1:].clamp(min=0)


def whole_log_probs(stage: Stage, rollout: Rollout) -> torch.Tensor:
    """Of each token after the prompt, from one plain forward pass of transformers over it all."""
    ids = torch.tensor([rollout.conversation.ids])
    seen = stage.pictures_of(rollout)
    with torch.no_grad():
        is_image = (ids == stage.model.config.image_token_id).int()
        known = torch.ones_like(ids)
        out = stage.model(input_ids=ids, attention_mask=known, mm_token_type_ids=is_image, **seen)
    odds = out.logits[0].log_softmax(dim=1)[:-1].gather(1, ids[0, 1:, None])[:, 0]
    return odds[rollout.prompt_length - 1 :]


def call(low: object, high: object, label: str = "") -> str:
    named = f', "label": "{label}"' if label else ""
    return (
        "<think>\nλ look closer\n</think>\n<tool_call>\n"
        f'{{"name": "spectral_visualization_tool", "arguments": {{"wavelength_range": '
        f"[{low}, {high}]{named}}}}}\n</tool_call>"
    )


YES = "<think>\nseen\n</think>\n<answer>\\boxed{YES} emission</answer>"
