"""`spec-o3-train realism`: how far simulated spectra are from a library of real ones."""

import csv
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scipy.ndimage import gaussian_filter1d

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.spectra.gaps import with_gaps
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray, Spectrum
from app.core.statistics.summary import to_plain
from train.parallel import counting
from train.simulate.realism.library import Library
from train.simulate.realism.realism import (
    ClassifierResult,
    ClassSummary,
    FeatureComparison,
    PairedLibrary,
    compare,
    counterpart,
    judge_all,
    on_grid,
    pair_library,
    subsets,
    summarise,
)
from train.simulate.realism.transfer import require_classifier
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import Rng, Source
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.surveys import SURVEYS
from train.simulate.telescope.telescope import observe

WORST = 25
SHOWN_GIVEAWAYS = 3
MAX_REASONS = 10


@dataclass(frozen=True)
class RealismReport:
    paired: PairedLibrary
    rows: list[FeatureComparison]
    classes: list[ClassSummary]
    verdicts: list[ClassifierResult]


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
    if not as_json:
        _show(report, Console())
        return
    record = {
        "real_spectra": len(report.paired.pairs),
        "left_out": dict(report.paired.excluded),
        "classes": report.classes,
        "verdicts": report.verdicts,
        "measurements": [_flat(row) for row in report.rows],
    }
    typer.echo(json.dumps(to_plain(record), indent=1, allow_nan=False))


