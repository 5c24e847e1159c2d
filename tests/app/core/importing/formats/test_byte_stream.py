import gzip
import os
from pathlib import Path

import pytest

from app.core.errors import ImportFailed
from app.core.importing.formats.byte_stream import CHUNK, Recoded, byte_stream
from tests.app.core.importing.gzip_members import joined, member


def content_of(path, piece=7):
    with byte_stream(path) as stream:
        return b"".join(iter(lambda: stream.read(piece), b""))


def test_plain_and_gzip_files_give_the_same_bytes(folder):
    (folder / "plain").write_bytes(b"abc" * 100)
    members = gzip.compress(b"abc" * 40) + gzip.compress(b"abc" * 60)
    (folder / "packed").write_bytes(members + b"\0" * 512)
    assert content_of(folder / "plain") == content_of(folder / "packed") == b"abc" * 100


@pytest.mark.parametrize("chunk", [CHUNK, 2 * CHUNK])
def test_members_may_begin_at_any_byte_of_a_read(folder, chunk):
    for start in range(chunk - 30, chunk + 4):
        packed = member(b"first,", start) + gzip.compress(b"second,") + gzip.compress(b"third")
        (folder / "packed").write_bytes(packed)
        assert content_of(folder / "packed", 4096) == b"first,second,third", start


@pytest.mark.parametrize("padding", [b"\0", b"\0" * CHUNK, b"\0" * (CHUNK + 1)])
def test_zeros_between_and_behind_members_are_padding(folder, padding):
    packed = member(b"first,", CHUNK - 1) + padding + gzip.compress(b"second") + padding
    (folder / "packed").write_bytes(packed)
    assert content_of(folder / "packed") == b"first,second"


@pytest.mark.parametrize("start", [40, CHUNK - 1, CHUNK])
@pytest.mark.parametrize("magic", [b"\x1f\x8a", b"\x1e\x8b"])
def test_a_member_whose_start_is_damaged_is_not_lost_in_silence(folder, start, magic):
    damaged = magic + gzip.compress(b"second")[2:]
    (folder / "packed").write_bytes(member(b"first,", start) + damaged)
    with pytest.raises(ImportFailed, match="gzip data are damaged"):
        content_of(folder / "packed")


def test_a_byte_of_a_member_that_was_cut_off(folder):
    (folder / "packed").write_bytes(member(b"first,", CHUNK - 1) + b"\x1f")
    with pytest.raises(ImportFailed, match="gzip data end too early"):
        content_of(folder / "packed")


def test_very_many_members_in_blocks_of_64_kb(folder):
    content = b"".join(b"star %06d,12.5,spectrum.fits\n" % number for number in range(200_000))
    (folder / "packed").write_bytes(joined(content, 65_280))
    assert content_of(folder / "packed", 128 * 1024) == content


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_that_took_the_place_of_a_file_when_it_was_opened(folder, monkeypatch):
    (folder / "file").write_bytes(b"a")
    os.mkfifo(folder / "list")
    status = (folder / "file").stat()
    monkeypatch.setattr(Path, "stat", lambda *_, **__: status)
    with pytest.raises(ImportFailed, match="it is not a regular file"):
        content_of(folder / "list")
