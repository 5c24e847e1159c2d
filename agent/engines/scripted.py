"""An engine that says what it was told to: for tests, and for replaying a record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PIL import Image

from agent.engines.base import (
    VERDICT,
    Cancelled,
    Finish,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
    Watch,
)
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from agent.rendering.model_image import QWEN25, Sizing, token_grid

Script = Sequence[str] | Callable[[int], str]


class ScriptedEngine:
    """Every conversation gets the same replies, in order; a function gives the n-th reply.

    A token is a word with the blank before it. `choices` are given for every turn with a box.
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

    def open(self) -> ScriptedConversation:
        conversation = ScriptedConversation(self)
        self.conversations.append(conversation)
        return conversation

    def close(self) -> None:
        self.is_closed = True


class ScriptedConversation:
    """Keeps all it was told, so that a test can look."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self.engine = engine
        self.turns: list[Turn] = []
        self.pictures: list[Image.Image] = []
        self.spoken = 0
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
        watch: Watch | None = VERDICT,
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
        boxed = watch is not None and watch.after in text
        self.turns.append(Turn("assistant", text))
        return Generated(text, tokens, finish, self.engine.choices if boxed else None)

    def mark(self) -> tuple[int, int, int]:
        return len(self.turns), len(self.pictures), self.spoken

    def rewind(self, mark: object) -> None:
        assert isinstance(mark, tuple)
        turns, pictures, self.spoken = mark
        del self.turns[turns:], self.pictures[pictures:]

    def close(self) -> None:
        self.is_closed = True

    def _next(self) -> str:
        number, self.spoken = self.spoken, self.spoken + 1
        script = self.engine.replies
        if callable(script):
            return script(number)
        if number >= len(script):
            raise EngineError(f"the script has {len(script)} replies and was asked for one more")
        return script[number]


def _words(text: str) -> list[str]:
    """`text` in pieces that end after a blank; joined they are `text` again."""
    pieces = text.split(" ")
    return [piece + " " for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
