"""What a self-test is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.errors import WorkbenchError


class CheckFailed(WorkbenchError):
    """Something came out otherwise than it must."""


class CheckSkipped(WorkbenchError):
    """There is nothing to check: a part that this installation does without."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """`run` writes into a folder of its own, says what it saw, and raises where that is wrong."""

    part: str
    name: str
    run: Callable[[Path], str]


def require(is_so: object, otherwise: str) -> None:
    if not is_so:
        raise CheckFailed(otherwise)
