"""Where a command's work is done with Ray: on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from agent.errors import WorkbenchError

HERE = ""
"""The address of a Ray of our own on this machine."""


@dataclass(frozen=True, kw_only=True)
class RayPlace:
    """Which Ray to use and what to ask of it; None actors: as many as it has processors or GPUs."""

    address: str = HERE
    actors: int | None = None
    gpus_each: float = 0.0

    def __post_init__(self) -> None:
        if 1 < self.gpus_each != int(self.gpus_each):
            raise WorkbenchError("--gpus-each is a part of one GPU or a whole number of them")


def with_ray_address(words: Sequence[str]) -> list[str]:
    """A command line in which `--ray` without an address has the empty one."""
    whole = []
    for word, following in zip_longest(words, words[1:], fillvalue="-"):
        whole.append(word)
        if word == "--ray" and following.startswith("-"):
            whole.append(HERE)
    return whole
