"""`spec-o3-train report OUT.html`: one page about training runs and how well the models judge."""

from pathlib import Path
from typing import Annotated

import typer

from agent.errors import WorkbenchError
from train.report.page import page


def report(
    out: Annotated[Path, typer.Argument(help="The HTML file to write.")],
    run: Annotated[
        list[Path] | None, typer.Option(help="Folder of an sft, grpo or other run; repeatable.")
    ] = None,
    evaluation: Annotated[
        Path | None, typer.Option(help="Output folder of spec-o3-train evaluate.")
    ] = None,
    bench: Annotated[
        Path | None, typer.Option(help="The bench that was judged, to draw the failures.")
    ] = None,
    pool: Annotated[Path | None, typer.Option(help="Folder of spec-o3-train curate.")] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="File of ratings, by people or by `judge`; repeatable."),
    ] = None,
    failures: Annotated[int, typer.Option(min=0, max=200, help="Failures of each judge.")] = 6,
    title: Annotated[str, typer.Option()] = "Training report",
) -> None:
    """Training dynamics, scores, agreement, reliability and failures on one HTML page."""
    if not (run or evaluation or pool or ratings):
        raise WorkbenchError(
            "nothing to report: name a --run, an --evaluation, a --pool or --ratings"
        )
    from train.evaluate.evaluation import write
    from train.report.dynamics import dynamics_section
    from train.report.judging import (
        failure_sections,
        judging_section,
        judgings,
        sight_sections,
        survey_section,
    )
    from train.report.rating import curating_section, rating_section

    judged = judgings(evaluation) if evaluation is not None else []
    # Results first, then training, then failures.
    sections = [*map(judging_section, judged), survey_section(judged)]
    if evaluation is not None:
        sections += sight_sections(evaluation)
    if run:
        sections.append(dynamics_section(run))
    if pool is not None:
        sections.append(curating_section(pool))
    if ratings:
        sections.append(rating_section(ratings, bench))
    if bench is not None and failures:
        sections += failure_sections(judged, bench, failures)
    write(out, page(title, sections))
    typer.echo(out)
