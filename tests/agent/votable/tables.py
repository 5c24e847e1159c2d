"""VOTables as archives write them: seven columns, one of them an array."""

import base64
import struct

HEAD = '<?xml version="1.0"?>{doctype}\n<VOTABLE version="1.4"><RESOURCE>'
FIELDS = """<FIELD name="name" datatype="char" arraysize="*" ucd="meta.id;meta.main"/>
<FIELD name="ra" datatype="double" unit="deg"><DESCRIPTION>Where
 it is</DESCRIPTION></FIELD><FIELD name="dec" datatype="double"/>
<FIELD name="n" datatype="int"><VALUES null="-99"/></FIELD>
<FIELD name="mags" datatype="float" arraysize="5"/>
<FIELD name="mag" datatype="float"/><FIELD name="ok" datatype="boolean"/>"""
GOOD = ("a", "1.5", "-2", "-99", "1 2 3 4 5", "17.1", "T")
LAST = ("b &amp; c", "", "NaN", "0x1F", "", "", "")

_ENTITIES = zip("bcdefghi", "abcdefgh", strict=True)
_MULTIPLIED = "".join(f'<!ENTITY {one} "{f"&{other};" * 10}">' for one, other in _ENTITIES)
BOMB = f'<!DOCTYPE VOTABLE [<!ENTITY a "0123456789">{_MULTIPLIED}]>'


def table(
    data: str, fields: str = FIELDS, doctype: str = "", before: str = "", behind: str = ""
) -> str:
    text = f"{HEAD.format(doctype=doctype)}{before}<TABLE>{fields}<DATA>{data}</DATA></TABLE>"
    return f"{text}{behind}</RESOURCE></VOTABLE>"


def rows_of(*rows: tuple[str, ...]) -> str:
    lines = ("".join(f"<TD>{cell}</TD>" for cell in row) for row in rows)
    return "<TABLEDATA>" + "".join(f"<TR>{line}</TR>" for line in lines) + "</TABLEDATA>"


def stream(content: str, kind: str = "BINARY") -> str:
    return f'<{kind}><STREAM encoding="base64">{content}</STREAM></{kind}>'


def packed(*rows: tuple[bytes, float, float, int, tuple[float, ...], float, bytes],
           nulls: bytes = b"") -> str:  # fmt: skip
    """Rows of FIELDS in base64; `nulls` are the flags of BINARY2."""

    def text(word: bytes) -> bytes:
        return struct.pack(">i", len(word)) + word

    body = b"".join(
        nulls + text(name) + struct.pack(">ddi5ff", ra, dec, n, *mags, mag) + ok
        for name, ra, dec, n, mags, mag, ok in rows
    )
    return base64.encodebytes(body).decode()
