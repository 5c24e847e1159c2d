"""What the cache over turns saves: tokens, and the wait for the first word of the third turn.

python -m tests.bench transformers
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from PIL import Image

from agent.engines.base import Conversation, Engine, SamplingSettings
from agent.protocol.protocol import Turn, opening
from agent.protocol.tool import reply_text
from agent.rendering.model_image import prepare
from agent.tasks.catalogue import find_task
from tests.bench.measuring import figure_line, seconds_of
from tests.small_models import FOUR_MILLION, FamilyName, make_folder
from train.models.small_model import TINY

SHAPES = {"1M": TINY, "4M": FOUR_MILLION}
FAMILIES: tuple[FamilyName, ...] = ("qwen2.5-vl", "qwen3-vl")
TURNS = 3
TOKENS_A_TURN = 90
REPEATS = 5
WHOLE, ZOOM = (812, 476), (560, 364)
"""Pixels, about those of the published pictures."""


@dataclass
class Episode:
    """One chat of three turns: seconds until the third turn's first word, kept and read anew."""

    kept_s: float
    anew_s: float
    evaluated: int
    evaluated_anew: int
    context: int


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as place:
        for family in FAMILIES:
            for name, shape in SHAPES.items():
                folder = make_folder(Path(place) / family / name, family, shape)
                yield from _figures_of(folder, f"{family} {name}")


def _figures_of(folder: Path, name: str) -> Iterator[dict[str, object]]:
    from agent.engines.hf.engine import TransformersEngine

    engine = TransformersEngine.load(folder, device="cpu", threads=1)
    episodes = [episode(engine) for _ in range(REPEATS + 1)][1:]
    engine.close()
    one = episodes[0]
    kept = median(each.kept_s for each in episodes)
    anew = median(each.anew_s for each in episodes)
    baseline = f"{one.evaluated_anew / one.context:.2f} reading all anew each turn"
    unit = f"of {one.context} tokens, {TURNS} turns"
    title = f"{name}: tokens evaluated over context"
    yield figure_line(title, one.evaluated / one.context, unit, baseline=baseline)
    baseline = f"{1000 * anew:.0f} ms reading all anew"
    yield figure_line(f"{name}: third turn's first word", 1000 * kept, "ms", baseline=baseline)
    yield figure_line(
        f"{name}: third turn's first word", anew / kept, "times sooner", baseline="reading all anew"
    )


def episode(engine: Engine) -> Episode:
    turns, pictures = [*opening(find_task("CV"))], [_picture(engine, *WHOLE)]
    talk = engine.open()
    talk.append(turns, pictures)
    evaluated_anew = 0
    for number in range(1, TURNS):
        if number > 1:
            talk.append(turns[-1:], pictures[-1:])
        said = talk.generate(SamplingSettings(max_new_tokens=TOKENS_A_TURN))
        evaluated_anew += talk.usage.prompt + talk.usage.generated
        zoom = Turn("tool", reply_text((6500, 6600), "H alpha"), picture=number)
        turns += [Turn("assistant", said.text), zoom]
        pictures.append(_picture(engine, *ZOOM))
    kept_s = _until_first_word(talk, turns[-1:], pictures[-1:])
    evaluated_anew += talk.usage.prompt + talk.usage.generated
    fresh = engine.open()
    return Episode(
        kept_s=kept_s, anew_s=_until_first_word(fresh, turns, pictures),
        evaluated=talk.usage.evaluated, evaluated_anew=evaluated_anew,
        context=talk.usage.prompt + talk.usage.generated
    )  # fmt: skip


def _until_first_word(talk: Conversation, turns: list[Turn], pictures: list[Image.Image]) -> float:
    talk_s = seconds_of(partial(talk.append, turns, pictures))
    return talk_s + seconds_of(partial(talk.generate, SamplingSettings(max_new_tokens=1)))


def _picture(engine: Engine, width: int, height: int) -> Image.Image:
    noise = np.random.default_rng(width).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return prepare(Image.fromarray(noise), engine.sizing)
