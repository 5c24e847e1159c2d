"""The checks of the self-test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.errors import WorkbenchError


class CheckFailed(WorkbenchError):
    """A result is not what it must be."""


class CheckSkipped(WorkbenchError):
    """The check does not apply: an optional part is not installed."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """`run` gets an empty folder and returns a short result; it raises if the check fails."""

    part: str
    name: str
    run: Callable[[Path], str]


def require(condition: object, message: str) -> None:
    if not condition:
        raise CheckFailed(message)
