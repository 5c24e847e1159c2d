"""`spec-o3 stats SESSION`: counts, pace, agreement, the agents' figures, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.cli.inspection_text import cleaned
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.figure_words import with_interval
from app.core.session import open_session
from app.core.statistics import AgentFigures, ReviewerCounts, Statistics, statistics


def stats(
    session: SessionArgument,
    as_json: Annotated[bool, typer.Option("--json", help="JSON alone, for scripts.")] = False,
    reviewer: ReviewerOption = None,
) -> None:
    """How far the session is, how people agree, and how good the agents are."""
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        found = statistics(opened)
    if as_json:
        typer.echo(found.to_json())
    else:
        show_statistics(found, Console(highlight=False))


def show_statistics(found: Statistics, console: Console) -> None:
    counts = found.counts
    console.print(Text(cleaned(f"{found.session}: {found.task}"), style="bold"))
    console.print(
        f"{counts.candidates} candidates: {counts.accepted} accepted, {counts.rejected} rejected, "
        f"{counts.unsure} unsure, {counts.disputed} disputed, {counts.open} open; "
        f"{counts.inspected} inspected, {counts.unreadable} not readable"
    )
    if found.reviewers:
        people = ("reviewer", "accepted", "rejected", "unsure", "blind", "seconds each")
        console.print(_table(people, [_reviewer_row(each) for each in found.reviewers]))
    if found.people.pairs:
        pairs = ("two people", "both judged", "alike", "kappa")
        rows = [
            (
                f"{pair.first} and {pair.second}",
                str(pair.every.n),
                with_interval(pair.every.observed),
                with_interval(pair.every.kappa),
            )
            for pair in found.people.pairs
        ]
        console.print(_table(pairs, rows))
    if found.agents:
        agents = ("agent", "YES", "NO", "no verdict", "precision", "recall", "F1", "kappa")
        console.print(_table(agents, [_agent_row(each) for each in found.agents]))
        for agent in found.agents:
            console.print(Text(cleaned(f"{agent.model}: {agent.calibration_state}"), style="dim"))


def _reviewer_row(each: ReviewerCounts) -> tuple[str, ...]:
    pace = "–" if each.pace.typical is None else f"{each.pace.typical:.1f}"
    counts = (each.accepted, each.rejected, each.unsure, each.blind)
    return (each.name, *map(str, counts), pace)


def _agent_row(each: AgentFigures) -> tuple[str, ...]:
    """Its scores are against what people came to."""
    scores = each.people.scores
    counts = (each.yes, each.no, each.undecided)
    figures = (scores.precision, scores.recall, scores.f1, each.people.every.kappa)
    return (each.model, *map(str, counts), *map(with_interval, figures))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(head):
        table.add_column(name, justify="left" if number == 0 else "right", overflow="fold")
    for row in rows:
        # Text, not str: a reviewer's name must not be taken for markup.
        table.add_row(*(Text(cleaned(cell)) for cell in row))
    return table
