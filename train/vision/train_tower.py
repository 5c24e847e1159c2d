"""Trains the vision tower on lessons, and probes it on real spectra as it learns."""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from functools import partial
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Generic, Self, TypeVar

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from agent.atomic_file import atomic_path
from agent.errors import WorkbenchError, write_errors
from agent.json_lines import append_lines
from train.models.model_folder import load_trainable
from train.parallel import end_with_parent, worker_deaths
from train.sft.optimizer import muon_and_adamw
from train.simulate.sky import LABELS
from train.vision.grades import asked_features, border_ranks, feature_windows
from train.vision.lessons import Lesson, Pictures, count_pictures, draw_lessons, read_lessons
from train.vision.model import Eye, feature_places, loss_of
from train.vision.settings import LessonSettings, SchoolSettings

# Lessons drawn by other processes while the eye learns, kept in a ring of the newest pictures.
Result = TypeVar("Result")

PER_JOB = 8  # lessons that a process draws at a time
JOBS_AHEAD = 3  # jobs given to each process in advance


class PicturePool:
    """The newest pictures, or what `see` makes of them, with their ranges, targets and kinds, on
    the training device."""

    def __init__(
        self, room: int, device: torch.device, see: Callable[[Tensor], Tensor] | None = None
    ) -> None:
        self._room, self.device, self._see = room, device, see
        self._columns: tuple[Tensor, ...] = ()
        self._next, self.size, self.added = 0, 0, 0

    def add(self, lessons: Sequence[Lesson]) -> None:
        counts = [len(one.pictures) for one in lessons]
        pictures = torch.from_numpy(np.concatenate([one.pictures for one in lessons]))
        fresh = (
            pictures if self._see is None else self._see(pictures),
            torch.from_numpy(np.concatenate([one.ranges for one in lessons])).float(),
            torch.from_numpy(np.concatenate([one.targets for one in lessons])).half(),
            torch.from_numpy(np.repeat([one.kind for one in lessons], counts)),
        )
        rows = len(fresh[0])
        if not self._columns:
            self._columns = tuple(
                torch.empty((self._room, *part.shape[1:]), dtype=part.dtype, device=self.device)
                for part in fresh
            )
        at = (self._next + torch.arange(rows, device=self.device)) % self._room
        for column, part in zip(self._columns, fresh, strict=True):
            column[at] = part.to(self.device)
        self._next = (self._next + rows) % self._room
        self.size = min(self.size + rows, self._room)
        self.added += rows

    @property
    def is_full(self) -> bool:
        return self.size == self._room

    def sample(
        self, rows: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Pictures (or what `see` made of them), ranges, targets, kinds; any may come twice."""
        at = torch.randint(self.size, (rows,), generator=generator, device=self.device)
        pictures, ranges, targets, kinds = self._columns
        return pictures[at], ranges[at], targets[at], kinds[at]


class Workers(Generic[Result]):
    """Processes that work on endless jobs, a few of which are given to them in advance."""

    def __init__(self, workers: int, jobs: Iterator[Callable[[], Result]]) -> None:
        self.executor = ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent)
        self._jobs = jobs
        self._under_way = {self.executor.submit(job) for job in islice(jobs, workers * JOBS_AHEAD)}

    def ready(self, *, at_least: int = 0) -> Iterator[Result]:
        """The results since the last call, waiting for so many."""
        taken = 0
        with worker_deaths():
            while True:
                waits = None if taken < at_least else 0
                done, self._under_way = wait(self._under_way, waits, FIRST_COMPLETED)
                for one in done:
                    self._under_way |= {self.executor.submit(job) for job in islice(self._jobs, 1)}
                    taken += 1
                    yield one.result()
                # Not until none is ready: who draws may be faster than who learns.
                if taken >= at_least:
                    return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.executor.shutdown(wait=True, cancel_futures=True)


def lesson_jobs(
    settings: LessonSettings, seed: int, library: str = ""
) -> Iterator[Callable[[], list[Lesson]]]:
    """Endless lessons; the same seed gives the same ones."""
    numbers = (range(first, first + PER_JOB) for first in count(0, PER_JOB))
    return (partial(draw_lessons, each, settings, seed, library) for each in numbers)


MIDDLE, SPREAD = 6500.0, 3000.0
"""The ends of an axis, in angstrom, are asked as (end - MIDDLE) / SPREAD."""
FLOOR = 0.02  # learning rate at the end, as a share of the highest
MIXED_SHARDS = 8  # shards whose pictures are in memory, and mixed, at a time
FEWEST = 8  # batches of fresh pictures with which training begins
HEADS_TIMES = 6
"""Times that heads alone are shown a picture, which costs ten times as much to see as to learn."""
TOLD_EVERY = 100
WEIGHTS, CURVE = "eye.safetensors", "curve.jsonl"

Watch = Callable[[Eye], dict[str, float]]
Batch = tuple[Tensor, Tensor, Tensor, Tensor]


def rate(step: int, done: float, warmup: int) -> float:
    """Share of the highest learning rate: up in a line, then down along a cosine."""
    if step < warmup:
        return (step + 1) / warmup
    return FLOOR + (1.0 - FLOOR) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))


def teach(
    lessons: Sequence[Path] | Workers[list[Lesson]],
    out: Path,
    settings: SchoolSettings,
    seed: int,
    *,
    watch: Watch | None = None,
    eye: Eye | None = None,
    heads_first: bool = False,
    tell: Callable[[str], object] = lambda line: None,
) -> Eye:
    """Train an eye on shards or on fresh lessons, and write its weights and curve to `out`.

    `heads_first` keeps the tower as it is while the rate rises: its heads are new.
    """
    torch.manual_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    eye = (eye or new_eye(settings)).to(device).train()
    if settings.heads_only:
        eye.tower.requires_grad_(False)
    optimizer = muon_and_adamw(eye, settings.lr, settings.weight_decay, half=True)
    out.mkdir(parents=True, exist_ok=True)
    if isinstance(lessons, Workers):
        see, times = (partial(_tokens, eye), HEADS_TIMES) if settings.heads_only else (None, 0)
        pool = PicturePool(settings.room, device, see)
        steps, batches = 0, fresh_batches(lessons, pool, settings.batch, seed, times)
    else:
        steps = max(1, int(settings.epochs * sum(map(count_pictures, lessons)) / settings.batch))
        batches = _batches(lessons, settings.batch, seed)
    windows = torch.from_numpy(feature_windows()).float().to(device)
    borders = torch.from_numpy(border_ranks()).float().to(device)
    began, probing, probed = time.monotonic(), 0.0, 0.0
    recent: list[dict[str, Tensor]] = []
    for step, batch in enumerate(batches):
        if heads_first and not settings.heads_only and step in (0, settings.warmup):
            eye.tower.requires_grad_(step > 0)
        clock = time.monotonic() - began - probing
        done = step / steps if steps else clock / (60.0 * settings.minutes)
        for group in optimizer.param_groups:
            group["lr"] = settings.lr * rate(step, done, settings.warmup)
        here = [part.to(device) for part in batch]
        recent.append(_learn(eye, optimizer, here, windows, borders, settings))
        if (step + 1) % TOLD_EVERY == 0:
            stacked = {name: torch.stack([each[name] for each in recent]) for name in recent[0]}
            words = ", ".join(f"{name} {float(x.mean()):.3f}" for name, x in stacked.items())
            pace = (step + 1) * settings.batch / (time.monotonic() - began - probing)
            tell(f"step {step + 1}, {100 * done:.0f} %: {words}; {pace:.0f} pictures/s")
            recent.clear()
        is_last = step + 1 == steps or (not steps and done >= 1.0)
        if is_last or clock - probed > 60.0 * settings.probe_minutes:
            probed, asked = clock, time.monotonic()
            _save(eye, out)
            entry: dict[str, float] = {"step": step + 1, "minutes": round(clock / 60.0, 1)}
            entry["pictures"] = (step + 1) * settings.batch
            entry |= watch(eye) if watch is not None else {}
            with write_errors(out / CURVE):
                append_lines(out / CURVE, [json.dumps(entry)])
            tell(json.dumps(entry))
            probing += time.monotonic() - asked
        if is_last:
            break
    return eye


def new_eye(settings: SchoolSettings) -> Eye:
    return Eye(settings, len(asked_features()), len(LABELS))


def load_eye(folder: Path, settings: SchoolSettings) -> Eye:
    """The eye that `teach` wrote to this folder."""
    eye = new_eye(settings)
    try:
        eye.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise WorkbenchError(f"{folder / WEIGHTS} is no eye of this shape: {error}") from error
    return eye


def eye_of_model(folder: Path, settings: SchoolSettings) -> Eye:
    """An eye with the tower of a trained model, and new heads."""
    eye = new_eye(settings)
    try:
        eye.tower.load_state_dict(load_trainable(folder).model.visual.state_dict())
    except RuntimeError as error:
        raise WorkbenchError(f"{folder} has no eye of this shape: {error}") from error
    return eye


def _save(eye: Eye, out: Path) -> None:
    weights = {name: each.contiguous().cpu() for name, each in eye.state_dict().items()}
    with write_errors(out / WEIGHTS), atomic_path(out / WEIGHTS) as part:
        save_file(weights, part)


def _learn(
    eye: Eye,
    optimizer: torch.optim.Optimizer,
    batch: Sequence[Tensor],
    windows: Tensor,
    borders: Tensor,
    settings: SchoolSettings,
) -> dict[str, Tensor]:
    """One update; returns the parts of its loss."""
    shown, ranges, ranks, kinds = batch
    with torch.autocast(shown.device.type, torch.bfloat16):
        answers = eye.answers(shown, feature_places(ranges, windows))
    ends = (ranges - MIDDLE) / SPREAD
    loss, parts = loss_of(answers, ranks.float(), borders, kinds, ends, settings)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(eye.parameters(), 1.0)
    optimizer.step()
    return parts


def _batches(shards: Sequence[Path], size: int, seed: int) -> Iterator[Batch]:
    """Batches without end, in an order that the seed determines."""
    rng = np.random.default_rng(seed)
    while True:
        order = [shards[index] for index in rng.permutation(len(shards))]
        for start in range(0, len(order), MIXED_SHARDS):
            lessons = read_lessons(order[start : start + MIXED_SHARDS])
            chosen = rng.permutation(len(lessons))
            for first in range(0, max(1, len(chosen) - size + 1), size):
                yield batch_of(lessons, chosen[first : first + size].tolist())


def batch_of(pictures: Pictures, rows: Sequence[int]) -> Batch:
    """Pictures, ranges, ranks and kinds of some pictures."""
    return (
        torch.from_numpy(np.stack([pictures.picture(row) for row in rows])),
        torch.from_numpy(pictures.ranges[list(rows)]).float(),
        torch.from_numpy(pictures.targets[list(rows)]).float(),
        torch.from_numpy(pictures.kinds[list(rows)]),
    )


@torch.no_grad()
def _tokens(eye: Eye, pictures: Tensor) -> Tensor:
    device = next(eye.parameters()).device
    with torch.autocast(device.type, torch.bfloat16):
        return eye.tokens(pictures.to(device)).bfloat16()


def fresh_batches(
    workers: Workers[list[Lesson]], pool: PicturePool, size: int, seed: int, times: int = 0
) -> Iterator[Batch]:
    """Endless batches of the newest lessons; those that workers have drawn meanwhile are added.

    None are added before each picture has been shown so many `times` on average.
    """
    generator = torch.Generator(pool.device).manual_seed(seed)
    shown = 0
    while True:
        are_enough = pool.size >= FEWEST * size
        if not are_enough or shown >= times * pool.added:
            for drawn in workers.ready(at_least=0 if are_enough else 1):
                pool.add(drawn)
        if pool.size >= FEWEST * size or pool.is_full:
            shown += size
            yield pool.sample(size, generator)
