"""Maps the tensors of a checkpoint to the tensors of the GGUF files, with their shapes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agent.convert.checkpoint import Checkpoint, ConversionError, StoredTensor, Weights
from agent.convert.shapes import ModelShape, TextShape, VisionShape

Cut = Literal["whole", "third", "frame"]
PIECE = 1 << 22  # Numbers of a tensor that are in memory at once: 16 MB in float32.
EMBEDDING, HEAD = "embed_tokens.weight", "lm_head.weight"


@dataclass(frozen=True)
class TensorTarget:
    """The tensor `name` of a GGUF file, made of `source`; shapes are numpy's, slowest axis first.

    The cut "third" takes the part-th third of the rows (query, key and value are stored as one),
    "frame" one of the two time steps of a convolution.
    """

    name: str
    source: str
    source_shape: tuple[int, ...]
    cut: Cut = "whole"
    part: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        if self.cut == "third":
            return (self.source_shape[0] // 3, *self.source_shape[1:])
        if self.cut == "frame":
            return self.source_shape[:2] + self.source_shape[3:]
        return self.source_shape

    def read_rows(self, source: StoredTensor, start: int, stop: int) -> Weights:
        skipped = self.part * self.shape[0] if self.cut == "third" else 0
        weights = source.read_rows(skipped + start, skipped + stop)
        return weights[:, :, self.part] if self.cut == "frame" else weights


def pieces(shape: tuple[int, ...], size: int) -> list[tuple[int, int]]:
    """First and last row (exclusive) of pieces of about `size` numbers."""
    rows, step = shape[0], max(1, size // math.prod(shape[1:]))
    return [(start, min(start + step, rows)) for start in range(0, rows, step)]


def text_targets(shape: ModelShape, *, tied: bool) -> list[TensorTarget]:
    """The tensors of the language model's file; if tied, the head is the embedding."""
    text = shape.text
    table = (text.vocab, text.hidden)
    targets = [
        TensorTarget("token_embd.weight", EMBEDDING, table),
        TensorTarget("output_norm.weight", "norm.weight", (text.hidden,)),
    ]
    if not tied:
        targets.append(TensorTarget("output.weight", HEAD, table))
    for number in range(text.layers):
        targets += _text_layer(text, number, with_biases=shape.family == "qwen2.5-vl")
    return targets


def _text_layer(text: TextShape, number: int, *, with_biases: bool) -> Iterator[TensorTarget]:
    def target(name: str, source: str, *shape: int) -> TensorTarget:
        return TensorTarget(f"blk.{number}.{name}", f"layers.{number}.{source}", shape)

    width, narrow = text.heads * text.head_dim, text.kv_heads * text.head_dim
    yield target("attn_norm.weight", "input_layernorm.weight", text.hidden)
    yield target("ffn_norm.weight", "post_attention_layernorm.weight", text.hidden)
    for letter, rows in (("q", width), ("k", narrow), ("v", narrow)):
        yield target(f"attn_{letter}.weight", f"self_attn.{letter}_proj.weight", rows, text.hidden)
        if with_biases:
            yield target(f"attn_{letter}.bias", f"self_attn.{letter}_proj.bias", rows)
        elif letter != "v":
            yield target(
                f"attn_{letter}_norm.weight", f"self_attn.{letter}_norm.weight", text.head_dim
            )
    yield target("attn_output.weight", "self_attn.o_proj.weight", text.hidden, width)
    yield target("ffn_gate.weight", "mlp.gate_proj.weight", text.ffn, text.hidden)
    yield target("ffn_up.weight", "mlp.up_proj.weight", text.ffn, text.hidden)
    yield target("ffn_down.weight", "mlp.down_proj.weight", text.hidden, text.ffn)


def vision_targets(shape: ModelShape) -> list[TensorTarget]:
    """The tensors of the vision part's file (mmproj)."""
    vision = shape.vision
    patches = (vision.hidden, 3, 2, vision.patch, vision.patch)
    source = "visual.patch_embed.proj.weight"
    tower = _qwen25_tower if shape.family == "qwen2.5-vl" else _qwen3_tower
    return [
        TensorTarget("v.patch_embd.weight", source, patches, "frame", 0),
        TensorTarget("v.patch_embd.weight.1", source, patches, "frame", 1),
        *tower(vision),
    ]


def _pair(name: str, source: str, *shape: int) -> Iterator[TensorTarget]:
    yield TensorTarget(f"{name}.weight", f"visual.{source}.weight", shape)
    yield TensorTarget(f"{name}.bias", f"visual.{source}.bias", shape[:1])


