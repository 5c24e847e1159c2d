"""Finds, loads and saves the model folders that training starts from and makes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from agent.atomic_file import replace_folder, write_file
from agent.engines.families import read_folder, read_json
from agent.engines.hf.weights import load_model
from agent.errors import ResourceError, WorkbenchError, write_errors
from agent.models.card import REPO, Card
from agent.models.card_file import CARD_NAME, read_card, write_card
from agent.models.infer_card import make_card
from agent.models.registry import find_model
from agent.protocol.protocol import TOOL_BLOCK
from agent.rendering.model_image import Sizing
from agent.rendering.render import Style

if TYPE_CHECKING:
    from transformers import Trainer

BESIDE_WEIGHTS = (
    "tokenizer*.json", "vocab.json", "merges.txt", "added_tokens.json", "special_tokens_map.json",
    "preprocessor_config.json", "generation_config.json",
)  # fmt: skip
TEMPLATE_FILE = "chat_template.jinja"
_TOOLS_BEFORE, _TOOLS_AFTER = TOOL_BLOCK.replace("{{", "{").replace("}}", "}").split("{schemas}")

CHAT_TEMPLATE = (
    Path(__file__)
    .with_name(TEMPLATE_FILE)
    .read_text(encoding="utf-8")
    .replace("TOOLS_BEFORE", repr(_TOOLS_BEFORE))
    .replace("TOOLS_AFTER", repr(_TOOLS_AFTER))
)


def starting_folder(name: str) -> Path:
    """The folder of a model, by path, by its name in the program or on the hub; not downloaded."""
    path = Path(name).expanduser()
    if path.is_dir():
        return _not_gguf(path, name)
    try:
        model = find_model(name)
        if model.is_ready and model.folder is not None:
            return _not_gguf(model.folder, name)
    except ResourceError:
        pass
    if REPO.fullmatch(name) and (cached := _in_hub_cache(name)) is not None:
        return cached
    raise WorkbenchError(
        f"no model {name[:120]!r} on this machine: give a model's folder or `new`, or fetch it "
        f"from the hub first with: hf download {name[:120]}"
    )


def _not_gguf(folder: Path, name: str) -> Path:
    """Return the folder; raises WorkbenchError for GGUF files, which cannot be trained."""
    if not (folder / "config.json").is_file() and any(folder.glob("*.gguf")):
        raise WorkbenchError(
            f"{name[:120]} is a GGUF model: convert it to a folder to train from first, with "
            f"spec-o3-train reopen {name[:120]} FOLDER"
        )
    return folder


def _in_hub_cache(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, OSError, ValueError):
        return None


def load_trainable(folder: Path, adapter: Path | None = None) -> Any:
    """Load the model in float32, with the adapter merged into it; its files must be complete."""
    return load_model(read_folder(folder), device="cpu", dtype="float32", adapter=adapter)


def card_beside(folder: Path) -> Card | None:
    return read_card(folder) if (folder / CARD_NAME).is_file() else None


def save_weights(
    model: Any, state: Mapping[str, torch.Tensor], folder: Path, precision: torch.dtype
) -> None:
    """Write the weights and the config as in a folder of the hub."""
    cast = {
        name: weight.to(precision) if weight.is_floating_point() else weight
        for name, weight in state.items()
    }
    model.config.dtype = precision
    model.save_pretrained(folder, state_dict=cast)


def complete_folder(
    folder: Path, start: Path, *, style: Style, sizing: Sizing, **known: Any
) -> Card:
    """Add tokenizer and picture settings of `start`, chat template and a card of `known` fields."""
    for pattern in BESIDE_WEIGHTS:
        for file in start.glob(pattern):
            shutil.copyfile(file, folder / file.name)
    (folder / TEMPLATE_FILE).write_text(CHAT_TEMPLATE, encoding="utf-8")
    tokenizer = folder / "tokenizer_config.json"
    if tokenizer.is_file():
        # transformers prefers a template in the tokenizer's settings to the file.
        settings = read_json(tokenizer)
        if settings.pop("chat_template", None) is not None:
            text = json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
            write_file(tokenizer, text)
    card = make_card(folder, style=style, sizing=sizing, **known)
    write_card(card, folder)
    return card


# Fields of a card that a model trained from that one, or averaged with it, keeps.
_KEPT = (
    "style", "rules", "wording", "sizing", "sampling", "parameters", "context_length",
    "licence", "simulated_only", "tasks",
)  # fmt: skip


def kept_fields(card: Card) -> dict[str, Any]:
    return {field: getattr(card, field) for field in _KEPT}


def stored_precision(folder: Path) -> torch.dtype:
    """The precision of a folder's weights, in which those trained from it are saved."""
    config = read_json(folder / "config.json")
    text = config.get("text_config")
    nested = text if isinstance(text, dict) else {}
    names = ("dtype", "torch_dtype")
    named = next((each[key] for each in (config, nested) for key in names if key in each), None)
    return {"bfloat16": torch.bfloat16, "float16": torch.float16}.get(str(named), torch.float32)


# The tokenizer and picture settings; the weights and their index are written anew.
COPIED = ("*.json", "*.jinja", "*.txt")


def merge_adapter(base: Path, adapter: Path, into: Path) -> None:
    """Write the merged model to the folder `into` in float32, which takes 4 bytes a parameter."""
    model = load_trainable(base, adapter)
    into.mkdir(parents=True, exist_ok=True)
    for pattern in COPIED:
        for path in base.glob(pattern):
            if not path.name.endswith(".index.json"):
                shutil.copyfile(path, into / path.name)
    model.save_pretrained(into)


MODEL, ADAPTER = "model", "adapter"


def write_finished(
    trainer: Trainer, start: Path, out: Path, kind: str, complete: Callable[[Path], None]
) -> None:
    """Write `out`/model, completely or not at all; every device must call this.

    An adapter is also saved as `out`/adapter. `complete` adds the tokenizer and the card to the
    folder.
    """
    part = out / f".{MODEL}.part"
    is_first = trainer.is_world_process_zero()
    if is_first:
        shutil.rmtree(part, ignore_errors=True)
    if kind == "lora":
        trainer.save_model(str(out / ADAPTER))
        if is_first:
            merge_adapter(start, out / ADAPTER, part)
    else:
        state = trainer.accelerator.get_state_dict(trainer.model_wrapped)
        if is_first:
            model = trainer.accelerator.unwrap_model(trainer.model_wrapped)
            save_weights(model, state, part, stored_precision(start))
    if is_first:
        complete(part)
        with write_errors(out / MODEL):
            replace_folder(part, out / MODEL)
    trainer.accelerator.wait_for_everyone()
