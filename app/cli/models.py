"""`spec-o3 models`: list models, fetch or convert one, print its folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import DownloadColumn, ProgressColumn, TaskProgressColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

from agent.engines.registry import engine_kind
from agent.errors import ResourceError, WorkbenchError
from agent.inspection.built_in import INSPECTORS, BuiltIn, built_in
from agent.models.card import REPO
from agent.models.folders import models_folder
from agent.models.registry import (
    ModelLocation,
    find_model,
    is_partly_downloaded,
    list_models,
    published_model,
)
from agent.protocol.wording import Wording
from app.cli.inspection_text import cleaned
from app.cli.progress_bar import on_standard_error

if TYPE_CHECKING:
    from agent.convert.forms import Form, GgufForm, Machine
    from agent.convert.model import Converted

models = typer.Typer(help="List models, fetch or convert one, or print its folder.")

NameOrFolder = Annotated[
    str, typer.Argument(metavar="NAME", help="Name or folder.", show_default=False)
]


# `spec-o3 models convert` and `sizes`: GGUF files for llama.cpp, and which of them suits here.
FormName = Literal["best", "q4_k_m", "q5_k_m", "q8_0", "f16"]


@models.command()
def convert(
    name: NameOrFolder,
    to: Annotated[
        FormName, typer.Option(help="Form of the weights; best: the most bits that run here.")
    ] = "best",
    compare: Annotated[
        bool, typer.Option(help="Compare with F16 afterwards, where there is room for it.")
    ] = True,
) -> None:
    """Convert a model to GGUF for llama.cpp, which runs without a GPU and without torch.

    The model NAME becomes NAME-FORM in the folder for models. What is interrupted goes on where it
    stopped.
    """
    typer.echo(converted(name, to, compare=compare).folder)


@models.command()
def sizes(name: NameOrFolder) -> None:
    """Show what each form of a model needs, and which one this machine can run."""
    show_sizes(find_model(name))


def converted(name: str, to: FormName, *, compare: bool = True) -> ModelLocation:
    """Convert with a progress bar, and say how the result compares."""
    from agent.convert.model import convert_model, convertible

    kind = _chosen_form(convertible(name), to)
    try:
        with _bar("reading the model", TaskProgressColumn()) as progress:
            result = convert_model(name, kind, progress, compare=compare)
    except KeyboardInterrupt as error:
        raise WorkbenchError(
            f"stopped; `spec-o3 models convert {name} --to {kind}` goes on where it stopped"
        ) from error
    for line in _lines(result):
        typer.echo(f"spec-o3: {line}", err=True)
    return result.location


def _chosen_form(location: ModelLocation, to: FormName) -> GgufForm:
    """The form that was asked for, or the best one for this machine."""
    from agent.convert.forms import GGUF_FORMS, best_form, forms_of

    if to != "best":
        return next(form for form in GGUF_FORMS if form == to)
    best = best_form(forms_of(location.card, is_here=location.is_ready), _machine())
    if best is None:
        raise WorkbenchError(
            f"{location.card.name} does not fit this machine: see `spec-o3 models sizes "
            f"{location.card.name}`, or use a server with a GPU"
        )
    return best


def show_sizes_before(name: str, to: FormName | None) -> None:
    """Show what the forms of a published model need before it is fetched; refuse what cannot be."""
    card = published_model(name)
    if card is None or engine_kind(card.engine).no_conversion:
        return
    location = find_model(card.name)
    if location.is_ready:
        return
    forms = show_sizes(location, stderr=True)
    if to is None:
        return
    kind, free = _chosen_form(location, to), _machine().disk_free
    form = next(each for each in forms if each.name == kind)
    needed = form.fetched + form.disk
    if needed > free:
        raise WorkbenchError(
            f"{location.card.name} and its form {kind} need {needed / 1e9:.1f} GB, but only "
            f"{free / 1e9:.1f} GB are free at {models_folder()}: free some space, or "
            "set SPEC_O3_MODELS to a folder on another disk"
        )


def show_sizes(location: ModelLocation, *, stderr: bool = False) -> list[Form]:
    """Print the table of forms, and the advice below it; returns the forms."""
    from agent.convert.forms import best_form, forms_of

    machine = _machine()
    forms = forms_of(location.card, is_here=location.is_ready)
    best = best_form(forms, machine)
    name = location.card.name
    verb = f"convert {name} --to" if location.is_ready else f"get {name} --gguf"
    advice = f"Best here without a GPU: spec-o3 models {verb} {best}"
    if best is None:
        advice = "None of them runs here: use a server with a GPU, by its address"
    has = f"{machine.memory / 1e9:.0f} GB of memory, {machine.memory_free / 1e9:.0f} GB of it free"
    here = f"This machine: {has}; {machine.disk_free / 1e9:.0f} GB of disk free"
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("form", no_wrap=True)
    for column in ("download", "disk in all", "memory"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("here")
    for form in forms:
        sizes = (form.fetched, form.fetched + form.disk, form.memory)
        cells = (f"{size / 1e9:.1f} GB" if size else "-" for size in sizes)
        state = form.obstacle(machine) or ("best" if form.name == best else "runs")
        table.add_row(form.name, *cells, state)
    Console(stderr=stderr, highlight=False, soft_wrap=True).print(table, here, advice, sep="\n")
    return forms


def _machine() -> Machine:
    from agent.convert.forms import this_machine

    return this_machine(models_folder())


def _lines(result: Converted) -> Iterator[str]:
    card = result.location.card
    if not result.seconds:
        yield f"{card.name}: {result.note}"
        return
    yield f"{card.name}: {card.bytes / 1e9:.2f} GB in {result.seconds / 60:.1f} min"
    found = result.agreement
    if found is None:
        yield result.note
    else:
        yield (
            f"the same likeliest token as F16 at {found.share:.1%} of {found.positions:,} places, "
            f"the same verdict for {found.verdicts_equal} of {found.prompts} prompts"
        )
    if result.speed is not None:
        yield (
            f"here it reads {result.speed.read:.0f} and writes {result.speed.written:.1f} "
            "tokens a second"
        )


@contextmanager
def _bar(first: str, *columns: ProgressColumn) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar that begins anew with each file or step."""
    with on_standard_error(*columns) as bar:
        task, shown = bar.add_task(first, total=None), first

        def progress(what: str, done: int, total: int) -> None:
            nonlocal shown
            if what != shown:
                shown = what
                bar.reset(task, description=cleaned(what), total=total)
            bar.update(task, completed=done, total=total)

        yield progress


