"""`spec-o3 --version`, and what every command does: it names the plug-ins that fail."""

from typing import Annotated

import typer

from agent import plugins
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
    if _tell not in plugins.listeners:
        plugins.listeners.append(_tell)


def _tell(fault: plugins.PluginFault) -> None:
    typer.echo(f"spec-o3: {fault}", err=True)
