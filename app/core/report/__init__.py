"""Write the results of a session as one page of HTML."""

from app.core.report.page import write_report

__all__ = ["write_report"]
