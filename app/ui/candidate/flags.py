"""Sets of flags."""

from __future__ import annotations


def toggled(flags: tuple[str, ...], flag: str) -> tuple[str, ...]:
    """The flags without this one if it is there, else with it."""
    others = tuple(each for each in flags if each != flag)
    return others if flag in flags else (*flags, flag)
