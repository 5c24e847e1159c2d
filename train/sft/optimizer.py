"""Muon for the matrices inside the layers and AdamW for everything else, as one optimizer.

Muon orthogonalizes the momentum, which gives all directions of an update the same length. A small
model then needs fewer conversations to learn the same.
"""

import importlib.util
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from agent.errors import WorkbenchError
from train.sft.settings import SftSettings

MOMENTUM = 0.95
# Coefficients of a singular value, its third and its fifth power in each Newton-Schulz iteration
# (Jordan et al. 2024). They raise small values fast and end between about 0.7 and 1.2, not at 1.
QUINTIC = 3.4445, -4.7750, 2.0315
ITERATIONS = 5
EPSILON = 1e-7
UPDATE_RMS = 0.2
"""Typical AdamW update of a weight in units of the learning rate; Muon's is scaled to it."""

LANGUAGE_LAYERS = r".*language_model\..*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)"
"""Layers with an adapter; the full path excludes layers of the same names in the vision tower."""


class Muon(Optimizer):
    """The Muon optimizer for matrices; their products are computed in `dtype`."""

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
        loss = None if closure is None else torch.enable_grad()(closure)()
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    by_shape[matrix.shape].append(matrix)
            for shape, matrices in by_shape.items():
                momenta = torch.stack([self._nesterov_momentum(each) for each in matrices])
                length = group["lr"] * UPDATE_RMS * sqrt(max(shape))
                updates = orthogonalize(momenta.to(self._dtype))
                for matrix, update in zip(matrices, updates, strict=True):
                    matrix.mul_(1 - group["lr"] * group["weight_decay"])
                    matrix.add_(update.to(matrix.dtype), alpha=-length)
        return loss

    def _nesterov_momentum(self, matrix: Tensor) -> Tensor:
        """Update the momentum, and look one step ahead as Nesterov does."""
        gradient, state = matrix.grad, self.state[matrix]
        assert gradient is not None
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(gradient)
        momentum: Tensor = state["momentum_buffer"].lerp_(gradient, 1 - MOMENTUM)
        return gradient.lerp(momentum, MOMENTUM)


def orthogonalize(matrices: Tensor) -> Tensor:
    """(matrices, rows, columns) with singular values near one and the same singular vectors."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    result = matrices.mT if is_tall else matrices
    result = result / result.norm(dim=(1, 2), keepdim=True).clamp(min=EPSILON)
    first, third, fifth = QUINTIC
    for _ in range(ITERATIONS):
        square = result @ result.mT
        mixed = torch.baddbmm(square, square, square, beta=third, alpha=fifth)
        result = torch.baddbmm(result, mixed, result, beta=first)
    return result.mT if is_tall else result


NOT_MUON = ("embed_tokens", "lm_head", "patch_embed")
"""Parts of the names of lookup tables for tokens and pixels, which Muon is not meant for."""


class CombinedOptimizer(Optimizer):
    """Several optimizers as one; they share the parameter groups, so a schedule reaches all."""

    def __init__(self, parts: Iterable[Optimizer]) -> None:
        self.parts = tuple(parts)
        # torch keeps these group objects, so each optimizer reads what a schedule writes.
        super().__init__([group for part in self.parts for group in part.param_groups], {})

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None if closure is None else torch.enable_grad()(closure)()
        for part in self.parts:
            part.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for part, saved in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(saved)
        self.param_groups = [group for part in self.parts for group in part.param_groups]


def muon_and_adamw(
    model: nn.Module, lr: float, weight_decay: float, *, half: bool = False
) -> CombinedOptimizer:
    """One learning rate for both; `half` lets Muon compute in bfloat16."""
    trained = [(name, each) for name, each in model.named_parameters() if each.requires_grad]
    matrices, tables, vectors = list[Tensor](), list[Tensor](), list[Tensor]()
    for name, each in trained:
        if each.ndim == 2 and not any(part in name for part in NOT_MUON):
            matrices.append(each)
        else:
            (tables if each.ndim > 1 else vectors).append(each)
    rest = ((tables, weight_decay), (vectors, 0.0))
    groups = [{"params": weights, "weight_decay": decay} for weights, decay in rest if weights]
    dtype = torch.bfloat16 if half else torch.float32
    muon = Muon(matrices, lr=lr, weight_decay=weight_decay, dtype=dtype)
    return CombinedOptimizer([muon, AdamW(groups, lr=lr, fused=True)])


# Selects the trained parameters: all, the language model, or a LoRA adapter on it.
def make_trainable(model: Any, settings: SftSettings) -> Any:
    """Freeze everything that is not trained; returns the model, wrapped if it gets an adapter."""
    model.config.use_cache = False
    if settings.kind == "lora":
        return _with_adapter(model, settings)
    model.requires_grad_(True)
    if settings.trained == "language":
        # The vision tower and its projector are one module, which then runs without a graph.
        model.model.visual.requires_grad_(False)
    return model


def _with_adapter(model: Any, settings: SftSettings) -> Any:
    if importlib.util.find_spec("peft") is None:
        raise WorkbenchError('LoRA needs peft: pip install "spec-o3-workbench[train]"')
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha,
        lora_dropout=settings.lora_dropout,
        target_modules=LANGUAGE_LAYERS,
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft warns about transformers
        return get_peft_model(model, config)


def parameter_counts(model: Any) -> tuple[int, int]:
    """Numbers of trained and of all parameters."""
    # DeepSpeed hides the size of parameters that it spreads over devices; `ds_numel` has it.
    sizes = [
        (weight.requires_grad, int(getattr(weight, "ds_numel", weight.numel())))
        for weight in model.parameters()
    ]
    return sum(size for trained, size in sizes if trained), sum(size for _, size in sizes)
