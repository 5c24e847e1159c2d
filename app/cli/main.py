"""`spec-o3`: the commands people type. Each command lives in a file of its own name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module

import typer
from rich.console import Console

from agent.errors import WorkbenchError

COMMANDS = (
    *("demo", "info", "render", "inspect"),
    *("new", "vet", "export", "stats", "log", "merge", "pack"),
    "models",
)


def workbench(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with these commands; what the others need is not loaded."""
    app = typer.Typer(
        name="spec-o3",
        help="Vet candidates of rare stars from survey spectra.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(commands)
    for name in names:
        command = getattr(import_module(f"app.cli.{name}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command()(command)
    return app


def commands() -> None:
    """Vet candidates of rare stars from survey spectra."""


def main() -> None:
    """Exit status: 0 done, 1 a message for the user, 2 a usage error."""
    asked = [word for word in sys.argv[1:2] if word in COMMANDS]
    try:
        workbench(asked or COMMANDS)()
    except WorkbenchError as error:
        Console(stderr=True, soft_wrap=True).print(f"spec-o3: {error}", markup=False)
        sys.exit(1)
