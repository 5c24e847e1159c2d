"""`spec-o3 study`: plan a reader study, report it, and simulate one before it begins."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from app.cli.inspection_text import cleaned
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.cli.stats import plain_table
from app.cli.team.known import MemberOption, TrustListOption
from app.core.errors import SessionError, disk_errors
from app.core.session.session import open_session
from app.core.sharing.known.labelled_list import Labelled, read_labelled
from app.core.sharing.study_plan import Design, new_study
from app.core.statistics.number_format import rough_percent, share_text
from app.core.study.report import report_parts, study_csv, value_text, write_study_page
from app.core.study.simulation import Readers, power

study = typer.Typer(
    no_args_is_help=True, help="Measure what people find without the agent and with it."
)


DesignOption = Annotated[
    Design,
    typer.Option(
        help="split: each candidate once, with the agent or without; crossover: twice, far apart; "
        "unaided-first: without it and at once again with it."
    ),
]


@study.command()
def new(
    session: SessionArgument,
    people: Annotated[
        str,
        typer.Option(
            metavar="NAME,NAME",
            help="The people, separated by commas, under the names with which they judge.",
        ),
    ],
    design: DesignOption = "unaided-first",
    show: Annotated[
        Literal["advice", "verdict"],
        typer.Option(help="What is shown of the agent: all, or its verdict alone."),
    ] = "advice",
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="LABELS", help="A list with labels: candidates in it have a known answer."
        ),
    ] = None,
    member: MemberOption = None,
    trust_paths: TrustListOption = False,
    seed: Annotated[int, typer.Option(help="Another seed draws another plan.")] = 0,
    retire_after: Annotated[
        int,
        typer.Option(
            metavar="K", help="With split: ask nobody else once K people agree; 0: ask everybody."
        ),
    ] = 0,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the plan to a file, to be published."),
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Draw a plan over a list that an agent has inspected, and freeze it with its hash.

    From then on the window follows the plan for each of these people.
    """
    if plan is not None and plan.exists():
        raise SessionError(f"{plan} already exists: choose another name")
    names = tuple(name.strip() for name in people.split(",") if name.strip())
    with open_session(session, reviewer_name(reviewer)) as opened:
        labelled: Sequence[Labelled] = ()
        if known is not None:
            labelled = read_labelled(
                known, opened.task, members=member or (), allow_absolute=trust_paths
            )
        made = new_study(
            opened, names, design, aided=show, seed=seed, retire_after=retire_after,
            labelled=labelled,
        )  # fmt: skip
    if plan is not None:
        with disk_errors(plan):
            plan.write_text(made.text, encoding="utf-8")
    readings = sum(map(len, made.turns.values()))
    typer.echo(
        f"{len(made.answers):,} candidates, {len(made.people)} people, {readings:,} readings: "
        f"{made.design}"
    )
    typer.echo(f"plan frozen at {made.frozen_at}, SHA-256 {made.sha256}")


@study.command()
def report(
    session: SessionArgument,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write an HTML page.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the figures as CSV.")
    ] = None,
    language: Annotated[Literal["en", "zh"], typer.Option(help="Of the report.")] = "en",
    reviewer: ReviewerOption = None,
) -> None:
    """Print what the study found so far: for whoever leads it, as it tells what people judged."""
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        if out is None:
            _, parts = report_parts(opened, language)
        else:
            parts = write_study_page(opened, out, language)
    if table is not None:
        with disk_errors(table):
            table.write_text(study_csv(parts), encoding="utf-8")
    console = Console(highlight=False)
    for part in parts:
        console.print(Text(cleaned(part.title), style="bold"))
        for sentence in part.sentences:
            console.print(Text(cleaned(sentence)))
        if part.rows:
            rows = [[value_text(value, language) for value in row] for row in part.rows]
            console.print(plain_table(part.head, rows))


PercentOption = Annotated[float, typer.Option(min=0.0, max=100.0, metavar="PERCENT")]


@study.command()
def simulate(
    candidates: Annotated[int, typer.Option(min=3, max=20_000)] = 60,
    people: Annotated[int, typer.Option(min=1, max=30)] = 3,
    design: DesignOption = "unaided-first",
    bias: PercentOption = 7.0,
    skill: PercentOption = 85.0,
    agent: PercentOption = 85.0,
    studies: Annotated[int, typer.Option(min=10, max=10_000)] = 500,
    seed: int = 0,
) -> None:
    """Tell how often a study of this size would find a bias, before it begins.

    Bias: so much of what people do not judge wrong becomes wrong by the agent's wrong answer.
    Skill and agent: so much do people alone, and the agent, judge right.
    """
    if not 0.0 < skill < 100.0:
        raise typer.BadParameter("must be between 0 and 100", param_hint="--skill")
    readers = Readers(skill=skill / 100.0, bias=bias / 100.0, agent_right=agent / 100.0)
    found = power(candidates, people, design, readers, studies=studies, seed=seed)
    typer.echo(
        f"{candidates:,} spectra by {people} people ({design}) tell a bias of {bias:g} % "
        f"from none in {share_text(found.found)} of {studies:,} simulated studies"
    )
    typer.echo(
        f"its interval is ± {rough_percent(found.half_width)} wide and holds the bias in "
        f"{share_text(found.covered)}"
    )
