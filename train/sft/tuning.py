"""Which parameters are trained: all, the language model alone, or a LoRA adapter on it."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

from agent.errors import WorkbenchError
from train.sft.settings import SftSettings

LANGUAGE_LAYERS = r".*language_model\..*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)"
"""What an adapter sits on. The vision tower has layers of the same names: hence the whole path."""


def tuned(model: Any, settings: SftSettings) -> Any:
    """The model with what is not trained frozen; wrapped where it gets an adapter."""
    model.config.use_cache = False
    if settings.kind == "lora":
        return _with_adapter(model, settings)
    model.requires_grad_(True)
    if settings.trained == "language":
        # The tower and its projector are one module; it then runs without a graph.
        model.model.visual.requires_grad_(False)
    return model


def _with_adapter(model: Any, settings: SftSettings) -> Any:
    if importlib.util.find_spec("peft") is None:
        raise WorkbenchError("LoRA needs peft: pip install 'spec-o3-workbench[train]'")
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha,
        lora_dropout=settings.lora_dropout,
        target_modules=LANGUAGE_LAYERS,
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft's, about transformers
        return get_peft_model(model, config)


def parameter_counts(model: Any) -> tuple[int, int]:
    """Trained, and all; DeepSpeed hides the sizes of those it has spread over devices."""
    sizes = [
        (weight.requires_grad, int(getattr(weight, "ds_numel", weight.numel())))
        for weight in model.parameters()
    ]
    return sum(size for trained, size in sizes if trained), sum(size for _, size in sizes)
