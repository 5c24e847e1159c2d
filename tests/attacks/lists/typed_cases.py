"""Crafted VOTables and FITS tables."""

import base64
import gzip

from tests.agent.votable.tables import BOMB, GOOD, HEAD, rows_of, stream, table
from tests.app.core.importing.lists import fits_bytes
from tests.attacks.lists.case import Case, file, noise, pieces

TEXT = '<FIELD name="name" datatype="char" arraysize="*"/>'
START = f"<VOTABLE><RESOURCE><TABLE>{TEXT}".encode()
END = b"<DATA><TABLEDATA><TR><TD>a</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>"
ROWS = START + b"<DATA><TABLEDATA>"
ROWS_END = b"</TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>"
NOISE = noise(3500).hex().encode() + b"a" * 993_000
MUCH = "without a row"
ATTRIBUTES = " ".join(f"a{n}=''" for n in range(9000))


def xml(text: str, expected: int | str | None = None) -> Case:
    return file(text, expected, "list.vot")


def long_xml(*parts: tuple[bytes, int], expected: int | str | None) -> Case:
    return pieces(*parts, expected=expected, name="list.vot.gz")


def binary(raw: bytes, fields: str = TEXT) -> str:
    return table(stream(base64.b64encode(raw).decode()), fields=fields)


def fields_of(count: int, arraysize: str, datatype: str = "char") -> str:
    return f'<FIELD name="a" datatype="{datatype}" arraysize="{arraysize}"/>' * count


