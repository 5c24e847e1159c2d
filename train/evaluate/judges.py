"""Judges: an inspector with a model, the measured inspector, or a specialist network."""

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from time import perf_counter
from typing import Literal, Protocol, get_args

import numpy as np
from PIL import Image

from agent.cluster.options import RayPlace
from agent.engines.base import SamplingSettings
from agent.errors import SpectrumError, ToolError, WorkbenchError
from agent.examples.examples import Example, ExampleStore, column, read_examples
from agent.inspection.inspector import Inspector, run
from agent.inspection.pictures import PictureMaker
from agent.json_lines import drop_half_line
from agent.protocol.protocol import Turn
from agent.protocol.reply import Verdict
from agent.protocol.tool import ToolResult
from agent.protocol.wording_file import read_wording
from agent.rendering.window import MIN_POINTS
from agent.spectra.spectrum import FloatArray, Spectrum, frame_z
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Step, Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from train.evaluate.judgement import (
    MAX_LINE,
    Judgement,
    add_judgements,
    from_probability,
    from_trajectory,
    read_judgements,
    unreadable,
)
from train.parallel import Workers, end_with_parent, worker_deaths
from train.ray_work import ray_results
from train.toolless import NO_TOOL, toolless_opening

# Pictures that show something else than the spectrum whose numbers are told.
Pictures = Literal["own", "white", "other", "mirrored", "shifted"]
PICTURES: tuple[Pictures, ...] = get_args(Pictures)
SHIFT_A = 300.0


def mirrored(spectrum: Spectrum) -> Spectrum:
    """The fluxes in reverse order on the same wavelengths."""
    low, high = spectrum.range
    return taken_from(spectrum, low + high - spectrum.wavelength)


def shifted(spectrum: Spectrum) -> Spectrum:
    """The fluxes SHIFT_A redward on the same wavelengths; the mirrored start fills the gap."""
    low = spectrum.wavelength[0]
    return taken_from(spectrum, low + np.abs(spectrum.wavelength - SHIFT_A - low))


def in_the_frame_of(spectrum: Spectrum, other: Spectrum) -> Spectrum:
    """`spectrum` moved so that it is at rest in the pictures drawn for the redshift of `other`."""
    factor = (1.0 + (frame_z(other) or 0.0)) / (1.0 + (frame_z(spectrum) or 0.0))
    return replace(spectrum, wavelength=factor * spectrum.wavelength)


def picture_maker(pictures: Pictures, other: Spectrum | None = None) -> type[PictureMaker]:
    """The kind of picture maker for these pictures; `other` is the spectrum to draw instead."""
    if pictures == "own":
        return PictureMaker
    if pictures == "white":
        return WhitePaper
    if pictures == "other":
        assert other is not None, "the other spectrum must be named"
        return _drawing(lambda spectrum: in_the_frame_of(other, spectrum))
    return _drawing(mirrored if pictures == "mirrored" else shifted)


class WhitePaper(PictureMaker):
    """Draws nothing: every picture is white paper of the usual size."""

    def overview(self) -> Image.Image:
        return _white(super().overview())

    def look(self, arguments: object) -> tuple[Image.Image, ToolResult]:
        picture, result = super().look(arguments)
        return _white(picture), result

    def redraw(self, look: Step) -> Image.Image:
        return _white(super().redraw(look))


def _white(picture: Image.Image) -> Image.Image:
    return Image.new(picture.mode, picture.size, "white")


def _drawing(change: Callable[[Spectrum], Spectrum]) -> type[PictureMaker]:
    """A picture maker that draws the changed spectrum and tells the numbers of the right one."""
    changed = lru_cache(maxsize=1)(change)

    class Changed(PictureMaker):
        @property
        def drawn(self) -> Spectrum:
            return changed(self.spectrum)

    return Changed


def taken_from(spectrum: Spectrum, places: FloatArray) -> Spectrum:
    """The spectrum with the values found at other wavelengths of it."""
    nearest = np.searchsorted(spectrum.wavelength, places).clip(0, len(spectrum) - 1)
    return replace(
        spectrum,
        flux=np.interp(places, spectrum.wavelength, spectrum.flux),
        ivar=None if spectrum.ivar is None else spectrum.ivar[nearest],
        mask=None if spectrum.mask is None else spectrum.mask[nearest],
    )


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


# Judges a set with one judge, in parallel, and resumes where it stopped.
CHUNK = 4  # Examples per job; few, so that a stopped run loses little.
SPECIALIST_CHUNK = 256
"""Examples per job of a specialist, which judges a batch as fast as one example."""
CHUNKS_AHEAD = 2  # jobs submitted per process
Advance = Callable[[int], None]


