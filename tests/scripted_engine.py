"""An engine that replays scripted replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PIL import Image

from agent.engines.base import (
    VERDICT,
    ChoicePoint,
    Finish,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
)
from agent.errors import Cancelled, EngineError
from agent.protocol.protocol import Turn
from agent.protocol.rules import OURS, Rules
from agent.protocol.turn_form import TurnForm
from agent.rendering.model_image import QWEN25, Sizing, token_grid

Script = Sequence[str] | Callable[[int], str]


class ScriptedEngine:
    """Gives every conversation the same replies in order; a function returns the n-th reply.

    A token is a word with the space after it. `choices` are returned with every boxed answer.
    """

    def __init__(
        self,
        replies: Script,
        *,
        sizing: Sizing = QWEN25,
        choices: Mapping[str, float] | None = None,
    ) -> None:
        self._sizing = sizing
        self.replies = replies
        self.choices = choices
        self.is_closed = False
        self.conversations: list[ScriptedConversation] = []

    @property
    def sizing(self) -> Sizing:
        return self._sizing

    def open(self, rules: Rules = OURS) -> ScriptedConversation:
        conversation = ScriptedConversation(self)
        self.conversations.append(conversation)
        return conversation

    def close(self) -> None:
        self.is_closed = True


class ScriptedConversation:
    """Keeps the turns and pictures it was given, so that a test can inspect them."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self.engine = engine
        self.turns: list[Turn] = []
        self.pictures: list[Image.Image] = []
        self.replied = 0
        self.is_closed = False
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        return replace(self._usage, evaluated=self._usage.prompt + self._usage.generated)

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        if should_stop is not None and should_stop():
            raise Cancelled
        self.turns += turns
        self.pictures += pictures
        words = sum(len(turn.text.split()) for turn in turns)
        grids = [token_grid(*picture.size, self.engine.sizing) for picture in pictures]
        images = sum(across * down for across, down in grids)
        used = self._usage
        self._usage = replace(
            used, prompt=used.prompt + words + images, images=used.images + images
        )

    def generate(
        self,
        sampling: SamplingSettings,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        form: TurnForm | None = None,
        choice_point: ChoicePoint | None = VERDICT,
        on_text: OnText | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Generated:
        finish: Finish = "stop"
        text, tokens = "", 0
        for word in _words(self._next()):
            if should_stop is not None and should_stop():
                finish = "cancelled"
                break
            if tokens == sampling.max_new_tokens:
                finish = "length"
                break
            text, tokens = text + word, tokens + 1
            if on_text is not None:
                on_text(word)
            if any(each in text for each in stop):
                break
        self._usage = replace(self._usage, generated=self._usage.generated + tokens)
        boxed = choice_point is not None and choice_point.after in text
        self.turns.append(Turn("assistant", text))
        return Generated(text, tokens, finish, self.engine.choices if boxed else None)

    def mark(self) -> tuple[int, int, int]:
        return len(self.turns), len(self.pictures), self.replied

    def rewind(self, mark: object) -> None:
        assert isinstance(mark, tuple)
        turns, pictures, self.replied = mark
        del self.turns[turns:], self.pictures[pictures:]

    def close(self) -> None:
        self.is_closed = True

    def _next(self) -> str:
        number, self.replied = self.replied, self.replied + 1
        script = self.engine.replies
        if callable(script):
            return script(number)
        if number >= len(script):
            raise EngineError(f"the script has only {len(script)} replies")
        return script[number]


def _words(text: str) -> list[str]:
    """Split after each space; the pieces join to `text` again."""
    pieces = text.split(" ")
    return [piece + " " for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
