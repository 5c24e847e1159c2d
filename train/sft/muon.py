"""Muon: momentum whose every direction is made equally long, for matrices between states.

torch's own multiplies in bfloat16 wherever it runs, and matrix by matrix. Processors without
bfloat16 emulate it, and of a small model's step most was then the optimizer's. Here it is told what
to multiply in, and matrices of one shape are one product.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

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
