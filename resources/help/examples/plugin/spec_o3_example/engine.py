"""An engine that answers NO to everything: what any model has to be better than."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent.engines.base import VERDICT, ChoicePoint, Generated, Usage
from agent.models.card import Card
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import QWEN25

P_YES = 0.01
REPLY = "<think>Most candidates of a rare class are something else.</think>"
ANSWER = r"<answer>\boxed{NO}</answer>"


class AlwaysNo:
    """The engine; `sizing` says how large the pictures are made for it."""

    sizing = QWEN25

    def open(self, rules: Rules = OURS) -> Talk:
        """Begin a conversation."""
        return Talk()

    def close(self) -> None:
        """Free the memory and the processes that were taken."""


class Talk:
    """A conversation; a real engine keeps the turns that it has read."""

    usage = Usage()

    def append(
        self, turns: Sequence[Any], pictures: Sequence[Any], should_stop: Any = None
    ) -> None:
        """Read turns with their pictures."""

    def generate(
        self,
        sampling: Any,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        choice_point: ChoicePoint | None = VERDICT,
        on_text: Any = None,
        should_stop: Any = None,
    ) -> Generated:
        """Write the next turn; `choices` are the log-probabilities of YES and NO in the box."""
        text = REPLY + ANSWER
        choices = {"YES": math.log(P_YES), "NO": math.log(1 - P_YES)}
        return Generated(text, len(text.split()), "stop", choices)

    def mark(self) -> object:
        """A place to come back to."""
        return None

    def rewind(self, mark: object) -> None:
        """Forget what came after the mark."""

    def close(self) -> None:
        """End the conversation."""


def load(folder: Path, card: Card, *, device: str, threads: int | None) -> AlwaysNo:
    """Load the model in `folder`, whose model.toml is `card`."""
    return AlwaysNo()
