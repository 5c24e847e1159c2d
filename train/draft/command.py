"""`spec-o3-train draft`: example inspections written by a teacher who knows the answer."""

from pathlib import Path
from typing import Annotated

import typer

from agent.cluster.options import ActorsOption, GpusEachOption, RayOption, ray_place
from train.parallel import counted
from train.recipe import Config, Preset, Sets, settings

MEASURED = "measured"


def draft(
    sets: Annotated[list[Path], typer.Argument(help="Sets of examples (Parquet).")],
    out: Annotated[Path, typer.Argument(help="Trajectories to write; an unfinished file resumes.")],
    teacher: Annotated[
        str, typer.Option(help="measured (no model), or a model's name, path or server address.")
    ] = MEASURED,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same drafts.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Draft at most this many examples.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Processes; with a server, parallel inspections.")
    ] = 1,
    ray: RayOption = None,
    actors: ActorsOption = None,
    gpus_each: GpusEachOption = 0.0,
    preset: Preset = "",
    config: Config = None,
    sets_to: Sets = None,
) -> None:
    """Draft cold-start trajectories; the measured teacher writes only what it has measured."""
    from train.draft.drafting import DraftRun, draft_all
    from train.draft.settings import DraftSettings

    place = ray_place(ray, actors, gpus_each, workers)
    chosen = settings(DraftSettings, "draft", preset=preset, config=config, sets=sets_to)
    run = DraftRun(
        sets=tuple(sets), out=out, teacher=teacher, settings=chosen, seed=seed, limit=limit
    )
    with counted("drafting", run.total) as advance:
        if place is not None or teacher == MEASURED:
            counts = draft_all(run, workers=place or workers, advance=advance)
        else:
            from train.draft.teachers import open_teacher

            with open_teacher(teacher, chosen) as model:
                counts = draft_all(run, teacher=model, workers=workers, advance=advance)
    left_out = ", ".join(f"{n} {name}" for name, n in counts.most_common() if name != "drafted")
    rest = f"; left out: {left_out}" if left_out else ""
    typer.echo(f"{counts['drafted']} drafts in {out}{rest}")