VOTABLES: dict[str, Case] = {
    "names of columns of 1 MB": long_xml(
        (START, 1), (b'<FIELD name="' + NOISE + b'" datatype="int"/>', 60), (END, 1),
        expected=MUCH,
    ),
    "names of attributes of 1 MB": long_xml(
        (START, 1), (b"<PARAM x" + NOISE + b'="a"/>', 9), (END, 1), expected="100 characters"
    ),
    "names of elements of 1 MB": long_xml(
        (START, 1), (b"<x" + NOISE + b"/>", 9), (END, 1), expected="100 characters"
    ),
    "50,000 names": long_xml(
        (START + b"".join(b"<x%d/>" % n for n in range(50_000)), 1), (END, 1), expected="names"
    ),
    "many attributes": xml(f"<VOTABLE {ATTRIBUTES}/>", "too many names"),
    "an attribute of 2 MB": xml(f'<VOTABLE a="{"x" * 2_000_000}"/>', "more than 1 MB"),
    "params without end": long_xml((START, 1), (b"<PARAM/>", 4_000_000), (END, 1), expected=MUCH),
    "a description of 60 MB": long_xml(
        (START + b"<DESCRIPTION>", 1), (NOISE, 60), (b"</DESCRIPTION>" + END, 1), expected=MUCH
    ),
    "comments without end": pieces(
        (START, 1), (b"<!-- -->", 4_300_000), (END, 1), expected=MUCH, name="list.vot"
    ),
    "a comment of 3 MB": xml("<VOTABLE><!--" + "x" * 3_000_000, "more than 1 MB"),
    "rows without cells": long_xml((ROWS, 1), (b"<TR/>", 100_000), (ROWS_END, 1),
                                   expected="can be used"),
    "elements among the rows": long_xml(
        (ROWS + b"<TR><TD>a</TD></TR>", 1), (b"<x/>", 600_000), (ROWS_END, 1), expected=MUCH
    ),
    "rows of 60 MB": pieces(
        (b"<VOTABLE><RESOURCE><TABLE>" + TEXT.encode() * 1900 + b"<DATA><TABLEDATA>", 1),
        *((b"<TR>", 1), (b"<TD>" + b"x" * 32_000 + b"</TD>", 1900), (b"</TR>", 1)) * 2,
        (ROWS_END, 1), expected=MUCH, name="list.vot",
    ),
    "rows of 2 MB": pieces(
        (b"<VOTABLE><RESOURCE><TABLE>" + TEXT.encode() * 64 + b"<DATA><TABLEDATA>", 1),
        *((b"<TR>", 1), (b"<TD>" + b"x" * 32_000 + b"</TD>", 64), (b"</TR>", 1)) * 9,
        (ROWS_END, 1), expected="longer than 1 MB", name="list.vot",
    ),
    "a cell of 30 MB": pieces(
        (ROWS + b"<TR><TD>", 1), (b"x", 30_000_000),
        (b"</TD></TR><TR><TD>b</TD></TR>" + ROWS_END, 1),
        expected=1, name="list.vot",
    ),
    **{f"sizes of {text[:9]}: {said}": xml(
        binary(b"\0" * 90_000, TEXT + fields_of(1900, text)), said)
       for text, said in (("9x" * 248 + "0", "invalid arraysize"), ("0", "without size"),
                          ("999999999", "elements per cell"), ("9x9x9x9x9x9x9x9", "16 MB"),
                          ("x", "invalid"), ("-1", "invalid"), ("9" * 400, "invalid"))},
    "one column without size": xml(binary(b"", fields_of(1, "0")), "have no size"),
    "a count of 4 GB": xml(binary(b"\xff\xff\xff\xff"), "16 MB"),
    "a count below zero": xml(binary(b"\x80\0\0\0"), "16 MB"),
    "a row cut short": xml(binary(b"\0\0\0\5ab"), "cut short"),
    "elements in a stream": xml(table(stream("AAAA<x/>AAAA")), "among its BINARY data"),
    "a stream that is no base64": xml(table(stream("!!!!")), "damaged"),
    "blanks without end in a stream": pieces(
        (START + b'<DATA><BINARY><STREAM encoding="base64">', 1), (b" \n\t ", 9_000_000),
        (b"</STREAM>", 1), expected=MUCH, name="list.vot",
    ),
    "entities that multiply": xml(table(rows_of(("&i;", *GOOD[1:])), doctype=BOMB), "entities"),
    **{f"an entity from {place}": xml(
        table(rows_of(("&x;", *GOOD[1:])), doctype=f'<!DOCTYPE a [<!ENTITY x SYSTEM "{place}">]>'),
        "entities") for place in ("file:///dev/zero", "../bait.fits", "http://127.0.0.1:9/")},
    **{f"a DTD from {place}": xml(
        table(rows_of(GOOD), doctype=f'<!DOCTYPE VOTABLE SYSTEM "{place}">'), 1)
        for place in ("file:///dev/zero", "../bait.fits", "http://127.0.0.1:9/")},
    **{f"rows from {place}": xml(table(f'<BINARY><STREAM href="{place}"/></BINARY>'), "(href)")
       for place in ("file:///dev/zero", "../bait.fits", "http://127.0.0.1:9/")},
    "an included file": xml(
        table(f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="../bait.fits"/>'
              f"{rows_of(GOOD)}"), 1),
    "a style sheet": xml('<?xml-stylesheet href="../bait.fits"?>' + table(rows_of(GOOD))[21:], 1),
    "an embedded FITS file": xml(table("<FITS><STREAM>AAAA</STREAM></FITS>"), "embedded FITS"),
    "nested tables": xml(HEAD.format(doctype="") + "<TABLE>" * 200, "nested too deeply"),
    "nested elements": xml(HEAD.format(doctype="") + "<a>" * 200_000, "nested too deeply"),
    "too many columns": xml(table("<TABLEDATA/>", fields=TEXT * 2001), "more than 2,000"),
    "an unknown encoding": xml('<?xml version="1.0" encoding="x-mad"?><VOTABLE/>', "encoding"),
    "UTF-7": xml(
        '<?xml version="1.0" encoding="utf-7"?>' + table(rows_of(GOOD))[21:], "encodings are not"),
    "UTF-16 that is UTF-8": xml('<?xml version="1.0" encoding="utf-16"?><VOTABLE/>', "encoding"),
    "rows without number": xml(
        table(rows_of(GOOD)).replace("<TABLE>", f'<TABLE nrows="{"9" * 900}">'), 1),
    "cells of sections": xml(table(rows_of(("<![CDATA[<b>]]>", *GOOD[1:]))), 1),
    "NUL as a reference": xml(table(rows_of(("&#0;", *GOOD[1:]))), "damaged"),
    "numbers out of range": xml(table(rows_of(
        ("a", "1e999", "-1e999", "9" * 400, "", "nan", "x"),
        ("b", "", "", "0x" + "F" * 90, "", "", ""),
    )), 2),
}  # fmt: skip


NAN = float("nan")


def fits(expected: int | str | None = None, size: int = 3, **cards: object) -> Case:
    """A sound table of two columns, with other cards."""
    columns = {"NAME": ("5A", ["star"] * size), "RA": ("D", [1.0] * size)}
    return file(fits_bytes(columns, **cards), expected, "list.fits")


PRIMARY = ("SIMPLE  =                    T", "BITPIX  =                    8",
           "NAXIS   =                    0", "END")  # fmt: skip


