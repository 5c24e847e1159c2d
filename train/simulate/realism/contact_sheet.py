"""A picture of every simulated class, beside a real spectrum where a library has one."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.spectra.gaps import with_gaps
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray, Spectrum
from train.simulate.realism.library import Library
from train.simulate.realism.realism import counterpart, on_grid
from train.simulate.sky import LABELS, draw_source
from train.simulate.source import Rng, Source
from train.simulate.telescope.observation import to_spectrum
from train.simulate.telescope.surveys import SURVEYS
from train.simulate.telescope.telescope import observe

DRAWS_TO_CHOOSE_FROM = 24
ALONE_DRAWS = 3
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


def write_sheet(path: Path, library: Library | None, seed: int) -> None:
    """Write a PNG with a row per class; without a library, each has three simulated spectra."""
    if path.is_dir() or not path.parent.is_dir():
        raise WorkbenchError(f"{path} cannot be written: name a file in an existing folder")
    rows = [_row(label, library, seed) for label in LABELS]
    with write_errors(path):
        write_file(path, _draw(rows))


def _row(label: str, library: Library | None, seed: int) -> list[SheetPanel]:
    rng = np.random.default_rng([seed, LABELS.index(label)])
    if library is None:
        return [_alone(label, rng) for _ in range(ALONE_DRAWS)]
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
