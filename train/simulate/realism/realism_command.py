"""`spec-o3-train realism`: how far simulated spectra are from a library of real ones."""

import csv
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from agent.errors import WorkbenchError, write_errors
from app.core.statistics.summary import to_plain
from train.parallel import counting
from train.simulate.realism import tell_apart
from train.simulate.realism.contact_sheet import write_sheet
from train.simulate.realism.library import Library
from train.simulate.realism.realism import (
    ClassSummary,
    FeatureComparison,
    PairedLibrary,
    compare,
    pair_library,
    summarise,
)
from train.simulate.realism.transfer import require_classifier

WORST = 25
SHOWN_GIVEAWAYS = 3
MAX_REASONS = 10


@dataclass(frozen=True)
class RealismReport:
    paired: PairedLibrary
    rows: list[FeatureComparison]
    classes: list[ClassSummary]
    verdicts: list[tell_apart.ClassifierResult]


def realism(
    folder: Annotated[
        Path,
        typer.Argument(help="Labelled real spectra: a folder with a MANIFEST.csv of file, label."),
    ],
    per_real: Annotated[
        int, typer.Option(min=4, max=1000, help="Simulated spectra per real one.")
    ] = 12,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 1,
    sheet: Annotated[
        Path | None,
        typer.Option(help="PNG to write with simulated and real spectra of each class."),
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", help="CSV to write with every class and measurement.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Measure how far the simulated spectra are from labelled real ones."""
    require_classifier("telling real from simulated")  # before minutes of simulation
    for path in (sheet, table):
        if path is not None and not path.parent.is_dir():
            raise WorkbenchError(f"cannot write {path.name}: no folder {path.parent}")
    library = Library(folder)
    report = _measure(library, per_real, seed)
    if table is not None:
        _write_csv(table, report.rows)
    if sheet is not None:
        write_sheet(sheet, library, seed)
    if as_json:
        typer.echo(json.dumps(to_plain(_record(report)), indent=1, allow_nan=False))
    else:
        _show(report, Console())


def _measure(library: Library, per_real: int, seed: int) -> RealismReport:
    with counting(Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("simulating", total=len(library.bases))
        paired = pair_library(library, per_real, seed, lambda: progress.advance(bar))
        pairs = paired.pairs
        if not pairs:
            raise WorkbenchError(
                f"no spectrum of {library.folder} can be compared: {_exclusions(paired)}"
            )
        judged = progress.add_task("telling apart", total=2 * len(tell_apart.subsets(pairs)))
        verdicts = list(tell_apart.judge_all(pairs, seed, lambda: progress.advance(judged)))
    rows = compare(pairs)
    return RealismReport(paired, rows, summarise(pairs, rows), verdicts)


def _exclusions(paired: PairedLibrary) -> str:
    """Reasons for excluding spectra and their counts, most frequent first."""
    counted = Counter(reason for _, reason in paired.excluded).most_common()
    reasons = [f"{reason} ({number})" for reason, number in counted[:MAX_REASONS]]
    return "; ".join(reasons) + ("; ..." if len(counted) > MAX_REASONS else "")


def _show(report: RealismReport, console: Console) -> None:
    console.print(_class_table(report.classes))
    console.print(_worst_table(report.rows))
    console.print(_verdict_table(report.verdicts))
    if not report.verdicts:
        console.print("There are too few spectra for a classifier.")
    if number := len(report.paired.excluded):
        console.print(f"{number} spectra excluded: {_exclusions(report.paired)}", markup=False)


def _table(title: str, columns: str, caption: str = "") -> Table:
    """`columns` are separated by |; those that start with < are text, the others numbers."""
    made = Table(title=title, caption=caption or None, box=box.SIMPLE, title_justify="left")
    for name in columns.split("|"):
        made.add_column(name.lstrip("<"), justify="left" if name.startswith("<") else "right")
    return made


def _class_table(classes: Sequence[ClassSummary]) -> Table:
    table = _table(
        "Real measurements outside the simulated 1-99 %",
        "<class|real|values|outside|if alike",
        "if alike: share expected outside by chance, larger for small simulated samples",
    )
    for line in classes:
        values = str(line.n_values) if line.n_values else "too few"
        shares = map(_percent, (line.outside, line.expected_outside))
        table.add_row(line.label, str(line.n_real), values, *shares)
    return table


def _worst_table(rows: Sequence[FeatureComparison]) -> Table:
    table = _table(
        "Worst measurements",
        "<class|<feature|n|median percentile|outside|real median|simulated 5 %|50 %|95 %",
    )
    for row in rows[:WORST]:
        values = (f"{value:.3g}" for value in (row.real[1], *row.simulated))
        middle, outside = f"{row.median_percentile:.0f}", _percent(row.outside)
        table.add_row(row.label, row.feature, str(row.n_real), middle, outside, *values)
    return table


def _verdict_table(verdicts: Sequence[tell_apart.ClassifierResult]) -> Table:
    table = _table(
        "Telling real from simulated: AUC, 0.5 if they cannot be told apart",
        "<spectra|real|<with noise statistics|AUC|±|<by",
        "by: fall of AUC when shuffled; ↑ real is higher than simulated, ↓ lower",
    )
    for verdict in verdicts:
        by = ", ".join(
            f"{one.feature} {'↑' if one.alone > 0.5 else '↓'}{one.fall:.2f}"
            for one in verdict.giveaways[:SHOWN_GIVEAWAYS]
        )
        noise = "yes" if verdict.noise_statistics else "no"
        numbers = (f"{verdict.auc:.2f}", f"{verdict.error:.2f}")
        table.add_row(escape(verdict.of), str(verdict.n_real), noise, *numbers, by)
    return table


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f} %"


def _flat(row: FeatureComparison) -> dict[str, Any]:
    numbers = asdict(row)
    for side in ("real", "simulated"):
        for name, value in zip(("p5", "p50", "p95"), numbers.pop(side), strict=True):
            numbers[f"{side}_{name}"] = value
    return numbers


def _write_csv(path: Path, rows: Sequence[FeatureComparison]) -> None:
    if not rows:
        raise WorkbenchError(f"no class has enough real spectra to fill {path}")
    with write_errors(path), path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(_flat(rows[0])))
        writer.writeheader()
        for row in map(_flat, rows):
            floats = {name: f"{x:.6g}" for name, x in row.items() if isinstance(x, float)}
            writer.writerow(row | floats)


def _record(report: RealismReport) -> dict[str, Any]:
    return {
        "real_spectra": len(report.paired.pairs),
        "left_out": dict(report.paired.excluded),
        "classes": report.classes,
        "verdicts": report.verdicts,
        "measurements": [_flat(row) for row in report.rows],
    }
