"""Who judges: an inspector with a model, the measured one, or a specialist network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal, Protocol

import numpy as np
from PIL import Image

from agent.engines.base import SamplingSettings
from agent.errors import SpectrumError, ToolError, WorkbenchError
from agent.inspection.inspector import Inspector, run
from agent.inspection.pictures import PictureMaker
from agent.protocol.tool import ToolResult
from agent.rendering.window import MIN_POINTS
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from train.evaluate.judgement import Judgement, of_probability, of_trajectory, unreadable
from train.examples import Example

Kind = Literal["inspector", "toolless", "specialist"]
NO_TOOL = "The tool cannot be used on this spectrum. Answer from the picture of the whole."


@dataclass(frozen=True, kw_only=True)
class JudgeSpec:
    """How to make a judge in any process. `source` is a model's name, path or address, or the
    folder of a specialist."""

    name: str
    kind: Kind
    source: str
    threads: int | None = None
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    seed: int = 0


Said = tuple[Judgement, Trajectory | None]


class Judge(Protocol):
    def judge(self, examples: Sequence[Example]) -> list[Said]: ...

    def close(self) -> None: ...


def make_judge(spec: JudgeSpec) -> Judge:
    """Loads the model: seconds to minutes."""
    if spec.kind == "specialist":
        return SpecialistJudge(Path(spec.source))
    return InspectorJudge(spec)


def knows(spec: JudgeSpec, tasks: Sequence[str]) -> bool:
    """Whether it can be asked about all of them: a network knows what it was trained for."""
    if spec.kind != "specialist":
        return True
    from train.baselines.specialist import tasks_of

    return {*tasks} <= {*tasks_of(Path(spec.source))}


class InspectorJudge:
    """Judges greedily, as published: only the boxed word counts."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.seed = spec.seed
        self.inspector = _inspector(spec)

    def judge(self, examples: Sequence[Example]) -> list[Said]:
        return [self._one(example) for example in examples]

    def _one(self, one: Example) -> Said:
        if np.isfinite(one.spectrum.flux).sum() < MIN_POINTS:
            return unreadable(one, "nothing to draw"), None  # said alike by all who judge
        try:
            inspection = self.inspector.inspect(one.spectrum, find_task(one.task), seed=self.seed)
            trajectory = run(inspection)
        except SpectrumError as error:
            return unreadable(one, str(error)), None
        if trajectory.stopped_by == "error":
            raise WorkbenchError(f"{one.key}: the inspection broke off: {trajectory.stop_reason}")
        return of_trajectory(one, trajectory), trajectory

    def close(self) -> None:
        self.inspector.close()


def _inspector(spec: JudgeSpec) -> Inspector:
    from agent.inspection.inspector_factory import MEASURED, make_inspector
    from agent.inspection.model_inspector import ModelInspector

    if spec.source == MEASURED and spec.kind == "inspector":
        from agent.inspection.measured_inspector import MeasuredInspector

        return MeasuredInspector(draw=False)
    inspector = make_inspector(spec.source, device=spec.device, threads=spec.threads)
    if isinstance(inspector, ModelInspector):
        told = inspector.sampling
        inspector.sampling = SamplingSettings(max_new_tokens=told.max_new_tokens)
        if spec.kind == "toolless":
            inspector.picture_maker_type = WholeOnly
    elif spec.kind == "toolless":
        raise WorkbenchError("an inspector without a model measures; it has no tool to take away")
    return inspector


class WholeOnly(PictureMaker):
    """Shows the whole spectrum and refuses to enlarge it: the ablation without the tool."""

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        raise ToolError(NO_TOOL)


class SpecialistJudge:
    """A network trained on the same split; its threshold was fixed on held-out training data."""

    def __init__(self, folder: Path) -> None:
        from train.baselines.specialist import load_specialist

        self.specialist = load_specialist(folder)

    def judge(self, examples: Sequence[Example]) -> list[Said]:
        said: dict[str, Said] = {}
        for name in dict.fromkeys(one.task for one in examples):
            rows = [one for one in examples if one.task == name]
            started = perf_counter()
            chances = self.specialist.p_yes(name, [one.spectrum for one in rows])
            seconds = (perf_counter() - started) / len(rows)
            cut = self.specialist.threshold(name)
            for one, p_yes in zip(rows, chances, strict=True):
                said[one.key] = of_probability(one, float(p_yes), cut, seconds), None
        return [said[one.key] for one in examples]

    def close(self) -> None:
        """Nothing is held."""
