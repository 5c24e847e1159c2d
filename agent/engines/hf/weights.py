"""Load a model's weights with transformers: device, precision, adapter.

Reads local safetensors files only and uses only transformers' own model classes.
"""

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import safe_open
from transformers.utils import logging

from agent.engines.families import ModelFolder, read_json, weight_files
from agent.engines.hf.context import explained_memory, is_out_of_memory
from agent.engines.kind import Device, Precision, is_installed
from agent.errors import EngineError

# Weight files above this size hold about 500 million parameters or more
LARGE_BYTES = 1_000_000_000

MAX_RANK = 4096
MAX_TARGETS = 2000
MAX_PATTERN = 2000
# A quantified group, or many quantifiers, can take for ever to match
_NESTED = re.compile(r"\)[*+{?]")
_QUANTIFIER = re.compile(r"[*+{]")
MAX_QUANTIFIERS = 4
# Settings that import modules, start from other weights or copy layers
REFUSED = (
    *("megatron_config", "layer_replication", "modules_to_save"),
    *("loftq_config", "eva_config", "corda_config", "lora_ga_config", "arrow_config"),
    *("trainable_token_indices", "target_parameters", "alora_invocation_tokens"),
)
_STARTS = (True, False, "gaussian", None)


def load_model(
    folder: ModelFolder, *, device: Device, dtype: Precision, adapter: Path | None = None
) -> Any:
    """Load the model for inference, with an adapter merged into it."""
    target = chosen_device(device)
    precision = chosen_dtype(dtype, target, folder.weight_bytes)
    # loads straight to the GPU, not through main memory
    placed = {"device_map": {"": "cuda"}} if target == "cuda" else {}
    model_class: Any = getattr(transformers, folder.family.model_class)
    with _quiet(), _explained_weights(folder.path), explained_memory():
        _check_parameters(model_class, folder)
        model, loading_info = model_class.from_pretrained(
            folder.path,
            dtype=precision,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            attn_implementation="sdpa",
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # reported in loading_info and rejected below
            **placed,
        )
        _reject_gaps(folder.path, loading_info)
        if adapter is not None:
            model = _adapted(model, adapter)
        if target == "mps":
            model = model.to(target)
    model.train(False)
    model.config.return_dict = True  # else the outputs have no names
    return model


def _check_parameters(model_class: Any, folder: ModelFolder) -> None:
    """Refuse a config of more parameters than the files can hold, before memory is taken for them.

    A parameter takes at least half a byte; tied ones are counted twice.
    """
    config = model_class.config_class.from_pretrained(
        folder.path, local_files_only=True, attn_implementation="sdpa"
    )
    with torch.device("meta"):
        model = model_class(config)
    described = sum(weight.numel() for weight in model.parameters())
    if described > 4 * folder.weight_bytes:
        raise EngineError(
            f"the model in {folder.path} cannot be loaded: config.json describes {described:,} "
            "parameters, more than the weight files hold; the download may be broken"
        )


def chosen_device(device: Device) -> str:
    has_mps = torch.backends.mps.is_available()
    usable = {"cuda": torch.cuda.is_available(), "mps": has_mps, "cpu": True}
    if device == "auto":
        return next(name for name, is_usable in usable.items() if is_usable)
    if not usable[device]:
        raise EngineError(f"the device {device} is not available here; use auto or cpu")
    return device


def chosen_dtype(dtype: Precision, device: str, weight_bytes: int) -> torch.dtype:
    """Return the precision; auto is bfloat16 on GPUs and for large models on CPUs with AMX."""
    if dtype == "auto":
        is_fast = device != "cpu" or (weight_bytes > LARGE_BYTES and _multiplies_bfloat16())
        return torch.bfloat16 if is_fast else torch.float32
    precision: torch.dtype = getattr(torch, dtype)
    return precision


def _multiplies_bfloat16() -> bool:
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("amx_bf16"))


