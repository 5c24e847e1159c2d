"""`spec-o3-train evaluate`: the published tables, and tables of other labelled sets."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markdown import Markdown

from agent.cluster.options import ActorsOption, GpusEachOption, RayCommand, RayOption, ray_place
from agent.errors import ResourceError, WorkbenchError
from agent.inspection.built_in import built_in
from agent.models.registry import find_model
from agent.protocol.wording_file import has_wording
from train.evaluate.evaluation import adapt_to_bench, count_judgements, evaluate
from train.evaluate.judges import JudgeKind, JudgeSpec, can_judge
from train.evaluate.order_command import order
from train.evaluate.panel_command import panel
from train.evaluate.sight import (
    LIBRARY_SET,
    count_inspections,
    judge_sight,
    sight_markdown,
    sight_set,
    write_into_card,
    write_library_set,
)
from train.evaluate.tables import KINDS, TableKind
from train.parallel import Workers, counted
from train.wordings import FOLDER

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+ -]{0,59}")

Bench = Annotated[Path, typer.Argument(help="Folder made by spec-o3-train bench.")]
Out = Annotated[
    Path, typer.Argument(help="Folder for judgements and tables; resumed if it exists.")
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="[NAME=]MODEL",
        help="`measured`, a model's name, folder, .gguf or server; may be repeated.",
    ),
]
Specialists = Annotated[
    list[str] | None,
    typer.Option(
        "--specialist",
        metavar="[NAME=]FOLDER",
        help="Network of spec-o3-train baselines; may be repeated.",
    ),
]
SpecialistFolders = Annotated[
    list[Path] | None,
    typer.Option("--specialists", help="Folder whose networks all judge; may be repeated."),
]
Processes = Annotated[int, typer.Option(min=1, max=256, help="Processes; each loads the model.")]
Limit = Annotated[
    int | None, typer.Option(min=6, help="Judge at most this many candidates per task.")
]
Threads = Annotated[int | None, typer.Option(min=1, max=512, help="Threads per process.")]
Device = Annotated[Literal["auto", "cpu", "cuda", "mps"], typer.Option(help="Device of models.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the bootstrap intervals.")]

app = typer.Typer(help="Judge the bench and write the published tables.", no_args_is_help=True)


def sight(
    model: Annotated[str, typer.Argument(help="A model's name, folder, .gguf or server.")],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SET", help="A Parquet set, a bench, or spectra with a MANIFEST.csv."
        ),
    ],
    out: Out,
    card: Annotated[bool, typer.Option(help="Put the figures into the model's card.")] = False,
    workers: Processes = 1,
    limit: Limit = None,
    threads: Threads = None,
    device: Annotated[
        Literal["auto", "cpu", "cuda", "mps"], typer.Option(help="Device of the model.")
    ] = "auto",
    seed: Seed = 0,
) -> None:
    """Test of sight: pictures as they are, white, of another star, mirrored and shifted."""
    own = built_in(model)
    if own is not None and not own.eye:
        raise WorkbenchError(f"the {own.name} inspector looks at no pictures: name a model")
    try:
        location = find_model(model)
    except ResourceError as error:
        raise WorkbenchError(str(error)) from error
    if card and location.folder is None:
        raise WorkbenchError(f"{model} has no folder with a card")
    path, name = sight_set(source, out)
    spec = JudgeSpec(
        name=location.card.name, kind="inspector", source=model, threads=threads, device=device
    )
    with counted("judging", count_inspections(path, limit), transient=True) as advance:
        figures = judge_sight(
            spec, path, name, out, workers=workers, limit=limit, seed=seed, advance=advance
        )
    typer.echo(sight_markdown(spec.name, name, figures))
    if card and location.folder is not None:
        typer.echo(f"written to {write_into_card(location.folder, name, figures)}", err=True)


def _table_command(name: str) -> None:
    def command(
        bench: Bench,
        out: Out,
        model: Models = None,
        specialist: Specialists = None,
        specialists: SpecialistFolders = None,
        workers: Processes = 1,
        ray: RayOption = None,
        actors: ActorsOption = None,
        gpus_each: GpusEachOption = 0.0,
        limit: Limit = None,
        threads: Threads = None,
        device: Device = "auto",
        seed: Seed = 0,
    ) -> None:
        judges = judge_specs(model, specialist, specialists, threads, device)
        where = ray_place(ray, actors, gpus_each, workers) or workers
        judge_table(KINDS[name], bench, out, judges, where, limit, seed)

    command.__doc__ = f"{KINDS[name].title}: accuracy and F1 of every judge."
    app.command(name, cls=RayCommand)(command)


for _name in ("main", "cross-survey", "cross-task"):
    _table_command(_name)


@app.command("library", cls=RayCommand)
def library(
    folder: Annotated[Path, typer.Argument(help="Spectra and a MANIFEST.csv with file, label.")],
    out: Out,
    model: Models = None,
    specialist: Specialists = None,
    specialists: SpecialistFolders = None,
    workers: Processes = 1,
    ray: RayOption = None,
    actors: ActorsOption = None,
    gpus_each: GpusEachOption = 0.0,
    threads: Threads = None,
    device: Device = "auto",
    seed: Seed = 0,
) -> None:
    """Labelled real spectra, each judged for every class: tests models trained on simulations."""
    out.mkdir(parents=True, exist_ok=True)
    write_library_set(folder, out)
    judges = judge_specs(model, specialist, specialists, threads, device)
    sets = ((LIBRARY_SET, folder.resolve().name),)
    kinds = [replace(KINDS[name], sets=sets) for name in ("library", "library-hot")]
    able = [[judge for judge in judges if can_judge(judge, kind.tasks)] for kind in kinds]
    if not any(able):
        raise WorkbenchError("no judges: name a --model, or a --specialist of these classes")
    for kind, those in zip(kinds, able, strict=True):
        for judge in judges:
            if judge not in those:
                classes = ", ".join(kind.tasks)
                typer.echo(f"{judge.name} was not trained for all of {classes}", err=True)
        if those:
            where = ray_place(ray, actors, gpus_each, workers) or workers
            judge_table(kind, out, out, those, where, None, seed)


app.command("sight")(sight)
app.command("panel")(panel)
app.command("order")(order)


@app.command("set", cls=RayCommand)
def one_set(
    path: Annotated[
        Path, typer.Argument(metavar="SET", help="Parquet set, as made by spec-o3-train questions.")
    ],
    out: Out,
    model: Models = None,
    specialist: Specialists = None,
    specialists: SpecialistFolders = None,
    workers: Processes = 1,
    ray: RayOption = None,
    actors: ActorsOption = None,
    gpus_each: GpusEachOption = 0.0,
    limit: Limit = None,
    threads: Threads = None,
    device: Device = "auto",
    seed: Seed = 0,
) -> None:
    """Any set of labelled spectra; `grpo --judged` uses these judgements."""
    kind = replace(KINDS["set"], sets=((path.name, path.stem),))
    judges = judge_specs(model, specialist, specialists, threads, device)
    where = ray_place(ray, actors, gpus_each, workers) or workers
    judge_table(kind, path.parent, out, judges, where, limit, seed)


@app.command("ablation", cls=RayCommand)
def ablation(
    bench: Bench,
    out: Out,
    full: Annotated[str, typer.Option(help="The full model.")],
    no_sft: Annotated[str | None, typer.Option(help="Model trained without SFT.")] = None,
    no_rl: Annotated[str | None, typer.Option(help="Model trained without RL.")] = None,
    no_tool: Annotated[
        str | None, typer.Option(help="Model trained without the tool, which judges without it.")
    ] = None,
    workers: Processes = 1,
    ray: RayOption = None,
    actors: ActorsOption = None,
    gpus_each: GpusEachOption = 0.0,
    limit: Limit = None,
    threads: Threads = None,
    device: Device = "auto",
    seed: Seed = 0,
) -> None:
    """Compare the full model with no SFT, no RL, no tool, and itself when the tool refuses."""
    parts: list[tuple[str, JudgeKind, str | None]] = [
        ("full", "inspector", full),
        ("no SFT", "inspector", no_sft),
        ("no RL", "inspector", no_rl),
        ("no tool", "toolless", no_tool),
        ("tool refused", "refused", full),
    ]
    judges = [
        JudgeSpec(name=name, kind=kind, source=source, threads=threads, device=device)
        for name, kind, source in parts
        if source is not None
    ]
    where = ray_place(ray, actors, gpus_each, workers) or workers
    judge_table(KINDS["ablation"], bench, out, judges, where, limit, seed)


def judge_specs(
    models: Sequence[str] | None,
    specialists: Sequence[str] | None,
    folders: Sequence[Path] | None,
    threads: int | None,
    device: Literal["auto", "cpu", "cuda", "mps"],
) -> list[JudgeSpec]:
    """Inspectors first, then named networks, then those of whole folders."""
    found = [each for folder in folders or () for each in sorted(folder.glob("*/specialist.json"))]
    if folders and not found:
        raise WorkbenchError(f"{folders[0]} holds no specialist networks")
    networks = [*(specialists or ()), *(str(card.parent) for card in found)]
    judges = [
        *(_judge(text, "inspector", threads, device) for text in models or ()),
        *(_judge(text, "specialist", threads, device) for text in networks),
    ]
    if not judges:
        raise WorkbenchError("no judges: name a --model or a --specialist")
    names = [judge.name for judge in judges]
    if len(set(names)) != len(names):
        raise WorkbenchError(f"two judges have the same name ({', '.join(names)}): use NAME=MODEL")
    return judges


def _judge(
    text: str, kind: JudgeKind, threads: int | None, device: Literal["auto", "cpu", "cuda", "mps"]
) -> JudgeSpec:
    name, equals, source = text.partition("=")
    if not equals or not NAME.fullmatch(name) or "/" in name:
        name, source = re.sub(r"[^A-Za-z0-9._+-]+", "-", Path(text).name or text)[:60], text
        if name == "model":  # a run keeps its model in a folder of this name
            name = Path(text).resolve().parent.name
    if not NAME.fullmatch(name):
        raise WorkbenchError(f"give {text!r} a name: NAME={text}")
    return JudgeSpec(name=name, kind=kind, source=source, threads=threads, device=device)


def judge_table(
    kind: TableKind,
    bench: Path,
    out: Path,
    judges: Sequence[JudgeSpec],
    workers: Workers,
    limit: int | None,
    seed: int,
) -> None:
    if has_wording(bench / FOLDER):
        judges = [replace(judge, wording=bench / FOLDER) for judge in judges]
    kind = adapt_to_bench(kind, bench)
    console = Console(stderr=True)
    total = count_judgements(kind, bench, judges, limit)
    with counted("judging", total, console, transient=True) as advance:
        text = evaluate(
            kind, bench, out, judges, workers=workers, limit=limit, seed=seed, advance=advance
        )
    show_markdown(text)
    console.print(f"written to {out / kind.name}.md, .csv and .json", style="dim", markup=False)


def show_markdown(text: str) -> None:
    """Print it, with its tables drawn in a terminal."""
    show = Console()
    if show.is_terminal:
        show.print(Markdown(text))
    else:
        typer.echo(text)
