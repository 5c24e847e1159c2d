"""`spec-o3-train questions`: labelled questions straight from the simulator."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from train.parallel import counted
from train.recipe import Config, Preset, Sets, settings


def questions(
    out: Annotated[
        Path, typer.Argument(help="Parquet set to write, with a JSON file about it beside it.")
    ],
    count: Annotated[int, typer.Option(min=1, help="Number of questions.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same set.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of processes.")] = 1,
    library: Annotated[
        Path | None, typer.Option(help="Folder of labelled real spectra to use as bases, too.")
    ] = None,
    preset: Preset = "",
    config: Config = None,
    sets: Sets = None,
) -> None:
    """Make labelled questions on simulated spectra that are distorted in many ways."""
    from train.questions.run import labels_drawn, run
    from train.questions.settings import QuestionSettings
    from train.simulate.production import usable_bases

    asked = settings(QuestionSettings, "questions", preset=preset, config=config, sets=sets)
    console = Console(stderr=True, soft_wrap=True)
    folder = str(library.resolve()) if library else ""
    if folder:
        usable, refused = usable_bases(folder, labels_drawn(asked))
        console.print(f"{usable} usable bases in {folder}; {len(refused)} unusable", markup=False)
    with counted("asking", count, console) as advance:
        made = run(
            out, asked,
            count=count, seed=seed, workers=workers, library=folder, advance=advance,
        )  # fmt: skip
    of_tasks = [(task, made.answers[task]) for task in asked.tasks if task in made.answers]
    answers = ", ".join(f"{task} {of_task['YES']}/{of_task['NO']}" for task, of_task in of_tasks)
    typer.echo(f"{out}: {count} questions on {made.spectra} spectra (YES/NO): {answers}")
