"""Small spectra: the whole, with the agent's key look marked, and that look larger."""

from __future__ import annotations

import numpy as np

from agent.rendering.robust import limits
from agent.spectra.spectrum import Spectrum, Window
from app.core.report.drawing import (
    AGENT,
    FAINT,
    RULE,
    SPECTRUM,
    Floats,
    LinearScale,
    box,
    curve,
    figure,
    in_bins,
    line,
    ticks,
    words,
)
from app.core.report.evidence import KeyLook
from app.core.report.markup import Markup

WIDTH = 356.0
WHOLE = (6.0, 74.0)
LOOK = (98.0, 168.0)
"""From the upper to the lower edge of each panel."""
POINTS = 440
FEWEST = 5


def thumbnail(spectrum: Spectrum, look: KeyLook | None) -> Markup:
    """Flux against observed wavelength. Points are means over the good pixels they stand for."""
    whole = _panel(spectrum, spectrum.range, WHOLE, None if look is None else look.range)
    low, high = spectrum.range
    told = (
        f"Spectrum of {spectrum.object_id[:80] or 'the object'}, {low:.0f} to {high:.0f} angstrom"
    )
    if look is None or not _can_be_shown(spectrum, look.range):
        return figure(told, WIDTH, WHOLE[1] + 16.0, *whole)
    told += f"; below, {look.label or 'the look'} at {look.range[0]:.0f} to {look.range[1]:.0f}"
    return figure(
        told, WIDTH, LOOK[1] + 16.0, *whole, *_panel(spectrum, look.range, LOOK, None, AGENT)
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
    x = LinearScale(*window, 1.0, WIDTH - 1.0)
    top, floor = rows
    drawn = [box(1, top, WIDTH - 2, floor - top, "#ffffff", stroke=frame)]
    if marked is not None:
        left, right = (min(max(x(each), 1.0), WIDTH - 1.0) for each in marked)
        drawn.append(box(left, top, max(right - left, 2.0), floor - top, AGENT, opacity=0.14))
    for at in ticks(*window):
        drawn.append(line(x(at), floor, x(at), floor + 3, RULE))
        anchor = "start" if x(at) < 18.0 else "end" if x(at) > WIDTH - 18.0 else "middle"
        drawn.append(words(f"{at:.0f}", x(at), floor + 13, anchor=anchor))
    known = flux[np.isfinite(flux)]
    if known.size < FEWEST:
        return [*drawn, words("no good pixels", 10, 0.5 * (top + floor), class_="soft")]
    return [*drawn, *_line(x, wavelength, flux, known, top, floor)]


def _line(
    x: LinearScale, wavelength: Floats, flux: Floats, known: Floats, top: float, floor: float
) -> list[Markup]:
    low, high = limits(known)
    level = max(abs(low), abs(high))
    room = max(0.06 * (high - low), 1e-6 * level) or 1.0  # the last digits are no structure
    y = LinearScale(low - room, high + room, floor - 1.0, top + 1.0)
    zero = [line(1, y(0.0), WIDTH - 1, y(0.0), FAINT)] if y.low < 0.0 < y.high else []
    heights = np.clip([y(each) for each in flux.tolist()], top + 1.0, floor - 1.0)
    heights[~np.isfinite(flux)] = np.nan
    return [*zero, curve(np.array([x(each) for each in wavelength.tolist()]), heights, SPECTRUM)]
