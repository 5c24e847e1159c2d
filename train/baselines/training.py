"""All specialists of a bench: one kind after the other, one task after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agent.confidence.judged import sigmoid
from agent.confidence.scores import f1_score
from agent.errors import WorkbenchError
from agent.hashing import text_hash
from train.baselines.fit import (
    BaselineSettings,
    best_threshold,
    calibration,
    fit,
    pretrain,
)
from train.baselines.networks import Kind
from train.baselines.specialist import CARD, Head, Specialist, rows_of, save_specialist
from train.examples import column, read_examples
from train.journal import journal

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class TaskRows:
    """Which rows of the set are asked about one task, and what the answer is."""

    rows: Tensor
    answers: Tensor


def train_specialists(
    sets: Sequence[Path],
    out: Path,
    settings: BaselineSettings,
    seed: int,
    say: Say = lambda line: None,
) -> list[Path]:
    """Train each kind into a folder of `out`; finished ones are left as they are."""
    folders = []
    for kind in settings.kinds:
        folder = out / kind
        folders.append(folder)
        if (folder / CARD).is_file():
            say(f"{kind}: was there already")
            continue
        specialist = _of_kind(kind, sets, folder, settings, seed, say)
        about = {
            "sets": [path.name for path in sets],
            "examples_sha256": examples_hash(sets),
            "seed": seed,
            "settings": _plain(settings),
        }
        save_specialist(folder, specialist, about)
    return folders


def examples_hash(sets: Sequence[Path]) -> str:
    """Of the keys and answers in order: what it was trained on."""
    rows = [row for path in sets for row in column(path, "key", "answer", "sha256")]
    return text_hash("\n".join(f"{row['key']} {row['answer']} {row['sha256']}" for row in rows))


def _of_kind(
    kind: Kind,
    sets: Sequence[Path],
    folder: Path,
    settings: BaselineSettings,
    seed: int,
    say: Say,
) -> Specialist:
    rows, tasks = read_rows(kind, sets)
    start: nn.Module | None = None
    if kind == "section-transformer":
        say(f"{kind}: learning to fill masked sections of {len(rows)} spectra")
        with journal(folder / "pretraining") as run:
            start = pretrain(rows, settings, seed, run.log)
    heads: dict[str, Head] = {}
    networks: dict[str, list[nn.Module]] = {}
    for task, own in tasks.items():
        heads[task], networks[task] = _of_task(kind, task, own, rows, folder, settings, seed, start)
        say(f"{kind} {task}: F1 {heads[task].held_out_f1:.3f} on held-out training objects")
    return Specialist(kind, heads, networks)


def _of_task(
    kind: Kind,
    task: str,
    own: TaskRows,
    rows: Tensor,
    folder: Path,
    settings: BaselineSettings,
    seed: int,
    start: nn.Module | None,
) -> tuple[Head, list[nn.Module]]:
    """The same objects are held out for every network, so that their mean can be judged."""
    fitted = []
    for number in range(settings.seeds):
        with journal(folder / f"{task}-{number}") as run:
            fitted.append(
                fit(
                    kind,
                    rows[own.rows],
                    own.answers,
                    settings,
                    seed + 1000 * number,
                    start,
                    run.log,
                    held_out_seed=seed,
                )
            )
    logits = torch.stack([one.logits for one in fitted]).mean(dim=0)
    answers = fitted[0].answers
    slope, intercept = calibration(logits, answers)
    p_yes = sigmoid(slope * logits.double().numpy() + intercept)
    truth = answers.bool().numpy()
    threshold = best_threshold(p_yes, truth, settings.odds)
    said = p_yes >= threshold
    table = np.array([[(~said & ~truth).sum(), (said & ~truth).sum()],
                      [(~said & truth).sum(), (said & truth).sum()]])  # fmt: skip
    head = Head(
        threshold=threshold,
        slope=slope,
        intercept=intercept,
        networks=len(fitted),
        held_out_f1=float(np.nan_to_num(f1_score(table))),
        epochs=tuple(one.epochs for one in fitted),
    )
    return head, [one.network for one in fitted]


def read_rows(kind: Kind, sets: Sequence[Path]) -> tuple[Tensor, dict[str, TaskRows]]:
    """Every spectrum once as its network sees it, and the rows and answers of each task."""
    places: dict[str, int] = {}
    parts: list[Tensor] = []
    asked: dict[str, list[tuple[int, float]]] = {}
    for path in sets:
        for one in read_examples(path):
            if one.sha256 not in places:
                places[one.sha256] = len(places)
                parts.append(rows_of(kind, [one.spectrum]))
            answer = 1.0 if one.is_positive else 0.0
            asked.setdefault(one.task, []).append((places[one.sha256], answer))
    if not parts:
        raise WorkbenchError("these sets hold no examples: there is nothing to train on")
    tasks = {
        task: TaskRows(
            torch.tensor([row for row, _ in pairs]), torch.tensor([value for _, value in pairs])
        )
        for task, pairs in asked.items()
    }
    return torch.cat(parts), tasks


def _plain(settings: BaselineSettings) -> Mapping[str, Any]:
    from dataclasses import asdict

    return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(settings).items()}
