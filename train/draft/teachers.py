"""Who writes drafts: the measured author, or a model that is told the answer in secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol
from zlib import crc32

import numpy as np

from agent.engines.base import Engine, SamplingSettings
from agent.errors import EngineError, SpectrumError
from agent.evidence.assessment import assess_measurements
from agent.evidence.weights import builtin_fingerprint
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from train.draft.author import Truth, is_supported, write
from train.draft.hinted import HintedEngine, hint
from train.draft.meter import Meter
from train.draft.record import record
from train.draft.settings import DraftSettings
from train.examples import Example

Why = Literal[
    "drafted", "noisy", "unsupported", "contrary", "ill-formed", "leaking", "too long", "failed"
]
WHYS: tuple[Why, ...] = Why.__args__  # type: ignore[attr-defined]

MEASURED = "measured-author"
PIECES = re.compile(r"\d|[^\W\d]{1,5}|[^\w\s]")
"""About a token each, for tokenizers of Qwen's kind; digits stand alone there."""
LEAKS = re.compile(
    r"\b(true (?:answer|label|class)|ground truth|this note|note to|was told|am told|given label"
    r"|as instructed|worked example|the hint)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Draft:
    """What came of one try; without a trajectory where it may not be used."""

    why: Why
    trajectory: Trajectory | None = None


class Teacher(Protocol):
    def draft(self, example: Example, variant: int, seed: int) -> Draft: ...


@dataclass(frozen=True)
class MeasuredTeacher:
    """Writes from measurements alone: the same seed gives the same words."""

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
        replies = write(assessment, meter, truth, self.settings, rng)
        if replies is None:
            return Draft("unsupported")
        trajectory = record(
            replies,
            example.spectrum,
            wanted,
            ModelRef(name=MEASURED, engine="measured", sha256=builtin_fingerprint()),
            self.settings.picture_style,
            self.settings.sizing,
            seed=seed,
            draw=self.settings.draw,
        )
        return checked(trajectory, example, self.settings)


@dataclass(frozen=True, eq=False)
class ModelTeacher:
    """A model with the published tool and prompt, and the answer in a note it alone sees."""

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
            found = run(inspector.inspect(example.spectrum, find_task(example.task), seed=number))
        except (EngineError, SpectrumError):
            return Draft("failed")
        if found.stopped_by == "error":
            return Draft("failed")
        found = replace(found, p_yes=None, seconds=0.0, engine_seconds=0.0)
        return checked(found, example, self.settings)


def checked(trajectory: Trajectory, example: Example, settings: DraftSettings) -> Draft:
    """What every draft must be, whoever wrote it."""
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
    return sum(len(PIECES.findall(reply)) for reply in replies)


def draft_seed(example: Example, variant: int, seed: int) -> tuple[int, int, int]:
    """Of one draft: neither workers nor order matter."""
    return seed, crc32(f"{example.sha256} {example.task}".encode()), variant