def _download_bar() -> AbstractContextManager[Callable[[str, int, int], None]]:
    return _bar("contacting the hub", DownloadColumn(), TransferSpeedColumn())


Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a model.", show_default=False)]


@models.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """List models, fetch or convert one, or print its folder."""
    if context.invoked_subcommand is None:
        show_list(as_json=False)


@models.command("list")
def show_list(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """List the known models and whether they are ready to use."""
    faults: list[ResourceError] = []
    models = [_row(location) for location in list_models(on_fault=faults.append)]
    rows = [*map(_own_row, INSPECTORS), *models]
    if as_json:
        typer.echo(json.dumps(rows, allow_nan=False))
    else:
        Console().print(_table(rows))
    warnings = Console(stderr=True, soft_wrap=True)
    for fault in faults:
        warnings.print(f"skipped: {fault}", markup=False, highlight=False)


@models.command()
def get(
    name: Name,
    gguf: Annotated[
        FormName | None,
        typer.Option(help="Also convert it to GGUF, which runs without a GPU and without torch."),
    ] = None,
) -> None:
    """Fetch a published model from Hugging Face, or any repository OWNER/NAME or OWNER/NAME@COMMIT.

    An interrupted download continues where it stopped. HF_ENDPOINT sets a mirror, HF_TOKEN gives
    access to gated models, SPEC_O3_MODELS sets the folder for models.
    """
    if built_in(name) is not None:
        raise WorkbenchError(f"{name} is part of the program: there is nothing to fetch")
    from agent.models.download import get_model  # huggingface_hub takes half a second to import
    from agent.models.hub import endpoint_warning
    from agent.models.wording_source import get_wording
    from agent.models.wordings import missing_wording

    if warning := endpoint_warning():
        typer.echo(f"spec-o3: {warning}", err=True)

    show_sizes_before(name, gguf)
    try:
        with _download_bar() as progress:
            location = get_model(name, progress)
        try:
            with _download_bar() as progress:
                notes = get_wording(location.card, progress)
        except WorkbenchError as error:  # the model is here, and runs without it
            notes = (f"the words it was trained on could not be fetched: {error}",)
    except KeyboardInterrupt as error:
        raise WorkbenchError(
            f"stopped; run `spec-o3 models get {name}` again to continue the download"
        ) from error
    if gguf is not None:
        location = converted(str(location.folder), gguf)
    typer.echo(location.folder)
    for note in (*notes, missing_wording(location.card)):
        if note:
            typer.echo(f"spec-o3: {cleaned(note)}", err=True)


@models.command()
def wording(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A model, or a wording's own name.")],
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="File or folder of a published data set, or a data set OWNER/NAME on the hub. "
            "Several may be given.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Read the words that a model was trained on from your copy of its data, or show them.

    SOURCE holds rows with `prompt` or `conversations` (Parquet, JSON, JSON lines) or the tool's
    YAML. The texts are kept beside your models, with hashes, and are what the model is asked in.
    """
    from agent.models.registry import wording_name
    from agent.models.wordings import keep_wording, wording_at

    own_name = wording_name(name)
    if not sources:
        _show_wording(wording_at(own_name))
        return
    made, notes = _wording_from(own_name, sources)
    folder = keep_wording(made)
    for note in notes:
        typer.echo(f"spec-o3: {cleaned(note)}", err=True)
    _show_wording(made)
    typer.echo(folder)


def _wording_from(name: str, sources: list[str]) -> tuple[Wording, tuple[str, ...]]:
    paths = [Path(source).expanduser() for source in sources]
    if all(path.exists() for path in paths):
        from agent.models.wording_source import read_source

        return read_source(name, paths)
    unknown = next(str(path) for path in paths if not path.exists())
    if len(sources) > 1 or not REPO.fullmatch(unknown):
        raise WorkbenchError(f"{cleaned(unknown)} is no file or folder, nor OWNER/NAME on the hub")
    from agent.models.wording_source import wording_from_hub

    with _download_bar() as progress:
        return wording_from_hub(name, unknown, progress)


def _show_wording(wording: Wording) -> None:
    typer.echo(f"{wording.name} {wording.sha256}")
    typer.echo(f"classes: {', '.join(sorted(wording.tasks))}")
    typer.echo(f"source: {cleaned(wording.source) or 'unknown'}; {wording.licence or 'no licence'}")


@models.command()
def path(name: Name) -> None:
    """Print the folder of a model, or where it will be if it is not fetched yet."""
    if built_in(name) is not None:
        raise WorkbenchError(f"{name} is part of the program and has no folder")
    location = find_model(name)
    if location.folder is None:
        raise WorkbenchError(f"{name} is on a server and has no folder here")
    typer.echo(location.folder)
    if not location.is_ready:
        typer.echo(f"spec-o3: {location.card.name} is {_state(location)}", err=True)


def _own_row(own: BuiltIn) -> dict[str, Any]:
    """The row of an inspector of the program's own; its `state` says what it lacks."""
    eye, state = own.location(), "ready"
    if own.eye and eye is None:
        state = f"needs {own.eye}"
    elif eye is not None and (engine := engine_kind(eye.card.engine)).obstacle():
        state = f"needs {engine.program}"
    return {
        **{"name": own.name, "title": own.title, "engine": own.name, "family": ""},
        **{"parameters": 0, "state": state, "origin": "bundled", "path": None, "bytes": 0},
        **{"missing": [], "licence": "", "repo": None, "simulated_only": own.simulated_only},
    }


def _row(location: ModelLocation) -> dict[str, Any]:
    card = location.card
    return {
        **{"name": card.name, "title": card.title, "engine": card.engine, "family": card.family},
        "parameters": card.parameters,
        "state": _state(location),
        "origin": location.origin,
        "path": None if location.folder is None else str(location.folder),
        "bytes": card.bytes,
        "missing": list(location.missing),
        "licence": card.licence,
        "repo": card.source.repo if card.source else None,
        "simulated_only": card.simulated_only,
    }


def _state(location: ModelLocation) -> str:
    if location.origin == "hub":
        return "partly fetched" if is_partly_downloaded(location) else "not fetched"
    return "ready" if location.is_ready else "incomplete"


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        caption="Fetch a model with `spec-o3 models get NAME`; use it with `--model NAME`.",
        caption_justify="left",
    )
    table.add_column("model", no_wrap=True)
    table.add_column("description", overflow="fold")
    table.add_column("size", justify="right", no_wrap=True)
    for column in ("engine", "state"):
        table.add_column(column, no_wrap=True)
    for row in rows:
        title = f"{row['title']}{' (simulations only)' if row['simulated_only'] else ''}"
        # Text, not str: rich would interpret markup in a card.
        cells = (row["name"], title, _size(row), row["engine"], row["state"])
        table.add_row(*(Text(cleaned(cell)) for cell in cells))
    return table


def _size(row: dict[str, Any]) -> str:
    """The size of the files, or the number of parameters if they are not here."""
    if row["bytes"]:
        count = row["bytes"]
        return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count / 1e6, 0.1):.1f} MB"
    if row["parameters"]:
        return f"{row['parameters'] / 1e9:.1f} G param."
    return "-"
