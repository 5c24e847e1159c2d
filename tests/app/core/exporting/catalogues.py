"""Sessions with lists of any columns, and catalogues read back by astropy as plain values."""

import csv
import json
import math
import re
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow.parquet as pq
from astropy.io import fits
from astropy.table import Table
from sqlalchemy import insert

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, lists
from app.core.exporting import export
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, new_session, open_session
from tests.app.core.sessions import ACCEPT, REJECT

AT = "2026-01-01T00:00:00+00:00"
CONTRACT = [
    *("object_id", "ra", "dec", "path", "path_folder", "row"),
    *("verdict", "confidence", "flags", "comment", "reviewer", "decided_at", "seconds_spent"),
    *("agent_verdict", "agent_p_yes", "agent_model", "agent_stopped_by", "agent_members"),
    "agent_seen_before",
]
TYPED = ("ecsv", "fits", "vot", "parquet")
FORMATS = ("csv", *TYPED)
REALS = ("ra", "dec", "agent_p_yes", "seconds_spent")


def listed(
    location: Path | str,
    rows: list[dict[str, Any]],
    columns: list[dict[str, str]] | None = None,
    *,
    roles: dict[str, str] | None = None,
    reviewer: str = "Ada",
) -> Session:
    """A session of one list; what a row does not say of its candidate is blank."""
    session = new_session(location, find_task("CV"), reviewer)
    add_list(session, rows, columns or [], roles or {})
    return session


def add_list(
    session: Session,
    rows: list[dict[str, Any]],
    columns: list[dict[str, str]],
    roles: dict[str, str],
    path: str = "/lists/list.csv",
) -> None:
    about = {
        "name": "list.csv", "path": path, "sha256": "ab" * 32, "format": "CSV",
        "rows_read": len(rows), "rows_used": len(rows), "roles": json.dumps(roles),
        "columns": json.dumps(columns), "imported_at": AT,
    }  # fmt: skip
    with session.database.writing() as connection:
        number = connection.execute(insert(lists).values(about).returning(lists.c.id)).scalar_one()
        values = []
        for line, row in enumerate(rows, 1):
            own = row.get("own", {})
            blank = {"object_id": f"J{line:06d}", "path": f"/s/{line}.fits", "row": 0, "label": ""}
            own_text = own if isinstance(own, str) else json.dumps(own)
            values.append({**blank, **row, "own": own_text, "list_id": number, "line": line})
        for _, alike in groupby(values, dict.keys):
            connection.execute(insert(candidates), list(alike))


def people(location, **more):
    """1: both accept. 2: they differ. 3: Ada alone. 4: a remark alone. 5: nothing."""
    session = listed(location, [{} for _ in range(5)], **more)
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, comment="clear"), seconds=2.0)
    session.record_verdict(2, ACCEPT, seconds=1.0, shown={"verdict": "YES"})
    session.record_verdict(3, REJECT, seconds=1.0)
    session.record_verdict(
        3, Opinion(verdict=Verdict.REJECT, flags=("a;b%", "c")), seconds=4.0, shown={"p_yes": 0.5}
    )
    session.record_verdict(4, Opinion(comment="later"))
    session.close()
    with open_session(location, "Ben") as ben:
        ben.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, confidence=4), seconds=3.0)
        ben.record_verdict(2, REJECT)
    return open_session(location, "Ada")


def read_csv(path: Path) -> dict[str, list[str]]:
    """As the csv module reads it, the apostrophes of the escape taken away."""
    with path.open(newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    table = zip(*rows, strict=True) if rows else ([] for _ in names)
    return {
        name: [re.sub(r"(\A|[;\t\r\n\v\f\x85\u2028\u2029])'", r"\1", cell) for cell in cells]
        for name, cells in zip(names, table, strict=True)
    }


def there_and_back(session: Session, folder: Path, suffix: str, **how: Any) -> dict[str, list[Any]]:
    """The columns of all candidates, written and read again."""
    out = folder / f"out.{suffix}"
    report = export(session, out, which="all", **how)
    found = read_csv(out) if suffix == "csv" else read_back(out)
    assert tuple(found) == report.columns
    return found


def read_back(path: Path) -> dict[str, list[Any]]:
    """Columns as lists of plain values, None where there is none; escapes undone."""
    how = {"format": "votable", "use_names_over_ids": True} if path.suffix == ".vot" else {}
    table = Table.read(path, **how)
    escaped = _escaped(path, table)
    found = {name: _plain(table[name], name in escaped) for name in table.colnames}
    if path.suffix == ".parquet":
        # astropy knows of no gaps there, and makes other numbers of what is around them.
        arrow = pq.read_table(path)
        found |= {name: arrow[name].to_pylist() for name in found if arrow[name].null_count}
    return found


def _escaped(path: Path, table: Table) -> set[str]:
    if path.suffix == ".ecsv":
        return set(table.meta.get("percent_escaped", {}).get("columns", ()))
    if path.suffix == ".vot":
        text = path.read_text(encoding="utf-8")
        return {name for name in table.colnames if f'value="{name}: percent-encoded' in text}
    if path.suffix == ".fits":
        header = fits.getheader(path, 1)
        numbers = [key.removeprefix("TENC") for key in header if key.startswith("TENC")]
        return {header[f"TTYPE{number}"] for number in numbers}
    return set()


def _plain(column: Any, is_escaped: bool) -> list[Any]:
    masks = np.ma.getmaskarray(column) if hasattr(column, "mask") else [False] * len(column)
    values = []
    for value, is_masked in zip(np.ma.getdata(column), masks, strict=True):
        plain = value.item() if isinstance(value, np.generic) else value
        plain = plain.decode() if isinstance(plain, bytes) else plain
        values.append(None if is_masked else unquote(plain) if is_escaped else plain)
    return values


def same(one: object, other: object) -> bool:
    """Equal, NaN to itself, and no text is no value."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    if one in ("", None):
        return other in ("", None)
    return type(one) is type(other) and one == other
