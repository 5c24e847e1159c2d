"""Hostile Parquet files: crafted ones by name, and damaged ones by number."""

import random
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from agent.tasks.catalogue import find_task
from app.core.errors import ImportFailed
from app.core.importing.importer import import_list, look_at
from app.core.session.session import new_session
from tests.app.core.importing.hostile_lists import MUTATIONS
from tests.attacks.lists.reading import give_time

CODECS = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
LONG = "x" * 32_000


def read_list(path: str, folder: str) -> dict[str, Any]:
    """Preview a list and import it into a session, as a person would."""
    give_time()
    found = look_at(path)
    if found.problem:
        return {"refused": found.problem}
    location = Path(folder, "night.speco3")
    try:
        with new_session(location, find_task("CV"), "Ada") as session:
            report = import_list(session, path)
    except ImportFailed as error:
        return {"refused": str(error)}
    return {"rows": report.rows_used, "bytes": location.stat().st_size}


def damaged(seed: int) -> bytes:
    chance = random.Random(f"parquet {seed}")
    data = bytearray(chance.choice(sound_files()))
    for _ in range(chance.choice((1, 1, 2))):
        if data:
            chance.choice((*MUTATIONS, *[_change_pages] * 10, *[_change_footer] * 4))(data, chance)
    return bytes(data)


