"""Muon for the matrices inside the layers, AdamW for all else, as one optimizer.

Muon makes every direction of an update equally long (orthogonalised momentum): a small model learns
the same from fewer conversations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn
from torch.optim import AdamW, Optimizer

from train.sft.muon import Muon

OUTSIDE = ("embed_tokens", "lm_head", "patch_embed")
"""Parts of names: tables of tokens and of pixels, no maps from one state to the next."""


class Together(Optimizer):
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
) -> Together:
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
    return Together(
        [
            Muon(inside, lr=lr, weight_decay=weight_decay, dtype=dtype),
            AdamW(groups, lr=lr, fused=True),
        ]
    )


def _is_inside(name: str, weight: torch.Tensor) -> bool:
    return weight.ndim == 2 and not any(part in name for part in OUTSIDE)
