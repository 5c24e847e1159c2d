"""Fetching in a thread of the runner: what the dialog and the plot order."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from app.core.fetching.fetch_run import FetchReport, FetchRun
from app.core.fetching.fetched_list import LIST, keep_in_session, write_lists
from app.core.fetching.rows import FetchRow, is_missing, row_of_candidate, typed_rows
from app.core.progress import EstimatedProgress, ShouldStop, never
from app.core.session.records import Candidate
from app.core.session.session import Session, list_roles
from app.services.archives.choice import archive_by_name, archive_of_row
from app.services.web.client import WebClient


@dataclass(frozen=True)
class Fetched:
    report: FetchReport
    opens: Path | None  # the only file, or the list of several


def fetch_typed(
    wanted: str,
    archive: str,
    folder: Path,
    *,
    release: str,
    url: str,
    radius_arcsec: float,
    take_all: bool,
    progress: EstimatedProgress,
    should_stop: ShouldStop,
) -> Fetched:
    """Fetch what is wanted, one spectrum a line. Any thread.

    Raises WorkbenchError before anything is asked, or if the disk is full.
    """
    source, rows = archive_by_name(archive, release, url), typed_rows(wanted, archive)
    with closing(WebClient()) as client:
        run = FetchRun(source, folder, client, radius_arcsec=radius_arcsec, take_all=take_all)
        report = run.run(rows, progress=progress, should_stop=should_stop)
    names = {each.record.file for each in report.fetched}
    write_lists(report, folder)
    if not names:
        return Fetched(report, None)
    return Fetched(report, folder / (names.pop() if len(names) == 1 else LIST))


def archive_of(session: Session, candidate: Candidate) -> tuple[str, str]:
    """The archive that has the missing file of a candidate and what it is sent; "" if none has."""
    if session.is_read_only or not is_missing(candidate.path):
        return "", ""
    archive = archive_of_row(_row(session, candidate).wanted)
    return ("", "") if archive is None else (archive.id, archive.sends)


def fetch_missing(
    session: Session,
    candidate: Candidate,
    archive: str,
    folder: Path,
    should_stop: ShouldStop = never,
    url: str = "",
) -> str:
    """Fetch the file of a candidate into the session; why not, or "". Raises WorkbenchError."""
    with closing(WebClient()) as client:
        run = FetchRun(archive_by_name(archive, base=url), folder, client)
        report = run.run([_row(session, candidate)], should_stop=should_stop)
    if report.fetched and not should_stop():
        keep_in_session(session, report.fetched, folder)
    if report.is_stopped:
        return "stopped"
    return report.failed[0].reason if report.failed else ""


def _row(session: Session, candidate: Candidate) -> FetchRow:
    return row_of_candidate(candidate, list_roles(session).get(candidate.list_id, {}))
