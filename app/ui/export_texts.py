"""What the export dialog says: what each kind is for, and what was written."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.ui.export_work import Kind, Written

SHOWN_NOTES = 3


def page_words(kind: Kind) -> str:
    return {
        Kind.CATALOGUE: QCoreApplication.translate("export", "Catalogue"),
        Kind.REPORT: QCoreApplication.translate("export", "Report"),
        Kind.RECORDS: QCoreApplication.translate("export", "Agents' records"),
        Kind.PACKED: QCoreApplication.translate("export", "For a colleague"),
    }[kind]


def about_pages(kind: Kind) -> str:
    return {
        Kind.CATALOGUE: "",
        Kind.REPORT: QCoreApplication.translate(
            "export",
            "One page for a browser: what was decided, how far people and agents agree, how well "
            "the agent's probabilities hold, and pictures of the evidence. It needs no other file "
            "and runs nothing. Print it from the browser for a PDF.",
        ),
        Kind.RECORDS: QCoreApplication.translate(
            "export",
            "Every inspection of every agent, step by step, as JSON lines: one line each, with "
            "what it looked at, what it said, and what was measured there. This is what models "
            "are trained and compared on.",
        ),
        Kind.PACKED: QCoreApplication.translate(
            "export",
            "A copy of this session with all verdicts and the spectra inside, in one file. A "
            "colleague opens it without your disks, judges, and sends it back to be merged.",
        ),
    }[kind]


def written_words(written: Written) -> str:
    """One line, and a few notes behind it."""
    text = {
        Kind.CATALOGUE: QCoreApplication.translate("export", "Written: {count} rows, {name}"),
        Kind.REPORT: QCoreApplication.translate("export", "Written: {name}"),
        Kind.RECORDS: QCoreApplication.translate("export", "Written: {count} records, {name}"),
        Kind.PACKED: QCoreApplication.translate("export", "Written: {count} spectra in {name}"),
    }[written.kind]
    text = text.replace("{count}", f"{written.rows:,}").replace("{name}", written.path.name)
    notes = "; ".join(written.notes[:SHOWN_NOTES])
    if written.kind is Kind.PACKED and written.notes:
        left_out = QCoreApplication.translate("export", "left out: {count}, the first {notes}")
        notes = left_out.replace("{count}", f"{len(written.notes):,}").replace("{notes}", notes)
    return f"{text} ({notes})" if notes else text
