"""Trains one network for one task from its rows and answers."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as loss_of

from agent.errors import WorkbenchError
from train.baselines.networks import LR_FACTOR, NetworkKind, SectionTransformer, make_network

Log = Callable[..., None]
MAX_SHIFT = 5  # Pixels; as by a small velocity or a wavelength error.
NOISE = (0.0, 0.08)  # range of the sigma of added noise, in units of the row's standard deviation
TILT = 0.15
"""Sigma of the added slope and bend over half the row, in units of its standard deviation."""
DROPPED, DROPPED_LENGTH = 2, 60
"""Number of runs of pixels set to the row's mean, and their maximum length."""
ROWS_AT_ONCE = 64


@dataclass(frozen=True, kw_only=True)
class BaselineSettings:
    """Settings of all networks; `kinds` lists those to train."""

    kinds: tuple[NetworkKind, ...] = ("plain-cnn", "branch-cnn", "section-transformer")
    epochs: int = 30
    patience: int = 6  # epochs without a better held-out loss before training stops
    batch: int = 32
    lr: float = 1e-3
    weight_decay: float = 0.01
    held_out: float = 0.15
    """Share of the training objects used to choose the epoch, the threshold and the calibration."""
    pretraining_steps: int = 1500
    """Steps of the transformer on all spectra of the sets, without answers."""
    odds: float = 5.0  # negatives per positive in the lists the threshold is chosen for
    seeds: int = 1  # number of networks per kind and task, whose logits are averaged

    def __post_init__(self) -> None:
        if min(self.epochs, self.patience, self.batch, self.seeds) < 1 or self.lr <= 0:
            raise WorkbenchError("epochs, patience, batch, seeds and lr must be above 0")
        if not 0.05 <= self.held_out <= 0.5:
            raise WorkbenchError("held_out must be between 0.05 and 0.5")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network at its best epoch, with its logits and the answers of held-out objects."""

    network: nn.Module
    epochs: int
    logits: Tensor
    answers: Tensor


def split_held_out(answers: Tensor, share: float, seed: int) -> tuple[Tensor, Tensor]:
    """Training rows and held-out rows; both answers have the same share in both."""
    generator = torch.Generator().manual_seed(seed)
    held: list[Tensor] = []
    for value in (0.0, 1.0):
        own = torch.nonzero(answers == value)[:, 0]
        if len(own) < 4:
            raise WorkbenchError("a specialist needs at least four examples of each answer")
        order = own[torch.randperm(len(own), generator=generator)]
        held.append(order[: max(2, round(share * len(own)))])
    held_rows = torch.cat(held).sort().values
    mask = torch.ones(len(answers), dtype=torch.bool)
    mask[held_rows] = False
    return torch.nonzero(mask)[:, 0], held_rows


def fit(
    kind: NetworkKind,
    rows: Tensor,
    answers: Tensor,
    settings: BaselineSettings,
    seed: int,
    start: nn.Module | None = None,
    log: Log = lambda step, **figures: None,
    *,
    held_out_seed: int | None = None,
) -> Fitted:
    """Train to the best held-out loss; networks of one task share the `held_out_seed`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = make_network(kind, rows.shape[1])
        if start is not None:
            network.load_state_dict(start.state_dict())
        split_seed = seed if held_out_seed is None else held_out_seed
        used, held = split_held_out(answers, settings.held_out, split_seed)
        lr = settings.lr * LR_FACTOR[kind]
        return _train(network, rows, answers, used, held, settings, lr, seed, log)


