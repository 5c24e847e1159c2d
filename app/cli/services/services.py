"""`spec-o3 services`: which services can be asked, and whether they answer."""

import time
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

import typer

from agent.errors import WorkbenchError
from app.cli.inspection_text import cleaned
from app.core.evidence.choice import Choice, read_choice
from app.services.catalogues.dust import ask_dust
from app.services.catalogues.light_curve import ask_light_curves
from app.services.catalogues.position import Position
from app.services.catalogues.service import CURVES, Service, all_services
from app.services.catalogues.sky_picture import sky_picture
from app.services.catalogues.tap import match_positions, tap_request
from app.services.catalogues.votable_reply import column_names
from app.services.web.client import WebClient
from app.services.web.errors import NotAsked, ServiceError, ShouldStop, Stopped

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
    are_good = True
    with closing(WebClient()) as client:
        for service in wanted:
            told = check_service(service, client)
            state = "answers" if told.is_good else "fails" if told.is_asked else "unasked"
            line = f"{service.id:{_width()}}  {state:7}  {told.seconds:5.1f} s  {told.told}"
            typer.echo(cleaned(line))
            if told.missing:
                missing = ", ".join(told.missing)
                typer.echo(cleaned(f"{'':{_width() + 2}}it has no column {missing}"))
            are_good &= told.is_good
    if not are_good:
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


# Whether a service answers as expected, tried on one star that it is known to have.
class KnownStar(NamedTuple):
    name: str
    position: Position


GD_153 = KnownStar(
    "GD 153", Position(ra=194.259546, dec=22.031367, epoch=2000.0, pm_ra=-38.4, pm_dec=-202.9)
)
"""A white dwarf of magnitude 13: too bright or too faint for none of them."""
AM_HER = KnownStar(
    "AM Her", Position(ra=274.054953, dec=49.868014, epoch=2000.0, pm_ra=-46.0, pm_dec=28.1)
)
STARS = dict.fromkeys(("vsx", "gaia_variability", "gaia_epochs", "tess"), AM_HER)


@dataclass(frozen=True, kw_only=True)
class ServiceCheck:
    is_good: bool
    seconds: float
    told: str  # what it found, or why it failed
    missing: tuple[str, ...] = ()  # columns that the catalogue no longer has
    is_asked: bool = True  # False where its server had failed too often before


def check_service(service: Service, client: WebClient) -> ServiceCheck:
    """Ask for the star that the service is known to have."""
    star = STARS.get(service.id, GD_153)
    began = time.monotonic()

    def is_over() -> bool:  # all that is asked has the time of one question
        return time.monotonic() - began > service.timeout_s

    missing: tuple[str, ...] = ()
    is_asked = True
    try:
        told = _asked(service, client, star, is_over)
        is_good = bool(told)
        told = told or f"answers, but does not find {star.name}"
    except ServiceError as error:
        is_good, told, is_asked = False, str(error), not isinstance(error, NotAsked)
        if service.kind == "tap" and is_asked:
            missing = _missing_columns(service, client, is_over)
    except Stopped:
        is_good, told = False, f"no whole answer in {service.timeout_s:.0f} s"
    seconds = time.monotonic() - began
    return ServiceCheck(
        is_good=is_good, seconds=seconds, told=told, missing=missing, is_asked=is_asked
    )


def _asked(service: Service, client: WebClient, star: KnownStar, should_stop: ShouldStop) -> str:
    """What was found, in words; empty for nothing."""
    if service.kind in CURVES:
        curves, _ = ask_light_curves(service, client, star.position, should_stop)
        points = sum(curve.hjd.size for curve in curves)
        return f"{star.name}: {len(curves)} series, {points} points" if curves else ""
    if service.kind == "picture":
        picture, _ = sky_picture(service, client, star.position, should_stop)
        return "" if picture is None else f"{star.name}: a picture of {picture.survey}"
    if service.kind == "dust":
        answer, _ = ask_dust(service, client, star.position, should_stop)
    else:
        (answer,), _ = match_positions(service, client, [star.position], should_stop)
    if answer.nearest is None:
        return ""
    known = sum(value is not None for value in answer.nearest.values.values())
    return f'{star.name}: at {answer.nearest.separation_arcsec:.2f}", {known} values'


def _missing_columns(
    service: Service, client: WebClient, should_stop: ShouldStop
) -> tuple[str, ...]:
    """Which of our columns the catalogue has not; empty where it does not say."""
    request = tap_request(service, f"SELECT TOP 1 * FROM {service.table}", 1)
    try:
        there = column_names(client.ask(replace(request, attempts=1), should_stop).content)
    except (ServiceError, Stopped):
        return ()
    wanted = [service.ra, service.dec, service.pm_ra, service.pm_dec]
    for each in service.columns:
        wanted += [each.column, each.error]
    return tuple(name for name in dict.fromkeys(wanted) if name and name.casefold() not in there)
