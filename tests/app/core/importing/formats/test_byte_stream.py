from __future__ import annotations

import gzip
import os

import pytest

from app.core.errors import ImportFailed
from app.core.importing.formats.byte_stream import Recoded, byte_stream


def content_of(path):
    with byte_stream(path) as stream:
        return b"".join(iter(lambda: stream.read(7), b""))


def test_plain_and_gzip_files_give_the_same_bytes(folder):
    (folder / "plain").write_bytes(b"abc" * 100)
    members = gzip.compress(b"abc" * 40) + gzip.compress(b"abc" * 60)
    (folder / "packed").write_bytes(members + b"\0" * 512)
    assert content_of(folder / "plain") == content_of(folder / "packed") == b"abc" * 100


def test_bytes_appended_after_opening_are_not_read(folder):
    path = folder / "growing"
    path.write_bytes(b"abc")
    with byte_stream(path) as stream:
        with path.open("ab") as file:
            file.write(b"more")
        assert (stream.read(100), stream.read(100)) == (b"abc", b"")


def test_utf16_becomes_utf8_in_pieces_of_any_size(folder):
    (folder / "list").write_text("Hα 宽 😀", encoding="utf-16")
    with byte_stream(folder / "list") as stream:
        recoded = Recoded(stream)
        assert b"".join(iter(lambda: recoded.read(3), b"")).decode() == "Hα 宽 😀"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda packed: packed[:-9], "end too early"),
        (lambda packed: packed[:10] + b"\xff" * 40, "are damaged; download the file again"),
    ],
)
def test_damaged_gzip_is_refused(folder, damage, message):
    (folder / "list.gz").write_bytes(damage(gzip.compress(os.urandom(999))))
    with pytest.raises(ImportFailed, match=message):
        content_of(folder / "list.gz")


def test_what_is_no_regular_file_is_refused(folder):
    with pytest.raises(ImportFailed, match="it is a folder, not a file"):
        content_of(folder)
    with pytest.raises(ImportFailed, match="it cannot be opened: No such file"):
        content_of(folder / "nothing")
    with pytest.raises(ImportFailed, match="not a valid file name"):
        content_of(folder / "a\0b")
