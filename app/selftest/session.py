"""Check a small session: judge, close, reopen, export and read back."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from agent.inspection.built_in import MEASURED
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import make_inspector
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import read_trajectories
from app.core.exporting.export import export
from app.core.exporting.formats.records_file import write_records
from app.core.importing.importer import import_list
from app.core.inspections.store import add_inspection
from app.core.report import write_report
from app.core.session.records import Opinion, Verdict
from app.core.session.session import Session, new_session, open_session
from app.core.spectra.packing import pack, read_spectrum
from app.selftest.inspection import TASK
from app.selftest.installation import Check, CheckSkipped, is_frozen, require, sample

REVIEWER = "self-test"
ROWS = 6
CATALOGUES = ("csv", "ecsv", "fits", "vot", "parquet")
SESSION = "Nacht β 夜.speco3"  # a name that no single code page can represent


def checks() -> Iterator[Check]:
    yield Check(part="session", name="verdicts", run=_verdicts)
    for kind in CATALOGUES:
        yield Check(part="export", name=kind, run=partial(_catalogue, kind))
    yield Check(part="export", name="jsonl", run=_records)
    yield Check(part="export", name="html", run=_report)
    yield Check(part="export", name="packed", run=_packed)


def judged_session(folder: Path) -> Path:
    """Create a session with three verdicts and close it; returns its path."""
    path = folder / SESSION
    lines = (sample() / "candidates.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    short = folder / "candidates.csv"
    short.write_text("".join(lines[: ROWS + 1]), encoding="utf-8")
    with new_session(path, find_task(TASK), REVIEWER) as made:
        import_list(made, short, spectra=sample())
        for number, verdict in enumerate(Verdict, start=1):
            made.record_verdict(number, Opinion(verdict=verdict, comment="=1+1 “β”"))
    return path


def _opened(folder: Path) -> Session:
    return open_session(judged_session(folder), REVIEWER)


def _verdicts(folder: Path) -> str:
    with _opened(folder) as session:
        judgements = [session.judgement(number) for number in range(1, ROWS + 1)]
        verdicts = [each.opinion.verdict for each in judgements if each is not None]
        require(verdicts == list(Verdict), f"{len(verdicts)} of three verdicts were stored")
        session.undo()
        require(session.judgement(3) is None, "a verdict could not be undone")
        return f"{session.count()} candidates, {len(verdicts)} verdicts stored"


def _catalogue(kind: str, folder: Path) -> str:
    """Export a catalogue and import it again as a list."""
    if kind == "parquet" and not is_frozen() and find_spec("pyarrow") is None:
        raise CheckSkipped('pyarrow is not installed: pip install "spec-o3-workbench[formats]"')
    out = folder / f"out.{kind}"
    with _opened(folder) as session:
        export(session, out, which="all")
        names = {each.object_id for each in session.candidates(range(1, ROWS + 1))}
    with new_session(folder / "again.speco3", find_task(TASK), REVIEWER) as again:
        report = import_list(again, out, allow_absolute=True)
        back = again.candidates(range(1, ROWS + 1))
    require(report.rows_used == ROWS, f"{report.rows_used} of {ROWS} rows were read back")
    require({each.object_id for each in back} == names, "the objects have other names")
    verdicts = [str(each.own.get("verdict") or "") for each in back]
    require(sorted(filter(None, verdicts)) == sorted(Verdict), f"the verdicts are {verdicts}")
    return f"{report.rows_used} rows, {out.stat().st_size:,} bytes, read back as {report.format}"


def _records(folder: Path) -> str:
    out = folder / "out.jsonl"
    with _opened(folder) as session, closing(make_inspector(MEASURED)) as inspector:
        first = session.candidate(1)
        inspection = inspector.inspect(read_numbered(first.path, first.row), find_task(TASK))
        add_inspection(session, first.id, run(inspection))
        count = write_records(session, out)
    back = list(read_trajectories(out))
    require(count == len(back) == 1, f"{len(back)} records, not 1")
    return f"{len(back[0].steps)} steps read back"


def _report(folder: Path) -> str:
    out = folder / "out.html"
    with _opened(folder) as session:
        write_report(session, out, lambda candidate: read_spectrum(session, candidate))
        name = session.candidate(1).object_id
    page = out.read_text(encoding="utf-8")
    require(name in page, "the report does not contain the accepted object")
    return f"{len(page):,} characters"


def _packed(folder: Path) -> str:
    out = folder / "packed.speco3"
    with _opened(folder) as session:
        report = pack(session, out)
    require(report.packed == ROWS, f"{report.packed} of {ROWS} spectra were packed")
    return f"{report.packed} spectra packed, {report.bytes:,} bytes"
