"""Three specialist networks in the manner of published ones; layers and sizes are our own choice
where a paper does not tell them (README of the stage, `train/baselines/README.md`)."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

Kind = Literal["plain-cnn", "branch-cnn", "section-transformer"]

INPUT_OF: dict[Kind, str] = {
    "plain-cnn": "minimum-to-maximum",
    "branch-cnn": "over-continuum",
    "section-transformer": "standardised",
}

CHANNELS = (10, 20, 30, 40, 50, 60)
KERNELS = (2, 3, 4, 5, 7, 9)
POOLS = (1, 2, 1, 2, 2, 2)
BRANCH_KERNELS = (5, 9, 17, 33, 69, 73, 81, 97)
SECTION, STEP = 20, 10
MOMENTUM = 0.3
"""Of the statistics kept for judging: a rare class trains for a few hundred steps alone, after
which the usual 0.1 still remembers the untrained network."""
RATE_OF: dict[Kind, float] = {"plain-cnn": 0.1, "branch-cnn": 1.0, "section-transformer": 1.0}
"""Of the learning rate: a dense layer of 14 million weights wants a small one."""
MASKED_RUNS, MASKED_LENGTH = 6, 12
"""Of 193 sections: 37 per cent."""


class PlainCnn(nn.Module):
    """Six blocks of convolution, normalisation, ReLU and pooling, then two dense layers: a plain
    deep network in the manner of CarbonNet and its group's finder of hot subdwarfs."""

    def __init__(self, pixels: int) -> None:
        super().__init__()
        blocks: list[nn.Module] = []
        width = 1
        for channels, kernel, pool in zip(CHANNELS, KERNELS, POOLS, strict=True):
            blocks += [
                nn.Conv1d(width, channels, kernel),
                nn.BatchNorm1d(channels, momentum=MOMENTUM),
                nn.ReLU(),
            ]
            blocks.append(nn.MaxPool1d(2, stride=pool))
            width = channels
        self.blocks = nn.Sequential(*blocks)
        with torch.no_grad():
            length = self.blocks(torch.zeros(1, 1, pixels)).shape[-1]
        self.dense = nn.Linear(width * length, 1024)
        self.dropout = nn.Dropout(0.5)
        self.out = nn.Linear(1024, 1)

    def forward(self, rows: Tensor) -> Tensor:
        found = self.blocks(rows[:, None]).flatten(1)
        logits: Tensor = self.out(self.dropout(functional.relu(self.dense(found))))
        return logits[:, 0]


class BranchCnn(nn.Module):
    """Parallel branches whose first kernels run from 5 to 97 pixels, in the manner of GaiaNet.
    The maximum of each channel is kept; their mean would throw most evidence away."""

    def __init__(self, pixels: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(_branch(kernel) for kernel in BRANCH_KERNELS)
        self.hidden = nn.Linear(32 * len(BRANCH_KERNELS), 64)
        self.dropout = nn.Dropout(0.25)
        self.out = nn.Linear(64, 1)

    def forward(self, rows: Tensor) -> Tensor:
        found = [branch(rows[:, None]).amax(dim=-1) for branch in self.branches]
        hidden = functional.relu(self.hidden(self.dropout(torch.cat(found, dim=1))))
        logits: Tensor = self.out(hidden)
        return logits[:, 0]


def _branch(kernel: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv1d(1, 32, kernel, padding=kernel // 2),
        nn.BatchNorm1d(32, momentum=MOMENTUM),
        nn.ReLU(),
        nn.MaxPool1d(4),
        nn.Conv1d(32, 64, 25, padding=12),
        nn.BatchNorm1d(64, momentum=MOMENTUM),
        nn.ReLU(),
        nn.MaxPool1d(4),
        nn.Conv1d(64, 64, 3, stride=2),
        nn.BatchNorm1d(64, momentum=MOMENTUM),
        nn.ReLU(),
        nn.Conv1d(64, 32, 1),
    )


class SectionTransformer(nn.Module):
    """Overlapping sections as tokens, learned by filling masked runs of them, then a learned query
    that gathers evidence: a small spectrum encoder in the manner of AstroCLIP's."""

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
        gathered, _ = self.gather(
            self.query.expand(len(rows), -1, -1), tokens, tokens, need_weights=False
        )
        logits: Tensor = self.out(self.head(gathered[:, 0]))
        return logits[:, 0]

    def cut(self, rows: Tensor) -> Tensor:
        """Batch x sections x SECTION."""
        return rows.unfold(1, SECTION, STEP)

    def encode(self, sections: Tensor) -> Tensor:
        encoded: Tensor = self.norm(self.encoder(self.embed(sections) + self.positions))
        return encoded

    def filling_loss(self, rows: Tensor, generator: torch.Generator) -> Tensor:
        """Mean square error of what was masked and has to be filled in."""
        sections = self.cut(rows)
        mask = self._mask(len(rows), generator)
        hidden = sections.masked_fill(mask[:, :, None], 0.0)
        filled = self.fill(self.encode(hidden))
        return functional.mse_loss(filled[mask], sections[mask])

    def _mask(self, count: int, generator: torch.Generator) -> Tensor:
        """One run in each of six equal parts."""
        part = self.sections // MASKED_RUNS
        length = min(MASKED_LENGTH, part)
        starts = torch.randint(0, part - length + 1, (count, MASKED_RUNS), generator=generator)
        starts = starts + part * torch.arange(MASKED_RUNS)
        places = torch.arange(self.sections)
        inside = (places >= starts[:, :, None]) & (places < starts[:, :, None] + length)
        return inside.any(dim=1)


def make_network(kind: Kind, pixels: int) -> nn.Module:
    makers: dict[Kind, type[nn.Module]] = {
        "plain-cnn": PlainCnn,
        "branch-cnn": BranchCnn,
        "section-transformer": SectionTransformer,
    }
    network: nn.Module = makers[kind](pixels)
    return network
