"""`spec-o3 demo`: the bundled sample from list to report, in the terminal."""

from __future__ import annotations

import csv
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.errors import WorkbenchError
from agent.tasks import task
from agent.trajectory import Trajectory
from agent.trajectory_file import write_trajectories
from app.cli.inspection_text import cleaned, step_lines, verdict_lines
from app.cli.new import take_over
from app.cli.session_options import reviewer_name
from app.cli.vet import run_vet
from app.core.exporting.export import export
from app.core.inspections import all_trajectories, inspections_of
from app.core.packing import read_spectrum
from app.core.queue import EVERYTHING, Line, Sort, matching
from app.core.report import write_report
from app.core.session import Session, new_session, open_session
from app.worker.request import LoadRequest

SAMPLE_TASK = "CV"
SHOWN = 15


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the session, catalogue and report.")] = Path(
        "spec-o3-demo"
    ),
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL",
            help="As for `spec-o3 inspect`.",
            show_default="the best in the box",
        ),
    ] = None,
) -> None:
    """Vet the bundled sample: 60 simulated candidates of cataclysmic variables."""
    console = Console(highlight=False)
    sample = Path(str(resources.files("resources"))) / "sample"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkbenchError(f"{out}: not a folder to write to: {error.strerror}") from error
    with _session(out / "sample.speco3", sample) as session:
        run_vet(session, LoadRequest(model))
        lines = list(matching(session, EVERYTHING, Sort("p_yes", descending=True)))
        console.print(_table(lines))
        _show_one(session, lines, console)
        _compare(lines, sample / "truth.csv", console)
        _write(session, out, console)
    console.print(
        "\nThese spectra are simulated; verdicts are for you to give. Your own list:\n"
        "  spec-o3 new night.speco3 --task CV LIST.csv\n"
        "  spec-o3 vet night.speco3\n"
        "  spec-o3 export night.speco3 night.fits --which all"
    )


def _session(place: Path, sample: Path) -> Session:
    """The demo's session; one that is there already is gone on with."""
    reviewer = reviewer_name(None)
    if place.exists():
        return open_session(place, reviewer)
    session = new_session(place, task(SAMPLE_TASK), reviewer)
    try:
        take_over(session, sample / "candidates.csv", {}, None)
    except BaseException:
        session.close()
        raise
    return session


def _table(lines: list[Line]) -> Table:
    table = Table(
        title=f"The sample: {len(lines)} simulated candidates, likeliest first",
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("object", no_wrap=True, max_width=24)
    table.add_column("survey", no_wrap=True)
    table.add_column("pipeline says", no_wrap=True, max_width=16)
    for column in ("S/N", "agent", "p(YES)"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in lines[:SHOWN]:
        seen = line.candidate
        kind = f"{seen.own.get('class') or ''} {seen.label}".strip() or "–"
        table.add_row(
            Text(cleaned(seen.object_id)),
            Text(cleaned(str(seen.own.get("survey") or ""))),
            Text(cleaned(kind)),
            "–" if seen.snr is None else f"{seen.snr:.0f}",
            seen.agent_verdict or "–",
            "–" if seen.agent_p_yes is None else f"{seen.agent_p_yes:.3f}",
        )
    if len(lines) > SHOWN:
        table.add_row(f"... and {len(lines) - SHOWN} more")
    return table


def _show_one(session: Session, lines: list[Line], console: Console) -> None:
    """The inspection of the likeliest, as it went."""
    record = _record(session, lines[0]) if lines else None
    if record is None:
        return
    console.print(Text(f"How it came to its first: {lines[0].candidate.object_id}", style="bold"))
    for step in record.steps:
        console.print(*step_lines(step), sep="\n")
    console.print(*verdict_lines(record), sep="\n")


def _record(session: Session, line: Line) -> Trajectory | None:
    kept = inspections_of(session, line.candidate.id)
    return kept[0].trajectory if kept else None


def _compare(lines: list[Line], truth: Path, console: Console) -> None:
    """The truth is known here, as everything is simulated."""
    with truth.open(newline="", encoding="utf-8") as file:
        real = {
            (Path(row["file"]).name, int(row["row"])): row["label"] for row in csv.DictReader(file)
        }
    counts: Counter[tuple[bool, bool]] = Counter()
    for line in lines:
        seen = line.candidate
        is_real = real[(Path(seen.path).name, seen.row)] == SAMPLE_TASK
        counts[is_real, seen.agent_verdict == "YES"] += 1
    there = counts[True, True] + counts[True, False]
    console.print(
        f"\nAgainst the truth: {counts[True, True]} of {there} found, {counts[False, True]} of "
        f"{len(lines) - there} others taken for one."
    )


def _write(session: Session, out: Path, console: Console) -> None:
    catalogue, report, records = (out / f"sample.{kind}" for kind in ("csv", "html", "jsonl"))
    export(session, catalogue, which="all")
    write_report(session, report, lambda candidate: read_spectrum(session, candidate))
    write_trajectories(records, all_trajectories(session))
    console.print(f"\nWritten: {session.place}, and out of it")
    for path, what in (
        (catalogue, "the catalogue, with its provenance beside it"),
        (report, "the report, for a browser"),
        (records, "every inspection, step by step"),
    ):
        console.print(f"  {path}: {what}")
