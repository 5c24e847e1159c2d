"""Compares the logits of llama.cpp with those of transformers on the same conversations.

The turns are given (teacher forcing), so that an early difference does not change all later tokens.
transformers is used with its own picture preparation, in one pass over the whole conversation.
"""

import math
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from agent.convert.checkpoint import ConversionError
from agent.convert.episodes import RandomEpisode
from agent.engines.chat_tokens import load_tokenizer, plain_ids, token_ids
from agent.engines.families import read_folder
from agent.engines.gguf.engine import GgufEngine
from agent.engines.sampling import Logits, log_softmax
from agent.protocol.protocol import chat_parts
from agent.rendering.model_image import Sizing, token_grid
from train.models.model_folder import load_trainable

VERDICTS = ("YES", "NO")
END = 2  # tokens that close the last turn after the box


@dataclass(frozen=True)
class Parity:
    """How much llama.cpp differs from transformers.

    `positions` counts text tokens; at `equal` of them both have the same likeliest token.
    `own_positions` and `own_equal` count those in the model's turns. `largest` and `rms` are
    differences of logits, whose standard deviation is `spread`. A verdict is the likelier one of
    YES and NO in the box.
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
    verdicts_yes: int  # verdicts YES of transformers
    largest_p_yes: float  # largest difference of p(YES) against p(NO), 0 to 1

    @property
    def share(self) -> float:
        return self.equal / self.positions

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"share": self.share}


@dataclass(frozen=True, eq=False)
class ScoredTokens:
    """Text tokens of an episode with the logits after each; `own` marks the model's turns."""

    ids: list[int]
    logits: Logits
    own: NDArray[np.bool_]


class Reference:
    """The model in transformers, in float32."""

    def __init__(self, folder: Path) -> None:
        self._model = load_trainable(folder)
        self.tokenizer = load_tokenizer(folder)
        self._pictures = Qwen2VLImageProcessorPil.from_pretrained(folder)
        self._factor = read_folder(folder).vision.factor
        self._image_token = int(self._model.config.image_token_id)

    @property
    def sizing(self) -> Sizing:
        return Sizing.of_tokens(self._factor)

    def score(self, episode: RandomEpisode) -> ScoredTokens:
        grids = [token_grid(*picture.size, self.sizing) for picture in episode.pictures]
        counts = [across * down for across, down in grids]
        parts = chat_parts(episode.turns, model_speaks_next=False)
        ids = np.array(token_ids(self.tokenizer, parts, counts))
        is_text = ids != self._image_token
        vision = self._pictures(images=list(episode.pictures), return_tensors="pt")
        if [int(grid.prod()) // 4 for grid in vision["image_grid_thw"]] != counts:
            raise ConversionError("transformers resized a picture that already had its final size")
        with torch.inference_mode():
            out = self._model(
                input_ids=torch.from_numpy(ids)[None],
                mm_token_type_ids=torch.from_numpy((~is_text).astype(np.int32))[None],
                pixel_values=vision["pixel_values"],
                image_grid_thw=vision["image_grid_thw"],
            )
        logits = out.logits[0].float().numpy()[is_text]
        text = ids[is_text].tolist()
        return ScoredTokens(text, logits, self._own(text))

    def _own(self, ids: list[int]) -> NDArray[np.bool_]:
        """Marks the positions whose next token the model generates."""
        start = token_ids(self.tokenizer, chat_parts(()))
        end = self.tokenizer.token_to_id("<|im_end|>")
        own = np.zeros(len(ids), dtype=bool)
        in_turn = False
        for index, token in enumerate(ids):
            if token == end:
                in_turn = False
            elif ids[max(0, index + 1 - len(start)) : index + 1] == start:
                in_turn = True
            own[index] = in_turn
        return own


def _compared(expected: ScoredTokens, actual: Logits, verdict: list[int]) -> Parity:
    """The two on one episode; `verdict` has the tokens of VERDICTS."""
    is_equal = expected.logits.argmax(1) == actual.argmax(1)
    away = np.abs(expected.logits - actual)
    pair = [logits[-1 - END][verdict] for logits in (expected.logits, actual)]
    p_yes = [float(np.exp(log_softmax(each))[0]) for each in pair]
    return Parity(
        episodes=1,
        positions=is_equal.size,
        equal=int(is_equal.sum()),
        own_positions=int(expected.own.sum()),
        own_equal=int((is_equal & expected.own).sum()),
        largest=float(away.max()),
        rms=math.sqrt(float(np.mean(away.astype(np.float64) ** 2))),
        spread=float(expected.logits.std()),
        verdicts_equal=int(pair[0].argmax() == pair[1].argmax()),
        verdicts_yes=int(pair[0].argmax() == 0),
        largest_p_yes=abs(p_yes[0] - p_yes[1]),
    )


def _together(parts: Sequence[Parity]) -> Parity:
    """The same of all episodes."""
    columns = {name: [getattr(one, name) for one in parts] for name in asdict(parts[0])}
    merged: dict[str, Any] = {name: sum(values) for name, values in columns.items()}
    merged |= {name: max(columns[name]) for name in ("largest", "largest_p_yes")}
    merged["rms"] = math.sqrt(fmean(rms**2 for rms in columns["rms"]))
    merged["spread"] = fmean(columns["spread"])
    return Parity(**merged)


def compare(
    reference: Reference, engines: Sequence[GgufEngine], episodes: Iterable[RandomEpisode]
) -> list[Parity]:
    """Score every episode with all engines, which must have loaded the reference's model."""
    verdict = [plain_ids(reference.tokenizer, word)[0] for word in VERDICTS]
    found: list[list[Parity]] = [[] for _ in engines]
    for episode in episodes:
        expected = reference.score(episode)
        for engine, parts in zip(engines, found, strict=True):
            ids, logits = score_gguf(engine, episode)
            if expected.ids != ids:
                raise ConversionError("llama.cpp splits the conversation into other tokens")
            parts.append(_compared(expected, logits, verdict))
    return [_together(parts) for parts in found]


def score_gguf(engine: GgufEngine, episode: RandomEpisode) -> tuple[list[int], Logits]:
    """The episode's text tokens and the logits after each, from one conversation of the engine."""
    with closing(engine.open()) as conversation:
        return conversation.read_scored(episode.turns, episode.pictures)
