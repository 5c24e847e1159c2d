"""The pictures of one inspection, drawn as its engine must see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from PIL import Image

from agent.errors import TrajectoryError
from agent.evidence.numbers import numbers_of
from agent.evidence.window_numbers import whole_numbers, window_numbers
from agent.hashing import picture_hash, spectrum_hash
from agent.protocol.protocol import Turn, opening
from agent.protocol.tool import Number, ToolResult, reply_text, run_tool
from agent.rendering.model_image import QWEN25, Sizing, prepare
from agent.rendering.render import Style, render_spectrum
from agent.spectra.measure.zoom_measurements import zoom_numbers
from agent.spectra.rest_frame import frame_z
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import SpectrumRef, Step, Trajectory


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
    """Draws one spectrum in one style, in the frame of `z`, sized for one vision encoder."""

    spectrum: Spectrum
    style: Style
    sizing: Sizing = QWEN25
    z: float | None = None
    title: str = "Spectrum"

    @classmethod
    def of(cls, spectrum: Spectrum, ref: SpectrumRef, style: Style, sizing: Sizing) -> PictureMaker:
        name = PurePath(ref.path).name or ref.object_id
        title = f"Spectrum: {name}" if name else "Spectrum"
        return cls(spectrum=spectrum, style=style, sizing=sizing, z=ref.z, title=title)

    def overview(self) -> Image.Image:
        """The whole spectrum. Raises SpectrumError where there is nothing to draw."""
        picture = render_spectrum(self.spectrum, title=self.title, style=self.style, z=self.z)
        return prepare(picture, self.sizing)

    def told(self) -> str:
        """The words that go with the picture of the whole spectrum."""
        if not self.style.numbers:
            return ""
        return whole_numbers(numbers_of(self.spectrum), self.z)

    def opening(self, task: Task) -> tuple[Turn, Turn]:
        """The turns before the first word of a model that is shown these pictures."""
        return opening(task, brief=self.style.brief, told=self.told())

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        """Answer one call of the tool. Raises ToolError for the model to read."""
        result = self._drawn(arguments)
        result = replace(result, text=self.answer(result.range, result.label))
        return prepare(result.picture, self.sizing), result

    def redraw(self, look: Step) -> Image.Image:
        """The picture of a look on record, whose words are on record, too."""
        assert look.range is not None
        arguments = {"wavelength_range": list(look.range), "label": look.label or None}
        return prepare(self._drawn(arguments).picture, self.sizing)

    def _drawn(self, arguments: object) -> ToolResult:
        return run_tool(self.spectrum, arguments, self.style, title=self.title, z=self.z)

    def measure(self, low: Number, high: Number) -> dict[str, Any]:
        """What is measured in a window, for the record."""
        return zoom_numbers(self.spectrum, low, high, self.z)

    def answer(self, shown: tuple[Number, Number], label: str | None) -> str:
        """The words that go with the picture of a window."""
        if not self.style.numbers:
            return reply_text(shown, label)
        numbers = numbers_of(self.spectrum)
        measured = window_numbers(numbers, float(shown[0]), float(shown[1]), self.z)
        return measured if self.style.brief else f"{reply_text(shown, label)} {measured}"


def redraw(trajectory: Trajectory, spectrum: Spectrum) -> list[Image.Image]:
    """The pictures of a record: the whole spectrum, then each look.

    Raises TrajectoryError where spectrum or pictures are not those that were inspected.
    """
    if spectrum_hash(spectrum) != trajectory.spectrum.sha256:
        raise TrajectoryError("this is not the spectrum that was inspected: its numbers differ")
    style = Style.from_table(trajectory.style)
    viewer = PictureMaker.of(spectrum, trajectory.spectrum, style, trajectory.sizing)
    pictures = [viewer.overview()]
    wanted = [trajectory.overview]
    for look in trajectory.looks:
        pictures.append(viewer.redraw(look))
        wanted.append(look.picture)
    for number, (picture, proof) in enumerate(zip(pictures, wanted, strict=True)):
        if proof and picture_hash(picture) != proof:
            raise TrajectoryError(f"picture {number} comes out different from what was inspected")
    return pictures
