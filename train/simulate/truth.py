"""The two tables beside simulated files: the truth, and the list a survey would hand out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.errors import WorkbenchError
from train.simulate.production import Made

TRUTH_COLUMNS = (
    "file", "row", "index", "label", "subtype", "survey", "release", "object_id", "ra", "dec",
    "snr", "velocity_kms", "z", "quality", "library", "seed", "parameters",
)  # fmt: skip
CANDIDATE_COLUMNS = (
    "file", "row", "object_id", "ra", "dec", "survey", "snr", "mag_g", "mag_r", "mag_i", "class",
    "subclass", "z",
)  # fmt: skip
TRUTH_FILE = "truth.csv"
CANDIDATES_FILE = "candidates.csv"

Cell = str | int | float
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Rows:
    """One spectrum's line in each table."""

    truth: dict[str, Cell]
    candidate: dict[str, Cell]


def object_id(made: Made) -> str:
    """As the readers name it."""
    target, survey = made.entry.target, made.entry.observation.survey
    if survey in ("SDSS", "BOSS"):
        return f"{target.plate:04d}-{target.mjd}-{target.fiber:04d}"
    return str(target.targetid) if survey == "DESI" else target.designation


def rows_of(made: Made, file: str, row: int) -> Rows:
    entry, source = made.entry, made.source
    seen, target, guess = entry.observation, entry.target, entry.guess
    common: dict[str, Cell] = {
        "file": file,
        "row": row,
        "object_id": object_id(made),
        "ra": target.ra,
        "dec": target.dec,
        "survey": seen.survey,
        "snr": seen.snr["r"],
    }
    truth = common | {
        "index": target.index,
        "label": source.label,
        "subtype": source.subtype,
        "release": seen.release,
        "velocity_kms": round(source.velocity_kms, 3),
        "z": round(source.z, 6),
        "quality": made.quality,
        "library": str(source.parameters.get("base", "")),
        "seed": entry.stamp.seed,
        "parameters": json.dumps(
            {"source": source.parameters, "telescope": seen.parameters}, default=float
        ),
    }
    candidate = common | {
        **{f"mag_{band}": target.magnitudes[band] for band in "gri"},
        "class": guess.class_name,
        "subclass": guess.subclass,
        "z": round(guess.z, 6) if guess.z > -9000 else "",
    }
    return Rows(truth, candidate)


class Tables:
    """Appends to both tables, a job at a time, so that a stopped campaign can go on."""

    def __init__(self, folder: Path) -> None:
        self.truth_path = folder / TRUTH_FILE
        self.candidates_path = folder / CANDIDATES_FILE

    def keep(self, rows: int) -> None:
        """Cut both tables to their first `rows` whole rows; make them where they are missing."""
        for path, columns in (
            (self.truth_path, TRUTH_COLUMNS),
            (self.candidates_path, CANDIDATE_COLUMNS),
        ):
            kept = list(_whole_rows(path, columns))[:rows]
            with _replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(kept)

    def rows_done(self) -> int:
        """Whole rows present in both tables."""
        return min(
            sum(1 for _ in _whole_rows(self.truth_path, TRUTH_COLUMNS)),
            sum(1 for _ in _whole_rows(self.candidates_path, CANDIDATE_COLUMNS)),
        )

    def append(self, rows: Iterable[Rows]) -> None:
        rows = list(rows)
        _append(self.candidates_path, CANDIDATE_COLUMNS, [row.candidate for row in rows])
        _append(self.truth_path, TRUTH_COLUMNS, [row.truth for row in rows])


def _append(path: Path, columns: tuple[str, ...], rows: list[dict[str, Cell]]) -> None:
    try:
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writerows({key: _harmless(value) for key, value in row.items()} for row in rows)
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def _harmless(value: Cell) -> Cell:
    """Text that a spreadsheet would run as a formula gets a quote before it."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


def _whole_rows(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Rows written to the end; a line cut off by a crash is none."""
    if not path.is_file():
        return
    text = path.read_text(encoding="utf-8")
    text = text[: text.rfind("\n") + 1]
    for row in csv.DictReader(text.splitlines()):
        if set(row) == set(columns) and None not in row.values():
            yield row


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    part = path.with_name(f".{path.name}.part")
    yield part
    part.replace(path)


def read_truth(folder: Path) -> list[dict[str, str]]:
    """The truth of a campaign, a dict per spectrum; `parameters` is JSON text."""
    path = folder / TRUTH_FILE
    if not path.is_file():
        raise WorkbenchError(f"{folder} holds no {TRUTH_FILE}")
    return list(_whole_rows(path, TRUTH_COLUMNS))
