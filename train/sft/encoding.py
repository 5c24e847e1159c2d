"""Encodes a conversation as tokens, and marks the trained ones.

The ids are those of inference: each turn is tokenized separately, and the agent's reply separately
from the markup before it, as if the model had generated it.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from agent.engines.chat_tokens import TokenBytes, token_ids
from agent.errors import WorkbenchError
from agent.protocol.protocol import END_OF_REPLY, Turn, chat_parts
from agent.trajectory.trajectory import Trajectory

UNTRAINED = 0
PARTS = ("thought", "call", "reasons", "verdict", "other")
"""Parts of an agent's turn; a token's part number is the index here plus one."""
THOUGHT, CALL, REASONS, VERDICT, OTHER = range(1, len(PARTS) + 1)

# Later patterns match inside earlier ones and win.
_SPANS = (
    (THOUGHT, re.compile(rb"<think>.*?(?:</think>|$)", re.DOTALL)),
    (CALL, re.compile(rb"<tool_call>.*?(?:</tool_call>|$)", re.DOTALL)),
    (REASONS, re.compile(rb"<answer>.*?(?:</answer>|$)", re.DOTALL)),
    (VERDICT, re.compile(rb"(?<=\\boxed\{)[A-Z]+(?=\})")),
)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Token ids of a conversation; `parts` is the part of each trained token, 0 for others."""

    ids: NDArray[np.int32]
    parts: NDArray[np.uint8]

    def __len__(self) -> int:
        return int(self.ids.size)

    @property
    def trained(self) -> int:
        return int(np.count_nonzero(self.parts))


class Encoder:
    """Encodes conversations with one model's tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._bytes = TokenBytes(tokenizer)

    def encode(
        self,
        turns: Sequence[Turn],
        picture_tokens: Sequence[int],
        untrained: Collection[int] = (),
        *,
        reply_end: str = END_OF_REPLY,
    ) -> Encoded:
        """Encode turns; `untrained` numbers turns of the agent, `picture_tokens` is per picture.

        `reply_end` stands between a turn of the agent and the next.
        """
        counts = iter(picture_tokens)
        ids: list[int] = []
        parts: list[int] = []
        replies = 0
        for turn in turns:
            pieces = list(chat_parts([turn], model_speaks_next=False, reply_end=reply_end))
            if turn.role != "assistant":
                shown = [next(counts)] if turn.picture is not None else []
                ids += token_ids(self.tokenizer, pieces, shown)
            else:
                markup = list(takewhile(lambda piece: piece.markup, pieces))
                if len(markup) == len(pieces):
                    raise WorkbenchError("an empty turn of the agent cannot be trained")
                reply, *rest = pieces[len(markup) :]
                reply_ids = token_ids(self.tokenizer, [reply])
                end, *after = token_ids(self.tokenizer, rest)
                ids += token_ids(self.tokenizer, markup)
                parts += [UNTRAINED] * (len(ids) - len(parts))
                ids += [*reply_ids, end, *after]
                if replies not in untrained:
                    parts += [*self.parts_of(reply_ids), OTHER]
                replies += 1
            parts += [UNTRAINED] * (len(ids) - len(parts))
        return Encoded(np.array(ids, np.int32), np.array(parts, np.uint8))

    def parts_of(self, ids: Sequence[int]) -> list[int]:
        """The part of each token of a reply, by its first byte."""
        pieces = [self._bytes[number] for number in ids]
        whole = b"".join(pieces)
        owner = np.full(len(whole) + 1, OTHER, np.uint8)
        for part, pattern in _SPANS:
            for found in pattern.finditer(whole):
                owner[found.start() : found.end()] = part
        starts = np.cumsum([0, *map(len, pieces)])[:-1].astype(np.intp)
        return [int(part) for part in owner[starts]]


def longest_turn(parts: NDArray[np.uint8]) -> int:
    """Number of tokens of the longest trained turn."""
    edges = np.flatnonzero(np.diff(np.r_[0, parts > 0, 0]))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def corrected_turns(trajectory: Trajectory) -> set[int]:
    """Numbers of the agent's turns that the tool answered with an error."""
    last: dict[int, str] = {}
    for step in trajectory.steps:
        if step.by == "agent":
            last[step.turn] = step.error
    return {turn for turn, error in last.items() if error}


def refused_calls(turns: Sequence[Turn]) -> set[int]:
    """Like `corrected_turns` for bare turns: those the tool answered without a picture."""
    replies = [number for number, turn in enumerate(turns) if turn.role == "assistant"]
    return {
        number
        for number, at in enumerate(replies)
        if at + 1 < len(turns) and turns[at + 1].role == "tool" and turns[at + 1].picture is None
    }
