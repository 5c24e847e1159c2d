"""The options of a command that can work on a Ray cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from agent.errors import WorkbenchError

RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Work on the Ray cluster at this address, or `auto`; without one, on a Ray started "
        "here for this command.",
        show_default=False,
    ),
]
ActorsOption = Annotated[
    int | None,
    typer.Option(
        "--actors",
        min=1,
        max=4096,
        metavar="N",
        help="Of --ray: processes that inspect; more than fit now wait for machines that join.",
        show_default="one for each processor, or for the GPUs there are",
    ),
]
GpusEachOption = Annotated[
    float,
    typer.Option(
        "--gpus-each",
        min=0,
        metavar="G",
        help="Of --ray: GPUs, or the part of one, that each of them needs.",
    ),
]

HERE = ""  # the address of a Ray of our own on this machine


def ray_place(
    ray: str | None, actors: int | None, gpus_each: float, workers: int
) -> RayPlace | None:
    """What these options ask for; None without --ray. Raises BadParameter."""
    if ray is None:
        if actors is not None or gpus_each:
            raise typer.BadParameter("--actors and --gpus-each need --ray", param_hint="--ray")
        return None
    if workers != 1:
        raise typer.BadParameter("with --ray give --actors instead", param_hint="--workers")
    return RayPlace(address=ray, actors=actors, gpus_each=gpus_each)


class RayCommand(TyperCommand):
    """A command whose option `--ray` may have an address or none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_ray_address(args))


# Where a command's work is done with Ray: on this machine or on a cluster.
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
