"""`spec-o3 stats SESSION`: counts, pace, agreement, the agents' figures, calibration and cuts."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.cli.stats_text import show_cuts, show_statistics
from app.core.cut_plan import model_cuts
from app.core.session import open_session
from app.core.statistics import plain, read_said, statistics_of


def stats(
    session: SessionArgument,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="P", help="From which p(YES) on so many are real, as 0.95, by your verdicts."
        ),
    ] = None,
    recall: Annotated[
        float | None,
        typer.Option(
            metavar="R", help="Below which p(YES) no more than 1 - R of the real ones are."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON alone, for scripts.")] = False,
    reviewer: ReviewerOption = None,
) -> None:
    """How far the session is, how people agree, and how good the agents are."""
    for share, option in ((precision, "--precision"), (recall, "--recall")):
        if share is not None and not 0.0 < share < 1.0:
            raise typer.BadParameter("a share between 0 and 1, as 0.95", param_hint=option)
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        said = read_said(opened)
        found = statistics_of(opened, said)
        wants_cut = precision is not None or recall is not None
        cuts = model_cuts(opened, said, precision, recall) if wants_cut else ()
    if as_json:
        record = {**plain(found), **({"cuts": plain(cuts)} if wants_cut else {})}
        typer.echo(json.dumps(record, ensure_ascii=False, allow_nan=False))
        return
    console = Console(highlight=False)
    show_statistics(found, console)
    show_cuts(cuts, console)
