"""Compares a converted model with its F16 form: likeliest tokens and verdicts.

The turns are given, so that an early difference does not change all later ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.convert.episodes import RandomEpisode
from agent.engines.base import SamplingSettings
from agent.engines.gguf.engine import GgufEngine
from agent.engines.sampling import Logits

VERDICTS = ("YES", "NO")
WRITTEN = 24
END = 2
"""Tokens that close the last turn after the box."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model would say in one conversation.

    `likeliest` is the likeliest token after each one; `p_yes` is YES against NO in the box that the
    conversation ends with.
    """

    likeliest: NDArray[np.int64]
    p_yes: float


@dataclass(frozen=True)
class F16Agreement:
    """How much of what two models would say is the same."""

    prompts: int
    positions: int
    equal: int
    """Positions with the same likeliest token."""
    verdicts_equal: int
    verdicts_yes: int
    """Verdicts YES of the first model."""
    largest_p_yes: float
    """Largest difference of p(YES), 0 to 1."""

    @property
    def share(self) -> float:
        return self.equal / self.positions


def answers(engine: GgufEngine, episodes: Iterable[RandomEpisode]) -> list[Answers]:
    """Read the conversations, which end with the open box of a verdict."""
    yes, no = (engine.token_ids(word)[0] for word in VERDICTS)

    def keep(logits: Logits) -> Logits:
        likeliest = logits.argmax(axis=1)
        return np.column_stack([likeliest, logits[:, yes], logits[:, no]]).astype(np.float64)

    found = []
    for episode in episodes:
        conversation = engine.open()
        try:
            _, kept = conversation.read_scored(episode.turns, episode.pictures, keep)
        finally:
            conversation.close()
        found.append(Answers(kept[:, 0].astype(np.int64), _share(*kept[-1 - END, 1:])))
    return found


def agreement(first: Sequence[Answers], second: Sequence[Answers]) -> F16Agreement:
    """Compare the answers of two models to the same conversations."""
    pairs: list[Any] = list(zip(first, second, strict=True))
    return F16Agreement(
        prompts=len(pairs),
        positions=sum(one.likeliest.size for one, _ in pairs),
        equal=sum(int((one.likeliest == other.likeliest).sum()) for one, other in pairs),
        verdicts_equal=sum((one.p_yes > 0.5) == (other.p_yes > 0.5) for one, other in pairs),
        verdicts_yes=sum(one.p_yes > 0.5 for one, _ in pairs),
        largest_p_yes=max(abs(one.p_yes - other.p_yes) for one, other in pairs),
    )


@dataclass(frozen=True)
class Speed:
    """Tokens in a second: of text and pictures that were read, and that were written."""

    read: float
    written: float


def measure_speed(engine: GgufEngine, episode: RandomEpisode) -> Speed:
    """Read a conversation and write a turn after it."""
    conversation = engine.open()
    try:
        started = time.perf_counter()
        conversation.append(episode.turns, episode.pictures)
        read = time.perf_counter()
        generated = conversation.generate(SamplingSettings(max_new_tokens=WRITTEN))
        written = time.perf_counter()
        return Speed(
            conversation.usage.prompt / (read - started),
            max(1, generated.tokens) / (written - read),
        )
    finally:
        conversation.close()


def _share(yes: float, no: float) -> float:
    return float(1 / (1 + np.exp(np.clip(no - yes, -700, 700))))
