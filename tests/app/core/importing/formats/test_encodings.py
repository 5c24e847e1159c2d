"""Encodings of text lists."""

from __future__ import annotations

import pytest

from tests.app.core.importing.formats.text_lists import names, opened, rows

ENCODINGS = {
    "utf-8": "Hα,中文,é",
    "utf-8-sig": "Hα,中文,é",
    "utf-16": "Hα,中文,é",
    "utf-16-be": "Hα,中文,é",
    "cp1252": "Véron,Gliese’s,±3",
    "latin-1": "Véron,São,±3",
    "gb18030": "双星系统,候选体,河北省兴隆",
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings(folder, encoding):
    text = ENCODINGS[encoding]
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    file = opened(folder, f"{mark}name,note,score\r\n{text}\r\n".encode(encoding))
    assert names(file) == ["name", "note", "score"]
    assert list(rows(file).values()) == [tuple(text.split(","))]
    is_guessed = encoding in ("cp1252", "latin-1", "gb18030")
    assert bool(file.warnings()) is is_guessed


def test_one_strange_line_far_down_is_read_and_told(folder):
    lines = [b"name,path", *(b"star%d,%d.fits" % (n, n) for n in range(20_000))]
    lines[15_000] = "Véron,x.fits".encode("latin-1")
    lines[15_001] = "Hα,y.fits".encode()
    file = opened(folder, b"\n".join(lines))
    found = rows(file)
    assert found[15_000] == ("Véron", "x.fits")
    assert found[15_001] == ("Hα", "y.fits")
    assert file.warnings() == ["1 line not in UTF-8, read as Windows-1252 (Western European)"]


def test_a_few_bytes_cut_from_utf16(folder):
    file = opened(folder, "name,path\nα,a.fits\n".encode("utf-16") + b"\x61")
    assert rows(file)[1] == ("α", "a.fits")
