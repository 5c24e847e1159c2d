"""Trains the specialists of a bench, kind by kind and task by task."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from agent.confidence.calibration import fit_platt
from agent.confidence.judged import JudgedScores, sigmoid
from agent.confidence.scores import f1_score
from agent.errors import WorkbenchError
from agent.examples.examples import column, read_examples
from agent.hashing import text_hash
from train.baselines.fit import BaselineSettings, NetworkKind, best_threshold, fit, pretrain
from train.baselines.specialist import CARD, Head, Specialist, rows_of, save_specialist
from train.journal import journal

Report = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class TaskRows:
    rows: Tensor
    answers: Tensor


def train_specialists(
    sets: Sequence[Path], out: Path, settings: BaselineSettings, seed: int, report: Report
) -> list[Path]:
    """Train each kind into a folder of `out`, and skip finished ones."""
    folders = []
    for kind in settings.kinds:
        folder = out / kind
        folders.append(folder)
        if (folder / CARD).is_file():
            report(f"{kind}: already trained")
            continue
        rows, tasks = read_rows(kind, sets)
        start: nn.Module | None = None
        if kind == "section-transformer":
            report(f"{kind}: pretraining on masked sections of {len(rows)} spectra")
            with journal(folder / "pretraining") as run:
                start = pretrain(rows, settings, seed, run.log)
        heads: dict[str, Head] = {}
        networks: dict[str, list[nn.Module]] = {}
        for task, own in tasks.items():
            made = _train_task(kind, task, own, rows, folder, settings, seed, start)
            heads[task], networks[task] = made
            report(f"{kind} {task}: F1 {heads[task].held_out_f1:.3f} on held-out training objects")
        about = {
            "sets": [path.name for path in sets],
            "examples_sha256": examples_hash(sets),
            "seed": seed,
            "settings": asdict(settings),
        }
        save_specialist(folder, Specialist(kind, heads, networks), about)
    return folders


def examples_hash(sets: Sequence[Path]) -> str:
    rows = [row for path in sets for row in column(path, "key", "answer", "sha256")]
    return text_hash("\n".join(f"{row['key']} {row['answer']} {row['sha256']}" for row in rows))


def _train_task(
    kind: NetworkKind,
    task: str,
    own: TaskRows,
    rows: Tensor,
    folder: Path,
    settings: BaselineSettings,
    seed: int,
    start: nn.Module | None,
) -> tuple[Head, list[nn.Module]]:
    """Train one task's networks; they hold out the same objects, so their mean can be judged."""
    inputs = rows[own.rows]
    fitted = []
    for number in range(settings.seeds):
        with journal(folder / f"{task}-{number}") as run:
            its_seed = seed + 1000 * number
            one = fit(
                kind, inputs, own.answers, settings, its_seed, start, run.log, held_out_seed=seed
            )
            fitted.append(one)
    logits = torch.stack([one.logits for one in fitted]).mean(dim=0)
    answers = fitted[0].answers
    truth = answers.bool().numpy()
    slope, intercept = fit_platt(JudgedScores(torch.sigmoid(logits).double().numpy(), truth))
    p_yes = sigmoid(slope * logits.double().numpy() + intercept)
    threshold = best_threshold(p_yes, truth, settings.odds)
    yes = p_yes >= threshold
    table = np.array([[(~yes & ~truth).sum(), (yes & ~truth).sum()],
                      [(~yes & truth).sum(), (yes & truth).sum()]])  # fmt: skip
    head = Head(
        threshold=threshold,
        slope=slope,
        intercept=intercept,
        networks=len(fitted),
        held_out_f1=float(np.nan_to_num(f1_score(table))),
        epochs=tuple(one.epochs for one in fitted),
    )
    return head, [one.network for one in fitted]


def read_rows(kind: NetworkKind, sets: Sequence[Path]) -> tuple[Tensor, dict[str, TaskRows]]:
    """The network's input of every spectrum, and the rows and answers of each task."""
    row_numbers: dict[str, int] = {}
    parts: list[Tensor] = []
    answers: dict[str, list[tuple[int, float]]] = {}
    for path in sets:
        for one in read_examples(path):
            if one.sha256 not in row_numbers:
                row_numbers[one.sha256] = len(row_numbers)
                parts.append(rows_of(kind, [one.spectrum]))
            answer = 1.0 if one.is_positive else 0.0
            answers.setdefault(one.task, []).append((row_numbers[one.sha256], answer))
    if not parts:
        raise WorkbenchError("these sets have no examples to train on")
    tasks = {}
    for task, pairs in answers.items():
        numbers, values = zip(*pairs, strict=True)
        tasks[task] = TaskRows(torch.tensor(numbers), torch.tensor(values))
    return torch.cat(parts), tasks
