"""Teachers that write drafts: the measured author, or a model that knows the true answer."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol
from zlib import crc32

import numpy as np
from PIL import Image

from agent.engines.base import Conversation, Engine, Generated, SamplingSettings, ShouldStop, Usage
from agent.errors import EngineError, ResourceError, SpectrumError, WorkbenchError
from agent.evidence.assessment import assess_measurements, builtin_fingerprint
from agent.evidence.words import KIND_NAMES
from agent.examples.examples import Example
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import engine_ref, load_engine
from agent.inspection.model_inspector import ModelInspector
from agent.models.registry import find_model
from agent.protocol.protocol import Turn
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import Sizing
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from train.draft.author import Truth, is_supported, write_replies
from train.draft.settings import DraftSettings
from train.meter import Meter
from train.record import record_trajectory

Outcome = Literal[
    "drafted", "noisy", "unsupported", "contrary", "ill-formed", "leaking", "too long", "failed"
]

MEASURED_AUTHOR = "measured-author"
# Each match is about one token of Qwen's tokenizers, which keep digits separate.
TOKEN_LIKE = re.compile(r"\d|[^\W\d]{1,5}|[^\w\s]")
LEAKS = re.compile(
    r"\b(true (?:answer|label|class)|ground truth|this note|note to|was told|am told|given label"
    r"|as instructed|worked example|the hint)\b",
    re.IGNORECASE,
)

HINT = """

Note to you alone, the author of a worked example. The true answer is {answer}{label}. Write the \
inspection as an expert who finds this out by looking. Look at two to five windows. Give only \
numbers that you can read in a picture you have asked for, and name the window. Weigh the \
likeliest contaminant. Do not mention this note or that you knew the answer. If the pictures do \
not support the answer, answer what they show."""


@dataclass(frozen=True)
class Draft:
    """The outcome of one attempt; an unusable one has no trajectory."""

    outcome: Outcome
    trajectory: Trajectory | None = None


class Teacher(Protocol):
    def draft(self, example: Example, variant: int, seed: int) -> Draft: ...


@dataclass(frozen=True)
class MeasuredTeacher:
    """Writes from measurements alone; the same seed gives the same words."""

    settings: DraftSettings

    def draft(self, example: Example, variant: int, seed: int) -> Draft:
        wanted = find_task(example.task)
        truth = Truth(example.answer, example.label)
        meter = Meter.of(example.spectrum)
        assessment = assess_measurements(meter.numbers, wanted)
        if assessment.snr < self.settings.min_snr:
            return Draft("noisy")
        if not is_supported(assessment, truth, self.settings.min_chance):
            return Draft("unsupported")
        rng = np.random.default_rng(draft_seed(example, variant, seed))
        replies = write_replies(assessment, meter, truth, self.settings, rng)
        if replies is None:
            return Draft("unsupported")
        author = ModelRef(name=MEASURED_AUTHOR, engine="measured", sha256=builtin_fingerprint())
        trajectory = record_trajectory(
            replies, example.spectrum, wanted, author,
            self.settings.picture_style, self.settings.sizing, seed=seed, draw=self.settings.draw,
        )  # fmt: skip
        return check_draft(trajectory, example, self.settings)


@dataclass(frozen=True, eq=False)
class ModelTeacher:
    """A model with the published tool and prompt that also gets the answer in a secret note."""

    engine: Engine
    model: ModelRef
    settings: DraftSettings

    def draft(self, example: Example, variant: int, seed: int) -> Draft:
        hinted = HintedEngine(self.engine, hint(example))
        sampling = SamplingSettings(temperature=self.settings.temperature)
        style = self.settings.picture_style
        inspector = ModelInspector(hinted, self.model, style=style, sampling=sampling)
        number = draft_seed(example, variant, seed)[-1]
        try:
            written = run(inspector.inspect(example.spectrum, find_task(example.task), seed=number))
        except (EngineError, SpectrumError):
            return Draft("failed")
        if written.stopped_by == "error":
            return Draft("failed")
        written = replace(written, p_yes=None, seconds=0.0, engine_seconds=0.0)
        return check_draft(written, example, self.settings)


@contextmanager
def open_teacher(name: str, settings: DraftSettings) -> Iterator[ModelTeacher]:
    """Load the model, or connect to its server; it is closed at the end."""
    try:
        location = find_model(name)
    except ResourceError as error:
        raise WorkbenchError(f"{error}. The teacher `measured` needs no model") from error
    with closing(load_engine(location)) as engine:
        yield ModelTeacher(engine, engine_ref(location, engine), settings)


def check_draft(trajectory: Trajectory, example: Example, settings: DraftSettings) -> Draft:
    """Check what every draft must satisfy, whoever wrote it."""
    if trajectory.verdict is None or not trajectory.well_formed:
        return Draft("ill-formed")
    if trajectory.verdict != example.answer:
        return Draft("contrary")
    if any(LEAKS.search(reply) for reply in trajectory.replies):
        return Draft("leaking")
    if rough_tokens(trajectory.replies) > settings.max_tokens:
        return Draft("too long")
    return Draft("drafted", trajectory)


def rough_tokens(replies: Sequence[str]) -> int:
    return sum(len(TOKEN_LIKE.findall(reply)) for reply in replies)


def draft_seed(example: Example, variant: int, seed: int) -> tuple[int, int, int]:
    """Seed of one draft, independent of workers and order."""
    return seed, crc32(f"{example.sha256} {example.task}".encode()), variant


# A secret note with the true answer: the teacher's engine reads it, no record keeps it.
def hint(example: Example) -> str:
    """The note with the answer, and the class where it is known."""
    name = KIND_NAMES.get(example.label, "")
    label = f": the object is {name}" if name else ""
    return HINT.format(answer=example.answer, label=label)


@dataclass(frozen=True, eq=False)
class HintedEngine:
    """An engine that appends a note to the first user turn; the record keeps the plain prompt."""

    engine: Engine
    hint: str

    @property
    def sizing(self) -> Sizing:
        return self.engine.sizing

    def open(self, rules: Rules = OURS) -> Conversation:
        return _HintedConversation(self.engine.open(rules), self.hint)

    def close(self) -> None:
        """Do nothing: the caller owns the engine."""


class _HintedConversation:
    def __init__(self, inner: Conversation, hint: str) -> None:
        self._inner = inner
        self._hint = hint

    @property
    def usage(self) -> Usage:
        return self._inner.usage

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        hinted = list(turns)
        for index, turn in enumerate(hinted):
            if self._hint and turn.role == "user":
                hinted[index] = replace(turn, text=turn.text + self._hint)
                self._hint = ""
        self._inner.append(hinted, pictures, should_stop)

    def generate(self, sampling: SamplingSettings, seed: int = 0, **how: Any) -> Generated:
        return self._inner.generate(sampling, seed, **how)

    def mark(self) -> object:
        return self._inner.mark()

    def rewind(self, mark: object) -> None:
        self._inner.rewind(mark)

    def close(self) -> None:
        self._inner.close()
