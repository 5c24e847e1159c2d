"""Writes catalogues in the HATS layout."""

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from app.core.evidence.hats import pixels_at
from app.core.importing.sky import unit_vectors


def write_hats(
    folder: Path,
    columns: Mapping[str, np.ndarray],
    order: int = 1,
    *,
    split: Collection[int] = (),
    suffix: str = ".parquet",
    properties: Mapping[str, str] | None = None,
) -> Path:
    """A catalogue with partitions at an order; those in `split` are made of four finer ones."""
    finest = pixels_at(29, unit_vectors(columns["ra"], columns["dec"]))
    coarse = finest >> 2 * (29 - order)
    is_split = np.isin(coarse, list(split))
    orders = np.where(is_split, order + 1, order)
    pixels = np.where(is_split, finest >> 2 * (28 - order), coarse)
    table = pa.table({"_healpix_29": finest, **columns})
    partitions = sorted(set(zip(orders.tolist(), pixels.tolist(), strict=True)))
    for at, pixel in partitions:
        rows = np.flatnonzero((orders == at) & (pixels == pixel))
        rows = rows[np.argsort(finest[rows], kind="stable")]
        write_partition(folder, at, pixel, table.take(pa.array(rows)), suffix)
    parquet.write_metadata(table.schema, folder / "dataset" / "_common_metadata")
    write_lists(folder, partitions, len(table), {"hats_npix_suffix": suffix, **(properties or {})})
    return folder


def partition_path(folder: Path, order: int, pixel: int, suffix: str = ".parquet") -> Path:
    inside = f"Norder={order}/Dir={pixel // 10_000 * 10_000}/Npix={pixel}"
    if suffix == "/":
        return folder / "dataset" / inside / "part0.parquet"
    return folder / "dataset" / f"{inside}{suffix}"


def write_partition(
    folder: Path, order: int, pixel: int, table: pa.Table, suffix: str = ".parquet"
) -> None:
    path = partition_path(folder, order, pixel, suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path)


def write_lists(
    folder: Path, partitions: Collection[tuple[int, int]], count: int, properties: Mapping[str, str]
) -> None:
    said = {
        "obs_collection": "stars", "dataproduct_type": "object", "hats_nrows": str(count),
        "hats_col_ra": "ra", "hats_col_dec": "dec", "hats_version": "v1.0", **properties,
    }  # fmt: skip
    lines = [f"{key}={value}" for key, value in said.items()]
    (folder / "hats.properties").write_text("\n".join(["#HATS catalog", *lines, ""]))
    rows = [f"{order},{pixel}" for order, pixel in partitions]
    (folder / "partition_info.csv").write_text("\n".join(["Norder,Npix", *rows, ""]))
