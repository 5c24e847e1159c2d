"""`spec-o3 new SESSION --task CV LIST...`: create a session from candidate lists."""

from pathlib import Path
from typing import Annotated, Any

import typer

from agent.tasks.catalogue import find_task, look_task
from app.cli.inspection_text import cleaned
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, SessionArgument, SpectraOption, reviewer_name
from app.core.errors import NoRowAllowedError, counted_text
from app.core.importing.importer import import_list, preview
from app.core.importing.opening import ImportReport
from app.core.importing.outside_paths import outside_text
from app.core.session.own_fields import checked_fields, field_from, read_fields, set_own_fields
from app.core.session.session import Session, new_session

MAX_REFUSED_SHOWN = 5
HOW_TO_ALLOW = "give --trust-paths if you trust the list, or --spectra with their folder"


def new(
    session: SessionArgument,
    lists: Annotated[
        list[Path],
        typer.Argument(
            metavar="LIST...",
            help="CSV, TSV, ECSV, FITS, VOTable, Parquet, or a folder of spectra.",
            show_default=False,
        ),
    ],
    task: Annotated[
        str,
        typer.Option(
            metavar="CV|CS|SS|...|look",
            help="What to look for, or a task file; look: no class.",
            show_default=False,
        ),
    ],
    spectra: SpectraOption = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=COLUMN",
            help="Set the column of a role if the guess is wrong. Roles: path, row, object_id, ra, "
            "dec, score, label, snr.",
        ),
    ] = None,
    trust_paths: Annotated[
        bool,
        typer.Option(
            "--trust-paths",
            help="Read spectra that the lists name by absolute paths outside their folders, now "
            "and later: for lists that you trust.",
        ),
    ] = False,
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:KIND[:CHOICES][:KEY]",
            help="A field of your own beside the verdict, of kind choice, number, tick or text, as "
            "quality:choice:good,poor:J.",
        ),
    ] = None,
    fields: Annotated[
        Path | None, typer.Option(metavar="TOML", help="A file with \\[\\[fields]].")
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Create a session from candidate lists and show the role of each column."""
    roles = role_options(role or [])
    own = (*(read_fields(fields) if fields else ()), *map(field_from, field or ()))
    checked_fields(own)
    target = look_task() if task.casefold() == "look" else find_task(task)
    for path in lists:  # check the lists first, so that a bad one leaves no session behind
        preview(path, roles=roles)
    with new_session(session, target, reviewer_name(reviewer)) as made:
        try:
            set_own_fields(made, own)
            for path in lists:
                options = {"roles": roles, "spectra": spectra, "allow_absolute": trust_paths}
                show_import(import_with_progress(made, path, **options))
        except NoRowAllowedError as error:
            made.database.discard()
            raise NoRowAllowedError(f"{error}: {HOW_TO_ALLOW}") from error
        except BaseException:
            made.database.discard()  # including side files, which would block a new session
            raise
        typer.echo(f"{made.location}: {counted_text(made.count(), 'candidate')} for {target.name}")


def import_with_progress(session: Session, path: Path, **options: Any) -> ImportReport:
    """Import one list with a progress bar on standard error."""
    with progress_bar(f"reading {path.name}") as progress:
        return import_list(session, path, progress=progress, **options)


def show_import(report: ImportReport) -> None:
    typer.echo(
        f"{cleaned(report.name)} ({report.format}): {report.rows_used:,} of "
        f"{counted_text(report.rows_read, 'row')} imported"
    )
    for name, column in report.roles.items():
        typer.echo(f"  {name}: {cleaned(column)}")
    for count, text in (
        (report.duplicates, counted_text(report.duplicates, "duplicate")),
        (report.missing_files, f"{counted_text(report.missing_files, 'file')} not found"),
        (report.without_file, f"{report.without_file:,} without a spectrum"),
        (report.rows_refused, f"{report.rows_refused:,} refused"),
    ):
        if count:
            typer.echo(f"  {text}")
    if report.outside.rows:
        typer.echo(cleaned(f"  {outside_text(report.outside)}: {HOW_TO_ALLOW}"), err=True)
    for refused in report.refused[:MAX_REFUSED_SHOWN]:
        typer.echo(cleaned(f"    row {refused.line}: {refused.reason}"), err=True)
    for warning in report.warnings:
        typer.echo(f"  {cleaned(warning)}", err=True)


def role_options(given: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    if wrong := next((name for name, sign, _ in pairs if not sign), None):
        raise typer.BadParameter(f"{wrong!r} is not ROLE=COLUMN", param_hint="--role")
    return {name.strip(): column.strip() for name, _, column in pairs}
