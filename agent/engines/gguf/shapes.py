"""The tensor shapes that a vision part must have; llama.cpp does not check them."""

from __future__ import annotations

from collections.abc import Iterator

from agent.engines.gguf.header import GgufHeader

MERGE = 2  # patches are merged 2 by 2

Shape = tuple[int, ...]
NamedShapes = Iterator[tuple[str, Shape]]


def vision_shapes(header: GgufHeader, projector: str, out: int) -> dict[str, Shape]:
    """Return shapes by tensor name, fastest axis first; `out` is the language model's width."""
    hidden = header.integer("clip.vision.embedding_length")
    patch = header.integer("clip.vision.patch_size")
    wide = hidden * MERGE**2
    shapes: dict[str, Shape] = {
        "v.patch_embd.weight": (patch, patch, 3, hidden),
        "v.patch_embd.weight.1": (patch, patch, 3, hidden),
        **dict(_linear("mm.0", wide, wide)),
        **dict(_linear("mm.2", wide, out)),
    }
    is_qwen3 = projector == "qwen3vl_merger"
    shapes |= _qwen3_extras(header, hidden, out) if is_qwen3 else {"v.post_ln.weight": (hidden,)}
    for number in range(header.integer("clip.vision.block_count")):
        shapes |= dict(_layer(header, f"v.blk.{number}", is_qwen3=is_qwen3))
    return shapes


def _linear(name: str, width: int, rows: int) -> NamedShapes:
    yield f"{name}.weight", (width, rows)
    yield f"{name}.bias", (rows,)


def _norm(name: str, width: int) -> NamedShapes:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)


def _layer(header: GgufHeader, name: str, *, is_qwen3: bool) -> NamedShapes:
    hidden = header.integer("clip.vision.embedding_length")
    ffn = header.integer("clip.vision.feed_forward_length")
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
    side = header.integer("clip.vision.image_size") // header.integer("clip.vision.patch_size")
    wide = hidden * MERGE**2
    shapes: dict[str, Shape] = {
        "v.patch_embd.bias": (hidden,),
        "v.position_embd.weight": (hidden, side * side),
        **dict(_norm("v.post_ln", hidden)),
    }
    for number in deepstack_layers(header):
        name = f"v.deepstack.{number}"
        shapes |= dict(_norm(f"{name}.norm", wide))
        shapes |= dict(_linear(f"{name}.fc1", wide, wide))
        shapes |= dict(_linear(f"{name}.fc2", wide, out))
    return shapes


def deepstack_layers(header: GgufHeader) -> list[int]:
    """Return the vision layers whose output also feeds language layers."""
    flags = header.array("clip.vision.is_deepstack_layers").values or ()
    return [number for number, flag in enumerate(flags) if flag is True]
