"""Round numbers for an axis, and how they are written."""

from __future__ import annotations

import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MOST = 50
"""However wide an axis may be."""
DECIMALS = 6


def tick_step(lo: float, hi: float, most: int) -> float:
    """The smallest round step with which no more than `most` ticks are needed."""
    rough = (hi - lo) / max(min(most, MOST), 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next((step * power for step in STEPS if step * power >= rough), 10.0 * power)


def ticks(lo: float, hi: float, most: int) -> tuple[float, ...]:
    """Multiples of a round step within [lo, hi]."""
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        return ()
    step = tick_step(lo, hi, most)
    first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


def tick_texts(values: tuple[float, ...]) -> tuple[str, ...]:
    """With as many decimals as round numbers need."""
    exact = (n for n in range(DECIMALS) if all(_is_whole(value * 10**n) for value in values))
    decimals = next(exact, DECIMALS)
    return tuple(f"{value + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}") for value in values)


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-6
