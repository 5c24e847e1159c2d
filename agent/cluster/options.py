"""The options of a command that can work on a Ray cluster."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from agent.cluster.place import RayPlace, with_ray_address

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
