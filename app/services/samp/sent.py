"""The messages we send: all values are texts, as TOPCAT refuses numbers."""

from collections.abc import Iterable
from pathlib import Path

Params = dict[str, object]


def table(path: Path, table_id: str, name: str) -> Params:
    return {"url": path.as_uri(), "table-id": table_id, "name": name}


def row(table_id: str, url: str, number: int) -> Params:
    return {"table-id": table_id, "url": url, "row": str(number)}


def rows(table_id: str, url: str, numbers: Iterable[int]) -> Params:
    return {"table-id": table_id, "url": url, "row-list": [str(number) for number in numbers]}


def position(ra: float, dec: float) -> Params:
    return {"ra": repr(float(ra)), "dec": repr(float(dec))}


def spectrum(path: Path, spectrum_id: str, name: str) -> Params:
    """Iris and SPLAT look into `meta` for the format."""
    meta = {"Access.Format": "application/x-votable+xml", "DataID.Title": name, "Target.Name": name}
    return {"url": path.as_uri(), "spectrum-id": spectrum_id, "name": name, "meta": meta}
