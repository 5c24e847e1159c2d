"""Three specialist networks that follow published ones, see `train/baselines/README.md`."""

import math
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

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
        self.branches = nn.ModuleList(_branch(kernel) for kernel in BRANCH_KERNELS)
        self.hidden = nn.Linear(32 * len(BRANCH_KERNELS), 64)
        self.dropout = nn.Dropout(0.25)
        self.out = nn.Linear(64, 1)

    def forward(self, rows: Tensor) -> Tensor:
        # The maximum of each channel keeps a single line; the mean would average it away.
        maxima = [branch(rows[:, None]).amax(dim=-1) for branch in self.branches]
        hidden = functional.relu(self.hidden(self.dropout(torch.cat(maxima, dim=1))))
        return self.out(hidden)[:, 0]


def _branch(kernel: int) -> nn.Sequential:
    return nn.Sequential(
        *_convolved(1, 32, kernel, padding=kernel // 2),
        nn.MaxPool1d(4),
        *_convolved(32, 64, 25, padding=12),
        nn.MaxPool1d(4),
        *_convolved(64, 64, 3, stride=2),
        nn.Conv1d(64, 32, 1),
    )


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
