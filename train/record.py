"""Turns written turns into a trajectory by letting the tool answer each call."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PIL import Image

from agent.engines.base import SamplingSettings
from agent.hashing import picture_hash
from agent.inspection.control import Control
from agent.inspection.episode import Episode
from agent.inspection.measured_inspector import BlankPictureMaker, MeasuredConversation
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.reply import is_well_formed
from agent.protocol.tool import ToolResult, checked_arguments
from agent.protocol.wording import prompt_hash
from agent.rendering.model_image import Sizing
from agent.rendering.render import Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import ModelRef, Step, Tokens, Trajectory

UNKNOWN_TOKENS = Tokens(prompt=-1, generated=-1, evaluated=-1, images=-1)


class CheckOnlyPictureMaker(BlankPictureMaker):
    """Draws nothing, but refuses every call that the tool would refuse."""

    def measure(self, low: float, high: float) -> dict[str, Any]:
        # Only people who read a record need these numbers, and measuring them is the slowest part.
        return {}

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        (low, high), _ = checked_arguments(arguments)
        shift = 1.0 + (self.z or 0.0)
        waves = self.spectrum.wavelength
        inside = (waves >= low * shift) & (waves <= high * shift) & self.spectrum.good
        if inside.sum() < 2 + 1:  # one more than the tool needs, so that it decides close cases
            return PictureMaker.look(self, arguments)
        return super().look(arguments)


def record_trajectory(
    replies: Sequence[str],
    spectrum: Spectrum,
    task: Task,
    model: ModelRef,
    style: Style,
    sizing: Sizing,
    *,
    seed: int = 0,
    draw: bool = False,
    sampling: SamplingSettings | None = None,
) -> Trajectory:
    """The trajectory of these turns and the tool's answers.

    Without `draw` it has no picture hashes and no measured numbers. It has no timings, so the same
    turns give the same bytes.
    """
    blank = Trajectory(
        task=task.id,
        spectrum=spectrum_ref(spectrum),
        model=model,
        prompt_sha256=prompt_hash(task, brief=style.brief),
        style=style.to_table(),
        sizing=sizing,
        sampling=sampling or SamplingSettings(),
        seed=seed,
        stopped_by="error",
        tokens=UNKNOWN_TOKENS,
    )
    kind = PictureMaker if draw else CheckOnlyPictureMaker
    maker = kind.of(spectrum, blank.spectrum, style, sizing)
    episode = Episode(MeasuredConversation(tuple(replies)), maker, blank.sampling, seed, Control())
    for _ in episode.begin([], []):
        pass
    steps: list[Step] = [
        replace(step, seconds=0.0, picture=step.picture if draw else "") for step in episode.run()
    ]
    answers = [step.verdict for step in steps if step.kind == "answer"]
    answered = episode.stopped_by == "answer"
    assert episode.stopped_by is not None
    return replace(
        blank,
        overview=picture_hash(maker.overview()) if draw else "",
        overview_text=maker.overview_text(),
        steps=tuple(steps),
        replies=episode.replies,
        stopped_by=episode.stopped_by,
        stop_reason=episode.stop_reason,
        verdict=answers[-1] if answered else None,
        well_formed=is_well_formed(episode.replies),
    )
