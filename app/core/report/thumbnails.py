"""Small spectra: the whole one with the agent's key window marked, and that window enlarged."""

from __future__ import annotations

import numpy as np

from agent.rendering.robust import limits
from agent.spectra.gaps import with_gaps
from agent.spectra.spectrum import FloatArray, Spectrum, Window
from app.core.report.evidence import KeyLook
from app.core.report.markup import Markup
from app.core.report.svg import (
    AGENT,
    FAINT,
    RULE,
    SPECTRUM,
    box,
    curve,
    figure,
    in_bins,
    line,
    svg_text,
    ticks,
)

WIDTH = 356.0
# Upper and lower edge of each panel, in pixels.
WHOLE = (6.0, 74.0)
LOOK = (98.0, 168.0)
POINTS = 440
FEWEST = 5
GAP = 20.0  # steps this many times the usual one are not crossed by the curve


def thumbnail(spectrum: Spectrum, look: KeyLook | None) -> Markup:
    """Flux against observed wavelength; each point averages good pixels."""
    whole = _panel(spectrum, spectrum.range, WHOLE, None if look is None else look.range)
    low, high = spectrum.range
    title = (
        f"Spectrum of {spectrum.object_id[:80] or 'the object'}, {low:.0f} to {high:.0f} angstrom"
    )
    if look is None or not _can_be_shown(spectrum, look.range):
        return figure(title, WIDTH, WHOLE[1] + 16.0, *whole)
    title += f"; below, {look.label or 'the look'} at {look.range[0]:.0f} to {look.range[1]:.0f}"
    return figure(
        title, WIDTH, LOOK[1] + 16.0, *whole, *_panel(spectrum, look.range, LOOK, None, AGENT)
    )


def _can_be_shown(spectrum: Spectrum, window: Window) -> bool:
    low, high = window
    inside = (spectrum.wavelength >= low) & (spectrum.wavelength <= high)
    return int(np.sum(inside & spectrum.good)) >= FEWEST


def _panel(
    spectrum: Spectrum,
    window: Window,
    rows: tuple[float, float],
    marked: Window | None,
    frame: str = RULE,
) -> list[Markup]:
    inside = (spectrum.wavelength >= window[0]) & (spectrum.wavelength <= window[1])
    wavelength, flux = in_bins(
        spectrum.wavelength[inside], spectrum.flux[inside], spectrum.good[inside], POINTS
    )
    top, floor = rows

    def x(value: float) -> float:
        return float(np.interp(value, window, (1.0, WIDTH - 1.0)))

    drawn = [box(1, top, WIDTH - 2, floor - top, "#ffffff", stroke=frame)]
    if marked is not None:
        left, right = x(marked[0]), x(marked[1])
        drawn.append(box(left, top, max(right - left, 2.0), floor - top, AGENT, opacity=0.14))
    for at in ticks(*window):
        drawn.append(line(x(at), floor, x(at), floor + 3, RULE))
        anchor = "start" if x(at) < 18.0 else "end" if x(at) > WIDTH - 18.0 else "middle"
        drawn.append(svg_text(f"{at:.0f}", x(at), floor + 13, anchor=anchor))
    known = flux[np.isfinite(flux)]
    if known.size < FEWEST:
        return [*drawn, svg_text("no good pixels", 10, 0.5 * (top + floor), class_="soft")]
    wavelength, flux = with_gaps(wavelength, GAP, flux)
    columns = np.interp(wavelength, window, (1.0, WIDTH - 1.0))
    return [*drawn, *_line(columns, flux, known, top, floor)]


def _line(
    columns: FloatArray, flux: FloatArray, known: FloatArray, top: float, floor: float
) -> list[Markup]:
    low, high = limits(known)
    level = max(abs(low), abs(high))
    room = max(0.06 * (high - low), 1e-6 * level) or 1.0  # the last digits are no structure
    low, high = low - room, high + room
    # Fluxes beyond the limits are drawn at the edge; NaN stays NaN and breaks the curve.
    rows = np.interp(flux, (low, high), (floor - 1.0, top + 1.0))
    at_zero = float(np.interp(0.0, (low, high), (floor - 1.0, top + 1.0)))
    zero = [line(1, at_zero, WIDTH - 1, at_zero, FAINT)] if low < 0.0 < high else []
    return [*zero, curve(columns, rows, SPECTRUM)]
