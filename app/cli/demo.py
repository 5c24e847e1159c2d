"""`spec-o3 demo`: vet the bundled sample in the terminal, from list to report."""

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
from app.cli.inspection_text import cleaned, step_lines, verdict_lines
from app.cli.new import import_with_progress
from app.cli.session_options import reviewer_name
from app.cli.vet import run_vet
from app.cli.window import has_display, open_window
from app.core.exporting.export import export
from app.core.exporting.formats.records_file import write_records
from app.core.inspections.store import inspections_of
from app.core.queue import EVERYTHING, QueueRow, Sort, matching
from app.core.report import write_report
from app.core.session.records import Candidate
from app.core.session.session import Session, new_session, open_session
from app.core.spectra.packing import read_spectrum
from app.core.statistics.number_format import chance
from app.worker.request import LoadRequest

SAMPLE_TASK = "CV"
SHOWN = 15
ABOUT = {
    "sample": "These spectra are simulated",
    "sample_real": "These spectra are public (README.md beside them names the sources), and "
    "too few to say how well the agent does elsewhere",
}
MAX_WORKERS = 4

Truth = Mapping[tuple[str, int], str]  # True class of each spectrum by file name and row


def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run in the terminal and write session, catalogue and report to this folder.",
            show_default="the window if there is a display, else spec-o3-demo",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL",
            help="Model, as for `spec-o3 inspect`.",
            show_default="the best bundled model",
        ),
    ] = None,
    real: Annotated[
        bool, typer.Option("--real", help="Vet 40 public spectra of SDSS, DESI and Hubble instead.")
    ] = False,
) -> None:
    """Vet the bundled sample of 60 simulated cataclysmic variable candidates."""
    name = "sample_real" if real else "sample"
    if out is None and model is None and has_display():
        raise typer.Exit(open_window(sample=name))
    out = out or Path("spec-o3-demo")
    console = Console(highlight=False)
    sample = Path(str(resources.files("resources"))) / name
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkbenchError(f"{out}: not a folder to write to: {error.strerror}") from error
    truth = _truth(sample / "truth.csv")
    with _session(out / f"{name}.speco3", sample) as session:
        if not all(_key(row.candidate) in truth for row in matching(session, EVERYTHING)):
            # It may be the user's own.
            raise WorkbenchError(
                f"{session.location} contains other candidates than the sample: choose another "
                "folder with --out"
            )
        workers = min(MAX_WORKERS, os.cpu_count() or 1)
        run_vet(session, LoadRequest(model or default_model(session.task.id)), workers=workers)
        rows = list(matching(session, EVERYTHING, Sort("p_yes", descending=True)))
        console.print(_table(rows, "real" if real else "simulated"))
        _show_one(session, rows, console)
        _compare(rows, truth, console)
        _write(session, out / name, console)
    console.print(
        f"\n{ABOUT[name]}; the verdicts are left to you. With your own list:\n"
        "  spec-o3 new night.speco3 --task CV LIST.csv\n"
        "  spec-o3 vet night.speco3\n"
        "  spec-o3 export night.speco3 night.fits --which all"
    )


def _session(path: Path, sample: Path) -> Session:
    """Create the session of the demo, or open the existing one to continue it."""
    reviewer = reviewer_name(None)
    if path.exists():
        return open_session(path, reviewer)
    session = new_session(path, find_task(SAMPLE_TASK), reviewer)
    try:
        import_with_progress(session, sample / "candidates.csv")
    except BaseException:
        session.close()
        raise
    return session


def _truth(path: Path) -> Truth:
    """Read the true classes: what was simulated, or what the literature says."""
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (Path(row["file"]).name, int(row["row"])): row["label"] for row in csv.DictReader(file)
        }


def _key(candidate: Candidate) -> tuple[str, int]:
    return Path(candidate.path).name, candidate.row


def _table(rows: list[QueueRow], kind: str) -> Table:
    table = Table(
        title=f"The sample: {len(rows)} {kind} candidates, most likely first",
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("object", no_wrap=True, max_width=24)
    table.add_column("survey", no_wrap=True)
    table.add_column("pipeline says", no_wrap=True, max_width=16)
    for column in ("S/N", "agent", "p(YES)"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows[:SHOWN]:
        seen = row.candidate
        kind = f"{seen.own.get('class') or ''} {seen.label}".strip() or "–"
        table.add_row(
            Text(cleaned(seen.object_id)),
            Text(cleaned(str(seen.own.get("survey") or ""))),
            Text(cleaned(kind)),
            "–" if seen.snr is None else f"{seen.snr:.0f}",
            seen.agent_verdict or "–",
            "–" if seen.agent_p_yes is None else chance(seen.agent_p_yes),
        )
    if len(rows) > SHOWN:
        table.add_row(f"... and {len(rows) - SHOWN} more")
    return table


def _show_one(session: Session, rows: list[QueueRow], console: Console) -> None:
    """Print the inspection of the most likely candidate, step by step."""
    stored = inspections_of(session, rows[0].candidate.id) if rows else []
    if not stored:
        return
    record = stored[0].trajectory
    simulated = " (SIMULATED)" if record.spectrum.simulated else ""
    name = cleaned(rows[0].candidate.object_id)
    console.print(Text(f"Inspection of the most likely candidate: {name}{simulated}", style="bold"))
    for step in record.steps:
        console.print(*step_lines(step), sep="\n")
    console.print(*verdict_lines(record), sep="\n")


def _compare(rows: list[QueueRow], truth: Truth, console: Console) -> None:
    counts: Counter[tuple[bool, bool]] = Counter()
    for row in rows:
        is_real = truth[_key(row.candidate)] == SAMPLE_TASK
        counts[is_real, row.candidate.agent_verdict == "YES"] += 1
    real = counts[True, True] + counts[True, False]
    console.print(
        f"\nCompared with the truth: {counts[True, True]} of {real} found, "
        f"{counts[False, True]} of {len(rows) - real} others wrongly called YES."
    )


def _write(session: Session, stem: Path, console: Console) -> None:
    catalogue, report, records = (
        stem.with_suffix(suffix) for suffix in (".csv", ".html", ".jsonl")
    )
    export(session, catalogue, which="all")
    write_report(session, report, lambda candidate: read_spectrum(session, candidate))
    write_records(session, records)
    console.print(Text(f"\nWrote {cleaned(str(session.location))} and, from it:"))
    for path, what in (
        (catalogue, "the catalogue, with its provenance in a second file"),
        (report, "the report, for a browser"),
        (records, "every inspection, step by step"),
    ):
        console.print(Text(f"  {cleaned(str(path))}: {what}"))
