"""Write the report of a session."""

from __future__ import annotations

from pathlib import Path

from agent.atomic_file import write_file
from app.core.errors import disk_errors
from app.core.report.content import gather_content
from app.core.report.evidence import Read
from app.core.report.page import report_page
from app.core.session.session import Session


def write_report(session: Session, out: Path, read: Read, seed: int = 0) -> Path:
    """Write one self-contained HTML file without scripts; `read` loads a candidate's spectrum.

    An existing file is replaced only when the new one is complete. The same session and seed
    give the same figures.
    """
    page = report_page(gather_content(session, read, seed))
    with disk_errors(out):
        write_file(out, page.encode("utf-8", "replace"))
    return out
