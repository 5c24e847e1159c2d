"""SpecVI-Bench as published: Parquet rows for reinforcement learning, as verl takes them.

A row has `data_source`, `prompt`, `reward_model.ground_truth` and, deep in `extra_info`, what the
tool is created with: wavelength, flux, redshift.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from train.bench.published_rows import Node, example_of, first, nodes_of, task_of
from train.bench.sharegpt import copy_conversations
from train.bench.sharegpt_files import conversation_files
from train.examples import Example, write_examples

MAX_FILES = 1000
MAX_GROUP_BYTES = 4 * 1024**3
ROWS_AT_ONCE = 32
HEAVY = ("images", "image")
SURVEYS = ("SDSS", "DESI")
CROSS_TASKS = ("O", "B", "A")


@dataclass
class ImportCounts:
    """What was found, and why rows were left out."""

    rows: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    split_of: dict[str, set[str]] = field(default_factory=dict)
    """Of each content: an object in two splits is told, as it lies in what others published."""


def convert(folder: Path, out: Path) -> str:
    """Published files of both kinds as ours, in `out`; returns what was made, in words."""
    files = _parquet_files(folder)
    tally = ImportCounts()
    made = []
    for name, its in sorted(_by_set(files).items()):
        count = write_examples(out / f"{name}.parquet", _examples(its, name, tally))
        made.append(f"{name} {count}")
    talks = conversation_files(folder)
    if talks:
        count, faults = copy_conversations(talks, out)
        made.append(f"conversations {count}")
        tally.refused.update(faults)
    if not tally.rows and not talks:
        raise WorkbenchError(f"{folder} holds neither SpecVI-Bench rows nor conversations")
    shared = sum(len(splits) > 1 for splits in tally.split_of.values())
    _write_card(out, folder, made, tally, shared)
    said = [f"{count} rows left out: {why}" for why, count in tally.refused.most_common(5)]
    if shared:
        said.append(f"{shared} spectra are in more than one of train and test")
    return "; ".join([", ".join(made), *said])


def published_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file without their pictures, some at a time."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                if file.metadata.row_group(group).total_byte_size > MAX_GROUP_BYTES:
                    raise WorkbenchError(f"{path}: a group of rows is larger than 4 GiB")
            light = [name for name in file.schema_arrow.names if name not in HEAVY]
            for batch in file.iter_batches(ROWS_AT_ONCE, columns=light):
                yield from batch.to_pylist()
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise WorkbenchError(f"{path} cannot be read: {printable(str(error), 160)}") from error


def _parquet_files(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*.parquet")):
        if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            found.append(path)
        if len(found) > MAX_FILES:
            raise WorkbenchError(f"{folder} holds more than {MAX_FILES} Parquet files")
    return [path for path in found if _has_rows(path)]


def _has_rows(path: Path) -> bool:
    """Whether its columns are those of such rows and not of conversations."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        names = set(parquet.read_schema(path).names)
    except (OSError, pyarrow.ArrowException) as error:
        raise WorkbenchError(f"{path} cannot be read: {printable(str(error), 160)}") from error
    return bool(names & {"reward_model", "extra_info", "prompt"}) and "conversations" not in names


def _by_set(files: list[Path]) -> dict[str, list[Path]]:
    """The files whose rows may belong to each of our sets."""
    found: dict[str, list[Path]] = {}
    for path in files:
        for name in _survey_of(path) or ("train", "test", "cross"):
            if name in ("train", "test") and _split_in(path.stem) not in ("", name):
                continue
            found.setdefault(name, []).append(path)
    return found


def _survey_of(path: Path) -> tuple[str, ...]:
    return tuple(f"survey-{each}" for each in SURVEYS if each.casefold() in path.name.casefold())


def _set_of(nodes: Sequence[Node], path: Path) -> str:
    if survey := _survey_of(path):
        return survey[0]
    if task_of(nodes, path) in CROSS_TASKS:
        return "cross"
    return _split_in(path.stem) or _split_in(str(first(nodes, ("split",)) or "")) or "test"


def _split_in(text: str) -> str:
    low = text.casefold()
    return "train" if "train" in low else "test" if re.search("test|val", low) else ""


def _examples(files: list[Path], name: str, tally: ImportCounts) -> Iterator[Example]:
    for path in files:
        for row in published_rows(path):
            nodes = nodes_of(row)
            if _set_of(nodes, path) != name:
                continue
            tally.rows += 1
            try:
                made = example_of(nodes, path, name)
            except WorkbenchError as error:
                tally.refused[str(error)] += 1
                continue
            split = "train" if name == "train" else "test"
            tally.split_of.setdefault(made.sha256, set()).add(split)
            yield made


def _write_card(out: Path, folder: Path, made: list[str], tally: ImportCounts, shared: int) -> None:
    refused = [f"- left out, {why}: {count}" for why, count in tally.refused.most_common()]
    lines = [
        "# SpecVI-Bench as published",
        "",
        f"Converted from the files in {printable(folder.name, 80)}; the terms of their publication "
        "hold.",
        "",
        *(f"- {each}" for each in made),
        *refused,
        f"- spectra in more than one of train and test, as published: {shared}",
        "",
    ]
    figures = {
        "made": made,
        "rows": tally.rows,
        "left_out": dict(tally.refused),
        "in_two_splits": shared,
    }
    (out / "README.md").write_text("\n".join(lines), encoding="utf-8")
    (out / "bench.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
