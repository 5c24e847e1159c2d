"""`spec-o3 known SESSION LABELS --rate 5`: hide spectra of known class in the list."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.new import role_options
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, SessionArgument, SpectraOption, reviewer_name
from app.core.errors import counted_text
from app.core.session.session import open_session
from app.core.sharing.known.hide import HideReport, hide_known
from app.core.sharing.known.labelled_list import read_labelled

MemberOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="A label of the class of the session; may be given several times.",
        show_default="the id or name of the task, or yes, true, 1",
    ),
]

TrustListOption = Annotated[
    bool, typer.Option("--trust-paths", help="As for `new`: for lists that you trust.")
]


def known(
    session: SessionArgument,
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS",
            help="A list of spectra with a column of labels: CSV, ECSV, FITS, VOTable, Parquet.",
            show_default=False,
        ),
    ],
    rate: Annotated[
        float,
        typer.Option(
            metavar="PERCENT", help="So much of what is left to judge has a known answer."
        ),
    ] = 5.0,
    member: MemberOption = None,
    spectra: SpectraOption = None,
    role: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=COLUMN", help="As for `new`, such as label=class."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed draws others, and other places.")] = 0,
    trust_paths: TrustListOption = False,
    reviewer: ReviewerOption = None,
) -> None:
    """Hide members and look-alikes of known class in the list, to measure how well people judge.

    They look like any other candidate until they are judged, and are in no catalogue.
    """
    with open_session(session, reviewer_name(reviewer)) as opened:
        labelled = read_labelled(
            labels,
            opened.task,
            members=member or (),
            roles=role_options(role or []),
            spectra=spectra,
            allow_absolute=trust_paths,
        )
        with progress_bar("hiding") as progress:
            report = hide_known(opened, labelled, rate, seed, progress=progress)
        _show(report, opened.task.id)


def _show(report: HideReport, task: str) -> None:
    typer.echo(
        f"{counted_text(report.hidden, 'known answer')} hidden: {report.members:,} {task}, "
        f"{counted_text(report.others, 'look-alike')}; {report.simulated:,} simulated"
    )
    if report.unreadable:
        typer.echo(
            f"  {counted_text(report.unreadable, 'known spectrum', 'known spectra')} unreadable"
        )
    if report.hidden < report.wanted:
        typer.echo(f"  the rate asks for {report.wanted:,}: give more labelled spectra")
    if report.inspected:
        typer.echo(
            "  agents have inspected the list before: run `spec-o3 vet` again, or the known ones "
            "are those without an answer"
        )
