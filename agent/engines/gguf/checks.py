"""Check the headers of GGUF files: a Qwen-VL language model and its vision part (mmproj).

Inconsistent sizes trip an assertion in llama.cpp, which aborts the whole process.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agent.engines.gguf.header import TEXT, ArrayValue, GgufHeader
from agent.errors import EngineError

# The vision projector that belongs to each language architecture
PROJECTORS = {"qwen2vl": "qwen2.5vl_merger", "qwen3vl": "qwen3vl_merger"}

F32 = 0  # of ggml_type
Faults = Iterable[tuple[bool, str]]

MERGE = 2  # patches are merged 2 by 2

Shape = tuple[int, ...]
NamedShapes = Iterator[tuple[str, Shape]]


@dataclass(frozen=True)
class LanguageFile:
    """The properties of a language model that we use."""

    architecture: str
    hidden: int
    context_length: int  # the context it was trained with, in tokens
    is_f32: bool
    deepstack: int  # the number of first layers that also receive vision features


def check_language_model(header: GgufHeader) -> LanguageFile:
    """Check the header of a language model. Raises EngineError."""
    arch = header.text("general.architecture")
    if arch == "clip":
        raise EngineError(f"{header.path} is the vision part (mmproj); give the language model")
    if arch not in PROJECTORS:
        raise EngineError(
            f"{header.path} holds a model of type {arch!r:.40}; "
            "supported are Qwen2.5-VL (qwen2vl) and Qwen3-VL (qwen3vl)"
        )
    _raise_fault(header, _language_faults(header, arch))
    names = ("embedding_length", "context_length", "n_deepstack_layers")
    width, context, deepstack = (header.integer(f"{arch}.{name}") for name in names)
    is_f32 = header.integer("general.file_type") == 0
    return LanguageFile(arch, width, context, is_f32, max(0, deepstack))


def check_vision_part(header: GgufHeader, language: LanguageFile) -> int:
    """Check the header of a vision part and that it fits the language model.

    Returns the factor of which picture sides are multiples, in pixels.
    """
    arch = header.text("general.architecture")
    if arch != "clip":
        raise EngineError(f"{header.path} is not a vision part (mmproj) but a {arch!r:.40}")
    projector = header.text("clip.projector_type") or header.text("clip.vision.projector_type")
    wanted = PROJECTORS[language.architecture]
    if projector != wanted:
        raise EngineError(
            f"{header.path} is a vision part of type {projector!r:.40}, but the model needs "
            f"{wanted!r}: use the mmproj file made for this model"
        )
    _raise_fault(header, _vision_faults(header, projector))
    merger = header.tensors.get("mm.2.weight")
    if merger is not None and merger.shape[-1] != language.hidden:
        raise EngineError(
            f"{header.path} has vision tokens of width {merger.shape[-1]}, but the model needs "
            f"{language.hidden}: use the mmproj file made for this model"
        )
    if len(deepstack_layers(header)) != language.deepstack:
        raise EngineError(
            f"{header.path} feeds {len(deepstack_layers(header))} layers, but the model has "
            f"{language.deepstack} such layers: use the mmproj file made for this model"
        )
    _raise_fault(header, _shape_faults(header, projector, language.hidden))
    return header.integer("clip.vision.patch_size") * MERGE


def _raise_fault(header: GgufHeader, faults: Faults) -> None:
    for fails, text in faults:
        if fails:
            raise EngineError(f"{header.path} is not a usable GGUF file: {text}")


def _language_faults(header: GgufHeader, arch: str) -> Faults:
    files = header.integer("split.count")
    yield files > 1, "it is one of several parts; join them with llama-gguf-split"
    yield from _size_faults(header, arch, ("context_length", 10_000_000))
    hidden = header.integer(f"{arch}.embedding_length")
    heads = header.integer(f"{arch}.attention.head_count")
    kv_heads = header.integer(f"{arch}.attention.head_count_kv")
    yield not 1 <= kv_heads <= heads or heads % kv_heads != 0, "its head counts do not match"
    width = header.integer(f"{arch}.attention.key_length")
    if width == -1:
        yield hidden % heads != 0, "its width is not a multiple of its head count"
        width = hidden // heads
    yield not 2 <= width <= 65536 or width % 2 != 0, "its head width is impossible"
    sections = header.array(f"{arch}.rope.dimension_sections")
    pairs = sum(item for item in sections.values or () if isinstance(item, int))
    add_up = sections.count in (3, 4) and 2 * pairs == width
    yield not add_up, "its rope sections do not add up to half a head"
    tokens = header.array("tokenizer.ggml.tokens")
    yield tokens.kind != TEXT or tokens.count < 2, "it has no vocabulary"
    yield header.text("tokenizer.ggml.model") != "gpt2", "its vocabulary is not of Qwen's type"
    for key in ("token_type", "scores"):
        listed = header.values.get(f"tokenizer.ggml.{key}")
        differs = isinstance(listed, ArrayValue) and listed.count != tokens.count
        yield differs, f"its list of {key} is not as long as its vocabulary"
    for key in ("eos", "bos", "padding"):
        number = header.integer(f"tokenizer.ggml.{key}_token_id")
        yield number >= tokens.count, f"its {key} token is not in its vocabulary"
    table = header.tensors.get("token_embd.weight")
    matches = table is not None and table.shape == (hidden, tokens.count)
    yield not matches, "its embedding does not match its vocabulary"
    yield from _type_faults(header)


def _vision_faults(header: GgufHeader, projector: str) -> Faults:
    yield from _size_faults(header, "clip.vision", ("patch_size", 1024))
    hidden = header.integer("clip.vision.embedding_length")
    heads = header.integer("clip.vision.attention.head_count")
    yield hidden % (4 * heads) != 0, "its head width is impossible"
    yield header.values.get("clip.has_vision_encoder") is not True, "it has no vision encoder"
    merge = header.values.get("clip.vision.spatial_merge_size", MERGE)
    yield merge != MERGE, f"it merges patches by {merge!r:.20} instead of {MERGE}"
    side = header.integer("clip.vision.image_size")
    yield not 1 <= side <= 100_000, "its image_size is unusable"
    every = header.integer("clip.vision.n_wa_pattern")
    is_usable = projector != "qwen2.5vl_merger" or every == 0 or 2 <= every <= 1000
    yield not is_usable, "its n_wa_pattern is unusable"
    for key in ("image_mean", "image_std"):
        yield header.array(f"clip.vision.{key}").count != 3, f"its {key} does not have three values"


def _shape_faults(header: GgufHeader, projector: str, out: int) -> Faults:
    for name, shape in vision_shapes(header, projector, out).items():
        entry = header.tensors.get(name)
        fits = entry is not None and entry.shape == shape
        yield not fits, f"its tensor {name} is missing or has the wrong shape"
    yield from _type_faults(header)


def _type_faults(header: GgufHeader) -> Faults:
    """llama.cpp adds and multiplies norms and biases in full precision, and aborts otherwise."""
    for name, entry in header.tensors.items():
        is_vector = len(entry.shape) == 1
        yield is_vector and entry.kind != F32, f"its tensor {name} is not of 32-bit floats"


def _size_faults(header: GgufHeader, prefix: str, extra: tuple[str, int]) -> Faults:
    bounds = (
        ("block_count", 1000), ("embedding_length", 100_000), ("feed_forward_length", 1_000_000),
        ("attention.head_count", 1000), extra,
    )  # fmt: skip
    for name, most in bounds:
        value = header.integer(f"{prefix}.{name}")
        yield not 1 <= value <= most, f"its {name} is missing or out of range"


# The tensor shapes that a vision part must have; llama.cpp does not check them.
def vision_shapes(header: GgufHeader, projector: str, out: int) -> dict[str, Shape]:
    """Return shapes by tensor name, fastest axis first; `out` is the language model's width."""
    hidden = header.integer("clip.vision.embedding_length")
    patch = header.integer("clip.vision.patch_size")
    wide = hidden * MERGE**2
    shapes: dict[str, Shape] = {
        "v.patch_embd.weight": (patch, patch, 3, hidden),
        "v.patch_embd.weight.1": (patch, patch, 3, hidden),
        **dict(_pair("mm.0", wide, wide)),
        **dict(_pair("mm.2", wide, out)),
    }
    is_qwen3 = projector == "qwen3vl_merger"
    shapes |= _qwen3_extras(header, hidden, out) if is_qwen3 else {"v.post_ln.weight": (hidden,)}
    for number in range(header.integer("clip.vision.block_count")):
        shapes |= dict(_layer(header, f"v.blk.{number}", is_qwen3=is_qwen3))
    return shapes


