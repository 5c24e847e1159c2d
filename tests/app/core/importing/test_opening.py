"""Detection of the format of a list."""

import gzip
import os
from pathlib import Path

import pytest

from app.core.database.tables import MIN_TARGETID as IN_TABLES
from app.core.errors import ImportFailed
from app.core.importing.formats.byte_stream import Recoded, byte_stream
from app.core.importing.formats.cell_numbers import whole_of
from app.core.importing.formats.contents import MIN_TARGETID, column_names
from app.core.importing.importer import import_list
from tests.app.core.importing.lists import fits_bytes, joined, listed, member

CHUNK = 128 * 1024  # a whole number of the pieces in which gzip reads


@pytest.mark.parametrize(("content", "name", "said"), [
    (b"SQLite format 3\0" + b"\0" * 100, "x.speco3", "a SQLite database; merge sessions"),
    (b"\x89HDF\r\n\x1a\n", "x.h5", "HDF5"),
    (b"PK\x03\x04abc", "x.xlsx", "a spreadsheet: save it as CSV"),
    (b"PK\x03\x04abc", "x.csv", "packed with zip"),
    (bytes(range(256)) * 20, "x.csv", "format is unknown"),
    (b"", "x.csv", "it is empty"),
    (b"\n\n\n", "x.csv", "no rows"),
    (b"# only a comment\n", "x.csv", "no rows"),
    (b"name,path\n", "x.csv", "no rows"),
])  # fmt: skip
def test_what_is_no_list(session, folder, content, name, said):
    path = listed(folder, content, name)
    with pytest.raises(ImportFailed, match=said):
        import_list(session, path)


def test_the_format_goes_by_what_a_file_holds(session, folder):
    path = listed(folder, fits_bytes({"NAME": ("3A", ["abc"])}))
    assert import_list(session, path).format == "FITS"


def test_names_are_unique_numbers_whole_and_large_rows_targets():
    given = ["a", "a", "a_2", "a", "", " b\x1b ", "a_2"]
    assert column_names(given) == ["a", "a_2", "a_2_2", "a_3", "col5", "b?", "a_2_3"]
    assert len(set(column_names(["c"] * 2000 + ["c_7"] * 9))) == 2009
    written = ("3", " 3 ", "+3", "3.0", "3.000", "3e0", "3.0e+00")
    assert [whole_of(text) for text in written] == [3] * 7
    assert whole_of("9223372036854775807") == 2**63 - 1
    odd = ("", "3.5", "1_0", "nan", "inf", "1e999", "9007199254740994.0", "9" * 9000, "x", "٣.5")
    assert [whole_of(text) for text in odd] == [None] * 10
    assert MIN_TARGETID == IN_TABLES


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
        for piece in (4096, CHUNK):
            assert content_of(folder / "packed", piece) == b"first,second,third", start


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


def test_very_many_members_in_blocks_of_64_kb(folder):
    content = b"".join(b"star %06d,12.5,spectrum.fits\n" % number for number in range(200_000))
    (folder / "packed").write_bytes(joined(content, 65_280))
    assert content_of(folder / "packed", 128 * 1024) == content


def test_bytes_appended_after_opening_are_not_read(folder):
    path = listed(folder, b"abc", "growing")
    with byte_stream(path) as stream:
        with path.open("ab") as file:
            file.write(b"more")
        assert (stream.read(100), stream.read(100)) == (b"abc", b"")


def test_utf16_becomes_utf8_in_pieces_of_any_size(folder):
    (folder / "list").write_text("Hα 宽 😀", encoding="utf-16")
    with byte_stream(folder / "list") as stream:
        recoded = Recoded(stream)
        assert b"".join(iter(lambda: recoded.read(3), b"")).decode() == "Hα 宽 😀"


@pytest.mark.parametrize(("damage", "message"), [
    (lambda packed: packed[:-9], "end too early"),
    (lambda packed: packed[:10] + b"\xff" * 40, "are damaged; download the file again"),
    (lambda _: member(b"first,", CHUNK - 1) + b"\x1f", "are damaged; download the file again"),
])  # fmt: skip
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
