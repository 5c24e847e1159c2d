"""Draws the pictures of an inspection and the texts that go with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any

from PIL import Image

from agent.errors import TrajectoryError
from agent.evidence.measurements import SpectrumMeasurements, measurements_of, window_table
from agent.evidence.said_numbers import SaidNumbers
from agent.evidence.window_numbers import note_window, overview_numbers, window_numbers
from agent.hashing import picture_hash, spectrum_hash
from agent.protocol.protocol import Turn
from agent.protocol.rules import OURS, RULES, Rules
from agent.protocol.tool import Number, ToolResult, reply_text, run_published_tool, run_tool
from agent.protocol.wording import Wording, opening
from agent.rendering.model_image import QWEN25, Sizing, prepare
from agent.rendering.render import AS_PUBLISHED, Style, render_spectrum
from agent.spectra.spectrum import Spectrum, between, frame_z
from agent.tasks.task import Task
from agent.trajectory.trajectory import SpectrumRef, Step, Trajectory

FEWEST_ANGSTROM = 100.0
"""With less than this in the range that a model knows, it is shown the whole spectrum."""


def spectrum_ref(spectrum: Spectrum) -> SpectrumRef:
    return SpectrumRef(
        object_id=spectrum.object_id,
        path=spectrum.path,
        row=spectrum.row,
        sha256=spectrum_hash(spectrum),
        simulated=spectrum.simulated,
        z=frame_z(spectrum),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PictureMaker:
    """Draws one spectrum in one style, in the rest frame of `z`, sized for one vision encoder.

    It speaks by `rules`, and in a `wording` if there is one.
    """

    spectrum: Spectrum
    style: Style
    sizing: Sizing = QWEN25
    z: float | None = None
    title: str = "Spectrum"
    rules: Rules = OURS
    wording: Wording | None = None

    @classmethod
    def of(cls, spectrum: Spectrum, ref: SpectrumRef, style: Style, sizing: Sizing) -> PictureMaker:
        name = PurePath(ref.path).name or ref.object_id
        # The published tool does not know the file's name.
        is_named = name and style.name != AS_PUBLISHED.name
        title = f"Spectrum: {name}" if is_named else "Spectrum"
        return cls(spectrum=spectrum, style=style, sizing=sizing, z=ref.z, title=title)

    @property
    def drawn(self) -> Spectrum:
        """The spectrum in the pictures; a test of sight puts another one there."""
        return self.spectrum

    @cached_property
    def numbers(self) -> SpectrumMeasurements:
        """Its measurements, kept here as those of many other spectra may be made meanwhile."""
        return measurements_of(self.spectrum)

    @cached_property
    def shown(self) -> Spectrum:
        """The part of it that the model was taught to read; some know no pixels beyond a range."""
        low, high = self.drawn.range
        if self.style.bluest <= low and high <= self.style.reddest:
            return self.drawn
        if min(high, self.style.reddest) - max(low, self.style.bluest) < FEWEST_ANGSTROM:
            return self.drawn
        return between(self.drawn, self.style.bluest, self.style.reddest)

    def overview(self) -> Image.Image:
        """Draw the whole spectrum; raises SpectrumError if there is nothing to draw."""
        picture = render_spectrum(self.shown, title=self.title, style=self.style, z=self.z)
        return prepare(picture, self.sizing)

    def overview_text(self) -> str:
        """Measurements given with the picture of the whole spectrum, if the style has numbers."""
        if not self.style.numbers:
            return ""
        return overview_numbers(self.numbers, self.z)

    def opening(self, task: Task) -> tuple[Turn, Turn]:
        """The system turn and first user turn for these pictures."""
        return opening(
            task,
            wording=self.wording,
            brief=self.style.brief,
            overview_text=self.overview_text(),
            calls=self.rules.calls,
        )

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        """Answer a tool call; raises ToolError, whose text is for the model."""
        result = self._run_tool(arguments)
        if not self.rules.is_published:
            result = replace(result, text=self.window_text(result.range, result.label))
        return prepare(result.picture, self.sizing), result

    def redraw(self, look: Step) -> Image.Image:
        """Draw the picture of a recorded look again."""
        assert look.range is not None
        if look.whole:
            return self.overview()
        arguments = {"wavelength_range": list(look.range), "label": look.label or None}
        return prepare(self._run_tool(arguments).picture, self.sizing)

    def _run_tool(self, arguments: object) -> ToolResult:
        if self.rules.is_published:
            replies = {} if self.wording is None else self.wording.replies
            return run_published_tool(
                self.shown, arguments, self.style, title=self.title, z=self.z, replies=replies
            )
        return run_tool(self.shown, arguments, self.style, title=self.title, z=self.z)

    def measure(self, low: Number, high: Number) -> dict[str, Any]:
        """Measure a window, for the record: the numbers that sentences about it name."""
        table = window_table(self.spectrum, low, high, self.z, self.numbers)
        if not self.style.numbers:
            return table
        said = SaidNumbers(self.numbers)
        note_window(said, float(low), float(high), self.z)
        return said.table(table)

    def window_text(self, shown: tuple[Number, Number], label: str | None) -> str:
        """The tool's reply for a window, with measurements if the style has numbers."""
        if not self.style.numbers:
            return reply_text(shown, label)
        measured = window_numbers(self.numbers, float(shown[0]), float(shown[1]), self.z)
        return measured if self.style.brief else f"{reply_text(shown, label)} {measured}"


def redraw(trajectory: Trajectory, spectrum: Spectrum) -> list[Image.Image]:
    """Draw the pictures of a trajectory again: the whole spectrum, then each look.

    Raises TrajectoryError if the spectrum or a picture differs from what was inspected.
    """
    if spectrum_hash(spectrum) != trajectory.spectrum.sha256:
        raise TrajectoryError("this is not the spectrum that was inspected: its values differ")
    style = Style.from_table(trajectory.style)
    picture_maker = PictureMaker.of(spectrum, trajectory.spectrum, style, trajectory.sizing)
    picture_maker = replace(picture_maker, rules=RULES[trajectory.rules])
    pictures = [picture_maker.overview(), *map(picture_maker.redraw, trajectory.looks)]
    hashes = [trajectory.overview, *(look.picture for look in trajectory.looks)]
    for number, (picture, expected) in enumerate(zip(pictures, hashes, strict=True)):
        if expected and picture_hash(picture) != expected:
            raise TrajectoryError(f"picture {number} differs from the one that was inspected")
    return pictures
