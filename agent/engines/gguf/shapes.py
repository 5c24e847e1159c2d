"""The tensors a picture part must hold, by its own keys. llama.cpp takes their shapes on trust."""

from __future__ import annotations

from collections.abc import Iterator

from agent.engines.gguf.header import ArrayValue, GgufHeader

MERGE = 2
"""Patches are merged two by two."""

Shape = tuple[int, ...]
Named = Iterator[tuple[str, Shape]]


def picture_shapes(header: GgufHeader, projector: str, out: int) -> dict[str, Shape]:
    """Name and shape, fastest axis first; `out` is the width of the language model."""
    hidden = header.whole("clip.vision.embedding_length")
    patch = header.whole("clip.vision.patch_size")
    wide = hidden * MERGE**2
    found: dict[str, Shape] = {
        "v.patch_embd.weight": (patch, patch, 3, hidden),
        "v.patch_embd.weight.1": (patch, patch, 3, hidden),
        **dict(_linear("mm.0", wide, wide)),
        **dict(_linear("mm.2", wide, out)),
    }
    is_qwen3 = projector == "qwen3vl_merger"
    found |= _qwen3_extras(header, hidden, out) if is_qwen3 else {"v.post_ln.weight": (hidden,)}
    for number in range(header.whole("clip.vision.block_count")):
        found |= dict(_layer(header, f"v.blk.{number}", is_qwen3=is_qwen3))
    return found


def _linear(name: str, width: int, rows: int) -> Named:
    yield f"{name}.weight", (width, rows)
    yield f"{name}.bias", (rows,)


def _norm(name: str, width: int) -> Named:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)


def _layer(header: GgufHeader, name: str, *, is_qwen3: bool) -> Named:
    hidden = header.whole("clip.vision.embedding_length")
    ffn = header.whole("clip.vision.feed_forward_length")
    yield from _linear(f"{name}.attn_out", hidden, hidden)
    yield from _linear(f"{name}.ffn_up", hidden, ffn)
    yield from _linear(f"{name}.ffn_down", ffn, hidden)
    if is_qwen3:
        yield from _linear(f"{name}.attn_qkv", hidden, 3 * hidden)
        yield from _norm(f"{name}.ln1", hidden)
        yield from _norm(f"{name}.ln2", hidden)
        return
    for letter in "qkv":
        yield from _linear(f"{name}.attn_{letter}", hidden, hidden)
    yield from _linear(f"{name}.ffn_gate", hidden, ffn)
    yield f"{name}.ln1.weight", (hidden,)
    yield f"{name}.ln2.weight", (hidden,)


def _qwen3_extras(header: GgufHeader, hidden: int, out: int) -> dict[str, Shape]:
    side = header.whole("clip.vision.image_size") // header.whole("clip.vision.patch_size")
    wide = hidden * MERGE**2
    found: dict[str, Shape] = {
        "v.patch_embd.bias": (hidden,),
        "v.position_embd.weight": (hidden, side * side),
        **dict(_norm("v.post_ln", hidden)),
    }
    for number in deepstack_layers(header):
        name = f"v.deepstack.{number}"
        found |= dict(_norm(f"{name}.norm", wide))
        found |= dict(_linear(f"{name}.fc1", wide, wide))
        found |= dict(_linear(f"{name}.fc2", wide, out))
    return found


def deepstack_layers(header: GgufHeader) -> list[int]:
    """The vision layers whose output language layers get too."""
    listed = header.values.get("clip.vision.is_deepstack_layers")
    flags = listed.values or () if isinstance(listed, ArrayValue) else ()
    return [number for number, flag in enumerate(flags) if flag is True]