def _pair(name: str, *shape: int) -> NamedShapes:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[-1:]


def _layer(header: GgufHeader, name: str, *, is_qwen3: bool) -> NamedShapes:
    hidden = header.integer("clip.vision.embedding_length")
    ffn = header.integer("clip.vision.feed_forward_length")
    yield from _pair(f"{name}.attn_out", hidden, hidden)
    yield from _pair(f"{name}.ffn_up", hidden, ffn)
    yield from _pair(f"{name}.ffn_down", ffn, hidden)
    if is_qwen3:
        yield from _pair(f"{name}.attn_qkv", hidden, 3 * hidden)
        yield from _pair(f"{name}.ln1", hidden)
        yield from _pair(f"{name}.ln2", hidden)
        return
    for letter in "qkv":
        yield from _pair(f"{name}.attn_{letter}", hidden, hidden)
    yield from _pair(f"{name}.ffn_gate", hidden, ffn)
    yield f"{name}.ln1.weight", (hidden,)
    yield f"{name}.ln2.weight", (hidden,)


def _qwen3_extras(header: GgufHeader, hidden: int, out: int) -> dict[str, Shape]:
    side = header.integer("clip.vision.image_size") // header.integer("clip.vision.patch_size")
    wide = hidden * MERGE**2
    shapes: dict[str, Shape] = {
        "v.patch_embd.bias": (hidden,),
        "v.position_embd.weight": (hidden, side * side),
        **dict(_pair("v.post_ln", hidden)),
    }
    for number in deepstack_layers(header):
        name = f"v.deepstack.{number}"
        shapes |= dict(_pair(f"{name}.norm", wide))
        shapes |= dict(_pair(f"{name}.fc1", wide, wide))
        shapes |= dict(_pair(f"{name}.fc2", wide, out))
    return shapes


def deepstack_layers(header: GgufHeader) -> list[int]:
    """Return the vision layers whose output also feeds language layers."""
    flags = header.array("clip.vision.is_deepstack_layers").values or ()
    return [number for number, flag in enumerate(flags) if flag is True]
