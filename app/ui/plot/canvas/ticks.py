"""Ticks at round numbers, on linear and logarithmic axes, and their texts."""

from __future__ import annotations

import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MAX_TICKS = 50
DECIMALS = 6


def tick_step(lo: float, hi: float, max_ticks: int) -> float:
    """The smallest round step that needs no more than `max_ticks` ticks."""
    rough = (hi - lo) / max(min(max_ticks, MAX_TICKS), 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next((step * power for step in STEPS if step * power >= rough), 10.0 * power)


def ticks(lo: float, hi: float, max_ticks: int) -> tuple[float, ...]:
    """Multiples of a round step within [lo, hi]."""
    if not (math.isfinite(lo) and math.isfinite(hi) and lo < hi):
        return ()
    step = tick_step(lo, hi, max_ticks)
    first, last = math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))


LOG_STEPS = (range(1, 10), (1, 2, 5), (1, 3), (1,))
LOG_DECADES = 12
"""With more decades than this, only some have a tick."""
LOG_LIMIT = 300.0


def log_ticks(lo: float, hi: float, max_ticks: int) -> tuple[tuple[float, str], ...]:
    """Decimal logarithms of round numbers within [lo, hi], with the numbers as text."""
    if not -LOG_LIMIT < lo < hi < LOG_LIMIT:
        return ()
    if hi - lo < 1.0:
        values = tuple(value for value in ticks(10.0**lo, 10.0**hi, max_ticks) if value > 0.0)
        return tuple(zip(map(math.log10, values), tick_texts(values), strict=True))
    if hi - lo > LOG_DECADES:
        return tuple((power, _plain(10.0**power)) for power in ticks(lo, hi, min(max_ticks, 6)))
    powers = range(math.floor(lo), math.ceil(hi) + 1)
    for steps in LOG_STEPS:
        numbers = (step * 10.0**power for power in powers for step in steps)
        found = [(math.log10(number), _plain(number)) for number in numbers]
        inside = tuple(each for each in found if lo - 1e-9 <= each[0] <= hi + 1e-9)
        if len(inside) <= max_ticks:
            return inside
    return inside[:: -(-len(inside) // max_ticks)]


def _plain(number: float) -> str:
    if 1e-3 <= number < 1e5:
        return f"{number:.{max(-math.floor(math.log10(number) + 1e-9), 0)}f}"
    return f"{number:.0e}".replace("e-0", "e-").replace("e+", "e").replace("e0", "e")


def tick_texts(values: tuple[float, ...]) -> tuple[str, ...]:
    """The values as text, all with the number of decimals they need."""
    sufficient = (n for n in range(DECIMALS) if all(_is_whole(value * 10**n) for value in values))
    decimals = next(sufficient, DECIMALS)
    return tuple(f"{value + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}") for value in values)


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-6
