"""Small model folders for the tests of cards."""

import json
import struct
from pathlib import Path


def folder_of(path: Path, model_type: str = "qwen2_5_vl", **more: object) -> Path:
    """A small folder in the hub's form; the weights are no weights."""
    path.mkdir(parents=True)
    config = {"model_type": model_type, "text_config": {"max_position_embeddings": 4096}, **more}
    (path / "config.json").write_text(json.dumps(config))
    (path / "tokenizer.json").write_text("{}")
    (path / "merges.txt").write_text("a b")
    (path / "model.safetensors").write_bytes(b"weights")
    (path / "training_args.bin").write_bytes(b"pickle")
    (path / "modeling.py").write_text("raise SystemExit")
    return path


def gguf(path: Path, architecture: str = "qwen2vl", **facts: int) -> Path:
    """A GGUF file of a few keys and no tensors."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    content = text("general.architecture") + struct.pack("<I", 8) + text(architecture)
    for key, value in facts.items():
        content += text(key.replace("__", ".")) + struct.pack("<II", 4, value)
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1 + len(facts)) + content)
    return path
