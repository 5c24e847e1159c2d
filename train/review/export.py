"""Writes what training learns from: trajectories, with their spectra and answers beside them."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from agent.errors import WorkbenchError, write_errors
from agent.examples.examples import Example, write_examples
from agent.protocol.reply import Verdict, is_well_formed
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from train.parallel import in_order
from train.review.pool import Pool, cached_pool
from train.review.review_rules import STAGES, Case, Stage

FILE_NAME = "approved.jsonl"


@dataclass(frozen=True)
class Exported:
    """What was written, and what was not with the reason."""

    path: Path
    count: int
    sets: tuple[Path, ...]  # with the spectra, as training wants them
    left_out: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """What trains on it."""
        sets = (word for path in self.sets for word in ("--sets", str(path)))
        return shlex.join(["spec-o3-train", "sft", str(self.path), *sets, "--out", "RUN"])


def approved_file(place: Path | str) -> Path:
    """In the folder of the pool; in the current one for a database."""
    return Path(FILE_NAME) if "://" in str(place) else Path(place) / FILE_NAME


def export_approved(
    pool: Pool, out: Path, trajectories: Iterable[Trajectory] | None = None
) -> Exported:
    """Write the approved trajectories in their latest wording; any thread.

    A caller that has told them anew already gives them. The spectra of a pool in a database are
    written beside them.
    """
    if out.suffix == ".parquet":
        raise WorkbenchError(f"{out}: drafts are JSON lines: give the file the suffix .jsonl")
    if trajectories is None:
        trajectories = map(pool.current_trajectory, pool.cases_at("approved"))
    truths = pool.store.truths()
    kept: list[Trajectory] = []
    left_out: list[str] = []
    for one in trajectories:
        truth = truths.get((one.spectrum.sha256, one.task), {})
        reason = training_fault(one, truth.get("answer"))
        if reason:
            left_out.append(f"{one.spectrum.object_id or one.spectrum.path}: {reason}")
        else:
            kept.append(one)
    if not kept:
        counts = Counter(case.stage for case in pool.cases())
        raise WorkbenchError(f"nothing to export: {'; '.join(left_out) or stages_text(counts)}")
    wanted = dict.fromkeys((one.spectrum.sha256, one.task) for one in kept)
    spectra = (pool.store.example(*key) for key in wanted)
    done = write_set(out, kept, pool.store.sets or out.with_suffix(".parquet"), spectra)
    return replace(done, left_out=tuple(left_out))


def write_set(
    out: Path,
    trajectories: Sequence[Trajectory],
    sets: Path | tuple[Path, ...],
    examples: Iterable[Example],
) -> Exported:
    """Write trajectories whose spectra are in these sets, or are to be written to one of them."""
    part = out.with_name(f".{out.name}.part")
    write_trajectories(part, trajectories)
    if isinstance(sets, Path):
        write_examples(sets, examples)
        sets = (sets,)
    with write_errors(out):
        part.replace(out)
    return Exported(out, len(trajectories), sets)


def training_fault(trajectory: Trajectory, answer: Verdict | None) -> str:
    """Why nothing is trained on it, or an empty text: `grpo` would punish what `sft` taught."""
    if answer is None:
        return "its spectrum is no longer in the sets of the pool"
    if trajectory.verdict != answer:
        return f"its answer is {trajectory.verdict or 'missing'}, the truth {answer}"
    if not is_well_formed(trajectory.replies):
        return "it is not well-formed"
    return ""


def stages_text(counts: Mapping[Stage, int]) -> str:
    """How many are decided, and who the others wait for."""
    closed = [f"{counts[stage]} {stage}" for stage in STAGES[-2:]]
    waiting = [stage for stage in STAGES[:-2] if counts[stage]]
    return ", ".join([*closed, *(f"{counts[each]} wait for the {each}" for each in waiting)])


def export_in_processes(pool: Pool, out: Path, workers: int = 1) -> Exported:
    """Write the approved trajectories, told anew by so many processes."""
    approved = pool.cases_at("approved")
    return export_approved(pool, out, in_order(partial(_current, pool.place), approved, workers))


def _current(place: Path | str, case: Case) -> Trajectory:
    return cached_pool(place).current_trajectory(case)
