"""Merges a LoRA adapter into its base model."""

import shutil
from pathlib import Path

from agent.convert.checkpoint import ConversionError

# The tokenizer and picture settings; the weights and their index are written anew.
COPIED = ("*.json", "*.jinja", "*.txt")


def merge_adapter(base: Path, adapter: Path, into: Path) -> None:
    """Write the merged model to the folder `into` in float32, which takes 4 bytes a parameter."""
    try:
        from train.models.model_folder import load_trainable
    except ImportError as error:
        raise ConversionError(
            "merging an adapter needs torch, transformers and peft: "
            'pip install "spec-o3-workbench[gpu]"'
        ) from error
    model = load_trainable(base, adapter)
    into.mkdir(parents=True, exist_ok=True)
    for pattern in COPIED:
        for path in base.glob(pattern):
            if not path.name.endswith(".index.json"):
                shutil.copyfile(path, into / path.name)
    model.save_pretrained(into)
