"""Formats numbers for reading."""

from agent.confidence.scores import Estimate

MAX_DIGITS = 9  # what differs from the whole only beyond these is shown as the whole


def percent(share: float) -> str:
    """Format 0.9512 as 95.1 %, and 0.99996 as 99.996 %: only all of them are 100 %."""
    return f"{_not_rounded_to(100.0, 100.0 * share)} %"


def rough_percent(share: float) -> str:
    """Format 0.9512 as 95 %, for shares of small samples; neither all nor none by rounding."""
    if 0.995 <= share < 1.0:
        return "> 99 %"
    return "< 1 %" if 0.0 < share < 0.005 else f"{100.0 * share:.0f} %"


def about(number: float) -> str:
    """Format an expected number, with one decimal below 10."""
    return f"{number:.1f}" if number < 10.0 else f"{number:,.0f}"


def duration(seconds: float) -> str:
    """Format a rough duration: 40 s, 12 min, 3 h 20 min, 41 h."""
    minutes = round(seconds / 60.0)
    if minutes < 2:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 600 else f"{minutes / 60:,.0f} h"


def chance(p: float) -> str:
    """Format a probability without rounding it to 0 or 1."""
    if 0.0005 <= p < 0.9995:
        return f"{p:.3g}"
    return "< 0.001" if p < 0.5 else "> 0.999"


def threshold(p: float) -> str:
    """Format a limit of a probability with as many digits as tell it from 1: 0.9999, not 1."""
    return _not_rounded_to(1.0, p)


def _not_rounded_to(whole: float, value: float) -> str:
    digits = 3
    while value < whole and float(f"{value:.{digits}g}") >= whole and digits < MAX_DIGITS:
        digits += 1
    return f"{value:.{digits}g}"


def with_interval(figure: Estimate) -> str:
    """Format a figure and its interval; a dash if undefined."""
    if figure.value is None:
        return "–"
    return f"{rounded(figure.value)} ({rounded(figure.low)} to {rounded(figure.high)})"


def share_text(share: Estimate) -> str:
    """Format a share and its interval in percent; a dash if undefined."""
    if share.value is None:
        return "–"
    low, high = rough_percent(share.low), rough_percent(share.high)
    return f"{rough_percent(share.value)} ({low} to {high})"


def rounded(value: float, digits: int = 2) -> str:
    """Round without a minus sign for zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"
