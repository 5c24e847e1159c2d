"""`spec-o3 --version`."""

from typing import Annotated

import typer

from agent.program_version import program_version


def _show(asked: bool) -> None:
    if asked:
        typer.echo(f"spec-o3 {program_version()}")
        raise typer.Exit


ShowVersion = Annotated[
    bool,
    typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_show),
]


def commands(version: ShowVersion = False) -> None:
    """Vet candidates of rare stars from survey spectra."""
