"""Ways to spoil the file of a session, chosen by a seed."""

import copy
import json
import random
import sqlite3
import struct
import zlib
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from agent.trajectory.compressed_text import MAX_BYTES
from app.core.database.tables import metadata
from tests.app.core.database.test_schema_check import FORGED, SCHEMAS
from tests.attacks.sessions.studies import changed

PAGE = 4096
DEEP = "[" * 100_000
COLUMNS = [(table.name, column.name) for table in metadata.sorted_tables for column in table.c]
TEXTS = [
    *("'null'", "'[]'", "'{}'", "'['", f"'{DEEP}'", f"'{'9' * 5000}'", "'[1, \"x\", null, {}]'"),
    *('\'{"a": NaN, "b": 1e999, "": -1}\'', "'{\"verdict\": []}'", "char(0)", "''", "'YES'"),
    *("'ACCEPT'", "'UNSURE'", "'2026-99-99T99:99'", "'9999-12-31T23:59:59.999999+00:00'"),
    *("printf('%.300000c', 'x')", "CAST(x'c328' AS TEXT)", "'=cmd()'", "char(8238, 27, 10, 65279)"),
    *("'<img src=x>'", "'../../' || {column}", "'0001-01-01T00:00:00+00:00'", "'queue_x'"),
]
NUMBERS = [
    *("1e308", "-1e308", "9e999", "-9e999", "-1", "0", "1", "2", "2.5", "61", "1e-320"),
    *("9223372036854775807", "-9223372036854775808", "4611686018427387904", "2147483648"),
]
# Records that unpack to much: as much as one may, and ten megabytes.
BOMBS = [f"x'01{zlib.compress(b'[' * count).hex()}'" for count in (MAX_BYTES, 10_000_000)]
VALUES = [*TEXTS, *NUMBERS, *NUMBERS, "NULL", "NULL", "x'00ff'", "zeroblob(300000)", "-{column}"]
VALUES += BOMBS
WHERES = [
    "",
    " WHERE rowid = 1",
    " WHERE rowid % 2",
    " WHERE rowid = (SELECT max(rowid) FROM {table})",
]


ABOUT = {"filter": "", "order": "learned:mixed"}
FACTS: dict[str, Any] = {
    "learned:1": {**ABOUT, "draws": [[1, 9], [2, 9], [3, 9], [4, 9]]},
    "reject_below:Ada": {**ABOUT, "p_yes": 0.99, "ids": [*range(1, 10)], "drawn": [1, 2]},
    "queue_columns:Ada": {"shown": {"snr": True}, "order": ["snr"], "widths": {"snr": 60}},
    "column_names:Ada": {"snr": "x"}, "seen:1:Ada": {"model": "nano", "verdict": "YES"},
    "found": {"table": "a", "id": "b", "sentence": "c"}, "sharing": {"people": ["Ada"]},
    "fields": [], "order": ["learned:best"], "queue:Ada": ["\nlearned:mixed"],
    "shown_model": ["nano"], "adjudicator": ["Ada"], "known_by": ["Ben"],
}  # fmt: skip
"""Facts of a session, as the program writes them; a list of one text stands for the text."""


def spoil(place: Path, seed: int, secret: Path) -> str:
    """Spoil the file in one of many ways, and say in which."""
    chance = random.Random(seed)
    kind = chance.choice(
        [
            *[_values] * 5,
            _facts,
            _facts,
            _paths,
            _schema,
            _bytes,
            _bytes,
            _pages,
            _header,
            _free,
            _log,
        ]
    )
    return f"{kind.__name__.strip('_')}: {kind(place, chance, secret)}"


def _values(place: Path, chance: random.Random, _secret: Path) -> str:
    """Values of any type in any columns, also where none may be missing."""
    edits = [_edit(chance) for _ in range(chance.choice([1, 1, 1, 2, 5]))]
    with closing(_connect(place)) as connection:
        sqls = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
        kept = sqls.fetchall()
        _rewrite(connection, [(name, sql.replace(" NOT NULL", "")) for name, sql in kept])
    with closing(_connect(place)) as connection:
        for edit in edits:
            with suppress(sqlite3.Error):
                connection.execute(edit)
        _rewrite(connection, kept)
    return "; ".join(each[:150] for each in edits)


