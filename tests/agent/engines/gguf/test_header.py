"""Files that are no models, or lie about themselves, are refused before native code sees them."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agent.engines.gguf.checks import check_language_model, check_vision_part
from agent.engines.gguf.engine import GgufEngine
from agent.engines.gguf.header import BLOCKS, GgufHeader, read_gguf_header
from agent.engines.gguf.native import Native
from agent.errors import EngineError

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
        "general.architecture": "qwen2vl",
        "qwen2vl.block_count": 2,
        "qwen2vl.context_length": 4096,
        "qwen2vl.embedding_length": HIDDEN,
        "qwen2vl.feed_forward_length": 128,
        "qwen2vl.attention.head_count": HEADS,
        "qwen2vl.attention.head_count_kv": 2,
        "qwen2vl.rope.dimension_sections": [2, 3, 3, 0],
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [f"t{number}" for number in range(TOKENS)],
        "tokenizer.ggml.token_type": [1] * TOKENS,
        "tokenizer.ggml.eos_token_id": 5,
    }
    return keys, {"token_embd.weight": (HIDDEN, TOKENS)}


def pictures() -> tuple[dict[str, object], dict[str, tuple[int, ...]]]:
    keys: dict[str, object] = {
        "general.architecture": "clip",
        "clip.has_vision_encoder": True,
        "clip.projector_type": "qwen2.5vl_merger",
        "clip.vision.block_count": 1,
        "clip.vision.embedding_length": 32,
        "clip.vision.feed_forward_length": 80,
        "clip.vision.attention.head_count": 2,
        "clip.vision.patch_size": PATCH,
        "clip.vision.image_size": 560,
        "clip.vision.n_wa_pattern": 2,
        "clip.vision.image_mean": [0, 0, 0],
        "clip.vision.image_std": [1, 1, 1],
    }
    tensors = {
        "v.patch_embd.weight": (PATCH, PATCH, 3, 32),
        "v.patch_embd.weight.1": (PATCH, PATCH, 3, 32),
        "v.post_ln.weight": (32,),
    }
    linear = {
        "mm.0": (128, 128),
        "mm.2": (128, HIDDEN),
        "v.blk.0.attn_q": (32, 32),
        "v.blk.0.attn_k": (32, 32),
        "v.blk.0.attn_v": (32, 32),
        "v.blk.0.attn_out": (32, 32),
        "v.blk.0.ffn_gate": (32, 80),
        "v.blk.0.ffn_up": (32, 80),
        "v.blk.0.ffn_down": (80, 32),
    }
    for name, shape in linear.items():
        tensors |= {f"{name}.weight": shape, f"{name}.bias": shape[1:]}
    tensors |= {"v.blk.0.ln1.weight": (32,), "v.blk.0.ln2.weight": (32,)}
    return keys, tensors


def checked(path: Path, part: Path | None = None) -> object:
    language = check_language_model(read_gguf_header(path))
    return language if part is None else check_vision_part(read_gguf_header(part), language)


def test_reads_what_it_is_told(tmp_path: Path) -> None:
    words = checked(write(tmp_path / "a.gguf", *language()))
    assert (words.architecture, words.hidden, words.context_length) == ("qwen2vl", HIDDEN, 4096)
    part = checked(tmp_path / "a.gguf", write(tmp_path / "b.gguf", *pictures()))
    assert (part.projector, part.factor) == ("qwen2.5vl_merger", 28)


def test_reads_what_the_gguf_package_writes(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")
    path = tmp_path / "a.gguf"
    writer = gguf.GGUFWriter(path, "qwen2vl")
    writer.add_array("many", list(range(5000)))
    writer.add_array("few", [1, 2, 3])
    writer.add_array("words", ["a", "λ"])
    writer.add_float64("f", 0.5)
    writer.add_tensor("half", np.zeros((4, 8), np.float16))
    quantized = gguf.quants.quantize(np.ones((3, 64), np.float32), gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("q", quantized, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    header = read_gguf_header(path)
    assert header.values["f"] == 0.5
    assert header.array("few").values == (1, 2, 3)
    assert (header.array("many").count, header.array("many").values) == (5000, None)
    assert header.array("words").values == ("a", "λ")
    assert {name: entry.shape for name, entry in header.tensors.items()} == {
        "half": (8, 4),
        "q": (64, 3),
    }
    assert header.tensors["q"].bytes == 3 * 2 * 34


BEGINNINGS = {
    "empty": b"",
    "text": b"these are not the weights you look for" * 9,
    "zip": b"PK\x03\x04" + bytes(100),
    "old version": b"GGUF" + struct.pack("<IQQ", 1, 1, 1),
    "future version": b"GGUF" + struct.pack("<IQQ", 99, 1, 1),
    "other byte order": b"GGUF" + struct.pack(">IQQ", 3, 1, 1),
    "many tensors": b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 0),
    "many keys": b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60),
    "long key": b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62),
    "long text": b"GGUF"
    + struct.pack("<IQQ", 3, 0, 1)
    + text("k")
    + struct.pack("<IQ", 8, 1 << 50),
    "long list": b"GGUF"
    + struct.pack("<IQQ", 3, 0, 1)
    + text("k")
    + struct.pack("<IIQ", 9, 4, 1 << 50),
    "lists of lists": b"GGUF"
    + struct.pack("<IQQ", 3, 0, 1)
    + text("k")
    + struct.pack("<IIQ", 9, 9, 1),
    "unknown kind": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<I", 77),
    "same key twice": b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + 2 * (text("k") + value(1)),
    "many axes": b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + text("t") + struct.pack("<I", 9),
    "endless tensor": b"GGUF"
    + struct.pack("<IQQ", 3, 1, 0)
    + text("t")
    + struct.pack("<IQQIQ", 2, 1 << 31, 1 << 31, 0, 0),
    "empty side": b"GGUF"
    + struct.pack("<IQQ", 3, 1, 0)
    + text("t")
    + struct.pack("<IQIQ", 1, 0, 0, 0),
    "unknown type": b"GGUF"
    + struct.pack("<IQQ", 3, 1, 0)
    + text("t")
    + struct.pack("<IQIQ", 1, 32, 99, 0),
    "odd offset": b"GGUF"
    + struct.pack("<IQQ", 3, 1, 0)
    + text("t")
    + struct.pack("<IQIQ", 1, 8, 0, 3)
    + bytes(200),
    "far offset": b"GGUF"
    + struct.pack("<IQQ", 3, 1, 0)
    + text("t")
    + struct.pack("<IQIQ", 1, 8, 0, 1 << 63)
    + bytes(200),
    "odd alignment": b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("general.alignment") + value(0),
}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_what_is_no_gguf_file_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(BEGINNINGS[name])
    with pytest.raises(EngineError, match="not a usable GGUF file"):
        read_gguf_header(path)
    with pytest.raises(EngineError, match="not a usable GGUF file"):
        GgufEngine.load(path)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(EngineError, match="cannot be read"):
            GgufEngine.load(path)


def test_cut_off_files_are_refused_at_every_length(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.gguf", *language()).read_bytes()
    path = tmp_path / "b.gguf"
    for length in [*range(0, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(EngineError, match=r"cut off|should have|start with"):
            read_gguf_header(path)


def test_mutated_headers_are_read_or_refused(tmp_path: Path) -> None:
    """Never another exception, never an endless read."""
    language_model = check_language_model(read_gguf_header(write(tmp_path / "c.gguf", *language())))
    whole = write(tmp_path / "a.gguf", *pictures()).read_bytes()
    end = whole.index(bytes(64))
    randomness = np.random.default_rng(5)
    path = tmp_path / "b.gguf"
    refused = 0
    for _ in range(1500):
        data = bytearray(whole)
        for place in randomness.integers(4, end, randomness.integers(1, 6)):
            data[place] = randomness.choice([0, 1, 127, 128, 255, randomness.integers(256)])
        path.write_bytes(data)
        try:
            header = read_gguf_header(path)
            check_vision_part(header, language_model)
        except EngineError:
            refused += 1
        else:
            assert isinstance(header, GgufHeader)
    assert refused > 300


def _set(key: str, item: object) -> Change:
    return lambda keys, tensors: keys.update({key: item})


def _drop(key: str) -> Change:
    return lambda keys, tensors: keys.pop(key)


def _shape(name: str, *shape: int) -> Change:
    return lambda keys, tensors: tensors.update({name: shape})


LANGUAGE_FAULTS: dict[str, tuple[Change, str]] = {
    "another model": (_set("general.architecture", "llama"), "type 'llama'"),
    "no kind": (_drop("general.architecture"), "type ''"),
    "the wrong of the two": (_set("general.architecture", "clip"), "vision part"),
    "one of several parts": (_set("split.count", 3), "one of several parts"),
    "no layers": (_set("qwen2vl.block_count", 0), "block_count"),
    "too many layers": (_set("qwen2vl.block_count", 4_000_000_000), "block_count"),
    "a text for a number": (_set("qwen2vl.block_count", "2"), "block_count"),
    "no heads": (_set("qwen2vl.attention.head_count", 0), "head_count"),
    "heads that do not fit": (_set("qwen2vl.attention.head_count_kv", 3), "head counts"),
    "no key heads": (_set("qwen2vl.attention.head_count_kv", 0), "head counts"),
    "a width of no heads": (_set("qwen2vl.attention.head_count", 6), "multiple|match"),
    "sections too long": (_set("qwen2vl.rope.dimension_sections", [9, 9, 9, 0]), "sections"),
    "no sections": (_drop("qwen2vl.rope.dimension_sections"), "sections"),
    "no vocabulary": (_drop("tokenizer.ggml.tokens"), "vocabulary"),
    "numbers as words": (_set("tokenizer.ggml.tokens", [1] * TOKENS), "vocabulary"),
    "another vocabulary": (_set("tokenizer.ggml.model", "llama"), "vocabulary"),
    "too few kinds": (_set("tokenizer.ggml.token_type", [1] * 10), "token_type"),
    "an end past the end": (_set("tokenizer.ggml.eos_token_id", TOKENS), "eos token"),
    "an embedding too short": (_shape("token_embd.weight", HIDDEN, TOKENS - 1), "embedding"),
    "an embedding too narrow": (_shape("token_embd.weight", HIDDEN // 2, TOKENS), "embedding"),
    "no embedding": (lambda keys, tensors: tensors.clear(), "embedding"),
}


@pytest.mark.parametrize("name", LANGUAGE_FAULTS)
def test_faulty_language_models_are_refused(tmp_path: Path, name: str) -> None:
    change, reason = LANGUAGE_FAULTS[name]
    keys, tensors = language()
    change(keys, tensors)
    with pytest.raises(EngineError, match=reason):
        checked(write(tmp_path / "a.gguf", keys, tensors))


PICTURE_FAULTS: dict[str, tuple[Change, str]] = {
    "a language model": (_set("general.architecture", "qwen2vl"), "not a vision part"),
    "another family": (_set("clip.projector_type", "qwen3vl_merger"), "made for this model"),
    "an unknown kind": (_set("clip.projector_type", "mlp"), "made for this model"),
    "sound alone": (_drop("clip.has_vision_encoder"), "no vision encoder"),
    "no patches": (_set("clip.vision.patch_size", 0), "patch_size"),
    "other patches": (_set("clip.vision.patch_size", 16), "patch_embd"),
    "no heads": (_set("clip.vision.attention.head_count", 0), "head_count"),
    "odd heads": (_set("clip.vision.attention.head_count", 3), "head width"),
    "other merging": (_set("clip.vision.spatial_merge_size", 0), "merges"),
    "no picture size": (_drop("clip.vision.image_size"), "image_size"),
    "two colours": (_set("clip.vision.image_mean", [0, 0]), "image_mean"),
    "more layers than tensors": (_set("clip.vision.block_count", 2), "v.blk.1"),
    "a layer misshapen": (_shape("v.blk.0.attn_out.weight", 32, 16), "attn_out"),
    "a merger misshapen": (_shape("mm.2.weight", 64, HIDDEN), "mm.2"),
    "for a wider model": (_shape("mm.2.weight", 128, 2 * HIDDEN), "made for this model"),
    "feeding layers that are not there": (
        _set("clip.vision.is_deepstack_layers", [True]),
        "feeds 1 layers",
    ),
    "a window of one layer": (_set("clip.vision.n_wa_pattern", 1), "n_wa_pattern"),
    "no windows told": (_drop("clip.vision.n_wa_pattern"), "n_wa_pattern"),
    "another middle": (_set("clip.vision.feed_forward_length", 90), "ffn_up"),
    "no second patch": (lambda keys, tensors: tensors.pop("v.patch_embd.weight.1"), "patch_embd"),
}


@pytest.mark.parametrize("name", PICTURE_FAULTS)
def test_faulty_picture_parts_are_refused(tmp_path: Path, name: str) -> None:
    change, reason = PICTURE_FAULTS[name]
    keys, tensors = pictures()
    change(keys, tensors)
    words = write(tmp_path / "a.gguf", *language())
    with pytest.raises(EngineError, match=reason):
        checked(words, write(tmp_path / "b.gguf", keys, tensors))


def test_sizes_of_blocks_are_those_of_the_gguf_package() -> None:
    gguf = pytest.importorskip("gguf")
    known = {int(kind): sizes for kind, sizes in gguf.GGML_QUANT_SIZES.items()}
    assert {kind: known[kind] for kind in BLOCKS} == BLOCKS


def test_what_the_header_cannot_tell_llama_cpp_refuses(tmp_path: Path) -> None:
    """A file of the right form without the layers it names."""
    pytest.importorskip("llama_cpp")
    with pytest.raises(EngineError, match="could not load"):
        GgufEngine.load(write(tmp_path / "a.gguf", *language()), threads=1)


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 10_000}, {"context_length": 0}])
def test_absurd_options_are_refused(tmp_path: Path, options: dict[str, int]) -> None:
    with pytest.raises(EngineError, match=r"threads must be|too short"):
        GgufEngine.load(tmp_path / "none.gguf", **options)


def test_without_the_library_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "llama_cpp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(EngineError, match=r"pip install .*\[gguf\].*server") as info:
        Native()
    assert "\n" not in str(info.value)
