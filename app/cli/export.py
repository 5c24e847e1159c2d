"""`spec-o3 export SESSION OUT`: write a catalogue, a report, or the inspection records."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agent.errors import WorkbenchError
from app.cli.inspection_text import cleaned
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, SessionArgument, TrustPathsOption, reviewer_name
from app.core.errors import counted_text
from app.core.exporting.export import all_formats
from app.core.exporting.export import export as write_catalogue
from app.core.exporting.formats.records_file import write_records
from app.core.exporting.rows import selected_ids
from app.core.exporting.selection import Which, count_choices
from app.core.queue import matching, parse_filter
from app.core.queue.own_columns import own_columns
from app.core.report import write_report
from app.core.session.session import Session, open_session
from app.core.session.spectra_folders import open_with_spectra
from app.core.spectra.packing import read_spectrum

RECORDS = ".jsonl"
REPORTS = (".html", ".htm")


def export(
    session: SessionArgument,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="A catalogue (.csv, .ecsv, .fits, .vot or .parquet), the inspection records "
            "(.jsonl), or a report (.html).",
            show_default=False,
        ),
    ],
    which: Annotated[
        Which | None,
        typer.Option(help="Which candidates to write.", show_default="judged; all for .jsonl"),
    ] = None,
    words: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="WORDS",
            help="Only candidates that match this filter, such as 'agent:yes p_yes>0.9'; among all "
            "candidates unless --which is given.",
            show_default=False,
        ),
    ] = "",
    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Write the verdicts of this reviewer instead of the final ones."
        ),
    ] = None,
    trust_paths: TrustPathsOption = False,
    reviewer: ReviewerOption = None,
) -> None:
    """Write the verdicts with their provenance. The file is written completely or not at all."""
    suffix = out.suffix.casefold()
    if suffix in REPORTS and (which or words or by):
        raise typer.BadParameter("a report always covers the whole session", param_hint="OUT")
    is_report = suffix in REPORTS  # a catalogue needs no spectra
    opening = partial(open_with_spectra, trust_paths=trust_paths) if is_report else open_session
    with opening(session, reviewer_name(reviewer), read_only=True) as opened:
        if suffix == RECORDS:
            wanted = _selected(opened, which or "all", which, words, by)
            with progress_bar(f"writing {out.name}") as progress:
                count = write_records(opened, out, which=wanted, reviewer=by, progress=progress)
            _print(f"{out}: {counted_text(count, 'record')}")
        elif is_report:
            write_report(opened, out, lambda candidate: read_spectrum(opened, candidate))
            _print(f"{out}: report written")
        elif suffix in all_formats():
            _catalogue(opened, out, which, words, by)
        else:
            known = ", ".join((*all_formats(), RECORDS, REPORTS[0]))
            raise WorkbenchError(f"{out}: unknown suffix; use one of {known}")


def _catalogue(
    session: Session, out: Path, which: Which | None, words: str, by: str | None
) -> None:
    among = f", among the {which} candidates" if words and which not in (None, "all") else ""
    with progress_bar(f"writing {out.name}") as progress:
        report = write_catalogue(
            session,
            out,
            which=_selected(session, which or "judged", which, words, by),
            reviewer=by,
            filter_text=words + among,
            progress=progress,
        )
    _print(f"{out}: {counted_text(report.rows, 'row')}, {report.selection}")
    if not (report.rows or words or by):
        _print(f"  {_why_empty(session, which)}")
    for old, new in report.renamed.items():
        _print(f"  list column {old} was renamed to {new}")
    if report.metadata is not None:
        _print(f"  units and provenance: {report.metadata}")


def _why_empty(session: Session, which: Which | None) -> str:
    with session.database.reading() as connection:
        counts = count_choices(connection)
    if which == "all":
        return "this session has no candidates"
    if not counts.judged:
        return "there are no verdicts yet: use --which all to write every candidate"
    return (
        f"0 of {counts.all:,} candidates are accepted (judged: {counts.judged:,}): "
        "use --which judged or --which all"
    )


def _selected(
    session: Session, default: Which, which: Which | None, words: str, by: str | None
) -> Which | Iterable[int]:
    if not words:
        return default
    tree = parse_filter(words, [each.name for each in own_columns(session)])
    found = (line.candidate.id for line in matching(session, tree))
    if which is None:
        return found
    among = set(selected_ids(session, which, by))
    return (number for number in found if number in among)


def _print(words: str) -> None:
    typer.echo(cleaned(words))
