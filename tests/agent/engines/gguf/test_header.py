"""Files that are no models, or lie about themselves, are refused before native code sees them."""

import struct
from pathlib import Path

import numpy as np
import pytest

from agent.engines.gguf.checks import check_language_model, check_vision_part
from agent.engines.gguf.engine import GgufEngine
from agent.engines.gguf.header import BLOCKS, GgufHeader, read_gguf_header
from agent.errors import EngineError
from tests.agent.engines.gguf.gguf_files import language, pictures, text, value, write


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
    shapes = {name: entry.shape for name, entry in header.tensors.items()}
    assert shapes == {"half": (8, 4), "q": (64, 3)}
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
        GgufEngine.load(path, path)


def test_cut_off_files_are_refused_at_every_length(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.gguf", *language()).read_bytes()
    path = tmp_path / "b.gguf"
    for length in [*range(0, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(EngineError, match=r"cut off|start with"):
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


def test_sizes_of_blocks_are_those_of_the_gguf_package() -> None:
    gguf = pytest.importorskip("gguf")
    known = {int(kind): sizes for kind, sizes in gguf.GGML_QUANT_SIZES.items()}
    assert {kind: known[kind] for kind in BLOCKS} == BLOCKS


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(EngineError, match="cannot be read"):
            GgufEngine.load(path, path)


def test_what_the_header_cannot_tell_llama_cpp_refuses(tmp_path: Path) -> None:
    """A file of the right form without the layers it names."""
    pytest.importorskip("llama_cpp")
    with pytest.raises(EngineError, match="could not load"):
        model, mmproj = (tmp_path / name for name in ("a.gguf", "b.gguf"))
        GgufEngine.load(write(model, *language()), write(mmproj, *pictures()), threads=1)


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 10_000}, {"context_length": 0}])
def test_absurd_options_are_refused(tmp_path: Path, options: dict[str, int]) -> None:
    with pytest.raises(EngineError, match=r"threads must be|too short"):
        GgufEngine.load(tmp_path / "none.gguf", tmp_path / "none.gguf", **options)
