"""Sound lists in every format but Parquet, damaged by number."""

import gzip
import random
import tempfile
from functools import cache
from pathlib import Path

from tests.app.core.importing.hostile_lists import MUTATIONS
from tests.app.core.importing.hostile_lists import seeds as sound_lists
from tests.app.core.importing.lists import text_of, write

FORMATS = {
    "csv": "list.csv",
    "tsv": "list.tsv",
    "text": "list.txt",
    "ecsv": "list.ecsv",
    "fits": "list.fits",
    "votable-tabledata": "list.vot",
    "votable-binary": "list.vot",
    "votable-binary2": "list.vot",
}
OF_FORMAT = {
    "ecsv": (
        b"&a ", b"*a", b"<<: ", b"!!x ", b"!!python/object:a ", b"{", b"[", b"- ", b"? ", b": ",
        b"\n# - {name: a}", b"1:1:1", b"|", b">", b"\\U0011FFFF", b"%YAML 1.1", b"--- ", b"~",
    ),
    "votable": (
        b"<TABLE>", b"</TABLE>", b"<FIELD/>", b'arraysize="9x9x0"', b'arraysize="*"', b"<TD/>",
        b'datatype="char"', b'datatype="bit"', b"<STREAM>", b"<BINARY>", b'href="/dev/zero"',
        b"<![CDATA[", b"<?x ?>", b"&#65;", b"&#0;", b'nrows="9999999999"', b'null="1"', b"AAAA",
    ),
    "fits": (
        b"NAXIS2  =  99999999", b"TFORM1  = '1PA(99)'", b"TFORM2  = '0D'", b"TZERO3  = NAN",
        b"TSCAL1  = 1E999", b"TNULL1  = 9" * 2, b"END".ljust(80), b"TFIELDS = 999", b"PCOUNT  = -1",
    ),
}  # fmt: skip


def damaged(format_: str, number: int) -> tuple[str, bytes]:
    """A name and content; every tenth list is sound."""
    chance = random.Random(f"{format_} {number}")
    data = bytearray(chance.choice(_sound(format_)))
    if number % 10 == 0:
        return FORMATS[format_], bytes(data)
    words = OF_FORMAT.get(format_.partition("-")[0], ())
    for _ in range(chance.choice((1, 1, 2, 4))):
        if words and chance.random() < 0.3:
            at = chance.randrange(len(data) + 1)
            word = chance.choice(words)
            data[at : at + chance.choice((0, len(word)))] = word
        elif data:
            chance.choice(MUTATIONS)(data, chance)
    if chance.random() < 0.1:
        data = bytearray(gzip.compress(data, mtime=0))
    return FORMATS[format_], bytes(data)


@cache
def _sound(format_: str) -> list[bytes]:
    if format_ == "text":
        return [text_of(glue=glue).encode() for glue in ("  ", "|", ";", " ")]
    with tempfile.TemporaryDirectory() as name:
        if format_ == "votable-binary":
            return [write(Path(name, "list.vot"), format_).read_bytes()]
        return sound_lists(Path(name), format_)
