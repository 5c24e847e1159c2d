"""Trains the vision tower on lessons, and probes it on real spectra as it learns."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from agent.errors import WorkbenchError
from agent.spectra.spectrum import FloatArray
from train.eye.model import Eye, gate_places, loss_of
from train.eye.settings import SchoolSettings
from train.eye.shards import Pictures, count_pictures, read_lessons
from train.eye.targets import asked_gates, gate_windows
from train.sft.optimizer import muon_and_adamw
from train.simulate.sky import LABELS

MIDDLE, SPREAD = 6500.0, 3000.0
"""The ends of an axis, in angstrom, are asked as (end - MIDDLE) / SPREAD."""
FLOOR = 0.02
"""Learning rate at the end, as a share of the highest."""
MIXED_SHARDS = 8
"""Shards whose pictures are in memory, and mixed, at a time."""
TOLD_EVERY = 100
WEIGHTS, CURVE = "eye.safetensors", "curve.jsonl"

Watch = Callable[[Eye], dict[str, float]]
Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def rate(step: int, steps: int, warmup: int) -> float:
    """Share of the highest learning rate: up in a line, then down along a cosine."""
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    return FLOOR + (1.0 - FLOOR) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))


def teach(
    shards: Sequence[Path],
    out: Path,
    settings: SchoolSettings,
    seed: int,
    *,
    watch: Watch | None = None,
    eye: Eye | None = None,
    tell: Callable[[str], object] = lambda line: None,
) -> Eye:
    """Train an eye on these shards, and write its weights and its curve to `out`."""
    torch.manual_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    eye = (eye or new_eye(settings)).to(device).train()
    optimizer = muon_and_adamw(eye, settings.lr, settings.weight_decay, half=True)
    out.mkdir(parents=True, exist_ok=True)
    counted = sum(map(count_pictures, shards))
    steps = max(1, int(settings.epochs * counted / settings.batch))
    clock, probed, recent = 0.0, 0.0, list[dict[str, float]]()
    for step, batch in zip(range(steps), _batches(shards, settings.batch, seed), strict=False):
        began = time.monotonic()
        for group in optimizer.param_groups:
            group["lr"] = settings.lr * rate(step, steps, settings.warmup)
        recent.append(_learn(eye, optimizer, [part.to(device) for part in batch], settings))
        clock += time.monotonic() - began
        if (step + 1) % TOLD_EVERY == 0:
            means = {name: float(np.mean([one[name] for one in recent])) for name in recent[0]}
            words = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
            pace = (step + 1) * settings.batch / clock
            tell(f"step {step + 1} of {steps}: {words}; {pace:.0f} pictures/s")
            recent.clear()
        is_last = step + 1 == steps
        if is_last or clock - probed > 60.0 * settings.probe_minutes:
            probed = clock
            _save(eye, out)
            entry: dict[str, float] = {"step": step + 1, "minutes": round(clock / 60.0, 1)}
            entry["pictures"] = (step + 1) * settings.batch
            entry |= watch(eye) if watch is not None else {}
            with (out / CURVE).open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
            tell(json.dumps(entry))
    return eye


def new_eye(settings: SchoolSettings) -> Eye:
    return Eye(settings, len(asked_gates()), len(LABELS))


def load_eye(folder: Path, settings: SchoolSettings) -> Eye:
    """The eye that `teach` wrote to this folder."""
    eye = new_eye(settings)
    try:
        eye.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise WorkbenchError(f"{folder / WEIGHTS} is no eye of this shape: {error}") from error
    return eye


def _save(eye: Eye, out: Path) -> None:
    part = out / f".{WEIGHTS}.part"
    save_file({name: each.contiguous().cpu() for name, each in eye.state_dict().items()}, part)
    part.replace(out / WEIGHTS)


def _learn(
    eye: Eye, optimizer: torch.optim.Optimizer, batch: Sequence[Tensor], settings: SchoolSettings
) -> dict[str, float]:
    """One update; returns the parts of its loss."""
    shown, places, ranks, kinds, ends = batch
    with torch.autocast(shown.device.type, torch.bfloat16):
        answers = eye.answers(shown, places)
    loss, parts = loss_of(answers, ranks, kinds, ends, settings)
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
    """Pictures, places, ranks, kinds and ends of some pictures."""
    ranges = pictures.ranges[list(rows)]
    return (
        torch.from_numpy(np.stack([pictures.picture(row) for row in rows])),
        torch.from_numpy(gate_places(ranges, gate_windows())),
        torch.from_numpy(pictures.targets[list(rows)].astype(np.float32)),
        torch.from_numpy(pictures.kinds[list(rows)]),
        torch.from_numpy(scaled_ends(ranges).astype(np.float32)),
    )


def scaled_ends(ranges: FloatArray) -> FloatArray:
    return (ranges - MIDDLE) / SPREAD
