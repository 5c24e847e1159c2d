"""The panel: a model that looks and the measured inspector both judge; their p(YES) are fused."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace

from agent.engines.base import OnText
from agent.hashing import text_hash
from agent.inspection.control import Control
from agent.inspection.fusion import FusionWeights, builtin_fusion
from agent.inspection.inspector import Inspector, run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.protocol.reply import Verdict
from agent.spectra.spectrum import Spectrum
from agent.tasks.task import Task
from agent.trajectory.p_yes import probability_text
from agent.trajectory.trajectory import ModelRef, Step, Trajectory

NAME = "panel"
DISAGREE = "They disagree: look at this one."


class PanelInspector:
    """Shows the looks of the eye; its answer names both verdicts with their reasons.

    The conversation of the record is the eye's, so that a person can go on with it.
    """

    def __init__(
        self,
        eye: Inspector,
        measured: Inspector | None = None,
        fusion: FusionWeights | None = None,
    ) -> None:
        self.eye = eye
        # Drawing pictures that no model sees takes as long as the eye's whole inspection.
        self.measured = measured or MeasuredInspector(draw=False)
        self.fusion = fusion or builtin_fusion()
        self.model = panel_ref(eye.model, self.measured.model, self.fusion)

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
        record = self._fused(record, seen, measured)
        yield record.steps[-1]
        return replace(record, seconds=time.perf_counter() - started)

    def close(self) -> None:
        self.eye.close()
        self.measured.close()

    def _fused(self, record: Trajectory, seen: Trajectory, measured: Trajectory) -> Trajectory:
        p_yes = self.fusion.fuse(seen.p_yes, measured.p_yes)
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


def panel_ref(
    eye: ModelRef, measured: ModelRef | None = None, fusion: FusionWeights | None = None
) -> ModelRef:
    """The panel as recorded in trajectories: another member or other weights make another one."""
    measured, fusion = measured or MeasuredInspector().model, fusion or builtin_fusion()
    parts = (eye.name, eye.sha256, measured.name, measured.sha256, fusion.sha256)
    return ModelRef(name=NAME, engine=NAME, sha256=text_hash("\n".join(parts)))


def disagrees(one: Verdict | None, other: Verdict | None) -> bool:
    """Whether one says YES and the other NO."""
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
    reasons = record.reasons.removeprefix(f"\\boxed{{{record.verdict}}}").lstrip(" .:")
    return f"{said}: {' '.join(reasons.split())}" if reasons else f"{said}."
