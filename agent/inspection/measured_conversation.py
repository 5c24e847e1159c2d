"""A conversation with prepared turns, for the measured inspector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image

from agent.engines.base import (
    VERDICT,
    ChoicePoint,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
)
from agent.inspection.pictures import PictureMaker
from agent.protocol.protocol import Turn
from agent.protocol.tool import ToolResult, checked_arguments


@dataclass(eq=False)
class MeasuredConversation:
    """Returns `turns` one after the other, and repeats the last."""

    turns: Sequence[str]
    usage: Usage = field(default_factory=Usage)
    position: int = 0

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Ignored: the turns are already prepared."""

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
        if should_stop is not None and should_stop():
            return Generated("", 0, "cancelled")
        text = self.turns[min(self.position, len(self.turns) - 1)]
        self.position += 1
        if on_text is not None:
            on_text(text)
        return Generated(text, 0, "stop")

    def mark(self) -> object:
        return self.position

    def rewind(self, mark: object) -> None:
        assert isinstance(mark, int)
        self.position = mark

    def close(self) -> None:
        """There is nothing to close."""


class BlankPictureMaker(PictureMaker):
    """Answers calls with the usual text and a blank picture, for records without pictures."""

    def overview(self) -> Image.Image:
        return Image.new("RGB", (1, 1))

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        wavelengths, label = checked_arguments(arguments)
        picture = Image.new("RGB", (1, 1))
        text = self.window_text(wavelengths, label)
        return picture, ToolResult(picture, text, wavelengths, label, 0)
