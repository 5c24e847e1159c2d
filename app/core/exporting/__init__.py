"""Catalogues out of a session."""

from app.core.exporting.export import FORMATS, export
from app.core.exporting.report import ExportReport

__all__ = ["FORMATS", "ExportReport", "export"]
