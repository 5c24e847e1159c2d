"""Judges: an inspector with a model, the measured inspector, or a specialist network."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Literal, Protocol

import numpy as np
from PIL import Image

from agent.engines.base import SamplingSettings
from agent.errors import SpectrumError, ToolError, WorkbenchError
from agent.examples.examples import Example, ExampleStore, column
from agent.inspection.inspector import Inspector, run
from agent.inspection.pictures import PictureMaker
from agent.protocol.protocol import Turn
from agent.protocol.reply import Verdict
from agent.protocol.tool import ToolResult
from agent.protocol.wording_file import read_wording
from agent.rendering.window import MIN_POINTS
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from train.evaluate.judgement import Judgement, from_probability, from_trajectory, unreadable
from train.evaluate.sight_pictures import Pictures, picture_maker
from train.toolless import NO_TOOL, toolless_opening

# `toolless` was trained without the tool; `refused` has it in its prompt, and gets no picture.
JudgeKind = Literal["inspector", "toolless", "refused", "specialist"]
TRIES = 4
COVERED = 0.9  # share of the wavelengths that the other spectrum should cover
OTHER_ANSWER = 0.5
"""Share of the draws among spectra with the other answer: most pairs of classes share a NO."""


@dataclass(frozen=True, kw_only=True)
class JudgeSpec:
    """How to make a judge; `source` is a model (name, path, address) or a specialist folder."""

    name: str
    kind: JudgeKind
    source: str
    threads: int | None = None
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"
    seed: int = 0
    pictures: Pictures = "own"
    wording: Path | None = None
    """Folder of a wording, for a model whose card names one that is not installed."""
    others: Path | None = None
    """The set whose spectra are in the pictures, for `pictures` of "other"."""


JudgedExample = tuple[Judgement, Trajectory | None]


class Judge(Protocol):
    def judge(self, examples: Sequence[Example]) -> list[JudgedExample]: ...

    def close(self) -> None: ...


def make_judge(spec: JudgeSpec) -> Judge:
    """Load the judge's model, which takes seconds to minutes."""
    if spec.kind == "specialist":
        return SpecialistJudge(Path(spec.source))
    return InspectorJudge(spec) if spec.pictures == "own" else SightJudge(spec)


def can_judge(spec: JudgeSpec, tasks: Sequence[str]) -> bool:
    """Whether it can judge all these tasks; a specialist only judges those it was trained for."""
    if spec.kind != "specialist":
        return True
    from train.baselines.specialist import tasks_of

    return {*tasks} <= {*tasks_of(Path(spec.source))}


