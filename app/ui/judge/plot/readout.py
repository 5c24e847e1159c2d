"""Texts about a position on the plot: the readout, nearby lines, units and measurements."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Signal

from agent.evidence.line_words import edge_text, ew_text, sigma_text, width_text
from agent.evidence.measurements import window_table
from agent.evidence.said_numbers import strength_state
from agent.spectra.lines import LineLists, builtin_lines, label_of, load_line_lists
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum, Window
from app.core.spectra.flux_quantity import (
    AS_IN_FILE,
    NORMALISED,
    PER_FREQUENCY,
    PER_WAVELENGTH,
    power_text,
    read_unit,
)
from app.core.spectra.wavelength_frame import WavelengthFrame
from app.ui.base.settings.settings import Settings
from app.ui.judge.plot.marks import Mark, task_ranks
from app.ui.judge.plot.trace import Trace
from app.ui.session.session_context import SessionContext


def measurements_text(
    spectrum: Spectrum, window: Window, frame: WavelengthFrame, more: Sequence[str] = ()
) -> str:
    """What is measured in the window, as lines of `name: value`, and lines about `more`.

    Wavelengths measured are in vacuum angstrom, in the rest frame where z is not 0.
    """
    z = frame.z
    lo, hi = (end / (1.0 + z) for end in window)
    shown = " to ".join(frame.number(end, 2) for end in window)
    numbers = window_table(spectrum, lo, hi, z)
    lines = [
        f"object: {spectrum.object_id}" + (" (SIMULATED)" if spectrum.simulated else ""),
        *([] if frame.is_usual else [f"range on screen: {shown} {frame.description}"]),
        f"range: {window[0]:.2f} to {window[1]:.2f} Å, observed, vacuum",
        *([f"z: {z:.6g}; rest range: {lo:.2f} to {hi:.2f} Å"] if z else []),
        f"pixels: {numbers['n_pixels']}, bad: {numbers['n_bad']}",
    ]
    if "snr" in numbers:
        lines.append(f"S/N per pixel: {numbers['snr']:g}")
    if "feature" in numbers:
        lines.append(_line_text("strongest feature", numbers["feature"]))
    lines += [_line_text(label_of(line["name"]), line) for line in numbers.get("lines", ())]
    lines += map(edge_text, numbers.get("edges", ()))
    if "reason" in numbers:
        lines.append(str(numbers["reason"]))
    lines += more
    return "\n".join(lines) + "\n"


def _line_text(name: str, line: Mapping[str, Any]) -> str:
    """A line with its numbers, written as every table writes them."""
    values = [f"centroid {line['centroid']:g} Å"] if "centroid" in line else []
    if "ew" in line:
        values.append(f"EW {ew_text(line['ew'], line.get('ew_error'))} Å")
    if "fwhm_kms" in line:
        values.append(f"FWHM {width_text(line['fwhm_kms'], line.get('fwhm_error'))} km/s")
    if "sigma" in line:
        values.append(f"{sigma_text(line['sigma'])} σ")
    state = strength_state(line)
    return (f"{name} ({state}): " if state else f"{name}: ") + ", ".join(values)


NEAR_KMS = 1500.0  # lines farther than this from a click are not listed
MAX_NAMED = 3
NAMES = {AS_IN_FILE: "F", PER_WAVELENGTH: "f_λ", PER_FREQUENCY: "f_ν", NORMALISED: "F/Fc"}
"""What fluxes of each quantity are called."""
NAMED_KINDS = ("line", "band_head")


def readout_text(
    spectrum: Spectrum,
    wavelength: float,
    frame: WavelengthFrame,
    mark: Mark | None = None,
    drawn: Trace | None = None,
) -> str:
    """The readout: the mark's name and rest wavelength, then wavelength and flux at the mouse.

    The rest wavelength is included where z is not 0, and the observed one where the axis is
    another; the flux is that of the nearest pixel, in the quantity of the trace.
    """
    rest = replace(frame.of_wavelengths, is_rest=True)
    observed = replace(rest, is_rest=False)
    parts = []
    if mark is not None:
        parts.append(f"{mark.line.label} {rest.of_rest.number(mark.line.wavelength)}")
    if frame.line is not None:
        parts.append(frame.text(wavelength))
    if frame.is_rest and frame.z:
        parts += [f"λ₀ {rest.text(wavelength)}", f"λ {observed.text(wavelength)}"]
    else:
        parts.append(observed.text(wavelength))
        if frame.z:
            parts.append(f"λ₀ {rest.text(wavelength)}")
    if frame.is_air and frame.line is None:
        parts.append(QCoreApplication.translate("readout", "(air)"))
    if flux := _flux_at(spectrum, wavelength, drawn):
        parts.append(flux)
    return "   ".join(parts)


def lines_nearby(lists: LineLists, wavelength: float, z: float) -> str:
    """Known lines near a wavelength, each with the velocity that would shift it there."""
    rest = wavelength / (1.0 + z)
    near = lists.nearest(rest, rest * NEAR_KMS / LIGHT_KMS, NAMED_KINDS)[:MAX_NAMED]
    sky = lists.nearest(wavelength, 6.0, ("sky",))[:1]
    away = [LIGHT_KMS * (rest / line.wavelength - 1.0) for line in near]
    named = [f"{line.label} {kms:+.0f} km/s" for line, kms in zip(near, away, strict=True)]
    return ", ".join([*named, *(line.label for line in sky)]).replace("-", "\N{MINUS SIGN}")


def flux_text(value: float) -> str:
    if value == 0 or 1e-2 <= abs(value) < 1e5:
        return f"{value:.4g}"
    return f"{value:.3e}"


def flux_title(relative: str, absolute: str, unit: str, exponent: int) -> str:
    """Title of the flux axis: `absolute` with the file's unit, or `relative` without one.

    The numbers on the axis are divided by 10 ** `exponent`.
    """
    known = read_unit(unit)
    power = known.power + exponent
    factors = [known.mantissa] if known.mantissa else []
    factors += [power_text(power)] if power else []
    inside = " ".join(filter(None, (" × ".join(factors), known.text)))
    return (absolute if unit.strip() else relative) + (f" ({inside})" if inside else "")


def _flux_at(spectrum: Spectrum, wavelength: float, drawn: Trace | None) -> str:
    lo, hi = spectrum.range
    if not lo <= wavelength <= hi:
        return ""
    right = int(spectrum.wavelength.searchsorted(wavelength))
    near = np.array([max(right - 1, 0), min(right, len(spectrum) - 1)])
    pixel = int(near[np.argmin(np.abs(spectrum.wavelength[near] - wavelength))])
    value, name = float(spectrum.flux[pixel]), "F"
    if drawn is not None:
        value = drawn.converted(float(spectrum.wavelength[pixel]), value)
        name = NAMES[drawn.quantity]
    if not math.isfinite(value):
        return "NaN"
    return f"{name} {flux_text(value)}" + ("" if spectrum.good[pixel] else " ✕")


class PlotLineLists(QObject):
    """The line lists that the plot draws from: the built-in ones, and the person's own."""

    changed = Signal()

    def __init__(self, context: SessionContext, parent: QObject) -> None:
        super().__init__(parent)
        self.lists: LineLists = builtin_lines()
        self._own: tuple[str, ...] = ()
        self._task = context.bridge.session.task
        self._answer, self._current = context.runner.latest(self), context.current
        context.settings.changed.connect(self.read)

    def read(self, settings: Settings) -> None:
        """Read the person's lists in the background, where they are others than before."""
        if settings.line_lists != self._own:
            self._own = settings.line_lists
            work = partial(load_line_lists, [Path(path) for path in settings.line_lists])
            self._answer.ask(work, self._use, self._current.report_error)

    def _use(self, lists: LineLists) -> None:
        self.lists = lists
        self.changed.emit()

    def name_near(self, wavelength: float, z: float) -> str:
        """The known line nearest to an observed wavelength, else the wavelength itself.

        Lines that the task names come first: the centre of a broad line may be nearer to another.
        """
        rest = wavelength / (1.0 + z)
        near = self.lists.nearest(rest, rest * NEAR_KMS / LIGHT_KMS, NAMED_KINDS)
        ranks = task_ranks(self._task, self.lists)
        named = [line for line in near if line.id in ranks] or near
        return named[0].label if named else f"{wavelength:.0f}"
