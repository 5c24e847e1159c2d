"""Windows of wavelength: moved, enlarged, kept where there is something to see."""

from __future__ import annotations

from app.ui.plot.trace import Range

LEAST_A = 2.0
"""Nothing is seen in a smaller window."""
ALMOST_ALL = 0.999


def zoomed(window: Range, factor: float, at: float | None = None) -> Range:
    """`factor` times as wide; `at` stays where it is, the middle without it."""
    lo, hi = window
    centre = 0.5 * (lo + hi) if at is None else at
    return centre + (lo - centre) * factor, centre + (hi - centre) * factor


def panned(window: Range, share: float) -> Range:
    step = share * (window[1] - window[0])
    return window[0] + step, window[1] + step


def within(window: Range, whole: Range) -> Range | None:
    """As wide as asked for, but not beyond the spectrum; None where that is all of it."""
    width = max(window[1] - window[0], LEAST_A)
    if width >= ALMOST_ALL * (whole[1] - whole[0]):
        return None
    middle = 0.5 * (window[0] + window[1])
    lo = min(max(middle - 0.5 * width, whole[0]), whole[1] - width)
    return lo, lo + width


def overlaps(window: Range, whole: Range) -> bool:
    return window[0] < whole[1] and whole[0] < window[1]
