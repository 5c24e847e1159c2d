"""`spec-o3`: the commands people type. Each command lives in a file of its own."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from agent.errors import WorkbenchError
from app.cli.demo import demo
from app.cli.export import export
from app.cli.info import info
from app.cli.inspect import inspect
from app.cli.log import log
from app.cli.merge import merge
from app.cli.models import models
from app.cli.new import new
from app.cli.pack import pack
from app.cli.render import render
from app.cli.stats import stats
from app.cli.vet import vet

app = typer.Typer(
    name="spec-o3",
    help="Vet candidates of rare stars from survey spectra.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(info)
app.command()(render)
app.command()(inspect)
app.command()(new)
app.command()(vet)
app.command()(export)
app.command()(stats)
app.command()(log)
app.command()(merge)
app.command()(pack)
app.add_typer(models, name="models")


def main() -> None:
    """Exit status: 0 done, 1 a message for the user, 2 a usage error."""
    try:
        app()
    except WorkbenchError as error:
        Console(stderr=True, soft_wrap=True).print(f"spec-o3: {error}", markup=False)
        sys.exit(1)