def _facts(place: Path, chance: random.Random, _secret: Path) -> str:
    """Facts with a value that the program does not write; in half of the cases it is blind."""
    blind = chance.choice(["yes", "no"])
    written, told = {"queue:Ada": "\nlearned:mixed", "blind": blind}, []
    for key in chance.sample(sorted(FACTS), 4):
        value = copy.deepcopy(FACTS[key])
        told.append(f"{key} {changed(value, chance)}")
        is_word = isinstance(value, list) and len(value) == 1 and isinstance(value[0], str)
        text = value[0] if is_word else json.dumps(value)
        written[key] = chance.choice([text, text, text, DEEP, text[: len(text) // 2]])
    with closing(_connect(place)) as connection:
        rows = [(key, text.encode("utf-8", "replace").decode()) for key, text in written.items()]
        connection.executemany("INSERT OR REPLACE INTO facts (key, value) VALUES (?, ?)", rows)
    return "; ".join(told)


def _edit(chance: random.Random) -> str:
    table, column = chance.choice(COLUMNS)
    if chance.random() < 0.05:
        return f"DELETE FROM {table}{chance.choice(WHERES)}".format(table=table)
    value = chance.choice(VALUES).replace("{column}", f'"{column}"')
    where = chance.choice(WHERES).replace("{table}", table)
    return f'UPDATE OR IGNORE {table} SET "{column}" = {value}{where}'


def _rewrite(connection: sqlite3.Connection, sqls: list[tuple[str, str]]) -> None:
    connection.execute("PRAGMA writable_schema = ON")
    update = "UPDATE sqlite_schema SET sql = ? WHERE name = ?"
    connection.executemany(update, [(sql, name) for name, sql in sqls])


def _paths(place: Path, chance: random.Random, secret: Path) -> str:
    """Spectra that are somebody else's."""
    path = chance.choice(
        [str(secret), f"{place.parent}/../{secret.parent.name}/{secret.name}", "/dev/zero"]
    )
    with closing(_connect(place)) as connection:
        connection.execute("UPDATE candidates SET path = ?", (path,))
        connection.execute("DELETE FROM packed_spectra")
    return path


def _schema(place: Path, chance: random.Random, _secret: Path) -> str:
    what = chance.choice([*FORGED, *SCHEMAS])
    with closing(_connect(place)) as connection, suppress(sqlite3.Error):
        connection.executescript({**FORGED, **SCHEMAS}[what])
    return what


def _bytes(place: Path, chance: random.Random, _secret: Path) -> str:
    """Bytes that came back wrong from a disk; more in the first page, where the schema is."""
    content = bytearray(place.read_bytes())
    end = chance.choice([len(content), len(content), PAGE, 100])
    for _ in range(chance.choice([1, 3, 30])):
        start = chance.randrange(end)
        some = chance.randbytes(chance.choice([1, 2, 16, 600]))
        content[start : start + len(some)] = some
    place.write_bytes(content)
    return f"in {end}"


def _pages(place: Path, chance: random.Random, _secret: Path) -> str:
    content = place.read_bytes()
    pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
    one, other = chance.sample(range(1, len(pages)), 2)
    how = chance.choice(["swap", "copy", "blank", "cut", "cut within", "repeat", "more"])
    if how == "swap":
        pages[one], pages[other] = pages[other], pages[one]
    elif how == "copy":
        pages[one] = pages[other]
    elif how == "blank":
        pages[one] = bytes(PAGE)
    elif how == "repeat":
        pages[one:] = [pages[other]] * (len(pages) - one)
    elif how == "more":
        pages += [chance.randbytes(PAGE)] * chance.choice([1, 100])
    cut = one * PAGE + (chance.randrange(PAGE) if how == "cut within" else 0)
    joined = b"".join(pages)
    place.write_bytes(joined[:cut] if how.startswith("cut") else joined)
    return how


FIELDS = {
    "page size": (16, ">H", [0, 1, 512, 1024, 3000, 65535]),
    "format": (18, ">H", [0, 0x0101, 0x0102, 0x0201, 0x0303]),
    "reserved": (20, ">B", [1, 255]),
    "fractions": (21, ">B", [0, 255]),
    "pages": (28, ">I", [0, 1, 2, 2**31, 2**32 - 1]),
    "free trunk": (32, ">I", [0, 1, 2, 3, 2**32 - 1]),
    "free count": (36, ">I", [0, 1, 1000, 2**32 - 1]),
    "schema format": (44, ">I", [0, 5, 2**32 - 1]),
    "cache": (48, ">i", [1, -(2**31), 2**31 - 1]),
    "vacuum root": (52, ">I", [1, 3, 2**32 - 1]),
    "encoding": (56, ">I", [0, 2, 3, 4]),
    "user version": (60, ">I", [0, 2, 2**31, 2**32 - 1]),
    "vacuum": (64, ">I", [1]),
    "application": (68, ">I", [0, 2**32 - 1]),
    "version": (96, ">I", [0, 2**32 - 1]),
}


def _header(place: Path, chance: random.Random, _secret: Path) -> str:
    name = chance.choice([*FIELDS])
    at, form, values = FIELDS[name]
    value = chance.choice(values)
    _write(place, at, struct.pack(form, value))
    return f"{name} {value}"


def _free(place: Path, chance: random.Random, _secret: Path) -> str:
    """A list of free pages that never ends, or holds pages in use."""
    first = struct.unpack(">I", place.read_bytes()[32:36])[0]
    if not first:
        return "none"
    start = (first - 1) * PAGE
    how = chance.choice(["loop", "many", "in use"])
    if how == "loop":
        _write(place, start, struct.pack(">I", first))
    elif how == "many":
        _write(place, start + 4, struct.pack(">I", chance.choice([5000, 2**32 - 1])))
    else:
        _write(place, start + 4, struct.pack(">IIII", 3, 1, 2, 3))
    return how


def _log(place: Path, chance: random.Random, _secret: Path) -> str:
    """A write-ahead log beside the file: of another state, or spoilt."""
    log = place.with_name(place.name + "-wal")
    content = place.read_bytes()
    connection = _connect(place)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    for number in range(5):
        connection.execute("UPDATE candidates SET label = ?", (f"{number}" * 900,))
    written = bytearray(log.read_bytes())
    connection.close()
    how = chance.choice(["whole", "bytes", "cut", "header", "noise", "older file"])
    if how == "bytes":
        for _ in range(5):
            written[chance.randrange(len(written))] ^= 1 << chance.randrange(8)
    elif how == "cut":
        del written[chance.randrange(len(written)) :]
    elif how == "header":
        written[:32] = chance.randbytes(32)
    elif how == "noise":
        written = bytearray(chance.randbytes(50_000))
    elif how == "older file":
        content = content[: len(content) // (2 * PAGE) * PAGE]
    place.write_bytes(content)
    log.write_bytes(written)
    return how


def _write(place: Path, at: int, content: bytes) -> None:
    with place.open("r+b") as file:
        file.seek(at)
        file.write(content)


def _connect(place: Path) -> sqlite3.Connection:
    return sqlite3.connect(place, isolation_level=None)