class InspectorJudge:
    """An inspector with greedy sampling, as published; only the boxed verdict counts."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.seed = spec.seed
        self.inspector = _inspector(spec)

    def judge(self, examples: Sequence[Example]) -> list[JudgedExample]:
        return [self._one(example) for example in examples]

    def _one(self, one: Example) -> JudgedExample:
        if np.isfinite(one.spectrum.flux).sum() < MIN_POINTS:
            return unreadable(one, "nothing to draw"), None  # the same reason from every inspector
        try:
            inspection = self.inspector.inspect(one.spectrum, find_task(one.task), seed=self.seed)
            trajectory = run(inspection)
        except SpectrumError as error:
            return unreadable(one, str(error)), None
        if trajectory.stopped_by == "error":
            raise WorkbenchError(f"{one.key}: the inspection failed: {trajectory.stop_reason}")
        return from_trajectory(one, trajectory), trajectory

    def close(self) -> None:
        self.inspector.close()


class SightJudge(InspectorJudge):
    """A model that is shown other pictures than those of the spectrum it judges."""

    def __init__(self, spec: JudgeSpec) -> None:
        from agent.inspection.model_inspector import ModelInspector

        super().__init__(spec)
        if not isinstance(self.inspector, ModelInspector):
            raise WorkbenchError(f"{spec.source} looks at no pictures: name a model")
        self._model = self.inspector
        self._pictures = spec.pictures
        self._others = None if spec.others is None else OtherSpectra(spec.others)

    def _one(self, one: Example) -> JudgedExample:
        other, answer = (None, None) if self._others is None else self._others.of(one)
        self._model.picture_maker_type = picture_maker(self._pictures, other)
        judgement, trajectory = super()._one(one)
        return replace(judgement, shown_answer=answer), trajectory


def _inspector(spec: JudgeSpec) -> Inspector:
    from agent.inspection.inspector_factory import make_inspector
    from agent.inspection.model_inspector import ModelInspector
    from agent.inspection.panel_inspector import PanelInspector

    inspector = make_inspector(spec.source, device=spec.device, threads=spec.threads, draw=False)
    looking = inspector.eye if isinstance(inspector, PanelInspector) else inspector
    if isinstance(looking, ModelInspector):
        looking.sampling = SamplingSettings(max_new_tokens=looking.sampling.max_new_tokens)
        # In the words of the rows, if its card names a wording that is not installed.
        is_ours = looking.wording is None and looking.rules.is_published
        if is_ours and not looking.style.brief and spec.wording is not None:
            looking.wording = read_wording(spec.wording)
    if spec.kind in ("toolless", "refused"):
        if not isinstance(inspector, ModelInspector):
            raise WorkbenchError(f"{spec.source} cannot judge without the tool: name a model")
        inspector.picture_maker_type = Toolless if spec.kind == "toolless" else OverviewOnly
    return inspector


class OverviewOnly(PictureMaker):
    """Shows the whole spectrum and refuses to zoom."""

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        raise ToolError(NO_TOOL)


class Toolless(OverviewOnly):
    """Shows the whole spectrum and does not speak of a tool."""

    def opening(self, task: Task) -> tuple[Turn, Turn]:
        text = self.overview_text()
        return toolless_opening(task, brief=self.style.brief, overview_text=text)


class SpecialistJudge:
    """A specialist network, with the threshold chosen on held-out training data."""

    def __init__(self, folder: Path) -> None:
        from train.baselines.specialist import load_specialist

        self.specialist = load_specialist(folder)

    def judge(self, examples: Sequence[Example]) -> list[JudgedExample]:
        judged: dict[str, JudgedExample] = {}
        for name in dict.fromkeys(one.task for one in examples):
            rows = [one for one in examples if one.task == name]
            started = perf_counter()
            chances = self.specialist.p_yes(name, [one.spectrum for one in rows])
            seconds = (perf_counter() - started) / len(rows)
            cut = self.specialist.threshold(name)
            for one, p_yes in zip(rows, chances, strict=True):
                judged[one.key] = from_probability(one, float(p_yes), cut, seconds), None
        return [judged[one.key] for one in examples]

    def close(self) -> None:
        """Do nothing: there are no resources to free."""


# Picks, for each example of a set, a spectrum of another class for a test of sight.
class OtherSpectra:
    """Spectra of another class, the same ones for the same set at every call."""

    def __init__(self, path: Path) -> None:
        self._store = ExampleStore([path])
        self._by_task: dict[str, list[dict[str, str]]] = {}
        for row in column(path, "task", "answer", "label", "sha256"):
            self._by_task.setdefault(row["task"], []).append(row)

    def of(self, example: Example) -> tuple[Spectrum, Verdict]:
        """A spectrum of another class, and the true answer for it."""
        rows = [row for row in self._by_task[example.task] if _is_another(row, example)]
        if not rows:
            raise WorkbenchError(f"no spectrum of another class for {example.key}")
        draw = random.Random(example.key)
        differing = [row for row in rows if row["answer"] != example.answer]
        if differing and draw.random() < OTHER_ANSWER:
            rows = differing
        drawn = draw.sample(rows, min(TRIES, len(rows)))
        chosen = max(drawn, key=lambda row: min(self._covered(example, row), COVERED))
        answer: Verdict = "YES" if chosen["answer"] == "YES" else "NO"
        return self._store[chosen["sha256"]].spectrum, answer

    def _covered(self, example: Example, row: dict[str, str]) -> float:
        return covered(example.spectrum, self._store[row["sha256"]].spectrum)


def covered(spectrum: Spectrum, other: Spectrum) -> float:
    """The share of the spectrum's wavelengths that the other one has, too."""
    (low, high), (start, end) = spectrum.range, other.range
    return max(0.0, min(high, end) - max(low, start)) / (high - low)


def _is_another(row: dict[str, str], example: Example) -> bool:
    """Whether the class differs, or the answer where classes are not known."""
    if row["sha256"] == example.sha256:
        return False
    if row["label"] and example.label:
        return row["label"] != example.label
    return row["answer"] != example.answer
