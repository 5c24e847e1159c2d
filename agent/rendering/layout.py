"""Positions of the texts around the frame of the published picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from agent.rendering.canvas import Rect, union
from agent.rendering.scales import Scale
from agent.rendering.text import Block, Font, stack_lines

DPI = 80.0
POINT = DPI / 72
LABEL, TITLE = Font(12, bold=True), Font(14, bold=True)
TICK = Font(10)

TICK_GAP = 3.5 * POINT
# Minor ticks have empty labels, which still push the axis names away by this much.
MINOR_GAP = 3.4 * POINT
LABEL_GAP = 4.0 * POINT
OFFSET_GAP = 3.0 * POINT
TITLE_GAP = 20.0 * POINT


@dataclass(frozen=True)
class PlacedText:
    """A text with the lower left corner of its block."""

    block: Block
    font: Font
    x: float
    y: float

    @property
    def extent(self) -> Rect:
        return Rect(self.x, self.y, self.x + self.block.width, self.y + self.block.height)


class Layout:
    """Positions of everything outside a frame."""

    def __init__(self, x: Scale, y: Scale, title: str, frame: Rect) -> None:
        self.x, self.y, self.title_text, self.frame = x, y, title, frame

    @cached_property
    def x_labels(self) -> list[PlacedText]:
        positions = self.x.to_pixels(self.x.major, self.frame.x0, self.frame.x1)
        blocks = [stack_lines((label,), TICK) for label in self.x.labels]
        top = self.frame.y0 - TICK_GAP
        return [
            PlacedText(block, TICK, at - block.width / 2, top - block.height)
            for block, at in zip(blocks, positions.tolist(), strict=True)
        ]

    @cached_property
    def y_labels(self) -> list[PlacedText]:
        positions = self.y.to_pixels(self.y.major, self.frame.y0, self.frame.y1)
        blocks = [stack_lines((label,), TICK) for label in self.y.labels]
        right = self.frame.x0 - TICK_GAP
        return [
            PlacedText(block, TICK, right - block.width, at - block.descent - block.ascent / 2)
            for block, at in zip(blocks, positions.tolist(), strict=True)
        ]

    @cached_property
    def title(self) -> PlacedText:
        block = stack_lines((self.title_text,), TITLE)
        baseline = self.frame.y1 + TITLE_GAP
        x = (self.frame.x0 + self.frame.x1) / 2 - block.width / 2
        return PlacedText(block, TITLE, x, baseline - block.descent)

    @cached_property
    def below_labels(self) -> float:
        gap = MINOR_GAP if self.x.minor else 0.0
        return min([self.frame.y0 - gap, *(p.y for p in self.x_labels)])

    @cached_property
    def x_name(self) -> PlacedText:
        block = stack_lines(("Wavelength (Å)",), LABEL)
        x = (self.frame.x0 + self.frame.x1) / 2 - block.width / 2
        return PlacedText(block, LABEL, x, self.below_labels - LABEL_GAP - block.height)

    @cached_property
    def y_name(self) -> tuple[Block, Rect]:
        """The vertical label and its box."""
        block = stack_lines(("Flux",), LABEL)
        gap = MINOR_GAP if self.y.minor else 0.0
        right = min([self.frame.x0 - gap, *(p.x for p in self.y_labels)]) - LABEL_GAP
        y = (self.frame.y0 + self.frame.y1) / 2 - block.width / 2
        return block, Rect(right - block.height, y, right, y + block.width)

    @cached_property
    def offsets(self) -> list[PlacedText]:
        """The factors left out of the tick labels, above the flux axis and below the other one."""
        placed = []
        if self.y.offset:
            block = stack_lines((self.y.offset,), TICK)
            y = self.frame.y1 + OFFSET_GAP - block.descent
            placed.append(PlacedText(block, TICK, self.frame.x0, y))
        if self.x.offset:
            block = stack_lines((self.x.offset,), TICK)
            y = self.below_labels - OFFSET_GAP - block.height
            placed.append(PlacedText(block, TICK, self.frame.x1 - block.width, y))
        return placed

    def extent(self, *, names_count: bool) -> Rect:
        """The box around everything; without `names_count`, names and title have no length."""
        boxes = [self.frame, *(p.extent for p in [*self.x_labels, *self.y_labels, *self.offsets])]
        title, x_name, y_name = self.title.extent, self.x_name.extent, self.y_name[1]
        if not names_count:
            title, x_name = _narrow(title), _narrow(x_name)
            middle = (y_name.y0 + y_name.y1) / 2 - 0.5
            y_name = Rect(y_name.x0, middle, y_name.x1, middle + 1)
        return union([*boxes, title, x_name, y_name])


def _narrow(box: Rect) -> Rect:
    middle = (box.x0 + box.x1) / 2 - 0.5
    return Rect(middle, box.y0, middle + 1, box.y1)
