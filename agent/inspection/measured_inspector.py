"""The inspector without a model: it measures, weighs the evidence, and reports turn by turn."""

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
from agent.errors import ToolError
from agent.evidence.assessment import assess, builtin_fingerprint
from agent.hashing import picture_hash
from agent.inspection.control import Control
from agent.inspection.episode import Episode
from agent.inspection.measured_turns import WrittenTurns, write_turns
from agent.inspection.pictures import PictureMaker, spectrum_ref
from agent.protocol.protocol import Turn
from agent.protocol.reply import is_well_formed
from agent.protocol.tool import ToolResult, checked_arguments
from agent.protocol.turn_form import TurnForm
from agent.protocol.wording import prompt_hash
from agent.rendering.model_image import QWEN25
from agent.rendering.render import PUBLISHED, Style
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.trajectory import ModelRef, Step, Trajectory

NAME = "measured"
BEFORE_FIRST_TURN = -1


class MeasuredInspector:
    """Inspects by measurement alone; without `draw` the record has no picture hashes."""

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
        """See `agent.inspection.inspector.Inspector.inspect`.

        It always starts over, keeping only a person's steps from `so_far`. Raises SpectrumError if
        there is nothing to draw.
        """
        started = time.perf_counter()
        record = Trajectory(
            task=task.id,
            spectrum=spectrum_ref(spectrum),
            model=self.model,
            prompt_sha256=prompt_hash(task, brief=self.style.brief),
            style=self.style.to_table(),
            seed=seed,
            stopped_by="error",
        )
        maker_type = PictureMaker if self.draws else BlankPictureMaker
        picture_maker = maker_type.of(spectrum, record.spectrum, self.style, QWEN25)
        if self.draws:
            record = replace(record, overview=picture_hash(picture_maker.overview()))
        assessment = assess(spectrum, task)
        written = write_turns(assessment)
        episode = Episode(
            MeasuredConversation(written.texts),
            picture_maker,
            SamplingSettings(),
            seed,
            control or Control(),
            on_text,
            () if so_far is None else _person_steps(so_far, picture_maker),
        )
        yield from episode.begin([], [])
        told: list[Mapping[str, Any]] = []
        steps = [_filled(step, written, told) for step in episode.steps]
        for step in episode.run():
            steps.append(_filled(step, written, told))
            yield self._without_picture(steps[-1])
        answered = episode.stopped_by == "answer"
        return replace(
            episode.recorded(record),
            steps=tuple(map(self._without_picture, steps)),
            verdict=assessment.verdict if answered else None,
            p_yes=assessment.p_yes if answered else None,
            well_formed=is_well_formed(episode.replies),
            seconds=time.perf_counter() - started,
        )

    def close(self) -> None:
        """There is nothing to close."""

    def _without_picture(self, step: Step) -> Step:
        return step if self.draws else replace(step, picture="")


def _person_steps(so_far: Trajectory, picture_maker: PictureMaker) -> tuple[Step, ...]:
    """The person's steps, moved before the first turn, with their pictures redrawn."""
    steps = []
    for step in so_far.steps:
        if step.by != "person":
            continue
        if step.is_look and step.range is not None:
            arguments = {"wavelength_range": list(step.range), "label": step.label or None}
            try:
                picture, _ = picture_maker.look(arguments)
            except ToolError as error:
                step = replace(step, error=str(error), picture="")
            else:
                step = replace(step, picture=picture_hash(picture))
        steps.append(replace(step, turn=BEFORE_FIRST_TURN))
    return tuple(steps)


def _filled(step: Step, written: WrittenTurns, told: list[Mapping[str, Any]]) -> Step:
    """A look holds what is said of its window; a text what none of the tables `told` before holds.

    Its own is added to these.
    """
    if step.by != "agent" or step.error:
        return step
    table = dict(step.measured)
    if step.kind == "zoom" and step.turn < len(written.looks):
        table = written.looks[step.turn].table(step.measured)
    elif step.kind == "think" and step.turn == 0:
        table = written.opening.table()
    elif step.kind == "answer":
        table = written.answer.without(*told).table()
    told.append(table)
    return replace(step, measured=table)


# A conversation with prepared turns, for the measured inspector.
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
        form: TurnForm | None = None,
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
