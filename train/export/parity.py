"""Does llama.cpp compute what transformers computes? Both read the same turns, number by number.

The turns are given (teacher forcing), so that one early difference does not make all later ones.
transformers is used as it comes: its own picture preparation, one pass over the whole conversation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from agent.engines.chat_tokens import load_tokenizer, plain_ids, token_ids
from agent.engines.families import read_folder
from agent.engines.gguf.engine import GgufEngine
from agent.engines.hf.weights import load_model
from agent.engines.sampling import log_softmax
from agent.protocol.protocol import chat_parts
from agent.rendering.model_image import Sizing, token_grid
from train.export.episodes import Episode
from train.models.errors import ExportError

VERDICTS = ("YES", "NO")
END = 2
"""Tokens that close the last turn, after the box."""

Logits = NDArray[np.float32]


@dataclass(frozen=True)
class Parity:
    """How far llama.cpp is from transformers.

    `positions` are text tokens; at `equal` of them both put the same token first, and `own_equal`
    of `own_positions` are those in the model's turns. Differences are of logits, whose spread is
    `spread`. A verdict is which of YES and NO is likelier in the box.
    """

    episodes: int
    positions: int
    equal: int
    own_positions: int
    own_equal: int
    largest: float
    rms: float
    spread: float
    verdicts_equal: int
    verdicts_yes: int
    """Of transformers."""
    largest_p_yes: float
    """Largest difference in the odds of YES against NO, 0 to 1."""

    @property
    def share(self) -> float:
        return self.equal / self.positions

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"share": self.share}


@dataclass(frozen=True, eq=False)
class ScoredTokens:
    """Text tokens of an episode with the logits after each. `own` marks the model's turns."""

    ids: list[int]
    logits: Logits
    own: NDArray[np.bool_]


class Reference:
    """The model in transformers, in float32."""

    def __init__(self, folder: Path) -> None:
        found = read_folder(folder)
        self._model = load_model(
            found,
            device="cpu",
            dtype="float32",
            load_in_4bit=False,
            adapter=None,
            merge_adapter=False,
        )
        self.tokenizer = load_tokenizer(folder)
        self._pictures = Qwen2VLImageProcessorPil.from_pretrained(folder)
        self._factor = found.vision.factor
        self._image_token = int(self._model.config.image_token_id)

    @property
    def sizing(self) -> Sizing:
        return Sizing.of_tokens(self._factor)

    def verdict_tokens(self) -> tuple[int, ...]:
        return tuple(plain_ids(self.tokenizer, word)[0] for word in VERDICTS)

    def score(self, episode: Episode) -> ScoredTokens:
        """One pass over the whole conversation."""
        grids = [token_grid(*picture.size, self.sizing) for picture in episode.pictures]
        counts = [across * down for across, down in grids]
        parts = chat_parts(episode.turns, model_speaks_next=False)
        ids = np.array(token_ids(self.tokenizer, parts, counts))
        is_text = ids != self._image_token
        seen = self._pictures(images=list(episode.pictures), return_tensors="pt")
        if [int(grid.prod()) // 4 for grid in seen["image_grid_thw"]] != counts:
            raise ExportError("transformers resized a picture that was sized already")
        with torch.inference_mode():
            out = self._model(
                input_ids=torch.from_numpy(ids)[None],
                mm_token_type_ids=torch.from_numpy((~is_text).astype(np.int32))[None],
                pixel_values=seen["pixel_values"],
                image_grid_thw=seen["image_grid_thw"],
            )
        logits = out.logits[0].float().numpy()[is_text]
        text = ids[is_text].tolist()
        return ScoredTokens(text, logits, self._own(text))

    def _own(self, ids: list[int]) -> NDArray[np.bool_]:
        """Positions whose next token the model says."""
        start = token_ids(self.tokenizer, chat_parts(()))
        end = self.tokenizer.token_to_id("<|im_end|>")
        own = np.zeros(len(ids), dtype=bool)
        speaking = False
        for place, token in enumerate(ids):
            if token == end:
                speaking = False
            elif ids[max(0, place + 1 - len(start)) : place + 1] == start:
                speaking = True
            own[place] = speaking
        return own


@dataclass
class _Tally:
    """What adds up over the episodes, for one engine."""

    verdict: list[int]
    episodes: int = 0
    positions: int = 0
    equal: int = 0
    own_positions: int = 0
    own_equal: int = 0
    largest: float = 0.0
    squares: float = 0.0
    spreads: float = 0.0
    verdicts_equal: int = 0
    verdicts_yes: int = 0
    largest_p_yes: float = 0.0

    def add(self, wanted: ScoredTokens, found: Logits) -> None:
        is_equal = wanted.logits.argmax(1) == found.argmax(1)
        away = np.abs(wanted.logits - found)
        pair = [logits[-1 - END][self.verdict] for logits in (wanted.logits, found)]
        odds = [float(np.exp(log_softmax(each))[0]) for each in pair]
        self.episodes += 1
        self.positions += is_equal.size
        self.equal += int(is_equal.sum())
        self.own_positions += int(wanted.own.sum())
        self.own_equal += int((is_equal & wanted.own).sum())
        self.largest = max(self.largest, float(away.max()))
        self.squares += float(np.mean(away.astype(np.float64) ** 2))
        self.spreads += float(wanted.logits.std())
        self.verdicts_equal += int(pair[0].argmax() == pair[1].argmax())
        self.verdicts_yes += int(pair[0].argmax() == 0)
        self.largest_p_yes = max(self.largest_p_yes, abs(odds[0] - odds[1]))

    def parity(self) -> Parity:
        return Parity(
            episodes=self.episodes,
            positions=self.positions,
            equal=self.equal,
            own_positions=self.own_positions,
            own_equal=self.own_equal,
            largest=self.largest,
            rms=math.sqrt(self.squares / self.episodes),
            spread=self.spreads / self.episodes,
            verdicts_equal=self.verdicts_equal,
            verdicts_yes=self.verdicts_yes,
            largest_p_yes=self.largest_p_yes,
        )


def compare(
    reference: Reference, engines: Sequence[GgufEngine], episodes: Iterable[Episode]
) -> list[Parity]:
    """Read every episode with all of them; the engines must hold the reference's model."""
    tallies = [_Tally(list(reference.verdict_tokens())) for _ in engines]
    for episode in episodes:
        wanted = reference.score(episode)
        for engine, tally in zip(engines, tallies, strict=True):
            ids, found = score_gguf(engine, episode)
            if wanted.ids != ids:
                raise ExportError("llama.cpp cuts the conversation into other tokens")
            tally.add(wanted, found)
    return [tally.parity() for tally in tallies]


def score_gguf(engine: GgufEngine, episode: Episode) -> tuple[list[int], Logits]:
    """The episode's text tokens and the logits after each, turn by turn through one cache."""
    conversation = engine.open()
    try:
        return conversation.read_scored(episode.turns, episode.pictures)
    finally:
        conversation.close()
