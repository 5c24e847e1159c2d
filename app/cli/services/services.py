"""`spec-o3 services`: which services can be asked, and whether they answer."""

from __future__ import annotations

from typing import Annotated

import typer

from agent.errors import WorkbenchError
from app.cli.inspection_text import cleaned
from app.core.evidence.choice import Choice, read_choice
from app.services.catalogues.check import ServiceCheck, check_service
from app.services.catalogues.service import Service, all_services
from app.services.web.client import WebClient

services = typer.Typer(
    no_args_is_help=True, help="The services that can be asked about candidates."
)


@services.command("list")
def list_services() -> None:
    """List the services: whether the window asks them, their release, and what they are sent."""
    choice = read_choice()
    for name in all_services():
        service = choice.service(name)
        state = "on" if name in choice.on else "off"
        words = f"{service.name} {service.release}".strip()
        typer.echo(cleaned(f"{name:{_width()}}  {state:3}  {words}: {service.url}"))
        typer.echo(cleaned(f"{'':{_width() + 7}}{service.sends}"))


@services.command()
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Services; all of them if none is named."),
    ] = None,
) -> None:
    """Ask each service about one known star: whether it answers, how fast, what it has not."""
    choice = read_choice()
    wanted = [named_service(choice, name) for name in names or all_services()]
    client = WebClient()
    try:
        checked = [_shown(check_service(service, client)) for service in wanted]
    finally:
        client.close()
    if not all(each.is_good for each in checked):
        raise typer.Exit(1)


def named_service(choice: Choice, name: str) -> Service:
    """A service as the user has set it. Raises WorkbenchError."""
    if name not in all_services():
        known = ", ".join(all_services())
        raise WorkbenchError(f"there is no service {name[:40]!r}; choose from {known}")
    return choice.service(name)


def _width() -> int:
    """Of the column of names."""
    return max(map(len, all_services()))


def _shown(checked: ServiceCheck) -> ServiceCheck:
    state = "answers" if checked.is_good else "fails"
    line = f"{checked.service.id:{_width()}}  {state:7}  {checked.seconds:5.1f} s  {checked.told}"
    typer.echo(cleaned(line))
    if checked.missing:
        typer.echo(cleaned(f"{'':{_width() + 2}}it has no column {', '.join(checked.missing)}"))
    return checked
