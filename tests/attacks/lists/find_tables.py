"""A table of a search that was damaged or edited, and all that reads one."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from agent.errors import WorkbenchError
from app.cli.main import workbench
from app.core.finding.table import FILES, MANIFEST, FindTable
from app.mcp.candidates import likeliest
from app.ui.start.finding.search_thread import look_at_table
from tests.attacks.sessions.studies import changed

CHOICES = (("--task", "CV", "--keep", "5"), ("--task", "odd", "--keep", "3"), ("--unread",), ())
VALUES = (None, float("nan"), float("inf"), -1e308, 2**62, -1, "", "x" * 100_000, "\0", True)


def attack(seed: int, made: str, home: str) -> dict[str, Any]:
    chance = random.Random(seed)
    folder = Path(shutil.copytree(made, home))
    what = chance.choice([_manifest, _log, _column, _column, _bytes])(folder, chance)
    told = [_tried(lambda words=words: _find(folder, words)) for words in CHOICES]
    told.append(_tried(lambda: look_at_table(folder, chance.choice(["CV", "odd"]))))
    told.append(_tried(lambda: json.dumps(likeliest(folder, "CV", 5), allow_nan=False)))
    told.append(_tried(lambda: FindTable(folder).seen()))
    return {"what": what, "told": told}


def _find(folder: Path, words: tuple[str, ...]) -> None:
    workbench(["find"])(["find", str(folder), *words], standalone_mode=False)


def _tried(work: Any) -> str:
    try:
        work()
    except WorkbenchError as error:
        text = str(error)
        assert text and "\n" not in text and len(text) < 2000, text[:3000]
        return text[:200]
    return ""


def _manifest(folder: Path, chance: random.Random) -> str:
    values = json.loads((folder / MANIFEST).read_bytes())
    what = changed(values, chance)
    (folder / MANIFEST).write_text(json.dumps(values))
    return f"manifest: {what}"


def _log(folder: Path, chance: random.Random) -> str:
    lines = [*map(json.loads, (folder / FILES).read_text().splitlines())]
    what = changed(lines, chance)
    text = "\n".join(map(json.dumps, lines))
    (folder / FILES).write_text(text[: chance.choice([len(text), len(text) // 2])])
    return f"log: {what}"


def _column(folder: Path, chance: random.Random) -> str:
    """A column is gone, of another type, or holds what no search writes."""
    part = chance.choice(sorted(folder.glob("*.parquet")))
    table = pq.read_table(part)
    at = chance.randrange(table.num_columns)
    name = table.column_names[at]
    value = chance.choice(VALUES)
    how = chance.choice(["drop", "one", "all", "type"])
    if how == "drop":
        table = table.drop_columns([name])
    else:
        rows = table.column(at).to_pylist()
        rows = [value if how != "one" or number == 1 else row for number, row in enumerate(rows)]
        kind = None if how == "type" else table.schema.field(at).type
        try:
            table = table.set_column(at, name, pa.array(rows, kind))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            table = table.set_column(at, name, pa.array([str(row) for row in rows]))
    pq.write_table(table, part)
    return f"column: {part.stem[:-7]} {name} {how} {value!s:.20}"


def _bytes(folder: Path, chance: random.Random) -> str:
    part = chance.choice(sorted(folder.glob("*.parquet")))
    content = part.read_bytes()
    part.write_bytes(content[: chance.randrange(len(content))])
    return f"cut: {part.name}"
