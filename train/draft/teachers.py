"""Teachers that write drafts: the measured author, or a model that knows the true answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, Protocol
from zlib import crc32

import numpy as np

from agent.engines.base import Engine, SamplingSettings
from agent.errors import EngineError, ResourceError, SpectrumError, WorkbenchError
from agent.evidence.assessment import assess_measurements
from agent.evidence.weights import builtin_fingerprint
from agent.examples.examples import Example
from agent.inspection.engine_loader import engine_ref, load_engine
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.models.registry import find_model
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from train.draft.author import Truth, is_supported, write_replies
from train.draft.hinted import HintedEngine, hint
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
        trajectory = record_trajectory(
            replies,
            example.spectrum,
            wanted,
            ModelRef(name=MEASURED_AUTHOR, engine="measured", sha256=builtin_fingerprint()),
            self.settings.picture_style,
            self.settings.sizing,
            seed=seed,
            draw=self.settings.draw,
        )
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
        inspector = ModelInspector(
            hinted, self.model, style=self.settings.picture_style, sampling=sampling
        )
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
    engine = load_engine(location)
    try:
        yield ModelTeacher(engine, engine_ref(location, engine), settings)
    finally:
        engine.close()


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
