"""Makes damaged lists by the thousand and reads them. Run as a child process by test_hostile.

    python -m tests.app.core.importing.hostile_lists FORMAT SEED COUNT

Prints one JSON line: how many were read, refused, and the memory it took.
"""

import gzip
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from app.core.errors import ImportFailed
from app.core.importing.entries import FIELDS, Entries
from tests.app.core.importing.lists import ROWS, of_all_entries, text_of, write
from tests.app.core.importing.memory import peak_mb

SECONDS_EACH = 120
"""A list that takes this long hangs: the alarm ends the process, and the test with it."""
ADDRESS_SPACE = 4 * 1024**3
MAX_ENTRIES = 100_000
WILD = (
    b"\0", b'"', b'""', b"'", b"\r", b"\n", b"\r\n", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff",
    b"\xe9", b",", b"\t", b"#", b"../../etc/passwd", b"/dev/zero", b"file:///x", b"nan", b"1e999",
    b"=cmd|'/C calc'!A0", b"9" * 40, b"-1", b"%s%n", b"{}", b"\\u0000", b"&lol;", b"<!--", b"]]>",
    b"<TR>", b"</TD>", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"\x80" * 30, b"x" * 40_000, b",," * 3000,
)  # fmt: skip
FORMATS = {
    "csv": "list.csv", "tsv": "list.tsv", "ecsv": "list.ecsv", "fits": "list.fits",
    "votable-tabledata": "list.vot", "votable-binary2": "list.vot", "parquet": "list.parquet",
}  # fmt: skip


def seeds(folder: Path, format_: str) -> list[bytes]:
    content = write(folder / FORMATS[format_], format_).read_bytes()
    made = [content, gzip.compress(content, mtime=0)]
    if format_ == "csv":
        long = text_of([ROWS[n % 3] for n in range(4000)]).encode()
        quoted = b'"name","note","score"\n"Ada, B.","say ""no""\nor not",0.5\n"\xe9t\xe9","",1\n'
        made += [text_of().encode("utf-16"), text_of(glue=" ").encode(), quoted, long]
        made += ["名称,score\n双星候选体,0.5\n".encode("gb18030"), text_of(glue=";").encode()]
    return made


def flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 4, 60))):
        data[chance.randrange(len(data))] = chance.randrange(256)


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def drop(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    del data[start : start + chance.choice((1, 30, 3000))]


def insert(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 1, 5))):
        start = chance.randrange(len(data) + 1)
        data[start:start] = chance.choice(WILD)


def repeat(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    piece = data[start : start + chance.choice((1, 80, 2880))]
    data[start:start] = piece * chance.choice((1, 2, 300))


def digits(data: bytearray, chance: random.Random) -> None:
    """Other numbers where numbers are: sizes in headers, above all."""
    places = [at for at, byte in enumerate(data[:20_000]) if 48 <= byte <= 57]
    for _ in range(chance.choice((1, 3, 20))):
        if places:
            data[chance.choice(places)] = chance.choice(b"0123456789-. E")


MUTATIONS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip, cut, drop, insert, repeat, digits,
)  # fmt: skip


def main(format_: str, seed: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    chance = random.Random(f"{format_} {seed}")
    tally = {"read": 0, "refused": 0, "entries": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        made = seeds(folder, format_)
        path = folder / FORMATS[format_]
        for _ in range(count):
            data = bytearray(chance.choice(made))
            for _ in range(chance.choice((1, 1, 2, 4))):
                if data:
                    chance.choice(MUTATIONS)(data, chance)
            path.write_bytes(data)
            signal.alarm(SECONDS_EACH)
            try:
                tally["entries"] += of_all_entries(path, lambda read: sum(map(check, read)))
                tally["read"] += 1
            except ImportFailed as error:
                check_message(str(error))
                tally["refused"] += 1
            except BaseException:
                Path(tempfile.gettempdir(), "hostile-list").write_bytes(data)
                raise
    print(json.dumps(tally | {"peak_mb": peak_mb()}))  # noqa: T201


def check(entries: Entries) -> int:
    """What the database, and the rest of the program, may rely on."""
    count = len(entries)
    for name, column in zip(FIELDS, entries.columns, strict=True):
        assert len(column) == count, name
        for value in column:
            if name in ("line", "row"):
                assert type(value) is int and 0 <= value < 2**63, (name, value)
            elif name in ("object_id", "path", "label", "own", "listed_path"):
                assert type(value) is str and "\0" not in value, (name, value)
                value.encode()
            else:
                assert value is None or (type(value) is float and math.isfinite(value)), value
    inside = os.path.realpath(tempfile.gettempdir()) + os.sep
    for path in entries.columns[2]:
        assert not path or os.path.normpath(path).startswith(inside), path
    for own in entries.columns[9]:
        assert isinstance(json.loads(own, parse_constant=no_constant), dict)
    for row in entries.refused:
        assert row.line > 0
        check_message(row.reason)
    return count


def no_constant(name: str) -> None:
    raise AssertionError(name)


def check_message(text: str) -> None:
    assert text and len(text) < 1500, text
    assert text.isprintable(), repr(text)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
