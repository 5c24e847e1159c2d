"""GGUF files with zeros for weights, for tests of their headers."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

from agent.engines.gguf.checks import check_language_model, check_vision_part
from agent.engines.gguf.header import read_gguf_header

HIDDEN, HEADS, PATCH, TOKENS = 64, 4, 14, 300
Change = Callable[[dict[str, object], dict[str, tuple[int, ...]]], None]


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value(item: object) -> bytes:
    """A value with its kind before it."""
    match item:
        case bool():
            return struct.pack("<I?", 7, item)
        case int():
            return struct.pack("<II", 4, item)
        case float():
            return struct.pack("<If", 6, item)
        case str():
            return struct.pack("<I", 8) + text(item)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(item)) + b"".join(map(text, item))
        case [bool(), *_]:
            return struct.pack(f"<IIQ{len(item)}?", 9, 7, len(item), *item)
        case list():
            return struct.pack(f"<IIQ{len(item)}i", 9, 5, len(item), *item)
    raise TypeError(item)


def write(path: Path, keys: dict[str, object], tensors: dict[str, tuple[int, ...]]) -> Path:
    """A GGUF file with zeros for weights, all float32."""
    out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)))
    for key, item in keys.items():
        out += text(key) + value(item)
    offset = 0
    for name, shape in tensors.items():
        out += text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        out += struct.pack("<IQ", 0, offset)
        offset += -(-4 * int(np.prod(shape)) // 32) * 32
    out += bytes(-len(out) % 32 + offset)
    path.write_bytes(out)
    return path


def language() -> tuple[dict[str, object], dict[str, tuple[int, ...]]]:
    keys: dict[str, object] = {
        "general.architecture": "qwen2vl", "qwen2vl.block_count": 2,
        "qwen2vl.context_length": 4096, "qwen2vl.embedding_length": HIDDEN,
        "qwen2vl.feed_forward_length": 128, "qwen2vl.attention.head_count": HEADS,
        "qwen2vl.attention.head_count_kv": 2, "qwen2vl.rope.dimension_sections": [2, 3, 3, 0],
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [f"t{number}" for number in range(TOKENS)],
        "tokenizer.ggml.token_type": [1] * TOKENS, "tokenizer.ggml.eos_token_id": 5,
    }  # fmt: skip
    return keys, {"token_embd.weight": (HIDDEN, TOKENS)}


def pictures() -> tuple[dict[str, object], dict[str, tuple[int, ...]]]:
    keys: dict[str, object] = {
        "general.architecture": "clip", "clip.has_vision_encoder": True,
        "clip.projector_type": "qwen2.5vl_merger", "clip.vision.block_count": 1,
        "clip.vision.embedding_length": 32, "clip.vision.feed_forward_length": 80,
        "clip.vision.attention.head_count": 2, "clip.vision.patch_size": PATCH,
        "clip.vision.image_size": 560, "clip.vision.n_wa_pattern": 2,
        "clip.vision.image_mean": [0, 0, 0], "clip.vision.image_std": [1, 1, 1],
    }  # fmt: skip
    tensors = {
        "v.patch_embd.weight": (PATCH, PATCH, 3, 32),
        "v.patch_embd.weight.1": (PATCH, PATCH, 3, 32),
        "v.post_ln.weight": (32,),
    }
    linear = {
        "mm.0": (128, 128), "mm.2": (128, HIDDEN), "v.blk.0.attn_q": (32, 32),
        "v.blk.0.attn_k": (32, 32), "v.blk.0.attn_v": (32, 32), "v.blk.0.attn_out": (32, 32),
        "v.blk.0.ffn_gate": (32, 80), "v.blk.0.ffn_up": (32, 80), "v.blk.0.ffn_down": (80, 32),
    }  # fmt: skip
    for name, shape in linear.items():
        tensors |= {f"{name}.weight": shape, f"{name}.bias": shape[1:]}
    tensors |= {"v.blk.0.ln1.weight": (32,), "v.blk.0.ln2.weight": (32,)}
    return keys, tensors


def checked(path: Path, part: Path | None = None) -> object:
    language = check_language_model(read_gguf_header(path))
    return language if part is None else check_vision_part(read_gguf_header(part), language)


def set_key(key: str, item: object) -> Change:
    return lambda keys, tensors: keys.update({key: item})


def drop_key(key: str) -> Change:
    return lambda keys, tensors: keys.pop(key)


def set_shape(name: str, *shape: int) -> Change:
    return lambda keys, tensors: tensors.update({name: shape})
