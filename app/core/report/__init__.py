"""One page of HTML that says what a session came to."""

from app.core.report.write import write_report

__all__ = ["write_report"]
