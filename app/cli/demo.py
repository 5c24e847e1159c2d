"""`spec-o3 demo`: the bundled sample from list to report, in the terminal."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.errors import WorkbenchError
from agent.inspection.inspector_factory import default_model
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from app.cli.inspection_text import cleaned, step_lines, verdict_lines
from app.cli.new import import_with_progress
from app.cli.session_options import reviewer_name
from app.cli.vet import run_vet
from app.cli.window import has_display, open_window
from app.core.exporting.export import export
from app.core.exporting.formats.records_file import write_records
from app.core.inspections.store import inspections_of
from app.core.packing import read_spectrum
from app.core.queue import EVERYTHING, QueueRow, Sort, matching
from app.core.report import write_report
from app.core.session.records import Candidate
from app.core.session.session import Session, new_session, open_session
from app.core.statistics.number_format import chance
from app.worker.request import LoadRequest

SAMPLE_TASK = "CV"
SHOWN = 15
MAX_WORKERS = 4

Truth = Mapping[tuple[str, int], str]
"""What each really is, by its file and row."""


def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            help="In the terminal, with session, catalogue and report in this folder.",
            show_default="a window, where there is a display; else spec-o3-demo",
        ),
    ] = None,
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
    if out is None and model is None and has_display():
        raise typer.Exit(open_window(sample=True))
    out = out or Path("spec-o3-demo")
    console = Console(highlight=False)
    sample = Path(str(resources.files("resources"))) / "sample"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkbenchError(f"{out}: not a folder to write to: {error.strerror}") from error
    truth = _truth(sample / "truth.csv")
    with _session(out / "sample.speco3", sample) as session:
        _check_is_demo(session, truth)
        workers = min(MAX_WORKERS, os.cpu_count() or 1)
        run_vet(session, LoadRequest(model or default_model(session.task.id)), workers=workers)
        lines = list(matching(session, EVERYTHING, Sort("p_yes", descending=True)))
        console.print(_table(lines))
        _show_one(session, lines, console)
        _compare(lines, truth, console)
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
    session = new_session(place, find_task(SAMPLE_TASK), reviewer)
    try:
        import_with_progress(session, sample / "candidates.csv", {}, None)
    except BaseException:
        session.close()
        raise
    return session


def _truth(path: Path) -> Truth:
    """It is known here, as everything is simulated."""
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (Path(row["file"]).name, int(row["row"])): row["label"] for row in csv.DictReader(file)
        }


def _check_is_demo(session: Session, truth: Truth) -> None:
    """A session of that name may be somebody's own."""
    if all(_key(line.candidate) in truth for line in matching(session, EVERYTHING)):
        return
    raise WorkbenchError(
        f"{session.location} holds other candidates than the sample: name another folder with --out"
    )


def _key(candidate: Candidate) -> tuple[str, int]:
    return Path(candidate.path).name, candidate.row


def _table(lines: list[QueueRow]) -> Table:
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
            "–" if seen.agent_p_yes is None else chance(seen.agent_p_yes),
        )
    if len(lines) > SHOWN:
        table.add_row(f"... and {len(lines) - SHOWN} more")
    return table


def _show_one(session: Session, lines: list[QueueRow], console: Console) -> None:
    """The inspection of the likeliest, as it went."""
    record = _record(session, lines[0]) if lines else None
    if record is None:
        return
    simulated = " (SIMULATED)" if record.spectrum.simulated else ""
    name = cleaned(lines[0].candidate.object_id)
    console.print(Text(f"How it came to its first: {name}{simulated}", style="bold"))
    for step in record.steps:
        console.print(*step_lines(step), sep="\n")
    console.print(*verdict_lines(record), sep="\n")


def _record(session: Session, line: QueueRow) -> Trajectory | None:
    kept = inspections_of(session, line.candidate.id)
    return kept[0].trajectory if kept else None


def _compare(lines: list[QueueRow], truth: Truth, console: Console) -> None:
    counts: Counter[tuple[bool, bool]] = Counter()
    for line in lines:
        seen = line.candidate
        is_real = truth[_key(seen)] == SAMPLE_TASK
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
    write_records(session, records)
    console.print(Text(f"\nWritten: {cleaned(str(session.location))}, and out of it"))
    for path, what in (
        (catalogue, "the catalogue, with its provenance beside it"),
        (report, "the report, for a browser"),
        (records, "every inspection, step by step"),
    ):
        console.print(Text(f"  {cleaned(str(path))}: {what}"))