def _reject_gaps(path: Path, loading_info: Any) -> None:
    # transformers initialises missing weights at random and continues
    for kind, what in (("missing_keys", "lack"), ("mismatched_keys", "have the wrong shape for")):
        keys = loading_info.get(kind) or ()
        names = sorted(str(key[0] if isinstance(key, tuple) else key) for key in keys)
        if names:
            raise EngineError(
                f"the weights in {path} {what} {names[0][:120]} and {len(names) - 1} more; "
                "the download may be broken"
            )


def _adapted(model: Any, folder: Path) -> Any:
    """Return the model with a LoRA adapter merged into its weights."""
    weights = weight_files(folder, "adapter_model")
    check_adapter_settings(folder, read_json(folder / "adapter_config.json"))
    if not is_installed("peft"):
        raise EngineError("adapters need peft: pip install peft")
    import peft

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Found missing adapter keys")  # checked below
        warnings.simplefilter("ignore", FutureWarning)  # peft's, about transformers
        try:
            adapted = peft.PeftModel.from_pretrained(model, str(folder), local_files_only=True)
        except Exception as error:  # odd settings make peft raise errors of any type
            if isinstance(error, RuntimeError) and is_out_of_memory(error):
                raise
            raise EngineError(
                f"{folder} is not an adapter of this model: {_one_line(error)}"
            ) from error
    wanted = set(peft.get_peft_model_state_dict(adapted, save_embedding_layers=False))
    names: set[str] = set()
    for path in weights:
        with safe_open(path, "pt") as file:
            names.update(file.keys())
    if wanted != names:
        raise EngineError(f"the adapter in {folder} was made for another model")
    return adapted.merge_and_unload()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


@contextmanager
def _explained_weights(path: Path) -> Iterator[None]:
    try:
        yield
    except (EngineError, MemoryError):
        raise
    except Exception as error:  # an odd config makes transformers raise errors of any type
        if isinstance(error, RuntimeError) and is_out_of_memory(error):
            raise
        raise EngineError(f"the model in {path} cannot be loaded: {_one_line(error)}") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress transformers' progress bars and advice while loading."""
    level, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if had_bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def check_adapter_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Raise EngineError unless the settings are those of a plain LoRA adapter."""
    fault = _fault(settings)
    if fault is not None:
        raise EngineError(f"{folder} is not a plain LoRA adapter: {fault}")


def _fault(settings: Mapping[str, Any]) -> str | None:
    if settings.get("peft_type") != "LORA":
        return "its peft_type is not LORA"
    for name in REFUSED:
        if settings.get(name):
            return f"it sets {name}"
    if settings.get("init_lora_weights", True) not in _STARTS:
        return "it starts from other weights"
    ranks = [settings.get("r"), *_values(settings.get("rank_pattern"))]
    if not all(type(rank) is int and 1 <= rank <= MAX_RANK for rank in ranks):
        return f"its rank is not from 1 to {MAX_RANK}"
    for name in ("target_modules", "exclude_modules", "layers_pattern"):
        if not _is_harmless(settings.get(name)):
            return f"its {name} are not names or a simple pattern"
    for name in ("rank_pattern", "alpha_pattern"):
        if not _is_harmless(list(settings.get(name) or {})):
            return f"its {name} is not a table of simple patterns"
    return None


def _values(patterns: object) -> list[Any]:
    return list(patterns.values())[:MAX_TARGETS] if isinstance(patterns, Mapping) else []


def _is_harmless(names: object) -> bool:
    """Whether peft can match these names or patterns with every layer in no time."""
    if names is None:
        return True
    patterns = [names] if isinstance(names, str) else names
    return (
        isinstance(patterns, list)
        and len(patterns) <= MAX_TARGETS
        and all(isinstance(each, str) and _is_simple(each) for each in patterns)
    )


def _is_simple(pattern: str) -> bool:
    quantifiers = len(_QUANTIFIER.findall(pattern))
    is_short = len(pattern) <= MAX_PATTERN and quantifiers <= MAX_QUANTIFIERS
    return is_short and _NESTED.search(pattern) is None
