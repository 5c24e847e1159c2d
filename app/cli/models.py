"""`spec-o3 models`: which models there are, fetch one, say where one lies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table
from rich.text import Text

from agent.errors import ResourceError, WorkbenchError
from agent.models.registry import ModelLocation, find_model, is_partly_downloaded, list_models
from app.cli.inspection_text import cleaned

MEASURED = {
    "name": "measured",
    "title": "Measurements alone: always there, needs no model",
    "engine": "measured",
    "family": "",
    "parameters": 0,
    "state": "ready",
    "origin": "bundled",
    "path": None,
    "bytes": 0,
    "missing": [],
    "licence": "",
    "repo": None,
    "simulated_only": True,  # its weights were fitted on nothing else
}
"""The inspector without a model, as a row of the list."""

models = typer.Typer(help="The models there are; fetch one; say where one lies.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="A model's name.", show_default=False)]


@models.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    """The models there are; fetch one; say where one lies."""
    if context.invoked_subcommand is None:
        show_list(as_json=False)


@models.command("list")
def show_list(
    as_json: Annotated[bool, typer.Option("--json", help="JSON alone, for scripts.")] = False,
) -> None:
    """The models that have a name, and whether they are ready to inspect."""
    faults: list[ResourceError] = []
    rows = [MEASURED, *(_row(place) for place in list_models(on_fault=faults.append))]
    if as_json:
        typer.echo(json.dumps(rows, allow_nan=False))
    else:
        Console().print(_table(rows))
    warnings = Console(stderr=True, soft_wrap=True)
    for fault in faults:
        warnings.print(f"left out: {fault}", markup=False, highlight=False)


@models.command()
def get(name: Name) -> None:
    """Fetch a published model from the hub (Hugging Face), or any repository OWNER/NAME.

    Broken off, it goes on where it stopped. HF_ENDPOINT names a mirror, HF_TOKEN opens gated
    models, SPEC_O3_MODELS is the folder to keep models in.
    """
    if name == MEASURED["name"]:
        raise WorkbenchError("measured is part of the program: there is nothing to fetch")
    from agent.models.download import get_model  # huggingface_hub takes half a second to import

    try:
        with _progress_bar() as progress:
            place = get_model(name, progress)
    except KeyboardInterrupt as error:
        raise WorkbenchError(
            f"stopped; what has come is kept, and `spec-o3 models get {name}` goes on from there"
        ) from error
    typer.echo(place.folder)


@models.command()
def path(name: Name) -> None:
    """Print the folder of a model; of one not fetched yet, where to put it."""
    if name == MEASURED["name"]:
        raise WorkbenchError("measured is no model: it is part of the program and has no folder")
    place = find_model(name)
    if place.folder is None:
        raise WorkbenchError(f"{name} is on a server: there is no folder of it here")
    typer.echo(place.folder)
    if not place.is_ready:
        typer.echo(f"spec-o3: {place.card.name} is {_state(place)}", err=True)


@contextmanager
def _progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("asking the hub", total=None)

        def progress(file: str, done: int, total: int) -> None:
            bar.update(task, description=cleaned(file), completed=done, total=total)

        yield progress


def _row(place: ModelLocation) -> dict[str, Any]:
    card = place.card
    return {
        "name": card.name,
        "title": card.title,
        "engine": card.engine,
        "family": card.family,
        "parameters": card.parameters,
        "state": _state(place),
        "origin": place.origin,
        "path": None if place.folder is None else str(place.folder),
        "bytes": card.bytes,
        "missing": list(place.missing),
        "licence": card.licence,
        "repo": card.source.repo if card.source else None,
        "simulated_only": card.simulated_only,
    }


def _state(place: ModelLocation) -> str:
    if place.origin == "hub":
        return "partly fetched" if is_partly_downloaded(place) else "not fetched"
    return "ready" if place.is_ready else "incomplete"


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        caption="Fetch one with `spec-o3 models get NAME`; use one with `--model NAME`.",
        caption_justify="left",
    )
    table.add_column("model", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("engine", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for row in rows:
        title = f"{row['title']}{' (simulations only)' if row['simulated_only'] else ''}"
        # Text, not str: what a card says must not be taken for markup.
        cells = (row["name"], title, _size(row), row["engine"], row["state"])
        table.add_row(*(Text(cleaned(cell)) for cell in cells))
    return table


def _size(row: dict[str, Any]) -> str:
    """Of its files; of a model that is not here, its parameters."""
    if row["bytes"]:
        count = row["bytes"]
        return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count / 1e6, 0.1):.1f} MB"
    if row["parameters"]:
        return f"{row['parameters'] / 1e9:.1f} G param."
    return "-"