def _train(
    network: nn.Module,
    rows: Tensor,
    answers: Tensor,
    used: Tensor,
    held: Tensor,
    settings: BaselineSettings,
    lr: float,
    seed: int,
    log: Log,
) -> Fitted:
    generator = torch.Generator().manual_seed(seed)
    steps = max(1, len(used) // settings.batch) * settings.epochs
    decay = settings.weight_decay
    optimizer = torch.optim.AdamW(network.parameters(), lr=lr, weight_decay=decay, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _warm_then_cosine(steps))
    balance = (answers[used] == 0).sum() / (answers[used] == 1).sum()
    best, best_state, waited, epoch = math.inf, network.state_dict(), 0, 0
    for epoch in range(settings.epochs):
        network.train()
        order = used[torch.randperm(len(used), generator=generator)]
        for chunk in torch.split(order, settings.batch):
            if len(chunk) < 2:  # batch normalisation needs two rows
                continue
            logits = network(augment(rows[chunk], generator))
            loss = loss_of(logits, answers[chunk], pos_weight=balance)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        logits = predict(network, rows[held])
        held_loss = float(loss_of(logits, answers[held], pos_weight=balance))
        log(epoch, held_out_loss=held_loss, loss=float(loss.detach()))
        if held_loss < best:
            best, waited = held_loss, 0
            best_state = {name: value.clone() for name, value in network.state_dict().items()}
        else:
            waited += 1
            if waited >= settings.patience:
                break
    network.load_state_dict(best_state)
    network.train(False)
    return Fitted(network, epoch + 1, predict(network, rows[held]), answers[held])


def pretrain(
    rows: Tensor, settings: BaselineSettings, seed: int, log: Log = lambda step, **figures: None
) -> nn.Module:
    """The transformer, pretrained by filling masked sections of all spectra."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = make_network("section-transformer", rows.shape[1])
        assert isinstance(network, SectionTransformer)
        generator = torch.Generator().manual_seed(seed)
        weights, steps = network.parameters(), settings.pretraining_steps
        optimizer = torch.optim.AdamW(weights, lr=settings.lr, betas=(0.9, 0.95), fused=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _warm_then_cosine(steps))
        for step in range(steps):
            chunk = torch.randint(0, len(rows), (settings.batch,), generator=generator)
            loss = network.filling_loss(rows[chunk], generator)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            if step % 50 == 0 or step == steps - 1:
                log(step, filling_loss=float(loss.detach()))
        network.train(False)
        return network


def predict(network: nn.Module, rows: Tensor) -> Tensor:
    """Logits of all rows, in evaluation mode."""
    was_training = network.training
    network.train(False)
    with torch.no_grad():
        logits = torch.cat([network(chunk) for chunk in torch.split(rows, ROWS_AT_ONCE)])
    network.train(was_training)
    return logits


def best_threshold(p_yes: NDArray[np.float64], answers: NDArray[np.bool_], odds: float) -> float:
    """The threshold with the highest F1 at `odds` negatives per positive."""
    order = np.argsort(-p_yes, kind="stable")
    hits = np.cumsum(answers[order])
    weight = odds * answers.sum() / max(1, int((~answers).sum()))
    alarms = weight * np.cumsum(~answers[order])
    f1 = 2.0 * hits / (hits + alarms + answers.sum())
    best = int(f1.argmax())
    ranked = p_yes[order]
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float(0.5 * (ranked[best] + below))


def _warm_then_cosine(steps: int) -> Callable[[int], float]:
    warm = max(1, steps // 20)

    def factor(step: int) -> float:
        if step < warm:
            return (step + 1) / warm
        return 0.5 * (1.0 + math.cos(math.pi * min(1.0, (step - warm) / max(1, steps - warm))))

    return factor


def augment(rows: Tensor, generator: torch.Generator) -> Tensor:
    """Random changes to training rows that are too small to change the class."""
    count, pixels = rows.shape
    # Each row by its own number of whole pixels, repeating the end values.
    shifts = torch.randint(-MAX_SHIFT, MAX_SHIFT + 1, (count, 1), generator=generator)
    rows = rows.gather(1, (torch.arange(pixels)[None] + shifts).clamp(0, pixels - 1))
    spread = rows.std(dim=1, keepdim=True)
    x = torch.linspace(-1.0, 1.0, pixels)
    slopes = torch.randn((2, count, 1), generator=generator) * TILT
    rows = rows + spread * (slopes[0] * x + slopes[1] * (x**2 - 1.0 / 3.0))
    low, high = NOISE
    sigma = spread * (low + (high - low) * torch.rand((count, 1), generator=generator))
    rows = rows + sigma * torch.randn(rows.shape, generator=generator)
    return _add_gaps(rows, generator)


def _add_gaps(rows: Tensor, generator: torch.Generator) -> Tensor:
    count, pixels = rows.shape
    mean = rows.mean(dim=1, keepdim=True)
    indices = torch.arange(pixels)[None]
    for _ in range(DROPPED):
        start = torch.randint(0, pixels, (count, 1), generator=generator)
        length = torch.randint(0, DROPPED_LENGTH, (count, 1), generator=generator)
        rows = torch.where((indices >= start) & (indices < start + length), mean, rows)
    return rows
