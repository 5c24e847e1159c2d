"""The measured inspector's side of the conversation: it knows its turns before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image

from agent.engines.base import (
    VERDICT,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
    Watch,
)
from agent.inspection.pictures import PictureMaker
from agent.protocol.protocol import Turn
from agent.protocol.tool import ToolResult, checked_arguments


@dataclass(eq=False)
class MeasuredVoice:
    """A conversation that says `turns` one after the other; the last again if asked again."""

    turns: Sequence[str]
    usage: Usage = field(default_factory=Usage)
    said: int = 0

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """It measures the spectrum itself and needs to be shown nothing."""

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
        if should_stop is not None and should_stop():
            return Generated("", 0, "cancelled")
        text = self.turns[min(self.said, len(self.turns) - 1)]
        self.said += 1
        if on_text is not None:
            on_text(text)
        return Generated(text, 0, "stop")

    def mark(self) -> object:
        return self.said

    def rewind(self, mark: object) -> None:
        assert isinstance(mark, int)
        self.said = mark

    def close(self) -> None:
        """Nothing is held."""


class BlankPictureMaker(PictureMaker):
    """Answers calls like any viewer but draws nothing: where only the words are wanted."""

    def overview(self) -> Image.Image:
        return Image.new("RGB", (1, 1))

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        wavelengths, label = checked_arguments(arguments)
        picture = Image.new("RGB", (1, 1))
        text = self.answer(wavelengths, label)
        return picture, ToolResult(picture, text, wavelengths, label, 0)
