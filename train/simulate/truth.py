"""The two tables of a campaign: the truth, and the candidate list a survey would publish."""

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.atomic_file import atomic_path
from agent.errors import write_errors
from app.core.exporting.escapes import escape_formula
from train.simulate.production import SimulatedSpectrum

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


@dataclass(frozen=True)
class TableRows:
    truth: dict[str, Cell]
    candidate: dict[str, Cell]


def object_id(made: SimulatedSpectrum) -> str:
    """The identifier that the readers give to this spectrum."""
    target, survey = made.entry.target, made.entry.observation.survey
    if survey in ("SDSS", "BOSS"):
        return f"{target.plate:04d}-{target.mjd}-{target.fiber:04d}"
    return str(target.targetid) if survey == "DESI" else target.designation


def table_rows(made: SimulatedSpectrum, file: str, row: int) -> TableRows:
    entry, source = made.entry, made.source
    seen, target, pipeline_class = entry.observation, entry.target, entry.pipeline_class
    common: dict[str, Cell] = {
        "file": file,
        "row": row,
        "object_id": object_id(made),
        "ra": target.ra,
        "dec": target.dec,
        "survey": seen.survey,
        "snr": seen.snr["r"],
    }
    parameters = {"source": source.parameters, "telescope": seen.parameters}
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
        "parameters": json.dumps(parameters, default=float),
    }
    candidate = common | {
        **{f"mag_{band}": target.magnitudes[band] for band in "gri"},
        "class": pipeline_class.class_name,
        "subclass": pipeline_class.subclass,
        "z": round(pipeline_class.z, 6) if pipeline_class.z > -9000 else "",
    }
    return TableRows(truth, candidate)


class Tables:
    """Appends to both tables one job at a time, so that a stopped campaign can be resumed."""

    def __init__(self, folder: Path) -> None:
        self.candidates, self.truth = folder / CANDIDATES_FILE, folder / TRUTH_FILE
        self._columns = {self.candidates: CANDIDATE_COLUMNS, self.truth: TRUTH_COLUMNS}

    def keep(self, rows: int) -> None:
        """Truncate both tables to their first `rows` whole rows, or create them."""
        for path, columns in self._columns.items():
            kept = list(_whole_rows(path, columns))[:rows]
            with (
                write_errors(path),
                atomic_path(path) as part,
                part.open("w", newline="", encoding="utf-8") as file,
            ):
                writer = csv.DictWriter(file, columns, lineterminator="\n")
                writer.writeheader()
                writer.writerows(kept)

    def rows_done(self) -> int:
        return min(sum(1 for _ in _whole_rows(*table)) for table in self._columns.items())

    def append(self, rows: Sequence[TableRows]) -> None:
        self._append(self.candidates, [row.candidate for row in rows])
        self._append(self.truth, [row.truth for row in rows])

    def _append(self, path: Path, rows: list[dict[str, Cell]]) -> None:
        safe = [{key: escape_formula(str(cell)) for key, cell in row.items()} for row in rows]
        with write_errors(path), path.open("a", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, self._columns[path], lineterminator="\n").writerows(safe)


def _whole_rows(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Complete rows; a last line cut off by a crash is skipped."""
    if not path.is_file():
        return
    text = path.read_text(encoding="utf-8")
    text = text[: text.rfind("\n") + 1]
    for row in csv.DictReader(text.splitlines()):
        if set(row) == set(columns) and None not in row.values():
            yield row
