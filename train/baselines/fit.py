"""Trains one network for one task from its rows and answers."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.functional import binary_cross_entropy_with_logits as loss_of
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from agent.errors import WorkbenchError

# Three specialist networks that follow published ones, see train/baselines/README.md.
NetworkKind = Literal["plain-cnn", "branch-cnn", "section-transformer"]
CHANNELS = (10, 20, 30, 40, 50, 60)
KERNELS = (2, 3, 4, 5, 7, 9)
POOLS = (1, 2, 1, 2, 2, 2)
BRANCH_KERNELS = (5, 9, 17, 33, 69, 73, 81, 97)
SECTION, STEP = 20, 10
# A rare class trains for only a few hundred steps, after which batch statistics with the usual 0.1
# still remember the untrained network.
MOMENTUM = 0.3
# A dense layer of 14 million weights needs a small learning rate.
LR_FACTOR = {"plain-cnn": 0.1, "branch-cnn": 1.0, "section-transformer": 1.0}
MASKED_RUNS, MASKED_LENGTH = 6, 12  # together 37 per cent of 193 sections


def _convolved(width: int, channels: int, kernel: int, **how: Any) -> list[nn.Module]:
    convolution = nn.Conv1d(width, channels, kernel, **how)
    return [convolution, nn.BatchNorm1d(channels, momentum=MOMENTUM), nn.ReLU()]


class PlainCnn(nn.Module):
    """Six convolution blocks and two dense layers, following CarbonNet."""

    def __init__(self, pixels: int) -> None:
        super().__init__()
        blocks: list[nn.Module] = []
        width = 1
        for channels, kernel, pool in zip(CHANNELS, KERNELS, POOLS, strict=True):
            blocks += [*_convolved(width, channels, kernel), nn.MaxPool1d(2, stride=pool)]
            width = channels
        self.blocks = nn.Sequential(*blocks)
        with torch.no_grad():
            length = self.blocks(torch.zeros(1, 1, pixels)).shape[-1]
        self.dense = nn.Linear(width * length, 1024)
        self.dropout = nn.Dropout(0.5)
        self.out = nn.Linear(1024, 1)

    def forward(self, rows: Tensor) -> Tensor:
        found = self.blocks(rows[:, None]).flatten(1)
        return self.out(self.dropout(functional.relu(self.dense(found))))[:, 0]


class BranchCnn(nn.Module):
    """Parallel branches with first kernels of 5 to 97 pixels, following GaiaNet."""

    def __init__(self, pixels: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(
            nn.Sequential(
                *_convolved(1, 32, kernel, padding=kernel // 2),
                nn.MaxPool1d(4),
                *_convolved(32, 64, 25, padding=12),
                nn.MaxPool1d(4),
                *_convolved(64, 64, 3, stride=2),
                nn.Conv1d(64, 32, 1),
            )
            for kernel in BRANCH_KERNELS
        )
        self.hidden = nn.Linear(32 * len(BRANCH_KERNELS), 64)
        self.dropout = nn.Dropout(0.25)
        self.out = nn.Linear(64, 1)

    def forward(self, rows: Tensor) -> Tensor:
        # The maximum of each channel keeps a single line; the mean would average it away.
        maxima = [branch(rows[:, None]).amax(dim=-1) for branch in self.branches]
        hidden = functional.relu(self.hidden(self.dropout(torch.cat(maxima, dim=1))))
        return self.out(hidden)[:, 0]


class SectionTransformer(nn.Module):
    """A transformer over overlapping sections, pretrained by filling masked runs."""

    def __init__(self, pixels: int, width: int = 128, layers: int = 4, heads: int = 4) -> None:
        super().__init__()
        self.sections = (pixels - SECTION) // STEP + 1
        self.embed = nn.Linear(SECTION, width)
        self.positions = nn.Parameter(torch.zeros(self.sections, width))
        nn.init.trunc_normal_(self.positions, std=1.0 / math.sqrt(width))
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.fill = nn.Linear(width, SECTION)
        self.query = nn.Parameter(torch.randn(1, 1, width) / math.sqrt(width))
        self.gather = nn.MultiheadAttention(width, heads, batch_first=True)
        self.head = nn.Sequential(
            nn.LayerNorm(width), nn.Dropout(0.1), nn.Linear(width, width), nn.GELU()
        )
        self.out = nn.Linear(width, 1)

    def forward(self, rows: Tensor) -> Tensor:
        tokens = self.encode(self.cut(rows))
        query = self.query.expand(len(rows), -1, -1)
        gathered, _ = self.gather(query, tokens, tokens, need_weights=False)
        return self.out(self.head(gathered[:, 0]))[:, 0]

    def cut(self, rows: Tensor) -> Tensor:
        """(rows, sections, SECTION)."""
        return rows.unfold(1, SECTION, STEP)

    def encode(self, sections: Tensor) -> Tensor:
        return self.norm(self.encoder(self.embed(sections) + self.positions))

    def filling_loss(self, rows: Tensor, generator: torch.Generator) -> Tensor:
        """Mean squared error of the filled-in sections."""
        sections = self.cut(rows)
        mask = self._mask(len(rows), generator)
        hidden = sections.masked_fill(mask[:, :, None], 0.0)
        filled = self.fill(self.encode(hidden))
        return functional.mse_loss(filled[mask], sections[mask])

    def _mask(self, count: int, generator: torch.Generator) -> Tensor:
        """One masked run in each of six equal parts."""
        part = self.sections // MASKED_RUNS
        length = min(MASKED_LENGTH, part)
        starts = torch.randint(0, part - length + 1, (count, MASKED_RUNS), generator=generator)
        starts = starts + part * torch.arange(MASKED_RUNS)
        indices = torch.arange(self.sections)
        inside = (indices >= starts[:, :, None]) & (indices < starts[:, :, None] + length)
        return inside.any(dim=1)


def make_network(kind: NetworkKind, pixels: int) -> nn.Module:
    makers: dict[NetworkKind, type[nn.Module]] = {
        "plain-cnn": PlainCnn,
        "branch-cnn": BranchCnn,
        "section-transformer": SectionTransformer,
    }
    return makers[kind](pixels)


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
        lr, decay = settings.lr * LR_FACTOR[kind], settings.weight_decay
        generator = torch.Generator().manual_seed(seed)
        steps = max(1, len(used) // settings.batch) * settings.epochs
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
                _step(network, loss, optimizer, schedule)
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
            _step(network, loss, optimizer, schedule)
            if step % 50 == 0 or step == steps - 1:
                log(step, filling_loss=float(loss.detach()))
        network.train(False)
        return network


def _step(network: nn.Module, loss: Tensor, optimizer: Optimizer, schedule: LRScheduler) -> None:
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    schedule.step()


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
    mean = rows.mean(dim=1, keepdim=True)
    indices = torch.arange(pixels)[None]
    for _ in range(DROPPED):
        start = torch.randint(0, pixels, (count, 1), generator=generator)
        length = torch.randint(0, DROPPED_LENGTH, (count, 1), generator=generator)
        rows = torch.where((indices >= start) & (indices < start + length), mean, rows)
    return rows
