import bz2
import os
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits
from hypothesis import given as each
from hypothesis import strategies as some

from agent.errors import ReadError
from agent.spectra.fits import source_file
from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.source_file import UnpackedBytes, open_source, source_of
from agent.spectra.readers import read
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples
from tests.agent.spectra.readers.samples import card, opened


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "i8", "f4", "f8"])
def test_images_of_every_type(dtype: str) -> None:
    data = np.arange(12).reshape(3, 4).astype(dtype)
    hdu = opened(samples.bytes_of(fits.PrimaryHDU(data))).primary
    np.testing.assert_array_equal(hdu.image(), data)
    np.testing.assert_array_equal(hdu.image(1, 1), data[1:2])


def test_scaled_and_blank_images() -> None:
    hdu = fits.PrimaryHDU(np.array([5, 6, -99], dtype=np.int16))
    data = samples.bytes_of(hdu)
    cards = card("BSCALE  =                  0.5") + card("BZERO   =                 10.0")
    cards += card("BLANK   =                  -99") + card("END")
    data = data.replace(card("END") + b" " * 240, cards, 1)
    np.testing.assert_array_equal(opened(data).primary.image()[0], [12.5, 13.0, np.nan])


@pytest.mark.parametrize(("old", "new", "reason"), [
    ("NAXIS   =                    2", "NAXIS   =                  999", "NAXIS 999"),
    ("NAXIS   =                    2", "NAXIS   =                   -1", "NAXIS -1"),
    ("NAXIS1  =                  240", "NAXIS1  =        9999999999999", "elements|too many"),
    ("NAXIS1  =                  240", "NAXIS1  =               'long'", "NAXIS1 long"),
    ("BITPIX  =                  -32", "BITPIX  =                  -31", "BITPIX -31"),
    ("NAXIS2  =                    5", "NAXIS2  =                 5000", "cut short|MB"),
])  # fmt: skip
def test_absurd_sizes_are_compared_with_the_file_first(old: str, new: str, reason: str) -> None:
    data = samples.lamost_image().replace(old.encode(), new.encode(), 1)
    with pytest.raises(ReadError, match=reason):
        opened(data).primary.image()


def test_headers_hdus_and_values_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    start = samples.lamost_image()[:2880].replace(card("END"), b" " * 80)
    with pytest.raises(ReadError, match="larger than 1 MB"):
        opened(start + b" " * 2_000_000).get(0)
    with pytest.raises(ReadError, match="no END"):
        opened(start).get(0)
    monkeypatch.setattr("agent.spectra.fits.fits_file.MAX_HDUS", 5)
    with pytest.raises(ReadError, match="more than 5 HDUs"):
        list(opened(samples.desi()))
    monkeypatch.setattr("agent.spectra.fits.fits_file.MAX_VALUES", 100)
    monkeypatch.setattr("agent.spectra.fits.fits_table.MAX_VALUES", 100)
    with pytest.raises(ReadError, match="rows of 240 pixels, too many"):
        opened(samples.lamost_image()).primary.image()
    table = next(opened(samples.sdss()).tables()).table
    with pytest.raises(ReadError, match="too many values"):
        table.column("flux")


def test_hdus_after_the_one_read_may_be_missing() -> None:
    data = samples.sdss()
    hdu = opened(data[: len(data) - 5760]).get(1)
    assert hdu.table.column("flux").size == samples.PIXELS


@each(some.binary(max_size=3000))
def test_any_bytes_are_refused_or_read_as_fits(data: bytes) -> None:
    for start in (b"SIMPLE  =                    T".ljust(80), b""):
        try:
            for hdu in opened(start + data + b"-"):
                hdu.image()
        except ReadError as error:
            assert str(error)


@pytest.mark.parametrize(("text", "value"), [
    ("K       =                   42 / comment", 42), ("K       = -1.5E-3", -0.0015),
    ("K       = 1.5D3", 1500.0), ("K       = -.5d-1/half", -0.05), ("K       = +7", 7),
    ("K       = .5", 0.5), ("K       = 5.", 5.0), ("K       = --5", "--5"), ("K       = .", "."),
    ("K       = 1_000", "1_000"), ("K       = -inf", "-inf"), ("K       = 1-2", "1-2"),
    ("K       = F", False), ("K       = ''", ""), ("K       = 'a' 'b'", "a"),
    ("K       =                    T / yes", True),
    ("K       = 'it''s / here'      / comment", "it's / here"), ("K       = 'no end", "no end"),
    ("K       =", None), ("K         42", None), ("HIERARCH ESO OBS ID = 7 / c", None),
])  # fmt: skip
def test_card_values(text: str, value: object) -> None:
    assert Header(card(text)).value("K") == value


def test_cards_that_repeat_are_hierarchical_or_hold_numbers_as_text() -> None:
    header = Header(card("HIERARCH ESO OBS ID = 7 / c") + card("A       = 1") + card("A       = 2"))
    assert header.value("ESO OBS ID") == 7
    assert header.integer("A") == 1
    header = Header(card("A       = '126     '") + card("B       = 1E999") + card("C       = NaN"))
    assert header.integer("A") == 126
    assert header.number("B") is None
    assert header.number("C") is None


@each(some.binary(max_size=400) | some.text(max_size=400).map(str.encode))
def test_any_bytes_are_a_header(raw: bytes) -> None:
    header = Header(raw)
    for keyword in header:
        header.value(keyword)
        number = header.number(keyword)
        assert number is None or np.isfinite(number)


def test_unsigned_and_scaled_columns() -> None:
    data = samples.fits_table({"a": ("I", np.array([1, 2, 65535], dtype=np.uint16))})
    assert opened(data).get(1) is not None
    values = np.array([1, 2, 65535], dtype=np.uint16)
    hdu = fits.BinTableHDU.from_columns([fits.Column("a", "I", bzero=32768, array=values)])
    table = next(opened(samples.bytes_of(fits.PrimaryHDU(), hdu)).tables()).table
    np.testing.assert_array_equal(table.column("A"), [1, 2, 65535])


def test_columns_agree_with_astropy() -> None:
    data = samples.sdss()
    hdu = opened(data).get(2)
    assert hdu.table.text("class") == "GALAXY"
    assert hdu.table.integer("PLATE") == 266
    assert hdu.table.number("plug_ra") == 147.32107
    assert hdu.table.number("missing") is None
    assert hdu.table.number("CLASS") is None


@pytest.mark.parametrize(("old", "new", "reason"), [
    ("TFORM2  = 'E       '", "TFORM2  = '9E      '", "NAXIS1 is"),
    ("TFORM2  = 'E       '", "TFORM2  = 'ZZ      '", "no readable TFORM"),
    ("TFORM2  = 'E       '", "TFORM2  = '999999999E'", "declares 999999999"),
    ("TFIELDS =                    2", "TFIELDS =                99999", "TFIELDS 99999"),
    ("NAXIS2  =                  240", "NAXIS2  =           9999999999", "too many"),
    ("NAXIS2  =                  240", "NAXIS2  =               100000", "cut short"),
])  # fmt: skip
def test_wrong_tables(old: str, new: str, reason: str) -> None:
    columns = {"WAVE": ("D", samples.WAVELENGTH), "FLUX": ("E", samples.FLUX)}
    data = samples.fits_table(columns)
    assert old.encode() in data
    data = data.replace(old.encode().ljust(len(new)), new.encode().ljust(len(old)), 1)
    with pytest.raises(ReadError, match=reason):
        next(opened(data).tables()).table.column("FLUX")


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
