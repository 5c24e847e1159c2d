"""`spec-o3 models convert` and `sizes`: GGUF files for llama.cpp, and which of them suits here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from agent.engines.registry import engine_kind
from agent.errors import WorkbenchError
from agent.models.folders import models_folder
from agent.models.registry import ModelLocation, find_model, published_model
from app.cli.inspection_text import cleaned

if TYPE_CHECKING:
    from agent.convert.forms import Form, GgufForm
    from agent.convert.machine import Machine
    from agent.convert.model import Converted

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name or folder.", show_default=False)]


class FormName(StrEnum):
    BEST = "best"
    Q4_K_M = "q4_k_m"
    Q5_K_M = "q5_k_m"
    Q8_0 = "q8_0"
    F16 = "f16"


def convert(
    name: Name,
    to: Annotated[
        FormName, typer.Option(help="Form of the weights; best: the most bits that run here.")
    ] = FormName.BEST,
    compare: Annotated[
        bool, typer.Option(help="Compare with F16 afterwards, where there is room for it.")
    ] = True,
) -> None:
    """Convert a model to GGUF for llama.cpp, which runs without a GPU and without torch.

    The model NAME becomes NAME-FORM in the folder for models. What is interrupted goes on where it
    stopped.
    """
    typer.echo(converted(name, to, compare=compare).folder)


def sizes(name: Name) -> None:
    """Show what each form of a model needs, and which one this machine can run."""
    location = find_model(name)
    Console(highlight=False, soft_wrap=True).print(*sizes_shown(location), sep="\n")


def converted(name: str, to: FormName, *, compare: bool = True) -> ModelLocation:
    """Convert with a progress bar, and say how the result compares."""
    from agent.convert.model import convert_model, convertible

    kind = chosen_form(convertible(name), to)
    try:
        with _progress_bar() as progress:
            result = convert_model(name, kind, progress, compare=compare)
    except KeyboardInterrupt as error:
        raise WorkbenchError(
            f"stopped; `spec-o3 models convert {name} --to {kind}` goes on where it stopped"
        ) from error
    for line in _lines(result):
        typer.echo(f"spec-o3: {line}", err=True)
    return result.location


def chosen_form(location: ModelLocation, to: FormName) -> GgufForm:
    """The form that was asked for, or the best one for this machine."""
    from agent.convert.forms import GGUF_FORMS, best_form, forms_of

    if to is not FormName.BEST:
        return next(form for form in GGUF_FORMS if form == to.value)
    machine = _machine()
    best = best_form(forms_of(location.card, is_here=location.is_ready), machine)
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
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(*sizes_shown(location), sep="\n")
    if to is not None:
        refuse_unfit(location, chosen_form(location, to))


def refuse_unfit(location: ModelLocation, kind: GgufForm) -> None:
    """Raise WorkbenchError if there is no room for a form and what it is made from."""
    from agent.convert.forms import forms_of

    machine = _machine()
    form = next(each for each in forms_of(location.card, is_here=False) if each.name == kind)
    needed = form.fetched + form.disk
    if needed > machine.disk_free:
        raise WorkbenchError(
            f"{location.card.name} and its form {kind} need {needed / 1e9:.1f} GB, but only "
            f"{machine.disk_free / 1e9:.1f} GB are free at {models_folder()}: free some space, or "
            "set SPEC_O3_MODELS to a folder on another disk"
        )


def sizes_shown(location: ModelLocation) -> list[Table | str]:
    """The table of forms, and the advice below it."""
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
    return [_table(forms, machine, best), here, advice]


def _table(forms: list[Form], machine: Machine, best: str | None) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("form", no_wrap=True)
    for column in ("download", "disk in all", "memory"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("here")
    for form in forms:
        sizes = (form.fetched, form.fetched + form.disk, form.memory)
        state = form.obstacle(machine) or ("best" if form.name == best else "runs")
        table.add_row(form.name, *(_gigabytes(size) for size in sizes), state)
    return table


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size else "-"


def _machine() -> Machine:
    from agent.convert.machine import this_machine

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
def _progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("reading the model", total=None)
        shown = ""

        def progress(what: str, done: int, total: int) -> None:
            nonlocal shown
            if what != shown:
                shown = what
                bar.reset(task, description=cleaned(what), total=total)
            bar.update(task, completed=done, total=total)

        yield progress