def _change_pages(data: bytearray, chance: random.Random) -> None:
    """Without a checksum, other bytes in a page are other values, or none."""
    for _ in range(chance.choice((1, 1, 5, 60))):
        data[chance.randrange(len(data) // 2)] = chance.randrange(256)


def _change_footer(data: bytearray, chance: random.Random) -> None:
    """The metadata are a small part of a file, at its end: other bytes there."""
    for _ in range(chance.choice((1, 3, 20))):
        data[-1 - chance.randrange(min(len(data), 600))] = chance.randrange(256)


@cache
def sound_files() -> list[bytes]:
    """One for each way of packing and of writing down values that pyarrow knows."""
    rows = 300
    table = pa.table(
        {
            "name": [f"star {n}" for n in range(rows)],
            "ra": np.linspace(0, 300, rows),
            "dec": np.linspace(-20, 40, rows).astype("f4"),
            "visits": pa.array([None if n % 7 == 0 else n for n in range(rows)], pa.int32()),
            "class": pa.array(["CV", "K5", None] * (rows // 3)).dictionary_encode(),
            "seen": pa.array([date(2020, 1, 1 + n % 28) for n in range(rows)]),
            "price": pa.array([Decimal(n) / 100 for n in range(rows)], pa.decimal128(9, 2)),
            "good": pa.array([n % 2 == 0 for n in range(rows)]),
            "flux": pa.array([[1.0, 2.0]] * rows),
        }
    )
    made = [written(table, compression=codec, row_group_size=100) for codec in CODECS]
    made += [written(table, data_page_version="2.0", data_page_size=500)]
    made += [written(table, write_statistics=True, write_page_index=True, store_schema=False)]
    for encoding in ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"):
        column = {"visits": encoding} if encoding != "PLAIN" else "PLAIN"
        made.append(written(table, use_dictionary=False, column_encoding=column))
    text = {"name": "DELTA_BYTE_ARRAY"}
    made.append(written(table, use_dictionary=False, column_encoding=text, compression="none"))
    return made


def written(table: Any, **how: Any) -> bytes:
    out = BytesIO()
    pyarrow.parquet.write_table(table, out, **how)
    return out.getvalue()


def one_text_in_many_rows(rows: int = 100_000, columns: int = 1) -> bytes:
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, "i4")), [LONG])
    notes = {f"note{n}": text for n in range(columns)}
    how: dict[str, Any] = {"column_encoding": {"name": "DELTA_BINARY_PACKED"}}
    named = {"name": pa.array(np.arange(rows))}
    return written(pa.table(named | notes), use_dictionary=list(notes), **how)


def one_large_cell(megabytes: int = 200, codec: str = "zstd") -> bytes:
    cell = "x" * (megabytes * 1024**2)
    table = pa.table({"name": ["a", "b"], "note": [cell, ""]})
    return written(table, compression=codec, use_dictionary=False, write_statistics=False)


def sizes_that_lie(data: bytes) -> bytes:
    """The same file, whose metadata say that its columns hold 100 bytes."""
    group = pyarrow.parquet.ParquetFile(BytesIO(data)).metadata.row_group(0)
    for number in range(group.num_columns):
        true = varint(zigzag(group.column(number).total_uncompressed_size))
        if len(true) > 2:  # shorter ones are found elsewhere too
            data = data.replace(true, padded_varint(zigzag(100), len(true)))
    return data


def many_large_cells() -> bytes:
    cells = [("abcdefg" + str(n)) * 100_000 for n in range(60)]
    table = pa.table({"name": list(map(str, range(60))), "note": cells})
    return sizes_that_lie(written(table, compression="zstd", use_dictionary=False))


def a_dictionary_of_long_texts(entries: int = 9_000) -> bytes:
    notes = [f"{n}{LONG}" for n in range(entries)]
    table = pa.table({"name": list(map(str, range(entries))), "note": notes})
    how = {"dictionary_pagesize_limit": 2**30, "compression": "zstd"}
    return sizes_that_lie(written(table, **how))


def empty_cells(columns: int, rows: int, type_: Any, name: str = "c") -> bytes:
    empty = pa.nulls(rows, type_)
    named = {"name": pa.array(np.arange(rows))}
    named |= {f"{name}{n:04}": empty for n in range(columns)}
    how: dict[str, Any] = {"column_encoding": {"name": "DELTA_BINARY_PACKED"}}
    return written(pa.table(named), row_group_size=rows, use_dictionary=False, **how)


def a_repeated_number(rows: int = 5_000_000) -> bytes:
    same = pa.array(np.zeros(rows))
    columns = {f"c{n}": same for n in range(20)}
    how = {"compression": "zstd", "use_dictionary": False, "row_group_size": rows}
    return written(pa.table({"name": pa.array(np.zeros(rows, "i4")), **columns}), **how)


def dates_out_of_range() -> bytes:
    most = 2**63 - 1
    columns: dict[str, Any] = {"name": ["a", "b", "c", "d"]}
    columns["day"] = pa.array([2**31 - 1, -(2**31), 0, None], pa.int32()).cast(pa.date32())
    for unit in ("ms", "us", "ns"):
        whole = pa.array([most, -most, 1, None], pa.int64())
        columns[f"at_{unit}"] = whole.view(pa.timestamp(unit))
        columns[f"zoned_{unit}"] = whole.view(pa.timestamp(unit, "UTC"))
        columns[f"for_{unit}"] = whole.view(pa.duration(unit))
    columns["time"] = pa.array([most, -most, 1, None], pa.int64()).view(pa.time64("us"))
    columns["date64"] = pa.array([most, -most, 0, None], pa.int64()).view(pa.date64())
    return written(pa.table(columns))


def zones_that_are_paths(zone: str) -> bytes:
    at = pa.array([1, 2], pa.int64()).view(pa.timestamp("us", zone))
    return written(pa.table({"name": ["a", "b"], "at": at}))


def large_decimals() -> bytes:
    wide = pa.array([Decimal("9" * 76), Decimal("-" + "9" * 76), None], pa.decimal256(76, 0))
    fine = pa.array([Decimal("0." + "0" * 75 + "1"), None, None], pa.decimal256(76, 76))
    return written(pa.table({"name": ["a", "b", "c"], "wide": wide, "fine": fine}))


def odd_numbers() -> bytes:
    halves = pa.array(np.array([np.inf, -np.inf, np.nan, 6e-8], "f2"))
    doubles = pa.array([np.inf, -np.inf, np.nan, 5e-324])
    whole = pa.array([2**64 - 1, 2**63, 0, None], pa.uint64())
    table = {"name": list("abcd"), "ra": doubles, "dec": doubles, "h": halves, "u": whole}
    return written(pa.table(table | {"spec_row": whole}))


def texts_that_are_none() -> bytes:
    raw = [b"\xff\xfe\xfd", b"\xed\xa0\x80", b"a\0b", b"\x1b[2J"]
    text = pa.array(raw, pa.binary()).view(pa.string())
    return written(pa.table({"name": list("abcd"), "note": text}), write_statistics=False)


def paths_all_over_the_disk() -> bytes:
    paths = [
        "/etc/passwd",
        "../../../etc/passwd",
        "/dev/zero",
        "http://x/a.fits",
        "\\\\x\\a",
        "a\0b",
    ]
    return written(pa.table({"name": list("abcdef"), "path": paths}))


def nested(depth: int, kind: str) -> bytes:
    type_: Any = pa.int8()
    for _ in range(depth):
        type_ = {
            "list": lambda t: pa.list_(t),
            "struct": lambda t: pa.struct([("a", t)]),
            "map": lambda t: pa.map_(pa.string(), t),
        }[kind](type_)
    return written(pa.table({"name": ["a", "b"], "deep": pa.nulls(2, type_)}))


def names_with_dots() -> bytes:
    inner = pa.array([{"b": 1}, {"b": 2}])
    return written(pa.table({"name": ["x", "y"], "a": inner, "a.b": [3, 4], "a.b.c": [5, 6]}))


def odd_types() -> bytes:
    columns = {
        "name": pa.array(["a", "b"]),
        "binary": pa.array([b"\0", b"\xff"]),
        "fixed": pa.array([b"abcd", b"efgh"], pa.binary(4)),
        "whole": pa.array([7, 7]).dictionary_encode(),
        "nothing": pa.nulls(2),
        "view": pa.array(["p", "q"], pa.string_view()),
        "large": pa.array(["p", "q"], pa.large_string()),
        "large_dictionary": pa.array(["p", "q"], pa.large_string()).dictionary_encode(),
        "id": pa.array([b"0" * 16, b"1" * 16], pa.uuid()),
    }
    return written(pa.table(columns))


def a_false_arrow_schema(schema: bytes) -> bytes:
    """pyarrow keeps its own schema in the metadata, and believes it."""
    table, out = pa.table({"name": ["a", "b"], "n": [1, 2]}), BytesIO()
    with pyarrow.parquet.ParquetWriter(out, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({b"ARROW:schema": schema, b"pandas": b"[" * 100_000})
    return out.getvalue()


# Metadata made by hand, in the compact form of Thrift


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def padded_varint(number: int, size: int) -> bytes:
    return bytes([number >> 7 * n & 127 | 128 for n in range(size - 1)]) + b"\0"


def zigzag(number: int) -> int:
    return number << 1 if number >= 0 else (-number << 1) - 1


I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12


def struct(fields: dict[int, tuple[int, Any]]) -> bytes:
    out, last = b"", 0
    for number, (type_, value) in fields.items():
        out += bytes([(number - last) << 4 | type_]) + _packed(type_, value)
        last = number
    return out + b"\0"


def _packed(type_: int, value: Any) -> bytes:
    if type_ in (I32, I64):
        return varint(zigzag(value))
    if type_ == BINARY:
        return varint(len(value)) + value
    return value if isinstance(value, bytes) else structs(value)


def structs(items: Sequence[bytes], count: int | None = None) -> bytes:
    return b"\xfc" + varint(len(items) if count is None else count) + b"".join(items)


def element(name: bytes, children: int | None = None, type_: int | None = 1) -> bytes:
    fields: dict[int, tuple[int, Any]] = {}
    if children is None:
        fields[1] = (I32, type_)
    fields[3] = (I32, 1)
    fields[4] = (BINARY, name)
    if children is not None:
        fields[5] = (I32, children)
    return struct(fields)


def footer(
    schema: Any, groups: Any = (), *, rows: int = 0, before: bytes = b"", length: int | None = None
) -> bytes:
    """A file of nothing but metadata."""
    body = struct({1: (I32, 1), 2: (LIST, schema), 3: (I64, rows), 4: (LIST, groups)})
    size = len(body) if length is None else length
    return b"PAR1" + before + body + size.to_bytes(4, "little") + b"PAR1"


def a_schema_of_depth(depth: int) -> bytes:
    return footer([element(b"a", 1)] * depth + [element(b"leaf")])


def many_row_groups(count: int, columns: int = 0) -> bytes:
    """Groups of no columns, or of columns whose data lie at the start of the file."""
    chunk = struct(
        {
            2: (I64, 4),
            3: (STRUCT, struct({1: (I32, 1), 2: (LIST, b"\x05"), 3: (LIST, b"\x18\x01a"),
                                4: (I32, 0), 5: (I64, 1), 6: (I64, 9), 7: (I64, 9), 9: (I64, 4)})),
        }
    )  # fmt: skip
    group = struct({1: (LIST, [chunk] * columns), 2: (I64, 9), 3: (I64, 1)})
    schema = [element(b"root", max(columns, 1)), *[element(b"a")] * max(columns, 1)]
    return footer(schema, [group] * count, rows=count)


LEAF = [element(b"root", 1), element(b"name")]


def a_page_that_claims(size: int) -> bytes:
    """The first page says that it unpacks to so many bytes."""
    table = pa.table({"name": [str(n) for n in range(999)]})
    data = written(table, compression="snappy", use_dictionary=False)
    packed = pyarrow.parquet.ParquetFile(BytesIO(data)).metadata.row_group(0).column(0)
    start = data.index(b"\x15\x00\x15") + 3
    end = start + next(n for n in range(10) if data[start + n] < 128) + 1
    told = varint(zigzag(size))
    true_size = packed.total_compressed_size
    new_size = varint(zigzag(true_size + len(told) - (end - start)))
    rest = data[end:].replace(varint(zigzag(true_size)), new_size)
    return data[:start] + told + rest


def encrypted() -> bytes:
    return b"PARE" + b"\x15\x00" * 40 + (80).to_bytes(4, "little") + b"PARE"


CRAFTED: dict[str, Callable[[], bytes]] = {
    "one text in many rows": one_text_in_many_rows,
    "one cell of 200 MB": one_large_cell,
    "one cell of 200 MB that lies": lambda: sizes_that_lie(one_large_cell()),
    "dates out of range": dates_out_of_range,
    "large decimals": large_decimals,
    "a schema 100,000 deep": partial(a_schema_of_depth, 100_000),
    "a page that claims 2 GB": partial(a_page_that_claims, 2**31 - 1),
    "a million row groups": partial(many_row_groups, 999_999),
    # from here on by night
    "long texts in many columns": partial(one_text_in_many_rows, 5000, 60),
    "one cell of 200 MB in gzip": partial(one_large_cell, 200, "gzip"),
    "one cell of 500 MB that lies": lambda: sizes_that_lie(one_large_cell(500)),
    "many cells of 1 MB that lie": many_large_cells,
    "a dictionary of 290 MB that lies": a_dictionary_of_long_texts,
    "empty texts": partial(empty_cells, 1990, 5_000, pa.string()),
    "empty numbers": partial(empty_cells, 1990, 5_000, pa.float64()),
    "empty cells of long names": partial(empty_cells, 1500, 50_000, pa.int8(), "n" * 70),
    "empty cells of one column": partial(empty_cells, 1, 10_000_000, pa.int8()),
    "a repeated number": a_repeated_number,
    "a time zone that is a path": partial(zones_that_are_paths, "../../../../etc/passwd"),
    "a time zone of another planet": partial(zones_that_are_paths, "Mars/Phobos"),
    "a time zone that is too far": partial(zones_that_are_paths, "+99:99"),
    "odd numbers": odd_numbers,
    "texts that are none": texts_that_are_none,
    "paths all over the disk": paths_all_over_the_disk,
    "lists 90 deep": partial(nested, 90, "list"),
    "structs 90 deep": partial(nested, 90, "struct"),
    "maps 60 deep": partial(nested, 60, "map"),
    "names with dots": names_with_dots,
    "odd types": odd_types,
    "an arrow schema of noise": partial(a_false_arrow_schema, b"/////" * 2000),
    "a large arrow schema": partial(a_false_arrow_schema, b"A" * 20_000_000),
    "no columns": partial(footer, [element(b"root", 0)]),
    "no schema": partial(footer, []),
    "no row groups, very many rows": partial(footer, LEAF, rows=2**62),
    "fewer than no rows": partial(footer, LEAF, rows=-5),
    "two thousand columns too many": lambda: footer(
        [element(b"root", 4000), *(element(b"c%d" % n) for n in range(4000))]
    ),
    "columns of one name": lambda: footer([element(b"root", 3), *[element(b"name")] * 3]),
    "billions of children": partial(footer, [element(b"root", 2**31 - 1), element(b"name")]),
    "billions of columns": partial(footer, structs(LEAF, 2**31 - 1)),
    "an unknown type": partial(footer, [element(b"root", 1), element(b"name", type_=99)]),
    "a name of 20 MB": partial(footer, [element(b"root", 1), element(b"n" * 20_000_000)]),
    "a million row groups of columns": partial(many_row_groups, 300_000, 3),
    "metadata of 4 GB": partial(footer, LEAF, length=2**32 - 1),
    "metadata longer than the file": partial(footer, LEAF, length=100_000),
    "a page that claims less than nothing": partial(a_page_that_claims, -5),
    "an encrypted file": encrypted,
    "only the marks": lambda: b"PAR1PAR1",
    "a start without an end": lambda: b"PAR1" + b"\0" * 5000,
}
BY_DAY = 8