def header(*cards: str) -> bytes:
    text = "".join(f"{card:80}" for card in cards).encode()
    return text + b" " * (-len(text) % 2880)


def bare_fits(*cards: str, data: bytes = b"", expected: int | str | None = None) -> Case:
    return file(header(*PRIMARY) + header(*cards) + data, expected, "list.fits")


def table_cards(width: int, rows: int, *forms: str, heap: int = 0) -> tuple[str, ...]:
    shape = {"BITPIX": 8, "NAXIS": 2, "NAXIS1": width, "NAXIS2": rows, "PCOUNT": heap, "GCOUNT": 1}
    columns = (f"TFORM{n:<3}= '{form}'" for n, form in enumerate(forms, 1))
    names = (f"TTYPE{n:<3}= 'NAME{n}'" for n in range(1, len(forms) + 1))
    numbers = (f"{key:8}= {value:>20}" for key, value in {**shape, "TFIELDS": len(forms)}.items())
    return ("XTENSION= 'BINTABLE'", *numbers, *columns, *names, "END")


FITS: dict[str, Case] = {
    "rows that are not there": bare_fits(*table_cards(8, 99_999_999, "D"), expected="truncated"),
    "rows without end": bare_fits(*table_cards(8, 2**62, "D"), expected="NAXIS2"),
    "rows below zero": bare_fits(*table_cards(8, -5, "D"), expected="NAXIS2"),
    "rows of nothing": bare_fits(*table_cards(0, 2**40, "0A"), expected="no columns"),
    "rows of 99 TB": bare_fits(*table_cards(10**14, 1, "99999999999999A"), expected="TFORM"),
    "a width that lies": bare_fits(*table_cards(4, 3, "D"), data=b"\0" * 2880),
    "a heap of 9 EB": bare_fits(*table_cards(8, 1, "D", heap=2**63 - 1), data=b"\0" * 2880),
    "arrays of other lengths": bare_fits(*table_cards(8, 1, "1PA(9)"), data=b"\xff" * 2880),
    "arrays of the other kind": bare_fits(*table_cards(16, 1, "1QD(9)"), data=b"\xff" * 2880),
    **{f"a column of {form}": bare_fits(*table_cards(8, 1, form), data=b"\x7f" * 2880)
       for form in ("8A", "-8A", "A8", "X", "64X", "M", "C", "1.5D", "", "999999999999999999999D")},
    "999 columns of text": pieces(
        (header(*PRIMARY), 1), (header(*table_cards(999 * 9000, 4, *["9000A"] * 999)), 1),
        (b"\x01", 999 * 9000 * 4 + 9000), expected=None, name="list.fits",
    ),
    "more columns than there are": bare_fits(*table_cards(8, 1, "D")[:-1], "TFIELDS = 9999", "END"),
    "no end of the header": file(b"SIMPLE  =".ljust(80) * 9000, None, "list.fits"),
    "a header of 30 MB": pieces(
        (f"{'SIMPLE  =                    T':80}".encode(), 1), (b"COMMENT x".ljust(80), 400_000),
        expected=None, name="list.fits",
    ),
    "zeros without end": pieces(
        (header(*PRIMARY), 1), (header(*table_cards(8, 60_000_000, "8A")), 1), (b"\0", 90_000_000),
        expected=None, name="list.fits.gz",
    ),
    **{f"{key} {value}": fits(1, **{key: value}) for key, value in (
        ("TSCAL2", 1e300), ("TZERO2", -1e300), ("TNULL2", 5), ("TDIM1", "(5,9999999)"),
        ("TTYPE1", "NAME\x7f"[:4]), ("TUNIT2", "x" * 60), ("TDISP2", "I9999"),
        ("TTYPE2", "NAME"), ("TTYPE2", ""))},
    "half a table": file(fits_bytes({"NAME": ("5A", ["x"] * 9999)})[:9000], "truncated", "a.fits"),
    "a table in gzip": file(gzip.compress(fits_bytes({"NAME": ("5A", ["x", "y"])})), 2, "a.gz"),
    "escapes in texts": file(
        fits_bytes({"NAME": ("9A", ["a\x1b[2J", "b"]), "Z": ("D", [NAN, 1e308])}), 2, "a.fits"),
    "odd numbers": file(
        fits_bytes({"NAME": ("5A", ["a", "b"]), "N": ("K", [-2**63, 2**63 - 1]),
                    "E": ("E", [float("inf"), NAN])}), 2, "a.fits"),
    "no table": bare_fits(expected=None),
}  # fmt: skip
