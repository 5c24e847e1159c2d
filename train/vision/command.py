"""`spec-o3-train eye`: teach a vision tower on pictures and their truth, then a model its words."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agent.errors import WorkbenchError
from train.parallel import in_order
from train.recipe import Config, Preset, Sets, training_packages
from train.vision.settings import read_tables

app = typer.Typer(
    help="A model that looks: its eye is taught on pictures and their truth, then its words.",
    no_args_is_help=True,
)
Processes = Annotated[
    int, typer.Option(min=1, max=256, help="Processes that draw lessons and questions.")
]
Library = Annotated[
    Path | None, typer.Option(help="Labelled real stars as bases of fresh spectra, too: `stars`.")
]
Threads = Annotated[int | None, typer.Option(min=1, max=512)]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]


@app.command()
def lessons(
    out: Annotated[Path, typer.Argument(help="Folder for the shards; existing ones are kept.")],
    seed: Seed = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of processes.")] = 1,
    library: Annotated[
        Path | None, typer.Option(help="Folder of labelled real stars to use as bases, too.")
    ] = None,
    preset: Preset = "",
    config: Config = None,
    sets: Sets = None,
) -> None:
    """Draw simulated spectra, whole and in windows, with the truth about each picture."""
    from train.vision.lessons import write_shard_of_lessons
    from train.vision.settings import LessonSettings

    tables = read_tables("lessons", sets, preset=preset, config=config)
    chosen = tables.read(LessonSettings, "lessons")
    out.mkdir(parents=True, exist_ok=True)
    folder = str(library.resolve()) if library else ""
    make = partial(write_shard_of_lessons, out=out, settings=chosen, seed=seed, library=folder)
    for shard, path in enumerate(in_order(make, range(chosen.shards), workers)):
        Console(stderr=True).print(f"{shard + 1} of {chosen.shards}: {path}", markup=False)


@app.command()
def school(
    out: Annotated[Path, typer.Argument(help="Folder for the tower and its curve.")],
    lessons: Annotated[
        Path | None,
        typer.Option(help="Folder of lessons; without it they are drawn while the eye learns."),
    ] = None,
    workers: Processes = 1,
    library: Library = None,
    real: Annotated[
        Path | None,
        typer.Option(help="Labelled real spectra (a MANIFEST.csv) to probe the tower on."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="Folder of an eye to train further, or of a model whose eye it is."),
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    preset: Preset = "",
    config: Config = None,
    sets: Sets = None,
) -> None:
    """Train the tower on lessons, and probe it on real spectra as it learns.

    Without --lessons they are drawn by --workers processes for --set school.minutes=N.
    """
    with training_packages("the eye needs"):
        import torch

        from train.vision import train_tower
        from train.vision.lessons import Lesson
        from train.vision.probe import Watcher
        from train.vision.settings import LessonSettings, SchoolSettings
    if threads is not None:
        torch.set_num_threads(threads)
    tables = read_tables("school", sets, preset=preset, config=config)
    chosen = tables.read(SchoolSettings, "school")
    shards = sorted(lessons.glob("lessons-*.npz")) if lessons is not None else []
    if lessons is not None and not shards:
        raise WorkbenchError(f"{lessons} has no lessons: make them with `eye lessons`")
    if lessons is None and not chosen.minutes:
        raise WorkbenchError("name a folder of --lessons, or a time: --set school.minutes=60")
    console = Console(stderr=True, soft_wrap=True)
    has_heads = start is not None and (start / train_tower.WEIGHTS).is_file()
    begun = None
    if start is not None:
        load = train_tower.load_eye if has_heads else train_tower.eye_of_model
        begun = load(start, chosen)
    with ExitStack() as stack:
        source: Sequence[Path] | train_tower.Workers[list[Lesson]] = shards
        if lessons is None:
            drawn = tables.read(LessonSettings, "lessons")
            folder = str(library.resolve()) if library else ""
            jobs = train_tower.lesson_jobs(drawn, seed, folder)
            source = stack.enter_context(train_tower.Workers(workers, jobs))
        train_tower.teach(
            source, out, chosen, seed,
            watch=Watcher(real, chosen) if real is not None else None,
            eye=begun, heads_first=begun is not None and not has_heads,
            tell=lambda line: console.print(line, markup=False),
        )  # fmt: skip
    typer.echo(out)


@app.command()
def readings(
    eye: Annotated[Path, typer.Argument(help="Folder of an eye that `eye school` has taught.")],
    real: Annotated[
        Path | None,
        typer.Option(help="Labelled real spectra (a MANIFEST.csv); else fresh simulated ones."),
    ] = None,
    per_kind: Annotated[int, typer.Option(min=1, help="Simulated spectra of each kind.")] = 10,
    seed: Seed = 0,
    sets: Sets = None,
) -> None:
    """Print how well an eye reads each quantity: the rank correlation with the measured value."""
    with training_packages("the eye needs"):
        from train.vision.probe import reader, real_spectra, simulated_spectra
        from train.vision.probe import readings as read_all
        from train.vision.settings import SchoolSettings
        from train.vision.train_tower import load_eye
    school = read_tables("school", sets).read(SchoolSettings, "school")
    spectra, _ = simulated_spectra(per_kind, seed) if real is None else real_spectra(real)
    typer.echo("quantity,whole,window,spectra")
    for row in read_all(reader(load_eye(eye, school).eval()), spectra):
        typer.echo(f"{row.quantity},{row.whole:.2f},{row.window:.2f},{row.spectra}")


@app.command()
def speak(
    eye: Annotated[Path, typer.Argument(help="Folder of an eye that `eye school` has taught.")],
    out: Annotated[Path, typer.Argument(help="Folder for the model and its curve.")],
    workers: Processes = 1,
    library: Library = None,
    start: Annotated[
        Path | None, typer.Option(help="Folder of a model of this eye to train further.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    preset: Preset = "",
    config: Config = None,
    sets: Sets = None,
) -> None:
    """Teach a language model to say what the eye sees in a spectrum and to judge from it.

    Questions are drawn while it learns, for --set speech.minutes=N. The tables are school (of the
    eye), speech and questions.
    """
    with training_packages("the eye needs"):
        import torch

        from train.questions.settings import QuestionSettings
        from train.vision.settings import SchoolSettings, SpeechSettings
        from train.vision.train_text import question_jobs, teach_speech
        from train.vision.train_tower import Workers, load_eye
    if threads is not None:
        torch.set_num_threads(threads)
    tables = read_tables("speech", sets, preset=preset, config=config)
    school = tables.read(SchoolSettings, "school")
    speech = tables.read(SpeechSettings, "speech")
    asked = tables.read(QuestionSettings, "questions")
    console = Console(stderr=True, soft_wrap=True)
    folder = str(library.resolve()) if library else ""
    learned = load_eye(eye, school)
    with Workers(workers, question_jobs(asked, seed, folder)) as source:
        made = teach_speech(
            learned, source, out, speech, school, seed,
            start=start, uses_real_stars=library is not None,
            tell=lambda line: console.print(line, markup=False),
        )  # fmt: skip
    typer.echo(made)


@app.command()
def make(
    out: Annotated[Path, typer.Argument(help="Folder of the run; finished parts are kept.")],
    workers: Processes = 1,
    library: Library = None,
    seed: Seed = 0,
    sets: Sets = None,
) -> None:
    """Make the seeing model by the recipe of the one in the box: eye, words, GGUF files.

    Settings are those of train/configs/eye.toml; change one with --set school.minutes=60.
    """
    with training_packages("the eye needs"):
        from train.vision.make import make_seeing_model, read_recipe
    console = Console(stderr=True, soft_wrap=True)
    made = make_seeing_model(
        out, read_recipe(sets or ()), seed=seed, workers=workers,
        library=str(library.resolve()) if library else "",
        tell=lambda line: console.print(line, markup=False),
    )  # fmt: skip
    typer.echo(made)
