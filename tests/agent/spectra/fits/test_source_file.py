import bz2
import os
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from agent.errors import ReadError
from agent.spectra.fits import source_file
from agent.spectra.fits.source_file import UnpackedBytes, open_source, source_of
from agent.spectra.readers import read
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


def bomb(size: int = 64 * 1024**2) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    start = samples.lamost_image()
    return packer.compress(start) + packer.compress(bytes(size)) + packer.flush()


def test_a_bomb_is_never_unpacked_whole(given: Given) -> None:
    unpacked = UnpackedBytes(BytesIO(bomb()))
    with pytest.raises(ReadError, match="200 times its size"):
        unpacked.read(0, 10**9)
    assert len(unpacked._unpacked) < 17 * 1024**2
    assert len(given(bomb(), "a.fits.gz")) == samples.PIXELS
    data = samples.gz(b"4000 1\n" * 4_000_000)
    with pytest.raises(ReadError, match="200 times its size"):
        given(data, "a.dat.gz")


def test_sizes_are_limited_unpacked_or_not(monkeypatch: pytest.MonkeyPatch, given: Given) -> None:
    monkeypatch.setattr(source_file, "MAX_UNPACKED_BYTES", 1000)
    monkeypatch.setattr(source_file, "CHUNK", 500)
    with pytest.raises(ReadError, match=r"unpack it \(gunzip\) first"):
        given(samples.gz(samples.lamost_image()), "a.fits.gz")
    monkeypatch.setattr(source_file, "MAX_FILE_BYTES", 1000)
    with pytest.raises(ReadError, match="larger than"):
        given(samples.lamost_image())


def test_large_plain_files_are_read_in_parts(monkeypatch: pytest.MonkeyPatch, given: Given) -> None:
    monkeypatch.setattr(source_file, "WHOLE_FILE_BYTES", 100)
    assert given(samples.desi(), row=2).flux[0] == 31.0
    with pytest.raises(ReadError, match="cut short"):
        given(samples.desi()[:-9000])


@pytest.mark.parametrize("keep", [15, 400, -20, -1])
def test_cut_gzip_is_refused(given: Given, keep: int) -> None:
    with pytest.raises(ReadError, match="gzip data end too early"):
        given(samples.gz(samples.text())[:keep], "a.dat.gz")


def test_damaged_and_empty_gzip_is_refused_and_other_packings_are_named(given: Given) -> None:
    data = bytearray(samples.gz(samples.lamost_table()))
    data[300:340] = bytes(40)
    with pytest.raises(ReadError, match="gzip data are damaged"):
        given(bytes(data), "a.fits.gz")
    with pytest.raises(ReadError):
        given(samples.gz(b""), "a.fits.gz")
    with pytest.raises(ReadError, match="packed with bzip2; unpack it first"):
        given(bz2.compress(samples.text()), "a.dat.bz2")
    with pytest.raises(ReadError, match="packed with zip"):
        given(b"PK\x03\x04" + bytes(99), "a.npz")


def test_joined_members_and_padding_are_read_like_gzip_does() -> None:
    whole = samples.text()
    joined = samples.gz(whole[:500]) + samples.gz(whole[500:]) + bytes(30)
    assert source_of(joined, "a.dat.gz").whole(10**6) == whole


@pytest.mark.parametrize("chunk", range(1, 70))
def test_members_are_joined_wherever_a_read_ends(
    monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(source_file, "CHUNK", chunk)
    parts = (b"first", b"", b"second " * 3, b"\x1f", b"last")
    joined = b"".join(map(samples.gz, parts))
    for padding in (b"", bytes(1), bytes(30), b"\x1f", b"\x1f" + bytes(9)):
        assert source_of(joined + padding, "a.gz").whole(10**6) == b"".join(parts)


@pytest.mark.parametrize("offset", range(-4, 5))
def test_no_pixel_is_lost_where_a_member_begins_at_the_end_of_a_read(
    given: Given, offset: int
) -> None:
    pixels = 26_570
    lines = [b"%.1f %d\n" % (3600.0 + 0.2 * number, number % 97) for number in range(pixels)]
    first = samples.gz(b"".join(lines[:1000]))
    # A gzip header may hold a name: that brings the second member where it is wanted.
    room = source_file.CHUNK + offset - len(first)
    named = first[:3] + b"\x08" + first[4:10] + b"n" * (room - 1) + b"\0" + first[10:]
    assert len(named) == source_file.CHUNK + offset
    spectrum = given(named + samples.gz(b"".join(lines[1000:])), "a.dat.gz")
    assert len(spectrum) == pixels


def test_a_file_of_too_many_gzip_members_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_file, "MAX_MEMBERS", 5)
    assert source_of(samples.gz(b"x") * 5, "a.gz").whole(100) == b"x" * 5
    with pytest.raises(ReadError, match=r"more than 5 gzip members; unpack it \(gunzip\) first"):
        source_of(samples.gz(b"x") * 6, "a.gz")


def test_what_is_not_a_file(tmp_path: Path, given: Given) -> None:
    with pytest.raises(ReadError, match=f"^{tmp_path.name}: it is a folder"):
        read(tmp_path)
    with pytest.raises(ReadError, match=r"^gone.fits: there is no such file"):
        read(tmp_path / "gone.fits")
    with pytest.raises(ReadError, match="there is no such file"):
        read("ftp://example.org/spectrum.fits")
    with pytest.raises(ReadError, match="cannot be opened"):
        read("nul\0byte.fits")
    with pytest.raises(ReadError, match=r"cannot be opened|no such file"):
        read("a" * 5000)
    with pytest.raises(ReadError, match="it is empty"):
        given(b"", "none.fits")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.fits")
    with pytest.raises(ReadError, match="not a regular file"):
        read(tmp_path / "pipe.fits")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_file_replaced_by_a_pipe_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe.fits")
    (tmp_path / "file.fits").write_bytes(samples.lamost_image())
    as_it_was = (tmp_path / "file.fits").stat()
    monkeypatch.setattr(Path, "stat", lambda path, **more: as_it_was)
    with pytest.raises(ReadError, match="not a regular file"):
        source_file.open_regular(tmp_path / "pipe.fits")
    stream, size = source_file.open_regular(tmp_path / "file.fits")
    with stream:
        assert len(stream.read()) == size == as_it_was.st_size


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_without_read_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.fits"
    path.write_bytes(samples.lamost_image())
    path.chmod(0)
    with pytest.raises(ReadError, match="do not have permission"):
        read(path)


def test_the_stream_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.fits"
    path.write_bytes(samples.lamost_image())
    with open_source(path) as source:
        assert source.is_fits
    path.unlink()
