"""Arithmetic on wavelength windows: zoom, pan, and limits."""

from __future__ import annotations

from agent.spectra.spectrum import Window

MIN_WIDTH_A = 2.0
WHOLE_FRACTION = 0.999


def zoomed(window: Window, factor: float, at: float | None = None) -> Window:
    """The window `factor` times as wide, with `at` (by default the centre) kept in place."""
    lo, hi = window
    fixed = 0.5 * (lo + hi) if at is None else at
    return fixed + (lo - fixed) * factor, fixed + (hi - fixed) * factor


def panned(window: Window, fraction: float) -> Window:
    step = fraction * (window[1] - window[0])
    return window[0] + step, window[1] + step


def within(window: Window, whole: Window) -> Window | None:
    """The window moved inside the spectrum; None where it covers practically all of it."""
    width = max(window[1] - window[0], MIN_WIDTH_A)
    if width >= WHOLE_FRACTION * (whole[1] - whole[0]):
        return None
    middle = 0.5 * (window[0] + window[1])
    lo = min(max(middle - 0.5 * width, whole[0]), whole[1] - width)
    return lo, lo + width


def overlaps(window: Window, whole: Window) -> bool:
    return window[0] < whole[1] and whole[0] < window[1]
