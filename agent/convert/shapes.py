"""Reads a model's shape from its config and refuses shapes that llama.cpp computes differently.

llama.cpp has much of Qwen's vision tower hard-coded (windows of 112 pixels, merging of 2 x 2
patches, full attention in every n-th layer). It runs models that differ, but their output is
nonsense.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isqrt
from typing import Any, Literal

from agent.checked_toml import printable
from agent.convert.checkpoint import ConversionError

Family = Literal["qwen2.5-vl", "qwen3-vl"]
FAMILIES: dict[str, Family] = {"qwen2_5_vl": "qwen2.5-vl", "qwen3_vl": "qwen3-vl"}
PATCH: dict[Family, int] = {"qwen2.5-vl": 14, "qwen3-vl": 16}
VISION_ACT: dict[Family, tuple[str, ...]] = {
    "qwen2.5-vl": ("silu",),
    "qwen3-vl": ("gelu_pytorch_tanh",),
}
WINDOW = 112
MERGE = 2
VISION_THETA = 10000.0
VISION_EPS = 1e-6  # Epsilon of the vision tower's norms, which no config has

Faults = Iterable[tuple[bool, str]]


@dataclass(frozen=True, kw_only=True)
class TextShape:
    """The language model."""

    vocab: int
    hidden: int
    ffn: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    context: int
    eps: float
    theta: float
    sections: tuple[int, ...]  # number of rotary pairs of each head for time, height and width


@dataclass(frozen=True, kw_only=True)
class VisionShape:
    """The vision tower; `whole_every` is 0 if every layer has full attention."""

    hidden: int
    ffn: int
    layers: int
    heads: int
    patch: int
    out: int
    whole_every: int = 0
    positions: int = 0  # learned positions, a square number (Qwen3-VL)
    deepstack: tuple[int, ...] = ()
    """Layers whose output is added to the first language layers (Qwen3-VL)."""


@dataclass(frozen=True)
class ModelShape:
    family: Family
    text: TextShape
    vision: VisionShape


def read_shape(config: Mapping[str, Any]) -> ModelShape:
    """Read the shape of a Qwen2.5-VL or Qwen3-VL; raises ConversionError for other models."""
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ConversionError(
            f"a model of type {kind!r:.40} cannot be converted: only Qwen2.5-VL and Qwen3-VL can"
        )
    family = FAMILIES[kind]
    nested = config.get("text_config")
    # Older configs of the hub have the language model's values at the top level.
    text_config = {**config, **nested} if isinstance(nested, dict) else dict(config)
    vision_config = config.get("vision_config")
    if not isinstance(vision_config, dict):
        raise ConversionError("the config has no vision_config")
    text = _text_shape(text_config, family)
    vision = _vision_shape(vision_config, family)
    _refuse(_text_faults(text, text_config, family))
    _refuse(_vision_faults(vision, vision_config, family))
    _refuse(_pair_faults(text, vision))
    return ModelShape(family, text, vision)


def _refuse(faults: Faults) -> None:
    for fails, text in faults:
        if fails:
            text = printable(text, 200)
            raise ConversionError(f"llama.cpp cannot run this model correctly: {text}")


def _text_shape(text: dict[str, Any], family: Family) -> TextShape:
    hidden, heads = _count(text, "hidden_size"), _count(text, "num_attention_heads")
    rope = _rope(text)
    # Qwen2.5 has no such key: its heads divide the hidden width.
    head_dim = text.get("head_dim", 128) if family == "qwen3-vl" else max(1, hidden // heads)
    return TextShape(
        vocab=_count(text, "vocab_size"),
        hidden=hidden,
        ffn=_count(text, "intermediate_size"),
        layers=_count(text, "num_hidden_layers", most=1000),
        heads=heads,
        kv_heads=_count(text, "num_key_value_heads"),
        head_dim=_count({"head_dim": head_dim}, "head_dim"),
        context=_count(text, "max_position_embeddings", most=100_000_000),
        eps=_number(text, "rms_norm_eps"),
        theta=_number({**text, **rope}, "rope_theta"),
        sections=_ints(rope, "mrope_section"),
    )


def _rope(text: Mapping[str, Any]) -> dict[str, Any]:
    rope = text.get("rope_parameters") or text.get("rope_scaling")
    if not isinstance(rope, dict):
        raise ConversionError("the config has no rope_parameters with an mrope_section")
    return rope


def _text_faults(text: TextShape, config: Mapping[str, Any], family: Family) -> Faults:
    rope = _rope(config)
    kind = rope.get("rope_type", rope.get("type"))
    divides = family != "qwen2.5-vl" or text.heads * text.head_dim == text.hidden
    yield not divides, f"its hidden_size {text.hidden} is not a multiple of its {text.heads} heads"
    yield kind not in ("default", "mrope", None), f"its rope is scaled ({kind})"
    yield len(text.sections) != 3, "mrope_section must hold three numbers"
    yield (
        2 * sum(text.sections) != text.head_dim,
        f"mrope_section {list(text.sections)} does not add up to half a head of {text.head_dim}",
    )
    spare = text.heads % text.kv_heads
    yield spare != 0, "the number of heads is not a multiple of key-value heads"
    yield config.get("hidden_act", "silu") != "silu", "its activation is not silu"
    yield bool(config.get("use_sliding_window")), "it uses a sliding window"
    kinds = config.get("layer_types") or []
    is_whole = isinstance(kinds, list) and all(each == "full_attention" for each in kinds)
    yield not is_whole, "not all its layers use full attention"
    yield bool(config.get("attention_bias", False)), "its attention has biases, unlike Qwen's"


def _vision_shape(vision: dict[str, Any], family: Family) -> VisionShape:
    shape: dict[str, Any] = {
        "hidden": _count(vision, "hidden_size"),
        "ffn": _count(vision, "intermediate_size"),
        "layers": _count(vision, "depth", most=1000),
        "heads": _count(vision, "num_heads"),
        "patch": _count(vision, "patch_size"),
        "out": _count(vision, "out_hidden_size"),
    }
    if family == "qwen3-vl":
        return VisionShape(
            **shape,
            positions=_count(vision, "num_position_embeddings"),
            deepstack=_ints(vision, "deepstack_visual_indexes"),
        )
    whole = _ints(vision, "fullatt_block_indexes")
    return VisionShape(**shape, whole_every=_period(whole, shape["layers"]))


def _period(whole: tuple[int, ...], layers: int) -> int:
    """The period n of full attention in every n-th layer; 0 if all layers have it."""
    if whole == tuple(range(layers)):
        return 0
    every = whole[0] + 1 if whole else 0
    if every < 2 or whole != tuple(range(every - 1, layers, every)):
        raise ConversionError(
            "llama.cpp cannot run this model correctly: its fullatt_block_indexes "
            f"{list(whole)[:20]} are not every n-th of {layers} layers, n >= 2"
        )
    return every


def _vision_faults(shape: VisionShape, config: Mapping[str, Any], family: Family) -> Faults:
    is_qwen25 = family == "qwen2.5-vl"
    yield shape.patch != PATCH[family], f"patches of {shape.patch} pixels, not {PATCH[family]}"
    merge = config.get("spatial_merge_size")
    yield merge != MERGE, f"spatial_merge_size is {merge}, not {MERGE}"
    yield config.get("temporal_patch_size") != 2, "temporal_patch_size is not 2"
    channels = config.get("in_channels", config.get("in_chans", 3))
    yield channels != 3, f"pictures of {channels} channels"
    window = config.get("window_size")
    yield is_qwen25 and window != WINDOW, f"window_size is {window}, not {WINDOW}"
    act = config.get("hidden_act")
    yield act not in VISION_ACT[family], f"the vision tower's activation is {act}"
    theta = (config.get("rope_parameters") or {}).get("rope_theta", VISION_THETA)
    yield theta != VISION_THETA, f"the vision tower's rope_theta is {theta}, not 10000"
    yield shape.hidden % (4 * shape.heads) != 0, "vision heads must be a multiple of 4 wide"
    yield (
        is_qwen25 and shape.ffn == shape.hidden,
        f"the vision tower's intermediate_size equals its hidden_size ({shape.hidden}), which "
        "llama.cpp takes for an old file with up and down swapped",
    )
    is_square = isqrt(shape.positions) ** 2 == shape.positions
    yield not is_square, f"{shape.positions} position embeddings, which is not a square number"
    ascending = list(shape.deepstack) == sorted(set(shape.deepstack))
    inside = all(0 <= tap < shape.layers for tap in shape.deepstack)
    yield not (ascending and inside), "deepstack_visual_indexes are not ascending layers"


def _pair_faults(text: TextShape, vision: VisionShape) -> Faults:
    out = f"the vision tower gives {vision.out} numbers a token, the language model takes"
    yield vision.out != text.hidden, f"{out} {text.hidden}"
    yield len(vision.deepstack) > text.layers, "more deepstack layers than language layers"


def _count(config: Mapping[str, Any], key: str, most: int = 10_000_000) -> int:
    value = config.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ConversionError(f"the config gives no usable {key} ({value!r:.40})")
    return value


def _number(config: Mapping[str, Any], key: str) -> float:
    value = config.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e12:
        raise ConversionError(f"the config gives no usable {key} ({value!r:.40})")
    return float(value)


def _ints(config: Mapping[str, Any], key: str) -> tuple[int, ...]:
    value = config.get(key)
    items = value if isinstance(value, list) and len(value) <= 1000 else [None]
    if not all(isinstance(item, int) and 0 <= item <= 10_000 for item in items):
        raise ConversionError(f"the config gives no usable {key} ({value!r:.40})")
    return tuple(items)