def _qwen25_tower(vision: VisionShape) -> Iterator[TensorTarget]:
    wide = vision.hidden * 4
    yield TensorTarget("v.post_ln.weight", "visual.merger.ln_q.weight", (vision.hidden,))
    yield from _pair("mm.0", "merger.mlp.0", wide, wide)
    yield from _pair("mm.2", "merger.mlp.2", vision.out, wide)
    for number in range(vision.layers):
        name, source = f"v.blk.{number}", f"blocks.{number}"
        for part, letter in enumerate("qkv"):
            for kind, tail in (("weight", (vision.hidden,)), ("bias", ())):
                shape, joint = (3 * vision.hidden, *tail), f"visual.{source}.attn.qkv.{kind}"
                yield TensorTarget(f"{name}.attn_{letter}.{kind}", joint, shape, "third", part)
        yield from _pair(f"{name}.attn_out", f"{source}.attn.proj", vision.hidden, vision.hidden)
        yield from _pair(f"{name}.ffn_gate", f"{source}.mlp.gate_proj", vision.ffn, vision.hidden)
        yield from _pair(f"{name}.ffn_up", f"{source}.mlp.up_proj", vision.ffn, vision.hidden)
        yield from _pair(f"{name}.ffn_down", f"{source}.mlp.down_proj", vision.hidden, vision.ffn)
        for norm in (1, 2):
            yield TensorTarget(
                f"{name}.ln{norm}.weight", f"visual.{source}.norm{norm}.weight", (vision.hidden,)
            )


def _qwen3_tower(vision: VisionShape) -> Iterator[TensorTarget]:
    wide = vision.hidden * 4
    yield TensorTarget("v.patch_embd.bias", "visual.patch_embed.proj.bias", (vision.hidden,))
    yield TensorTarget(
        "v.position_embd.weight", "visual.pos_embed.weight", (vision.positions, vision.hidden)
    )
    yield from _pair("v.post_ln", "merger.norm", vision.hidden)
    yield from _pair("mm.0", "merger.linear_fc1", wide, wide)
    yield from _pair("mm.2", "merger.linear_fc2", vision.out, wide)
    for order, layer in enumerate(vision.deepstack):
        name, source = f"v.deepstack.{layer}", f"deepstack_merger_list.{order}"
        yield from _pair(f"{name}.norm", f"{source}.norm", wide)
        yield from _pair(f"{name}.fc1", f"{source}.linear_fc1", wide, wide)
        yield from _pair(f"{name}.fc2", f"{source}.linear_fc2", vision.out, wide)
    for number in range(vision.layers):
        name, source = f"v.blk.{number}", f"blocks.{number}"
        yield from _pair(f"{name}.attn_qkv", f"{source}.attn.qkv", 3 * vision.hidden, vision.hidden)
        yield from _pair(f"{name}.attn_out", f"{source}.attn.proj", vision.hidden, vision.hidden)
        yield from _pair(f"{name}.ffn_up", f"{source}.mlp.linear_fc1", vision.ffn, vision.hidden)
        yield from _pair(f"{name}.ffn_down", f"{source}.mlp.linear_fc2", vision.hidden, vision.ffn)
        for norm in (1, 2):
            yield from _pair(f"{name}.ln{norm}", f"{source}.norm{norm}", vision.hidden)


def plain_name(name: str) -> str:
    """A tensor's name without the prefixes that differ between versions of transformers."""
    name = name.removeprefix("model.")
    return name.removeprefix("language_model.").removeprefix("model.")


def stored_sources(checkpoint: Checkpoint) -> dict[str, StoredTensor]:
    """The checkpoint's tensors by their names without prefixes."""
    stored: dict[str, StoredTensor] = {}
    for name, tensor in checkpoint.tensors.items():
        if stored.setdefault(plain_name(name), tensor) is not tensor:
            raise ConversionError(f"the checkpoint has {plain_name(name)} under two names")
    return stored


def is_tied(config: Mapping[str, Any], stored: Mapping[str, StoredTensor]) -> bool:
    # A config can say so in two tables, which may contradict each other.
    nested = config.get("text_config")
    parts = (config, nested if isinstance(nested, dict) else {})
    said = (part.get("tie_word_embeddings") for part in parts)
    values = {bool(each) for each in said if each is not None}
    if HEAD not in stored or EMBEDDING not in stored:
        return values != {False}
    if _are_equal(stored[HEAD], stored[EMBEDDING]):
        return True
    if values == {True}:
        raise ConversionError(
            f"the config ties head and embedding, but the checkpoint has a separate {HEAD}: "
            "set tie_word_embeddings as the model was trained"
        )
    return False


def _are_equal(one: StoredTensor, other: StoredTensor) -> bool:
    if one.shape != other.shape:
        return False
    parts = pieces(one.shape, PIECE)
    return all(np.array_equal(one.read_rows(*rows), other.read_rows(*rows)) for rows in parts)


def refuse_misfits(stored: Mapping[str, StoredTensor], targets: Sequence[TensorTarget]) -> None:
    """Raise ConversionError if a source is missing, has another shape or is not used."""
    for target in targets:
        source = stored.get(target.source)
        if source is None:
            raise ConversionError(f"the checkpoint lacks {target.source}")
        if source.shape != target.source_shape:
            raise ConversionError(
                f"{target.source} has the shape {list(source.shape)}, but by the config it should "
                f"be {list(target.source_shape)}"
            )
    unused = {name for name in stored if not name.endswith("rotary_emb.inv_freq")}
    unused -= {target.source for target in targets} | {HEAD}
    if unused:
        raise ConversionError(
            f"the checkpoint has {len(unused)} tensors that Qwen's models do not, such as "
            f"{min(unused)}: is it an adapter, or quantized?"
        )
