"""The inspector without a model: it measures and weighs, and says so turn by turn."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace

from agent.engines.base import OnText, SamplingSettings
from agent.errors import ToolError
from agent.evidence.assessment import Assessment, assess
from agent.evidence.weights import builtin_fingerprint
from agent.hashing import picture_hash
from agent.inspection.control import Control
from agent.inspection.episode import Episode
from agent.inspection.measured_story import turns
from agent.inspection.measured_voice import BlankPictureMaker, MeasuredVoice
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.protocol import prompt_hash
from agent.protocol.reply import is_well_formed
from agent.rendering.model_image import QWEN25
from agent.rendering.render import PUBLISHED, Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import ModelRef, Step, Trajectory

NAME = "measured"
BEFORE_THE_FIRST = -1


class MeasuredInspector:
    """Inspects by measurements alone. Without `draw` the record holds no pictures' hashes."""

    def __init__(self, draw: bool = True, style: Style = PUBLISHED) -> None:
        self.draws = draw
        self.style = style
        self.model = ModelRef(name=NAME, engine=NAME, sha256=builtin_fingerprint())

    def inspect(
        self,
        spectrum: Spectrum,
        task: Task,
        *,
        seed: int = 0,
        control: Control | None = None,
        on_text: OnText | None = None,
        so_far: Trajectory | None = None,
    ) -> Generator[Step, None, Trajectory]:
        """Steps as they happen; see `agent.inspection.interface.Inspector`.

        It always begins anew: of `so_far` only what the person put in is kept. Raises SpectrumError
        where there is nothing to draw.
        """
        started = time.perf_counter()
        record = self._blank(spectrum, task, seed)
        viewer = self._viewer(spectrum, record)
        if self.draws:
            record = replace(record, overview=picture_hash(viewer.overview()))
        assessment = assess(spectrum, task)
        episode = Episode(
            MeasuredVoice(turns(assessment)),
            viewer,
            SamplingSettings(),
            seed,
            control or Control(),
            on_text,
            () if so_far is None else _kept(so_far, viewer),
        )
        yield from episode.begin([], [])
        for step in episode.run():
            yield self._shown(step)
        record = self._ended(record, episode, assessment)
        return replace(record, seconds=time.perf_counter() - started)

    def close(self) -> None:
        """Nothing is held."""

    def _blank(self, spectrum: Spectrum, task: Task, seed: int) -> Trajectory:
        return Trajectory(
            task=task.id,
            spectrum=spectrum_ref(spectrum),
            model=self.model,
            prompt_sha256=prompt_hash(task, brief=self.style.brief),
            style=self.style.to_table(),
            seed=seed,
            stopped_by="error",
        )

    def _viewer(self, spectrum: Spectrum, record: Trajectory) -> PictureMaker:
        kind = PictureMaker if self.draws else BlankPictureMaker
        return kind.of(spectrum, record.spectrum, self.style, QWEN25)

    def _shown(self, step: Step) -> Step:
        return step if self.draws else replace(step, picture="")

    def _ended(self, record: Trajectory, episode: Episode, assessment: Assessment) -> Trajectory:
        assert episode.stopped_by is not None
        answered = episode.stopped_by == "answer"
        return replace(
            record,
            steps=tuple(map(self._shown, episode.steps)),
            replies=episode.replies,
            stopped_by=episode.stopped_by,
            stop_reason=episode.stop_reason,
            verdict=assessment.verdict if answered else None,
            p_yes=assessment.p_yes if answered else None,
            well_formed=is_well_formed(episode.replies),
        )


def _kept(so_far: Trajectory, viewer: PictureMaker) -> tuple[Step, ...]:
    """What the person put in, as if before the first turn, its looks drawn as they are now."""
    kept = []
    for step in so_far.steps:
        if step.by != "person":
            continue
        if step.is_look and step.range is not None:
            arguments = {"wavelength_range": list(step.range), "label": step.label or None}
            try:
                picture, _ = viewer.look(arguments)
            except ToolError as error:
                step = replace(step, error=str(error), picture="")
            else:
                step = replace(step, picture=picture_hash(picture))
        kept.append(replace(step, turn=BEFORE_THE_FIRST))
    return tuple(kept)
