"""Many conversations speak their next turn at once, each token drawn for all of them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import torch
from PIL import Image
from torch import Tensor

from agent.engines.patches import ImagePatches
from agent.engines.turn_text import TurnText
from agent.inspection.episode import STOP_STRINGS
from train.grpo.kv_cache import KVCache, SideBySide
from train.grpo.tokens import TurnTokens

TurnEnd = Literal["end", "length", "invented"]
"""`invented`: it began to write a tool's answer itself."""


@dataclass(eq=False)
class BatchLine:
    """One conversation as tokens and pictures, and the model's memory of the first of them."""

    ids: list[int]
    pictures: list[Image.Image] = field(default_factory=list)
    memory: KVCache = field(default_factory=KVCache)
    pictures_read: int = 0

    @property
    def unread(self) -> list[int]:
        return self.ids[self.memory.length :]

    @property
    def unseen(self) -> list[Image.Image]:
        return self.pictures[self.pictures_read :]

    def remember(self, memory: KVCache) -> None:
        """Everything up to `memory` was read, all pictures among it."""
        self.memory, self.pictures_read = memory, len(self.pictures)


@dataclass(frozen=True)
class GeneratedTurn:
    """One turn. `ids` hold the end token where the model said it; `text` does not.

    `log_odds` of each token at the temperature it was drawn with.
    """

    ids: list[int]
    text: str
    end: TurnEnd
    log_odds: list[float]


class Generator(Protocol):
    """Lets lines speak: at most `limits` tokens each. May fill their memories."""

    def __call__(
        self, lines: Sequence[BatchLine], limits: Sequence[int]
    ) -> list[GeneratedTurn]: ...


class OpenTurn:
    """A turn while it is said, token by token."""

    def __init__(self, tongue: TurnTokens, limit: int) -> None:
        self.ids: list[int] = []
        self.end: TurnEnd | None = None
        self._log_odds: list[float] = []
        self._tongue = tongue
        self._limit = limit
        self._speech = TurnText(STOP_STRINGS)

    def take(self, token: int, log_odds: float = 0.0) -> None:
        self.ids.append(token)
        self._log_odds.append(log_odds)
        if token == self._tongue.end:
            self.end = "end"
        elif self._speech.add(self._tongue.token_bytes[token]):
            self.end = "invented"
        elif len(self.ids) >= self._limit:
            self.end = "length"

    def said(self) -> GeneratedTurn:
        return GeneratedTurn(self.ids, self._speech.finish(), self.end or "length", self._log_odds)


class CachedGenerator:
    """Reads only what is new since the last turn; lines that begin alike read that part once.

    `temperature` 0 takes the likeliest token.
    """

    def __init__(
        self,
        model: Any,
        tongue: TurnTokens,
        patches: Callable[[Image.Image], ImagePatches],
        randomness: torch.Generator,
        temperature: float = 1.0,
    ) -> None:
        self._model = model
        self._tongue = tongue
        self._patches = patches
        self._randomness = randomness
        self._temperature = temperature
        self._never = torch.tensor(tongue.never, device=model.device)

    @torch.no_grad()
    def __call__(self, lines: Sequence[BatchLine], limits: Sequence[int]) -> list[GeneratedTurn]:
        self._read_beginnings(lines)
        turns = [OpenTurn(self._tongue, limit) for limit in limits]
        together = SideBySide(self._model, [line.memory for line in lines])
        logits = together.read([line.unread for line in lines], self._seen(lines))
        live = list(range(len(lines)))
        while True:
            tokens, log_odds = self._choose(logits)
            for number, token, odds in zip(live, tokens, log_odds, strict=True):
                if turns[number].end is None:
                    turns[number].take(token, odds)
            speaking = [turns[number].end is None for number in live]
            if 2 * sum(speaking) <= len(live):
                for row, number in enumerate(live):
                    if not speaking[row]:
                        lines[number].remember(together.take_out(row))
                kept = [row for row, on in enumerate(speaking) if on]
                if not kept:
                    return [turn.said() for turn in turns]
                together.keep(kept)
                live, tokens = [live[row] for row in kept], [tokens[row] for row in kept]
                speaking = [True] * len(kept)
            logits = together.read_one_each(tokens, speaking)

    def _read_beginnings(self, lines: Sequence[BatchLine]) -> None:
        """All but the last token of lines that are new, once for those that are alike."""
        alike: dict[tuple[Any, ...], list[BatchLine]] = {}
        for line in lines:
            if line.memory.length == 0 and len(line.ids) > 1:
                alike.setdefault((*line.ids, *map(id, line.pictures)), []).append(line)
        if not alike:
            return
        firsts = [group[0] for group in alike.values()]
        together = SideBySide(self._model, [KVCache()] * len(firsts))
        together.read([line.ids[:-1] for line in firsts], self._seen(firsts))
        for row, group in enumerate(alike.values()):
            memory = together.take_out(row)
            for line in group:
                line.remember(memory)

    def _seen(self, lines: Sequence[BatchLine]) -> list[list[ImagePatches]]:
        return [[self._patches(picture) for picture in line.unseen] for line in lines]

    def _choose(self, logits: Tensor) -> tuple[list[int], list[float]]:
        """A token for each line, and its log-odds among all tokens, those never said included."""
        log_odds = (logits.float() / (self._temperature or 1.0)).log_softmax(dim=1)
        usable = log_odds.index_fill(1, self._never, -torch.inf)
        if self._temperature == 0.0:
            chosen = usable.argmax(dim=1, keepdim=True)
        else:
            chosen = torch.multinomial(usable.exp(), 1, generator=self._randomness)
        return chosen[:, 0].tolist(), log_odds.gather(1, chosen)[:, 0].tolist()
