"""`spec-o3-train bench`: SpecVI-Bench from an archive or from its published files."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agent.cluster.options import ActorsOption, GpusEachOption, RayOption, ray_place
from agent.errors import WorkbenchError
from train.parallel import counting
from train.recipe import Config, Preset, Sets, settings


def bench(
    out: Annotated[Path, typer.Argument(help="Folder for the sets, their data card and figures.")],
    archive: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of spectra, list of spectra, or simulation; may be repeated. Labels are "
            "those of a list's column or of folders named after classes."
        ),
    ] = None,
    catalogue: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TASK=FILE",
            help="Known members of a class, by ra and dec or object id; may be repeated.",
        ),
    ] = None,
    spectra: Annotated[
        Path | None, typer.Option(help="Another folder with the spectra of a list.")
    ] = None,
    published: Annotated[
        Path | None,
        typer.Option(help="Instead: folder of the published SpecVI-Bench or its cold-start set."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same sets.")] = (
        None
    ),
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Number of processes for measuring.")
    ] = 1,
    ray: RayOption = None,
    actors: ActorsOption = None,
    gpus_each: GpusEachOption = 0.0,
    preset: Preset = "",
    config: Config = None,
    sets: Sets = None,
) -> None:
    """Make training and test sets of catalogue members and hard negatives."""
    if (published is None) == (not archive):
        raise typer.BadParameter("give --archive or --published", param_hint="--archive")
    if published is not None:
        from train.bench.published import convert

        if not published.is_dir():
            raise WorkbenchError(f"{published}: no such folder")
        typer.echo(f"{out}: {convert(published, out)}")
        return
    from train.bench.build import build, write_card
    from train.bench.settings import BenchSettings
    from train.bench.sources import catalogue_files

    changes = [*(sets or ()), *([] if seed is None else [f"seed={seed}"])]
    bench_settings = settings(BenchSettings, "bench", preset=preset, config=config, sets=changes)
    console = Console(stderr=True, soft_wrap=True)
    with counting(console) as progress:
        bar = progress.add_task("measuring", total=None)
        made = build(
            out,
            archive or [],
            bench_settings,
            catalogues=catalogue_files(catalogue or ()),
            spectra_folder=spectra,
            workers=ray_place(ray, actors, gpus_each, workers) or workers,
            started=lambda files: progress.update(bar, total=files),
            advance=lambda files: progress.advance(bar, files),
        )
    write_card(out, made, archive or [], catalogue or [])
    for note in made.notes:
        console.print(note, markup=False)
    if made.faults:
        console.print(f"{len(made.faults)} spectra could not be used: see README.md", markup=False)
    counts = ", ".join(f"{name} {len(rows)}" for name, rows in made.files.items())
    typer.echo(f"{out}: {counts}")