def judge_set(
    spec: JudgeSpec,
    path: Path,
    out: Path,
    *,
    workers: Workers = 1,
    limit: int | None = None,
    tasks: Sequence[str] = (),
    advance: Advance = lambda count: None,
) -> list[Judgement]:
    """Judge up to `limit` examples per task, resuming `out`; returns all judgements in order."""
    wanted = choose_keys(path, limit, tasks)
    drop_half_line(out, MAX_LINE)
    drop_half_line(trajectories_path(out))
    done = {one.key: one for one in read_judgements(out)} if out.exists() else {}
    left = [key for key in wanted if key not in done]
    advance(len(wanted) - len(left))
    out.parent.mkdir(parents=True, exist_ok=True)
    unjudged = set(left)
    examples: Iterator[Example] = iter(())
    if left:
        examples = (one for one in read_examples(path) if one.key in unjudged)
    for part in _judge_chunks(spec, examples, workers):
        judgements = [judgement for judgement, _ in part]
        # Trajectories first, so that every stored judgement has its trajectory.
        records = [trajectory for _, trajectory in part if trajectory is not None]
        if records:
            write_trajectories(trajectories_path(out), records, add=True)
        add_judgements(out, judgements)
        done.update((one.key, one) for one in judgements)
        advance(len(judgements))
    return [done[key] for key in wanted]


def trajectories_path(out: Path) -> Path:
    return out.with_name(f"{out.stem}.trajectories.jsonl")


def choose_keys(path: Path, limit: int | None, tasks: Sequence[str] = ()) -> list[str]:
    """The keys to judge; a limit keeps the set's odds as far as whole numbers allow."""
    every = column(path, "key", "task", "answer")
    rows = [row for row in every if not tasks or row["task"] in tasks]
    if len({row["key"] for row in rows}) != len(rows):
        raise WorkbenchError(f"{path} has two examples with the same key")
    if limit is None:
        return [row["key"] for row in rows]
    kept: list[str] = []
    for name in dict.fromkeys(row["task"] for row in rows):
        own = [row for row in rows if row["task"] == name]
        positives = [row["key"] for row in own if row["answer"] == "YES"]
        negatives = [row["key"] for row in own if row["answer"] != "YES"]
        share = len(positives) / len(own)
        number = min(len(positives), max(round(limit * share), 1 if positives else 0))
        kept += (*positives[:number], *negatives[: max(limit - number, 0)])
    return kept


def _judge_chunks(
    spec: JudgeSpec, examples: Iterator[Example], workers: Workers
) -> Iterator[list[JudgedExample]]:
    size = SPECIALIST_CHUNK if spec.kind == "specialist" else CHUNK
    chunks = iter(lambda: list(islice(examples, size)), [])
    first = next(chunks, None)
    if first is None:
        return  # and load no model
    chunks = chain([first], chunks)
    if workers == 1 or spec.kind == "specialist":
        with closing(make_judge(spec)) as judge:
            yield from map(judge.judge, chunks)
    elif isinstance(workers, RayPlace):
        for _, judged in ray_results(partial(_open_judge, spec), chunks, workers):
            yield judged
    else:
        context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
        with worker_deaths(), ProcessPoolExecutor(workers, context, _start_worker, (spec,)) as pool:
            yield from _in_parallel(pool, chunks, workers * CHUNKS_AHEAD)


def _in_parallel(
    pool: ProcessPoolExecutor, chunks: Iterator[list[Example]], ahead: int
) -> Iterator[list[JudgedExample]]:
    running: set[Future[list[JudgedExample]]] = set()
    try:
        while True:
            for chunk in islice(chunks, ahead - len(running)):
                running.add(pool.submit(_judge, chunk))
            if not running:
                return
            ready, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


@contextmanager
def _open_judge(spec: JudgeSpec) -> Iterator[Callable[[Sequence[Example]], list[JudgedExample]]]:
    with closing(make_judge(spec)) as judge:
        yield judge.judge


_worker_judge: list[Judge | WorkbenchError] = []


def _start_worker(spec: JudgeSpec) -> None:
    """Load the judge once in each worker process."""
    # An error is kept for the first job: a worker that dies at its start loses the reason.
    end_with_parent()
    try:
        _worker_judge.append(make_judge(spec))
    except WorkbenchError as error:
        _worker_judge.append(error)


def _judge(examples: list[Example]) -> list[JudgedExample]:
    judge = _worker_judge[0]
    if isinstance(judge, WorkbenchError):
        raise judge
    return judge.judge(examples)
