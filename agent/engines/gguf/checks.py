"""Which GGUF files we hand to llama.cpp: a Qwen-VL language model and the picture part made for it.

A file that lies about its sizes ends llama.cpp by an assertion, and with it the process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agent.engines.gguf.header import TEXT, ArrayValue, GgufHeader
from agent.engines.gguf.shapes import MERGE, deepstack_layers, picture_shapes
from agent.errors import EngineError

PROJECTORS = {"qwen2vl": "qwen2.5vl_merger", "qwen3vl": "qwen3vl_merger"}
"""By the architecture of the language model."""

Faults = Iterable[tuple[bool, str]]


@dataclass(frozen=True)
class LanguageFile:
    """What we need to know of a language model."""

    architecture: str
    hidden: int
    longest: int
    """Tokens it was trained to read."""
    is_f32: bool
    deepstack: int
    """Its first layers that get something of the picture too."""


@dataclass(frozen=True)
class PictureFile:
    """What we need to know of a picture part: pictures come in multiples of `factor` pixels."""

    projector: str
    factor: int


def language_file(header: GgufHeader) -> LanguageFile:
    """Check the language model's header; raises EngineError."""
    arch = header.text("general.architecture")
    if arch == "clip":
        raise EngineError(f"{header.path} is the picture part (mmproj); name the language model")
    if arch not in PROJECTORS:
        raise EngineError(
            f"{header.path} holds a model of the kind {arch!r:.40}; "
            "we run Qwen2.5-VL (qwen2vl) and Qwen3-VL (qwen3vl)"
        )
    _refuse(header, _language_faults(header, arch))
    return LanguageFile(
        arch,
        header.whole(f"{arch}.embedding_length"),
        header.whole(f"{arch}.context_length"),
        header.whole("general.file_type") == 0,
        max(0, header.whole(f"{arch}.n_deepstack_layers")),
    )


def picture_file(header: GgufHeader, language: LanguageFile) -> PictureFile:
    """Check the picture part's header, and that it belongs to the language model."""
    arch = header.text("general.architecture")
    if arch != "clip":
        raise EngineError(f"{header.path} is no picture part (mmproj) but a {arch!r:.40}")
    projector = header.text("clip.projector_type") or header.text("clip.vision.projector_type")
    wanted = PROJECTORS[language.architecture]
    if projector != wanted:
        raise EngineError(
            f"{header.path} is a picture part of the kind {projector!r:.40}, and the model takes "
            f"{wanted!r}: use the mmproj file made for this model"
        )
    _refuse(header, _picture_faults(header, projector))
    merger = header.tensors.get("mm.2.weight")
    if merger is not None and merger.shape[-1] != language.hidden:
        raise EngineError(
            f"{header.path} gives {merger.shape[-1]} numbers a token, and the model takes "
            f"{language.hidden}: use the mmproj file made for this model"
        )
    if len(deepstack_layers(header)) != language.deepstack:
        raise EngineError(
            f"{header.path} feeds other layers than the model has: "
            "use the mmproj file made for this model"
        )
    _refuse(header, _shape_faults(header, projector, language.hidden))
    return PictureFile(projector, header.whole("clip.vision.patch_size") * MERGE)


def _refuse(header: GgufHeader, faults: Faults) -> None:
    for fails, text in faults:
        if fails:
            raise EngineError(f"{header.path} is no usable GGUF file: {text}")


def _language_faults(header: GgufHeader, arch: str) -> Faults:
    yield header.whole("split.count") > 1, "it is one part of several; join them (llama-gguf-split)"
    yield from _size_faults(header, arch, ("context_length", 10_000_000))
    hidden = header.whole(f"{arch}.embedding_length")
    heads = header.whole(f"{arch}.attention.head_count")
    narrow = header.whole(f"{arch}.attention.head_count_kv")
    yield not 1 <= narrow <= heads or heads % narrow != 0, "its head counts do not fit together"
    width = header.whole(f"{arch}.attention.key_length")
    if width == -1:
        yield hidden % heads != 0, "its heads do not fill its width"
        width = hidden // heads
    yield not 2 <= width <= 65536 or width % 2 != 0, "its heads have an impossible width"
    sections = header.items(f"{arch}.rope.dimension_sections")
    yield (
        sections.count not in (3, 4) or 2 * _sum(sections) != width,
        ("its rope sections do not add up to half a head"),
    )
    tokens = header.items("tokenizer.ggml.tokens")
    yield tokens.kind != TEXT or tokens.count < 2, "it has no vocabulary"
    yield header.text("tokenizer.ggml.model") != "gpt2", "its vocabulary is not Qwen's kind"
    for key in ("token_type", "scores"):
        listed = header.values.get(f"tokenizer.ggml.{key}")
        yield (
            isinstance(listed, ArrayValue) and listed.count != tokens.count,
            (f"its list of {key} is not as long as its vocabulary"),
        )
    for key in ("eos", "bos", "padding"):
        number = header.whole(f"tokenizer.ggml.{key}_token_id")
        yield number >= tokens.count, f"its {key} token is not in its vocabulary"
    table = header.tensors.get("token_embd.weight")
    yield (
        table is None or table.shape != (hidden, tokens.count),
        ("its embedding does not fit its vocabulary"),
    )


def _picture_faults(header: GgufHeader, projector: str) -> Faults:
    yield from _size_faults(header, "clip.vision", ("patch_size", 1024))
    hidden = header.whole("clip.vision.embedding_length")
    heads = header.whole("clip.vision.attention.head_count")
    yield hidden % (4 * heads) != 0, "its heads have an impossible width"
    yield header.values.get("clip.has_vision_encoder") is not True, "it reads no pictures"
    merge = header.values.get("clip.vision.spatial_merge_size", MERGE)
    yield merge != MERGE, f"it merges patches by {merge!r:.20}, not by {MERGE}"
    side = header.whole("clip.vision.image_size")
    yield not 1 <= side <= 100_000, "it gives no usable image_size"
    every = header.whole("clip.vision.n_wa_pattern")
    yield (
        projector == "qwen2.5vl_merger" and not (every == 0 or 2 <= every <= 1000),
        ("it gives no usable n_wa_pattern"),
    )
    for key in ("image_mean", "image_std"):
        yield header.items(f"clip.vision.{key}").count != 3, f"its {key} is not of three colours"


def _shape_faults(header: GgufHeader, projector: str, out: int) -> Faults:
    for name, shape in picture_shapes(header, projector, out).items():
        entry = header.tensors.get(name)
        yield entry is None or entry.shape != shape, f"its tensor {name} is missing or misshapen"


def _size_faults(header: GgufHeader, prefix: str, extra: tuple[str, int]) -> Faults:
    bounds = (
        ("block_count", 1000),
        ("embedding_length", 100_000),
        ("feed_forward_length", 1_000_000),
        ("attention.head_count", 1000),
        extra,
    )
    for name, most in bounds:
        value = header.whole(f"{prefix}.{name}")
        yield not 1 <= value <= most, f"it gives no usable {name}"


def _sum(items: ArrayValue) -> int:
    return sum(item for item in items.values or () if isinstance(item, int))
