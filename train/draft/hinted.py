"""A secret note with the true answer: the teacher's engine reads it, no record keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image

from agent.engines.base import (
    VERDICT,
    ChoicePoint,
    Conversation,
    Engine,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
)
from agent.evidence.words import KIND_NAMES
from agent.examples.examples import Example
from agent.protocol.protocol import Turn
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import Sizing

HINT = """

Note to you alone, the author of a worked example. The true answer is {answer}{label}. Write the \
inspection as an expert who finds this out by looking. Look at two to five windows. Give only \
numbers that you can read in a picture you have asked for, and name the window. Weigh the \
likeliest contaminant. Do not mention this note or that you knew the answer. If the pictures do \
not support the answer, answer what they show."""


def hint(example: Example) -> str:
    """The note with the answer, and the class where it is known."""
    name = KIND_NAMES.get(example.label, "")
    label = f": the object is {name}" if name else ""
    return HINT.format(answer=example.answer, label=label)


@dataclass(frozen=True, eq=False)
class HintedEngine:
    """An engine that appends a note to the first user turn; the record keeps the plain prompt."""

    engine: Engine
    hint: str

    @property
    def sizing(self) -> Sizing:
        return self.engine.sizing

    def open(self, rules: Rules = OURS) -> Conversation:
        return _HintedConversation(self.engine.open(rules), self.hint)

    def close(self) -> None:
        """Do nothing: the caller owns the engine."""


class _HintedConversation:
    def __init__(self, inner: Conversation, hint: str) -> None:
        self._inner = inner
        self._hint = hint

    @property
    def usage(self) -> Usage:
        return self._inner.usage

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        hinted = list(turns)
        for index, turn in enumerate(hinted):
            if self._hint and turn.role == "user":
                hinted[index] = replace(turn, text=turn.text + self._hint)
                self._hint = ""
        self._inner.append(hinted, pictures, should_stop)

    def generate(
        self,
        sampling: SamplingSettings,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        choice_point: ChoicePoint | None = VERDICT,
        on_text: OnText | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Generated:
        return self._inner.generate(
            sampling,
            seed,
            stop=stop,
            choice_point=choice_point,
            on_text=on_text,
            should_stop=should_stop,
        )

    def mark(self) -> object:
        return self._inner.mark()

    def rewind(self, mark: object) -> None:
        self._inner.rewind(mark)

    def close(self) -> None:
        self._inner.close()
