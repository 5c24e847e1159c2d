"""Records are stored in a sixth of their size, and forged bytes unpack to nothing large."""

import hashlib
import zlib

import pytest

from agent.trajectory import compressed_text
from agent.trajectory.compressed_text import (
    DICTIONARIES,
    DICTIONARY_BYTES,
    MAX_BYTES,
    NEWEST,
    CompressedTextError,
    compress_text,
    decompress_text,
)
from agent.trajectory.trajectory_file import from_line

RELEASED = {1: "7746f5f4818a05944b149d7d8ea7f834379c3cad3ca3deba6453928a13b9b147"}
"""A session file is lost with its dictionary: none ever changes."""


def test_no_dictionary_has_changed():
    files = DICTIONARIES.glob("*.jsonl")
    found = {int(path.stem): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert found == RELEASED
    assert max(found) == NEWEST
    assert all(len(path.read_bytes()) <= DICTIONARY_BYTES for path in DICTIONARIES.glob("*.jsonl"))


def test_a_text_comes_back_as_it_was_and_what_is_short_or_long_is_not_packed():
    for text in ("Hα 宽 \U0001f31f \0" * 50, "x" * MAX_BYTES, '{"version": 1}' * 9):
        packed = compress_text(text)
        assert packed is not None and len(packed) < len(text.encode())
        assert decompress_text(packed) == text
    assert compress_text("{}") is None
    assert compress_text("x" * (MAX_BYTES + 1)) is None


def test_a_record_takes_a_sixth():
    record = (DICTIONARIES / "1.jsonl").read_text(encoding="ascii").splitlines()[1]
    # Another object, so that what differs from record to record differs here.
    other = record.translate(str.maketrans("0123456789", "5071942836"))
    packed = compress_text(other)
    assert packed is not None and 6 * len(packed) < len(other)
    assert len(packed) < 0.7 * len(zlib.compress(other.encode()))
    assert from_line(decompress_text(compress_text(record) or b"")).task == "MG"


@pytest.mark.parametrize("packed", [
    b"",
    b"\0",
    b"\1",
    b"\1nothing of zlib's",
    bytes([NEWEST + 1]) + zlib.compress(b"of a later program"),
    b"\1" + zlib.compress(b"\xff\xfe"),
    b"\1" + zlib.compress(b"and more")[:-1],
    b"\1" + zlib.compress(b"and more") + b"behind it",
    b"\1" + zlib.compress(b"x" * (MAX_BYTES + 1)),
])  # fmt: skip
def test_forged_bytes_are_refused(packed):
    with pytest.raises(CompressedTextError):
        decompress_text(packed)


def test_a_bomb_is_not_unpacked(monkeypatch):
    """A hundred megabytes in a tenth of one: no more than the limit is ever in memory."""
    bomb = b"\1" + zlib.compress(b"\0" * 100_000_000)
    sizes = []
    real = zlib.decompressobj

    class Counting:
        def __init__(self, **more):
            self.inner = real(**more)
            self.unused_data, self.eof = b"", False

        def decompress(self, some, most):
            found = self.inner.decompress(some, most)
            sizes.append(len(found))
            return found

    monkeypatch.setattr(compressed_text.zlib, "decompressobj", Counting)
    with pytest.raises(CompressedTextError):
        decompress_text(bomb)
    assert sizes == [MAX_BYTES + 1]