def _measure(library: Library, per_real: int, seed: int) -> RealismReport:
    with counting(Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("simulating", total=len(library.bases))
        paired = pair_library(library, per_real, seed, lambda: progress.advance(bar))
        pairs = paired.pairs
        if not pairs:
            raise WorkbenchError(
                f"no spectrum of {library.folder} can be compared: {_exclusions(paired)}"
            )
        judged = progress.add_task("telling apart", total=2 * len(subsets(pairs)))
        verdicts = list(judge_all(pairs, seed, lambda: progress.advance(judged)))
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


def _verdict_table(verdicts: Sequence[ClassifierResult]) -> Table:
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


# Pairs of real and simulated spectra below one another, to look at.
DRAWS_TO_CHOOSE_FROM = 24
ALONE_SURVEY, ALONE_SNR = "LAMOST", 40.0
SHAPE_PIXELS = 5.0
COLOUR_PIXELS = 150.0
MAX_PARAMETERS = 4
CELL_INCHES = (7.0, 2.3)
DPI = 100
GAP = 20.0  # no line crosses a step this many times the usual one


@dataclass(frozen=True, eq=False)
class SheetPanel:
    title: str
    spectrum: Spectrum
    is_real: bool


def write_sheet(path: Path, library: Library, seed: int) -> None:
    """Write a PNG with a row per class: a real spectrum and its like, or two simulated ones."""
    if path.is_dir() or not path.parent.is_dir():
        raise WorkbenchError(f"{path} cannot be written: name a file in an existing folder")
    rows = [_row(label, library, seed) for label in LABELS]
    with write_errors(path):
        write_file(path, _draw(rows))


def _row(label: str, library: Library, seed: int) -> list[SheetPanel]:
    rng = np.random.default_rng([seed, LABELS.index(label)])
    real = next(_readable(library, label), None)
    if real is None:
        return [_alone(label, rng) for _ in range(2)]
    return [_nearest(label, real.spectrum, rng), real]


def _readable(library: Library, label: str) -> Iterator[SheetPanel]:
    """Readable real spectra of one class, those of simulated surveys first."""
    panels = []
    for base in library.by_label.get(label, ()):
        try:
            spectrum = on_grid(read(base.path))
        except WorkbenchError:
            continue
        words = ["real", label, base.subtype, spectrum.survey, base.path.name]
        panel = SheetPanel(" · ".join(word for word in words if word), spectrum, True)
        if spectrum.survey in SURVEYS:
            yield panel
        else:
            panels.append(panel)
    yield from panels


def _alone(label: str, rng: Rng) -> SheetPanel:
    source = draw_source(label, rng)
    seen = to_spectrum(observe(source, ALONE_SURVEY, rng, snr=ALONE_SNR))
    return SheetPanel(f"simulated · {_described(source)}", seen, False)


def _nearest(label: str, real: Spectrum, rng: Rng) -> SheetPanel:
    """The draw most similar to the real spectrum, since a class holds many kinds of stars."""
    draws = [counterpart(label, real, rng) for _ in range(DRAWS_TO_CHOOSE_FROM)]
    seen, source = min(draws, key=lambda draw: _unlike(draw[0], real))
    title = f"simulated, nearest of {DRAWS_TO_CHOOSE_FROM} · {_described(source)}"
    return SheetPanel(title, seen, False)


def _described(source: Source) -> str:
    values = list(source.parameters.items())[:MAX_PARAMETERS]
    return ", ".join([f"{source.label} {source.subtype}", *(f"{k} {v}" for k, v in values)])


def _unlike(made: Spectrum, real: Spectrum) -> float:
    """Scatter of the difference in log flux, in which lines and bands count more than colour."""
    wavelength = real.wavelength[real.good]
    if wavelength.size < COLOUR_PIXELS:
        return 0.0
    difference = _log_shape(made, wavelength) - _log_shape(real, wavelength)
    colour = gaussian_filter1d(difference, COLOUR_PIXELS)
    return float(2 * np.std(difference - colour) + 0.5 * np.std(colour))


def _log_shape(spectrum: Spectrum, wavelength: FloatArray) -> FloatArray:
    """ln of smoothed flux, interpolated over bad pixels and limited below at the noise."""
    good = spectrum.good
    if not good.any():
        return np.zeros(wavelength.size)
    flux = np.interp(wavelength, spectrum.wavelength[good], spectrum.flux[good])
    smooth = gaussian_filter1d(flux, SHAPE_PIXELS)
    return np.log(np.maximum(smooth, 0.15 * np.median(np.abs(smooth)) + 1e-300))


def _draw(rows: list[list[SheetPanel]]) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = max(len(row) for row in rows)
    width, height = CELL_INCHES[0] * columns, CELL_INCHES[1] * len(rows) + 0.5
    figure = Figure(figsize=(width, height), dpi=DPI)
    canvas = FigureCanvasAgg(figure)
    grid = figure.subplots(len(rows), columns, squeeze=False)
    # Margins are set by hand: a layout engine takes longer than all the drawing.
    figure.subplots_adjust(left=0.7 / width, right=1 - 0.15 / width, wspace=0.1)
    figure.subplots_adjust(bottom=0.6 / height, top=1 - 0.35 / height, hspace=0.3)
    for row, cells in zip(rows, grid, strict=True):
        real = [panel.spectrum.range for panel in row if panel.is_real]
        lows, highs = zip(*(real or [panel.spectrum.range for panel in row]), strict=True)
        for panel, axes in zip(row, cells, strict=True):
            _draw_panel(axes, panel, (min(lows), max(highs)))
    figure.text(0.5, 0.12 / height, "vacuum wavelength, Å", ha="center")
    figure.text(0.15 / width, 0.5, "relative flux", va="center", rotation="vertical")
    out = BytesIO()
    canvas.print_png(out)
    return out.getvalue()


def _draw_panel(axes: Any, panel: SheetPanel, span: tuple[float, float]) -> None:
    spectrum = panel.spectrum
    good = spectrum.good
    level = float(np.median(spectrum.flux[good])) if good.any() else 1.0
    flux = np.where(good, spectrum.flux, np.nan) / (level if level > 0 else 1.0)
    wavelength, flux = with_gaps(spectrum.wavelength, GAP, flux)
    axes.plot(wavelength, flux, color="#b03a2e" if panel.is_real else "#1f4e79", lw=0.7)
    # A title may contain a file name, in which a $ must not start a formula.
    title = "".join(letter for letter in panel.title if letter.isprintable())[:110]
    axes.set_title(title, fontsize=8, loc="left", parse_math=False)
    axes.set_xlim(span)
    axes.set_ylim(_limits(flux))
    axes.tick_params(labelsize=7)


def _limits(flux: FloatArray) -> tuple[float, float]:
    """y limits that include lines and bands, but not single bad pixels and the noisy ends."""
    finite = flux[np.isfinite(flux)]
    edge = finite.size // 40
    inner = gaussian_filter1d(finite[edge : finite.size - edge], 1.5) if finite.size else finite
    if inner.size == 0:
        return 0.0, 1.0
    low, high = float(inner.min()), float(inner.max())
    margin = 0.06 * (high - low) + 1e-3
    return min(low, 0.0) - margin, high + margin
