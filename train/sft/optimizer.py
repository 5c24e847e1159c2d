"""Muon for the matrices inside the layers, AdamW for all else, as one optimizer.

Muon makes every direction of an update equally long (orthogonalised momentum): a small model learns
the same from fewer conversations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

MOMENTUM = 0.95
QUINTIC = 3.4445, -4.7750, 2.0315
"""Weights of a singular value, of its third and of its fifth power in each round: chosen to raise
small ones fast, not to end at one; after all rounds they lie between some 0.7 and 1.2."""
ROUNDS = 5
SMALLEST = 1e-7
USUAL = 0.2
"""AdamW's usual update of a weight, in rates; Muon's are made as long."""


class Muon(Optimizer):
    """Steps matrices; `dtype` is what their products are computed in."""

    def __init__(
        self,
        matrices: Iterable[Tensor],
        *,
        lr: float,
        weight_decay: float,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(matrices, {"lr": lr, "weight_decay": weight_decay})
        self._dtype = dtype

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            alike: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    alike[matrix.shape].append(matrix)
            for shape, matrices in alike.items():
                ahead = torch.stack([self._ahead(each) for each in matrices])
                length = group["lr"] * USUAL * sqrt(max(shape))
                for matrix, update in zip(matrices, evened(ahead.to(self._dtype)), strict=True):
                    matrix.mul_(1 - group["lr"] * group["weight_decay"])
                    matrix.add_(update.to(matrix.dtype), alpha=-length)
        return loss

    def _ahead(self, matrix: Tensor) -> Tensor:
        """Where the momentum would be one step on (Nesterov's)."""
        gradient, state = matrix.grad, self.state[matrix]
        assert gradient is not None
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(gradient)
        momentum: Tensor = state["momentum_buffer"].lerp_(gradient, 1 - MOMENTUM)
        return gradient.lerp(momentum, MOMENTUM)


def evened(matrices: Tensor) -> Tensor:
    """(matrices, rows, columns) with their singular values near one, their directions kept."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    even = matrices.mT if is_tall else matrices
    even = even / even.norm(dim=(1, 2), keepdim=True).clamp(min=SMALLEST)
    first, third, fifth = QUINTIC
    for _ in range(ROUNDS):
        square = even @ even.mT
        mixed = torch.baddbmm(square, square, square, beta=third, alpha=fifth)
        even = torch.baddbmm(even, mixed, even, beta=first)
    return even.mT if is_tall else even


OUTSIDE = ("embed_tokens", "lm_head", "patch_embed")
"""Parts of names: tables of tokens and of pixels, no maps from one state to the next."""


class CombinedOptimizer(Optimizer):
    """Steps several optimizers as one; their groups stay theirs, so a schedule reaches them all."""

    def __init__(self, parts: Iterable[Optimizer]) -> None:
        self.parts = tuple(parts)
        # torch keeps these very groups: what a schedule writes is what each part reads.
        super().__init__([group for part in self.parts for group in part.param_groups], {})

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for part in self.parts:
            part.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for part, told in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(told)
        self.param_groups = [group for part in self.parts for group in part.param_groups]


def muon_and_adamw(
    model: nn.Module, lr: float, weight_decay: float, *, half: bool = False
) -> CombinedOptimizer:
    """Muon's updates are as long as AdamW's are, so that one rate does for both.

    `half`: whether the machine computes in bfloat16.
    """
    trained = [(name, each) for name, each in model.named_parameters() if each.requires_grad]
    inside = [each for name, each in trained if _is_inside(name, each)]
    chosen = {id(each) for each in inside}
    tables = [each for _, each in trained if id(each) not in chosen and each.ndim > 1]
    vectors = [each for _, each in trained if id(each) not in chosen and each.ndim <= 1]
    rest = [
        {"params": tables, "weight_decay": weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    groups = [group for group in rest if group["params"]]
    dtype = torch.bfloat16 if half else torch.float32
    return CombinedOptimizer(
        [
            Muon(inside, lr=lr, weight_decay=weight_decay, dtype=dtype),
            AdamW(groups, lr=lr, fused=True),
        ]
    )


def _is_inside(name: str, weight: torch.Tensor) -> bool:
    return weight.ndim == 2 and not any(part in name for part in OUTSIDE)
