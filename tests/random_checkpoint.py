"""Model folders of any size with random weights, written with numpy alone and bit by bit.

They have the form of the hub: bfloat16 in several safetensors files with an index.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from agent.convert.shapes import read_shape
from agent.convert.targets import text_targets, vision_targets
from agent.convert.vocabulary import EXPECTED_STEPS, NEEDED

PIECE = 1 << 22
MERGES = ("Ġ t", "Ġ a", "i n", "h e")


@dataclass(frozen=True, kw_only=True)
class Widths:
    """The sizes of a Qwen2.5-VL; `heads` are 128 wide in the published ones."""

    hidden: int = 512
    ffn: int = 768
    layers: int = 9
    heads: int = 4
    kv_heads: int = 2
    vocab: int = 512
    tied: bool = True
    vision_hidden: int = 64
    vision_ffn: int = 96
    vision_layers: int = 2
    vision_heads: int = 4

    @property
    def config(self) -> dict[str, Any]:
        head = self.hidden // self.heads
        sections = [head // 8, 3 * head // 16, 3 * head // 16]
        every = max(2, self.vision_layers // 4)
        return {
            "model_type": "qwen2_5_vl",
            "hidden_size": self.hidden,
            "intermediate_size": self.ffn,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "vocab_size": self.vocab,
            "max_position_embeddings": 32768,
            "rms_norm_eps": 1e-6,
            "rope_theta": 1e6,
            "rope_scaling": {"type": "mrope", "mrope_section": sections},
            "tie_word_embeddings": self.tied,
            "vision_config": {
                "hidden_size": self.vision_hidden,
                "intermediate_size": self.vision_ffn,
                "depth": self.vision_layers,
                "num_heads": self.vision_heads,
                "patch_size": 14,
                "out_hidden_size": self.hidden,
                "fullatt_block_indexes": list(range(every - 1, self.vision_layers, every)),
                "spatial_merge_size": 2,
                "temporal_patch_size": 2,
                "window_size": 112,
                "hidden_act": "silu",
            },
        }


VISION = {"vision_hidden": 1280, "vision_ffn": 3420, "vision_layers": 32, "vision_heads": 16}
LIKE_3B = Widths(
    hidden=2048, ffn=11008, layers=36, heads=16, kv_heads=2, vocab=151_936, **VISION
)  # fmt: skip
LIKE_7B = Widths(
    hidden=3584, ffn=18944, layers=28, heads=28, kv_heads=4, vocab=152_064, tied=False, **VISION
)  # fmt: skip


def make_random_checkpoint(folder: Path, widths: Widths, *, shards: int = 2, seed: int = 0) -> Path:
    """Write the folder; weights are drawn so that numbers neither grow nor vanish from layer to
    layer."""
    folder.mkdir(parents=True)
    shape = read_shape(widths.config)
    sizes = {
        target.source: target.source_shape
        for target in [*text_targets(shape, tied=widths.tied), *vision_targets(shape)]
    }
    names, weight_map = list(sizes), {}
    random = np.random.default_rng(seed)
    for number in range(shards):
        file = f"model-{number + 1:05}-of-{shards:05}.safetensors"
        chosen = {name: sizes[name] for name in names[number::shards]}
        _write_shard(folder / file, chosen, random)
        weight_map |= {_stored_name(name): file for name in chosen}
    settings = {"image_mean": [0.5, 0.45, 0.4], "image_std": [0.27, 0.26, 0.28]}
    for name, content in (
        ("config.json", widths.config),
        ("model.safetensors.index.json", {"weight_map": weight_map}),
        ("preprocessor_config.json", settings),
        ("tokenizer.json", _tokenizer()),
    ):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def _stored_name(name: str) -> str:
    return name if name.startswith(("visual.", "lm_head.")) else f"model.{name}"


def _write_shard(
    path: Path, sizes: dict[str, tuple[int, ...]], random: np.random.Generator
) -> None:
    header, end = {}, 0
    for name, shape in sizes.items():
        begin, end = end, end + 2 * math.prod(shape)
        offsets = [begin, end]
        header[_stored_name(name)] = {"dtype": "BF16", "shape": shape, "data_offsets": offsets}
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in sizes.items():
            left = math.prod(shape)
            while left:
                count = min(left, PIECE)
                file.write(_bfloat16(_draw(random, name, shape, count)))
                left -= count


def _draw(random: np.random.Generator, name: str, shape: tuple[int, ...], count: int) -> Any:
    """Numbers from anywhere in the pool: drawing billions anew would take minutes."""
    start = int(random.integers(0, PIECE))
    numbers = np.roll(_pool(), start)[:count]
    if len(shape) == 1:
        numbers *= 0.05
        is_norm = "norm" in name or name.endswith("ln_q.weight")
        return numbers + 1 if is_norm else numbers
    spread = 0.25 if "embed_tokens" in name else math.prod(shape[1:]) ** -0.5
    numbers *= np.float32(spread)
    return numbers


@cache
def _pool() -> Any:
    return np.random.default_rng(1).standard_normal(PIECE, dtype=np.float32)


def _bfloat16(numbers: Any) -> bytes:
    """The upper halves of float32 numbers."""
    return bytes((numbers.view(np.uint32) >> 16).astype("<u2").tobytes())


def _tokenizer() -> dict[str, Any]:
    """Bytes, four merges, and the tokens that a conversation needs."""
    learned = [*_byte_letters(), *(pair.replace(" ", "") for pair in MERGES)]
    vocabulary = {token: number for number, token in enumerate(learned)}
    added = [*NEEDED, "<tool_call>", "</tool_call>"]
    return {
        "model": {"type": "BPE", "vocab": vocabulary, "merges": list(MERGES)},
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": EXPECTED_STEPS},
        "added_tokens": [
            {"content": token, "id": len(vocabulary) + number, "special": token in NEEDED}
            for number, token in enumerate(added)
        ],
    }


def _byte_letters() -> list[str]:
    """The letters that stand for the 256 bytes in every byte-level vocabulary."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters |= {byte: chr(256 + order) for order, byte in enumerate(hidden)}
    return [letters[byte] for byte in range(256)]
