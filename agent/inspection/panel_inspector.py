"""The panel: a model that looks and the measured inspector both judge; their p(YES) are fused."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from agent.checked_toml import TomlTable, read_toml
from agent.confidence.judged import logit, sigmoid
from agent.engines.base import OnText
from agent.hashing import text_hash
from agent.inspection.control import Control
from agent.inspection.inspector import Inspector, run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.inspection.offered_looks import shows_part
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import FloatArray, Spectrum
from agent.tasks.task import Task
from agent.trajectory.p_yes import probability_text
from agent.trajectory.trajectory import ModelRef, Step, Trajectory

NAME = "panel"
DISAGREE = "They disagree: look at this one."

MAX_BYTES = 10_000
LARGEST = 20.0
MOST_CANDIDATES = 10_000_000  # of a fit
MAX_LOGIT = 6.0
"""Log-odds of a member count up to this size (p of 0.9975). Beyond it models are not surer, only
more extreme, and one of them would overrule the other whatever that says."""


class PanelInspector:
    """Shows the looks of the eye; its answer names both verdicts with their reasons.

    The conversation of the record is the eye's, so that a person can go on with it.
    """

    def __init__(self, eye: Inspector, fusion: FusionWeights | None = None) -> None:
        self.eye = eye
        # Drawing pictures that no model sees takes as long as the eye's whole inspection.
        self.measured = MeasuredInspector(draw=False)
        self.fusion = fusion or builtin_fusion()
        self.model = panel_ref(eye.model, self.fusion)

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
        """See `agent.inspection.inspector.Inspector.inspect`; errors are those of the eye."""
        started = time.perf_counter()
        looking = self.eye.inspect(
            spectrum, task, seed=seed, control=control, on_text=on_text, so_far=so_far
        )
        answer: Step | None = None  # of the eye; the panel's takes its place if it is the last one
        with closing(looking):
            while True:
                try:
                    step = next(looking)
                except StopIteration as end:
                    seen: Trajectory = end.value
                    break
                if answer is not None:
                    yield answer
                answer = step if step.kind == "answer" else None
                if answer is None:
                    yield step
        record = replace(seen, model=self.model, p_yes_runs=())
        if seen.stopped_by in ("cancelled", "error"):
            if answer is not None:
                yield answer
            return replace(record, seconds=time.perf_counter() - started)
        measured = run(self.measured.inspect(spectrum, task, seed=seed))
        is_part = shows_part(spectrum, task)
        record = self._fused(record, seen, measured, is_part=is_part)
        yield record.steps[-1]
        return replace(record, seconds=time.perf_counter() - started)

    def close(self) -> None:
        self.eye.close()
        self.measured.close()

    def _fused(
        self, record: Trajectory, seen: Trajectory, measured: Trajectory, *, is_part: bool
    ) -> Trajectory:
        p_yes = self.fusion.fuse(seen.p_yes, measured.p_yes, is_part=is_part)
        verdict = seen.verdict or measured.verdict
        if p_yes is not None:
            verdict = "YES" if p_yes >= 0.5 else "NO"
        answer = Step(
            kind="answer",
            turn=max(len(seen.replies) - 1, 0),
            label=NAME,
            text=f"\\boxed{{{verdict}}} {_words(seen, measured, p_yes)}",
            verdict=verdict,
        )
        own = seen.steps[:-1] if seen.stopped_by == "answer" else seen.steps
        return replace(
            record,
            steps=(*own, answer),
            stopped_by="answer",
            stop_reason="",
            verdict=verdict,
            p_yes=p_yes,
            members=(seen, measured),
        )


def panel_ref(eye: ModelRef, fusion: FusionWeights | None = None) -> ModelRef:
    """The panel as recorded in trajectories: another member or other weights make another one."""
    measured, fusion = MeasuredInspector().model, fusion or builtin_fusion()
    parts = (eye.name, eye.sha256, measured.name, measured.sha256, fusion.sha256)
    return ModelRef(name=NAME, engine=NAME, sha256=text_hash("\n".join(parts)))


def disagrees(one: Verdict | None, other: Verdict | None) -> bool:
    return {one, other} == {"YES", "NO"}


def _words(seen: Trajectory, measured: Trajectory, p_yes: float | None) -> str:
    """A line for each member, the eye's first, and one for the panel."""
    together = "" if p_yes is None else f"Together p(YES) {probability_text(p_yes)}."
    parts = (together, DISAGREE if disagrees(seen.verdict, measured.verdict) else "")
    last = " ".join(part for part in parts if part)
    return "\n".join(line for line in (_member(seen), _member(measured), last) if line)


def _member(record: Trajectory) -> str:
    if record.verdict is None:
        return f"{record.model.name}: no verdict."
    said = f"{record.model.name}: {record.verdict}"
    if record.p_yes is not None:
        said += f", p {probability_text(record.p_yes)}"
    reasons = " ".join(record.plain_reasons.split())
    return f"{said}: {reasons}" if reasons else f"{said}."


# Fuses the p(YES) of the panel's two inspectors: the model that looks and the measured one.
@dataclass(frozen=True, kw_only=True)
class FusionWeights:
    """log-odds of YES = intercept + eye * log-odds of the eye + measured * those measured.

    `part` are the weights for part of a spectrum; where the members disagreed on the candidates of
    the fit, the measured one was right in so many of so many.
    """

    intercept: float
    eye: float
    measured: float
    part: FusionWeights | None = None
    measured_right: int = 0
    disagreed: int = 0

    def fuse(
        self, eye: float | None, measured: float | None, *, is_part: bool = False
    ) -> float | None:
        """The panel's p(YES); where one of them has none, that of the other as it is."""
        if eye is None or measured is None:
            return measured if eye is None else eye
        own = self.part if is_part and self.part is not None else self
        terms = clipped_logit([eye, measured]) * (own.eye, own.measured)
        return float(sigmoid(own.intercept + terms.sum()))

    @property
    def sha256(self) -> str:
        own = f"{self.intercept:.6g},{self.eye:.6g},{self.measured:.6g},{MAX_LOGIT:g}"
        return text_hash(own if self.part is None else f"{own},{self.part.sha256}")


def clipped_logit(p: ArrayLike) -> FloatArray:
    return np.clip(logit(p), -MAX_LOGIT, MAX_LOGIT)


def read_fusion(path: Path) -> FusionWeights:
    """Read the weights; a ResourceError names the faulty key."""
    file = read_toml(path, MAX_BYTES)
    weights = _weights(file)
    if "part" in file:
        weights = replace(weights, part=_weights(table := file.table("part")))
        table.close()
    if "disagreed" in file:
        count = int(file.number("disagreed", low=0, high=MOST_CANDIDATES))
        right = int(file.number("measured_right", low=0, high=count))
        weights = replace(weights, disagreed=count, measured_right=right)
    file.close()
    return weights


def _weights(table: TomlTable) -> FusionWeights:
    return FusionWeights(
        intercept=table.number("intercept", low=-LARGEST, high=LARGEST),
        eye=table.number("eye", low=0, high=LARGEST),
        measured=table.number("measured", low=0, high=LARGEST),
    )


@cache
def builtin_fusion() -> FusionWeights:
    with as_file(files("resources") / "weights" / "panel.toml") as path:
        return read_fusion(path)
