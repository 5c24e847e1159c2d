"""Only a plain LoRA adapter is given to peft."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent.engines.hf.weights import check_adapter_settings
from agent.errors import EngineError

PLAIN: dict[str, Any] = {
    "peft_type": "LORA", "r": 16, "lora_alpha": 32,
    "target_modules": r".*language_model\..*\.(q_proj|k_proj|v_proj)", "init_lora_weights": True,
    "megatron_config": None, "modules_to_save": None,
    "auto_mapping": {"base_model_class": "A", "parent_library": "b"}, "rank_pattern": {},
}  # fmt: skip


def refused(**changes: object) -> str:
    with pytest.raises(EngineError, match="adapter is not a plain LoRA adapter: ") as caught:
        check_adapter_settings(Path("adapter"), {**PLAIN, **changes})
    return str(caught.value)


def test_plain_adapters_are_accepted() -> None:
    for changes in (
        {},
        {"target_modules": ["q_proj", "v_proj"]},
        {"target_modules": "all-linear"},
        {"init_lora_weights": "gaussian"},
        {"rank_pattern": {"layers.0.*q_proj": 8}, "alpha_pattern": {"q_proj": 8}},
    ):
        check_adapter_settings(Path("adapter"), {**PLAIN, **changes})


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "((a|b)*)*", "(a|a)*b", "(x?){50}", ".*.*.*.*.*q", "a" * 3000, ["(a*)*"], 7, [7]],
)
@pytest.mark.parametrize("name", ["target_modules", "exclude_modules", "layers_pattern"])
def test_a_pattern_that_may_take_for_ever_is_refused(name: str, pattern: object) -> None:
    assert name in refused(**{name: pattern})


@pytest.mark.parametrize("rank", [0, -1, 10**9, 1.5, "8", None, True])
def test_an_odd_rank_is_refused(rank: object) -> None:
    assert "rank" in refused(r=rank)
    assert "rank" in refused(rank_pattern={"q_proj": rank})


@pytest.mark.parametrize(("name", "value"), [
    ("peft_type", "ADALORA"),
    ("peft_type", None),
    ("megatron_config", {"a": 1}),
    ("layer_replication", [[0, 10**9]]),
    ("modules_to_save", ["lm_head"]),
    ("init_lora_weights", "pissa_niter_1000000"),
    ("init_lora_weights", ["eva"]),
    ("loftq_config", {"loftq_bits": 4}),
    ("rank_pattern", {"(a*)*": 8}),
    ("alpha_pattern", {"(a*)*": 8}),
])  # fmt: skip
def test_settings_of_other_adapters_are_refused(name: str, value: object) -> None:
    refused(**{name: value})
