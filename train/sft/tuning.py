"""Selects the trained parameters: all, the language model, or a LoRA adapter on it."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

from agent.errors import WorkbenchError
from train.sft.settings import SftSettings

LANGUAGE_LAYERS = r".*language_model\..*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)"
"""Layers with an adapter; the full path excludes layers of the same names in the vision tower."""


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
